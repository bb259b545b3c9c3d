"""The Python SDK's host for one event, with an adapter of a few lines: an envelope in, a line with the outcome out."""

import asyncio
import json
import os
import re
import sys

from band.core.simple_adapter import SimpleAdapter
from band.platform.link import BandLink
from band.runtime.oneshot import OneShotInvoker


class Echo(SimpleAdapter):
    async def on_message(self, msg, tools, history, participants_msg, contacts_msg, *, is_session_bootstrap, room_id):
        text = re.sub(r"@\[\[[^\]]*\]\]|@\S+", "", msg.content).strip()
        if "[[fail]]" in text:
            raise RuntimeError("on purpose")
        if "[[silent]]" in text:
            return
        await tools.send_message(f"echo: {text}", mentions=[msg.sender_id])


async def main() -> None:
    agent = os.environ["BAND_AGENT_ID"]
    link = BandLink(
        agent, os.environ["BAND_API_KEY"], ws_url=os.environ["BAND_WS_URL"], rest_url=os.environ["BAND_REST_URL"]
    )
    invoker = OneShotInvoker(link=link, adapter=Echo(), agent_id=agent)
    await invoker.startup()
    print("started", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = await invoker.handle_event(json.loads(line))
        except Exception as raised:  # the outcome is compared, whatever it is
            answer = {"raised": str(raised)}
        print("outcome", json.dumps(answer), flush=True)
    await invoker.shutdown()


asyncio.run(main())
