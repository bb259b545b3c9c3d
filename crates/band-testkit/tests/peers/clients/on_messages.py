"""Anthropic's client, Messages."""

import functools
import json
import typing

from anthropic import Anthropic, APIError
from anthropic.types import Message, RawMessageStreamEvent, StopReason
from anthropic.types.message_create_params import MessageCreateParams

from strictly import failed, made, parsed, refused, said, stream, whole

USAGE = {
    "input_tokens": 10,
    "cache_read_input_tokens": 64,
    "cache_creation_input_tokens": 16,
    "output_tokens": 12,
}


def request(case):
    messages = []

    def add(role, blocks):
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": list(blocks)})

    for turn in case["turns"]:
        if "calls" in turn:
            add("assistant", asked(turn))
            add("user", [given(call) for call in turn["calls"]])
        elif "own" in turn:
            add("assistant", [text(turn["own"])])
        else:
            add("user", [text(turn["heard"])])
    cached = {"cache_control": {"type": "ephemeral"}}
    messages[-1]["content"][-1] |= cached
    return {
        "model": case["model"],
        "max_tokens": 4096,
        "system": [text(case["system"]) | cached],
        "messages": messages,
        "tools": [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in case["tools"]
        ],
    }


def text(words):
    return {"type": "text", "text": words}


def asked(turn):
    for thought in turn.get("thoughts", []):
        yield {"type": "thinking", "thinking": thought, "signature": "c2lnbmVk"}
    if turn.get("text"):
        yield text(turn["text"])
    for call in turn["calls"]:
        yield {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}


def given(call):
    content = call["output"]
    if call["images"]:
        sources = [{"type": "base64"} | image for image in call["images"]]
        content = [text(content)] + [{"type": "image", "source": source} for source in sources]
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
    return result | ({"is_error": True} if call["is_error"] else {})


@functools.cache
def client_of(url, key):
    return Anthropic(base_url=url, api_key=key, max_retries=0)


def send(ask, asked):
    client = client_of(ask["url"], ask["key"])
    try:
        if not ask["stream"]:
            return read(client.messages.create(**asked))
        with client.messages.stream(**asked) as events:
            return read(events.get_final_message())
    except APIError as problem:
        detail = (problem.body or {}).get("error", {}).get("message", problem.message)
        return failed(getattr(problem, "status_code", None), detail)


def read(answer):
    of_type = lambda kind: [block for block in answer.content if block.type == kind]
    words = "".join(block.text for block in of_type("text"))
    thoughts = [block.thinking for block in of_type("thinking")]
    calls = [(block.id, block.name, block.input) for block in of_type("tool_use")]
    usage = answer.usage
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    # What was cached is not part of the provider's count of the input.
    counts = {
        "input": usage.input_tokens + read + written,
        "output": usage.output_tokens,
        "cache_read": read,
        "cache_write": written,
    }
    return said(words, thoughts, calls, counts, answer.stop_reason)


def parse(body):
    return parsed(MessageCreateParams, body)


def answers():
    ends = [(f"the end {end}", [text("Half of")], end) for end in typing.get_args(StopReason)]
    return [answer for row in TABLE + ends for answer in of(*row)] + [
        refused("a wrong request", 400, error("invalid_request_error", "no such tool")),
        refused("a wrong key", 401, error("authentication_error", "invalid x-api-key")),
        refused("too much asked", 429, error("rate_limit_error", "slow down")),
        refused("an overload", 529, error("overloaded_error", "Overloaded")),
    ]


CALLS = [
    {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Köln"}},
    {"type": "tool_use", "id": "c2", "name": "get_time", "input": {}},
]
SEARCH = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "Köln"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
]
THINKING = [
    {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "c2VhbGVk"},
]
TABLE = [
    ("a text", [text("Hello "), text("🌍")], "end_turn"),
    ("two calls", CALLS, "tool_use"),
    ("thoughts, a text and calls", [*THINKING, text("I look."), *CALLS], "tool_use"),
    ("tools of the provider", [*SEARCH, text("Found.")], "end_turn"),
    ("silence", [], "end_turn"),
]


def of(name, content, end):
    form = {"id": "x", "type": "message", "role": "assistant", "model": "m"}
    yield whole(name, made(Message, content=content, stop_reason=end, usage=USAGE, **form))
    start = made(Message, content=[], stop_reason=None, usage=USAGE | {"output_tokens": 1}, **form)
    events = [{"type": "message_start", "message": start}]
    for index, block in enumerate(content):
        events += [event | {"index": index} for event in grown(block)]
    delta = {"stop_reason": end, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": USAGE["output_tokens"]}}]
    events += [{"type": "message_stop"}]
    checked = [made(RawMessageStreamEvent, **event) for event in events]
    # Sent now and then; no type of the client tells of it.
    yield stream(name, [*checked[:1], {"type": "ping"}, *checked[1:]], named=True)


def grown(block):
    match block["type"]:
        case "text":
            start, deltas = {"text": ""}, [{"type": "text_delta", "text": one} for one in block["text"]]
        case "thinking":
            start = {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": one} for one in block["thinking"]]
            deltas += [{"type": "signature_delta", "signature": block["signature"]}]
        case "tool_use" | "server_tool_use":
            start = {"input": {}}
            letters = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
            deltas = [{"type": "input_json_delta", "partial_json": one} for one in ["", *letters]]
        case _:
            start, deltas = {}, []
    yield {"type": "content_block_start", "content_block": block | start}
    yield from ({"type": "content_block_delta", "delta": delta} for delta in deltas)
    yield {"type": "content_block_stop"}


def error(kind, message):
    return {"type": "error", "error": {"type": kind, "message": message}}
