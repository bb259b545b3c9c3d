"""The Python SDK as it is, with an adapter of ten lines. The environment says who it is and where to."""

import asyncio
import os
import re

from band import Agent, AgentConfig, ConflictPolicy, LogSettings
from band.core.simple_adapter import SimpleAdapter

SLEEPS = os.environ.get("PEER_SLEEPS") != "off"


class Echo(SimpleAdapter):
    async def on_message(self, msg, tools, history, participants_msg, contacts_msg, *, is_session_bootstrap, room_id):
        print("turn", msg.id, flush=True)
        for pause in re.findall(r"\[\[sleep:(\d+)\]\]", msg.content) if SLEEPS else []:
            await asyncio.sleep(int(pause) / 1000)
        text = re.sub(r"@\[\[[^\]]*\]\]|@\S+", "", msg.content).strip()
        if text == "[[fail]]":
            raise RuntimeError("on purpose")
        if text == "[[silent]]":
            return
        await tools.send_message(f"echo: {text}", mentions=[msg.sender_id])


async def main() -> None:
    LogSettings().configure()
    config = AgentConfig(
        single_instance=os.environ.get("PEER_SINGLE_INSTANCE") != "off",
        conflict_policy=ConflictPolicy(os.environ.get("PEER_CONFLICT", "supersede")),
    )
    agent = Agent.create(
        adapter=Echo(),
        agent_id=os.environ["BAND_AGENT_ID"],
        api_key=os.environ["BAND_API_KEY"],
        config=config,
    )
    await agent.run()


asyncio.run(main())
