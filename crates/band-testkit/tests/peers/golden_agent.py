"""The Python SDK as it is. What its hooks hear of is left among its calls, as requests that a tap keeps for itself."""

import asyncio
import os
import re
import urllib.request

from band import Agent, AgentConfig, LogSettings
from band.core.simple_adapter import SimpleAdapter


def note(word):
    """Blocks everything else until it is written down, so that it stands in its place."""
    with urllib.request.urlopen(f"{os.environ['BAND_REST_URL']}/tap/{word}"):
        pass


class Golden(SimpleAdapter):
    def __init__(self):
        super().__init__()
        self.waited = False

    async def on_message(self, msg, tools, history, participants_msg, contacts_msg, *, is_session_bootstrap, room_id):
        note(f"on_message:{room_id}" + (":first" if is_session_bootstrap else ""))
        text = re.sub(r"@\[\[[^\]]*\]\]|@\S+", "", msg.content).strip()
        if text == "[[fail]]":
            raise RuntimeError("on purpose")
        if text == "[[silent]]":
            return
        if text == "[[wait]]" and not self.waited:
            self.waited = True
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                note("cancelled")
                raise
        await tools.send_message(f"echo: {text}", mentions=[msg.sender_id])

    async def on_interrupt(self, room_id, mode):
        note(f"on_interrupt:{mode.value}")

    async def on_cleanup(self, room_id):
        note(f"on_cleanup:{room_id}")


async def arrived(room_id, event):
    note("on_participant_added")


async def main() -> None:
    LogSettings().configure()
    agent = Agent.create(
        adapter=Golden(),
        agent_id=os.environ["BAND_AGENT_ID"],
        api_key=os.environ["BAND_API_KEY"],
        config=AgentConfig(single_instance=False),
        on_participant_added=arrived,
    )
    await agent.run()


asyncio.run(main())
