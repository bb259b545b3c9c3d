"""The Python SDK's tools, called by name from a list. What becomes of each call is written into a file."""

import asyncio
import json
import os

from band import Agent, AgentConfig, LogSettings
from band.core.simple_adapter import SimpleAdapter


def filled(value, known):
    if isinstance(value, str):
        for name, text in known.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, dict):
        if set(value) == {"repeat", "times"}:
            return value["repeat"] * value["times"]
        return {key: filled(item, known) for key, item in value.items()}
    return value


def id_of(value):
    if not isinstance(value, dict):
        return None
    return value.get("id") or (value.get("attachment") or {}).get("id")


class Adapter(SimpleAdapter):
    def __init__(self):
        super().__init__()
        self.known = json.loads(os.environ["PEER_KNOWN"])
        with open(os.environ["PEER_CALLS"]) as file:
            self.calls = json.load(file)

    async def on_message(self, msg, tools, history, participants_msg, contacts_msg, *, is_session_bootstrap, room_id):
        part = "same" if "same" in msg.content else "different"
        results = []
        for call in self.calls[part]:
            try:
                outcome = await tools.execute_tool_call_structured(call["name"], filled(call["args"], self.known))
            except Exception as error:
                results.append({"class": "raise", "text": str(error)[:300]})
                continue
            value = outcome.value
            keys = sorted(key for key in value if value[key] is not None) if isinstance(value, dict) else None
            results.append({"class": "ok" if outcome.ok else "text", "text": str(value)[:300], "keys": keys})
            if "save" in call:
                self.known[call["save"]] = str(id_of(outcome.value))
        with open(os.environ["PEER_RESULTS"], "w") as file:
            json.dump(results, file)
        print("called", part, flush=True)


async def main() -> None:
    LogSettings().configure()
    agent = Agent.create(
        adapter=Adapter(),
        agent_id=os.environ["BAND_AGENT_ID"],
        api_key=os.environ["BAND_API_KEY"],
        config=AgentConfig(single_instance=False),
    )
    await agent.run()


asyncio.run(main())
