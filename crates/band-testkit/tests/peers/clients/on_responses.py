"""OpenAI's client, Responses."""

import json
import typing

from openai import APIError
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParams

from on_chat import client_of, error, refusal
from strictly import compact, failed, made, parsed, refused, said, stream, whole

USAGE = {
    "input_tokens": 90,
    "output_tokens": 12,
    "total_tokens": 102,
    "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 16},
    "output_tokens_details": {"reasoning_tokens": 5},
}


def request(case):
    items = []
    for turn in case["turns"]:
        if "calls" in turn:
            items.extend(exchange(turn))
        elif "own" in turn:
            items.append(message("assistant", turn["own"]))
        else:
            items.append(message("user", turn["heard"]))
    return {
        "model": case["model"],
        "instructions": case["system"],
        "input": items,
        "tools": [
            {"type": "function", "strict": False}
            | {key: tool[key] for key in ("name", "description", "parameters")}
            for tool in case["tools"]
        ],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


def message(role, text):
    return {"type": "message", "role": role, "content": text}


def exchange(turn):
    for thought in turn.get("thoughts", []):
        yield {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": thought}],
            "encrypted_content": "c2VhbGVk",
        }
    if turn.get("text"):
        yield message("assistant", turn["text"])
    for call in turn["calls"]:
        yield {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": compact(call["args"]),
        }
    for call in turn["calls"]:
        yield {"type": "function_call_output", "call_id": call["id"], "output": output(call)}


def output(call):
    text = ("Error: " if call["is_error"] else "") + call["output"]
    if not call["images"]:
        return text
    images = [
        {"type": "input_image", "image_url": f"data:{image['media_type']};base64,{image['data']}"}
        for image in call["images"]
    ]
    return [{"type": "input_text", "text": text}, *images]


def send(ask, asked):
    client = client_of(ask["url"] + "/v1", ask["key"])
    try:
        if not ask["stream"]:
            return read(client.responses.create(**asked))
        ends = ("response.completed", "response.incomplete", "response.failed")
        last = [event for event in client.responses.create(stream=True, **asked) if event.type in ends]
        return read(last[0].response)
    except APIError as problem:
        return refusal(problem)


def read(answer):
    if answer.error:
        return failed(None, answer.error.message)
    calls = [(item.call_id, item.name, json.loads(item.arguments)) for item in of_type(answer, "function_call")]
    thoughts = [part.text for item in of_type(answer, "reasoning") for part in item.summary]
    refusals = [
        part.refusal for item in of_type(answer, "message") for part in item.content if part.type == "refusal"
    ]
    usage = answer.usage
    counts = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.input_tokens_details.cached_tokens or 0,
        "cache_write": usage.input_tokens_details.cache_write_tokens or 0,
    }
    end = answer.incomplete_details.reason if answer.incomplete_details else answer.status
    return said(answer.output_text + "".join(refusals), thoughts, calls, counts, end)


def of_type(answer, kind):
    return [item for item in answer.output if item.type == kind]


def parse(body):
    return parsed(ResponseCreateParams, body)


def answers():
    return [answer for row in TABLE for answer in of(*row)] + [
        refused("a wrong request", 400, error("invalid_request_error", "no such tool")),
        refused("too much asked", 429, error("rate_limit_exceeded", "slow down")),
        refused("a bad day", 500, error("server_error", "try later")),
    ]


def written(*content):
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": list(content)}


def text(words):
    return {"type": "output_text", "text": words, "annotations": []}


CALLS = [
    {"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": '{"city":"Köln"}'},
    {"type": "function_call", "call_id": "c2", "name": "get_time", "arguments": "{}"},
]
REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}, {"type": "summary_text", "text": "aha"}],
    "encrypted_content": "c2VhbGVk",
}
TABLE = [
    ("a text", [written(text("Hello "), text("🌍"))], {"status": "completed"}),
    ("two calls", CALLS, {"status": "completed"}),
    ("thoughts, a text and calls", [REASONING, written(text("I look.")), *CALLS], {"status": "completed"}),
    ("a refusal of the model", [written({"type": "refusal", "refusal": "I can't."})], {"status": "completed"}),
    (
        "a filter",
        [written(text("Half"))],
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    ),
    (
        "the limit of the output",
        [written(text("Half of"))],
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ),
    ("a failure", [], {"status": "failed", "error": {"code": "server_error", "message": "bad day"}}),
]
FORM = {
    "id": "x",
    "object": "response",
    "created_at": 1.0,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def of(name, output, end):
    body = made(Response, output=output, usage=USAGE, **FORM, **end)
    yield whole(name, body)
    empty = made(Response, output=[], status="in_progress", **FORM)
    events = [{"type": "response.created", "response": empty}, *others()]
    for index, item in enumerate(output):
        events += [{"type": "response.output_item.done", "output_index": index, "item": item}]
    events += [{"type": f"response.{end['status']}", "response": body}]
    numbered = [event | {"sequence_number": at} for at, event in enumerate(events)]
    checked = [event if "item_id" in event else made(ResponseStreamEvent, **event) for event in numbered]
    yield stream(name, checked, named=True)


def others():
    """Each kind of event that the client knows, the telling ones aside."""
    union = typing.get_args(typing.get_args(ResponseStreamEvent)[0])
    kinds = [typing.get_args(one.model_fields["type"].annotation)[0] for one in union]
    telling = {"error", "response.output_item.done"}
    telling |= {f"response.{end}" for end in ("created", "in_progress", "completed", "incomplete", "failed", "queued")}
    return [{"type": kind, "item_id": "i", "output_index": 0} for kind in kinds if kind not in telling]
