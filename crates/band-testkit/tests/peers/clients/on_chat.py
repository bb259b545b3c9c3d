"""OpenAI's client, Chat Completions."""

import functools
import json

from openai import APIError, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParams

from strictly import compact, failed, made, parsed, refused, said, stream, whole

USAGE = {
    "prompt_tokens": 90,
    "completion_tokens": 12,
    "total_tokens": 102,
    "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 16},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


def request(case):
    messages = [{"role": "system", "content": case["system"]}]
    for turn in case["turns"]:
        if "calls" in turn:
            messages.extend(exchange(turn, case["images_line"]))
        elif "own" in turn:
            messages.append({"role": "assistant", "content": turn["own"]})
        else:
            messages.append({"role": "user", "content": turn["heard"]})
    functions = [{key: tool[key] for key in ("name", "description", "parameters")} for tool in case["tools"]]
    return {
        "model": case["model"],
        "messages": messages,
        "tools": [{"type": "function", "function": function} for function in functions],
    }


def exchange(turn, images_line):
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": compact(call["args"])},
        }
        for call in turn["calls"]
    ]
    yield {"role": "assistant", "content": turn.get("text"), "tool_calls": calls}
    images = []
    for call in turn["calls"]:
        mark = "Error: " if call["is_error"] else ""
        yield {"role": "tool", "tool_call_id": call["id"], "content": mark + call["output"]}
        for image in call["images"]:
            url = f"data:{image['media_type']};base64,{image['data']}"
            images.append({"type": "image_url", "image_url": {"url": url}})
    if images:
        yield {"role": "user", "content": [{"type": "text", "text": images_line}, *images]}


@functools.cache
def client_of(url, key):
    return OpenAI(base_url=url, api_key=key, max_retries=0)


def send(ask, asked):
    client = client_of(ask["url"] + "/v1", ask["key"])
    try:
        if ask["stream"]:
            asked["stream_options"] = {"include_usage": True}
            return read_stream(client.chat.completions.create(stream=True, **asked))
        answer = client.chat.completions.create(**asked)
    except APIError as error:
        return refusal(error)
    choice = answer.choices[0]
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    text = (choice.message.content or "") + (choice.message.refusal or "")
    return read(text, calls, answer.usage, choice.finish_reason)


def refusal(error):
    # Its own text puts the status in front of what the provider wrote.
    body = error.body if isinstance(error.body, dict) else {}
    return failed(getattr(error, "status_code", None), body.get("message", error.message))


def read_stream(chunks):
    text, calls, usage, end = "", {}, None, None
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            end = choice.finish_reason or end
            text += (choice.delta.content or "") + (choice.delta.refusal or "")
            for piece in choice.delta.tool_calls or []:
                call = calls.setdefault(piece.index, ["", "", ""])
                call[0] = piece.id or call[0]
                call[1] = piece.function.name or call[1]
                call[2] += piece.function.arguments or ""
    return read(text, calls.values(), usage, end)


def read(text, calls, usage, end):
    calls = [(id, name, json.loads(arguments)) for id, name, arguments in calls]
    given, taken = usage.prompt_tokens_details, usage.completion_tokens
    counts = {
        "input": usage.prompt_tokens,
        "output": taken,
        "cache_read": given and given.cached_tokens or 0,
        "cache_write": given and given.cache_write_tokens or 0,
    }
    return said(text, [], calls, counts, end)


def parse(body):
    return parsed(CompletionCreateParams, body)


def answers():
    return [answer for row in TABLE for answer in of(*row)] + [
        refused("a wrong request", 400, error("invalid_request_error", "no such tool")),
        refused("a wrong key", 401, error("invalid_request_error", "Incorrect API key provided")),
        refused("too much asked", 429, error("rate_limit_exceeded", "slow down")),
        refused("a bad day", 500, error("server_error", "try later")),
    ]


def call(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


CALLS = [call("c1", "get_weather", '{"city":"Köln"}'), call("c2", "get_time", "{}")]

TABLE = [
    ("a text", {"content": "Hello 🌍"}, "stop"),
    ("two calls", {"content": None, "tool_calls": CALLS}, "tool_calls"),
    ("a text beside calls", {"content": "I look.", "tool_calls": CALLS}, "tool_calls"),
    ("a refusal of the model", {"content": None, "refusal": "I can't."}, "stop"),
    ("a filter", {"content": "Half"}, "content_filter"),
    ("the limit of the output", {"content": "Half of"}, "length"),
]


def of(name, message, end):
    common = {"id": "x", "created": 1, "model": "m"}
    choice = {"index": 0, "finish_reason": end, "message": {"role": "assistant"} | message}
    body = made(ChatCompletion, object="chat.completion", choices=[choice], usage=USAGE, **common)
    yield whole(name, body)
    deltas = [(delta, None) for delta in pieces(message)] + [({}, end)]
    choices = [[{"index": 0, "delta": delta, "finish_reason": end}] for delta, end in deltas]
    events = [
        made(ChatCompletionChunk, object="chat.completion.chunk", choices=of_chunk, usage=usage, **common)
        for of_chunk, usage in [(one, None) for one in choices] + [([], USAGE)]
    ]
    yield stream(name, events, last="data: [DONE]\n\n")


def pieces(message):
    yield {"role": "assistant", "content": ""}
    for field in ("content", "refusal"):
        yield from ({field: letter} for letter in message.get(field) or "")
    for index, asked in enumerate(message.get("tool_calls", [])):
        function = asked["function"]
        yield {"tool_calls": [asked | {"index": index, "function": function | {"arguments": ""}}]}
        for letter in function["arguments"]:
            yield {"tool_calls": [{"index": index, "function": {"arguments": letter}}]}


def error(kind, message):
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}
