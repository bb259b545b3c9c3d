"""The Python SDK's tools and REST client as they are, called one after another.

PEER_CALLS is a JSON list of [who, name, arguments]: an agent's tool by its name, a person's tool by its method, or
an operation of the REST client ("agent_rest" and "person_rest", as group.method). A text argument "$3.id" is the
field id of the third result, counted from 0. Each result is printed as one line."""

import asyncio
import json
import os

from band.runtime.tools import AgentTools, HumanTools
from band_rest import AsyncRestClient


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def filled(value, results):
    if isinstance(value, dict):
        return {key: filled(inner, results) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, results) for inner in value]
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    first, *rest = value[1:].split(".")
    found = results[int(first)]
    for part in rest:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


async def operation(client, name, arguments):
    group, method = name.split(".")
    if "request" in arguments:
        arguments["request"] = arguments["request"].encode()
        arguments["request_options"] = {"additional_headers": arguments.pop("headers")}
    answer = getattr(getattr(client, group), method)(**arguments)
    if hasattr(answer, "__aiter__"):
        return b"".join([chunk async for chunk in answer])
    return await answer


async def main() -> None:
    url = os.environ["BAND_REST_URL"]
    agent = AsyncRestClient(api_key=os.environ["BAND_API_KEY"], base_url=url)
    person = AsyncRestClient(api_key=os.environ["PEER_USER_KEY"], base_url=url)
    room = os.environ["PEER_ROOM"]
    tools = AgentTools(room, agent, agent_id=os.environ["BAND_AGENT_ID"])
    await tools.get_participants()
    results = []
    for who, name, arguments in json.loads(os.environ["PEER_CALLS"]):
        arguments = filled(arguments, results)
        try:
            if who == "agent":
                result = await tools.execute_tool_call(name, arguments)
            elif who == "person":
                result = await getattr(HumanTools(person), name)(**arguments)
            else:
                result = await operation(agent if who == "agent_rest" else person, name, arguments)
        except Exception as error:
            result = {"raised": type(error).__name__, "text": str(error), "status": getattr(error, "status_code", None)}
        result = json.loads(json.dumps(result, default=plain))
        results.append(result)
        print("result", json.dumps(result), flush=True)
    print("done", flush=True)


asyncio.run(main())
