"""The Python SDK as it is, with a say in its contacts. What it sees and gets is printed, one line each."""

import asyncio
import json
import os
import re

from band import Agent, AgentConfig, LogSettings
from band.core.simple_adapter import SimpleAdapter
from band.platform.event import ContactRequestReceivedEvent
from band.runtime.contacts import ContactEventConfig, ContactEventStrategy


def plain(value):
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def told(what, value):
    print(what, json.dumps(value, default=plain), flush=True)


class Adapter(SimpleAdapter):
    async def on_message(self, msg, tools, history, participants_msg, contacts_msg, *, is_session_bootstrap, room_id):
        told("turn", {"content": msg.content, "update": contacts_msg, "hub": tools.is_hub_room})
        request = re.search(r"\[Contact Request\].*Request ID: (\S+)", msg.content, re.DOTALL)
        if request:
            told("answered", await tools.respond_contact_request("approve", request_id=request.group(1)))
            told("requests", await tools.list_contact_requests())
            told("contacts", await tools.list_contacts())
            return
        if "sleep" in msg.content:
            await asyncio.sleep(3600)
        await tools.send_message("done", mentions=[msg.sender_id])

    async def on_interrupt(self, room_id, mode):
        told("interrupted", mode.value)


async def on_event(event, tools):
    told("event", {"type": type(event).__name__, "payload": event.payload.model_dump()})
    if isinstance(event, ContactRequestReceivedEvent):
        told("answered", await tools.respond_contact_request("approve", request_id=event.payload.id))
        told("contacts", await tools.list_contacts())
        told("asked", await tools.add_contact("cy", "hello"))
        told("requests", await tools.list_contact_requests())
        told("cancelled", await tools.respond_contact_request("cancel", handle="@cy"))
        told("removed", await tools.remove_contact(handle=event.payload.from_handle))


async def main() -> None:
    LogSettings().configure()
    strategy = ContactEventStrategy(os.environ.get("PEER_CONTACTS", "disabled"))
    contacts = ContactEventConfig(
        strategy=strategy, on_event=on_event if strategy is ContactEventStrategy.CALLBACK else None
    )
    agent = Agent.create(
        adapter=Adapter(),
        agent_id=os.environ["BAND_AGENT_ID"],
        api_key=os.environ["BAND_API_KEY"],
        config=AgentConfig(single_instance=False),
        contact_config=contacts,
    )
    await agent.run()


asyncio.run(main())
