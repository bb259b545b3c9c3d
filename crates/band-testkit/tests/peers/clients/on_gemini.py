"""Google's client, the Gemini API for developers."""

import base64
import functools
import json

from google import genai
from google.genai import types
from google.genai.errors import APIError

from strictly import failed, refused, said, stream, whole

USAGE = {
    "prompt_token_count": 90,
    "candidates_token_count": 7,
    "thoughts_token_count": 5,
    "cached_content_token_count": 64,
    "total_token_count": 102,
}
SIGNATURE = base64.b64decode("c2lnbmVk")


def request(case):
    contents = []

    def add(role, parts):
        if contents and contents[-1].role == role:
            contents[-1].parts.extend(parts)
        else:
            contents.append(types.Content(role=role, parts=list(parts)))

    for turn in case["turns"]:
        if "calls" in turn:
            add("model", asked(turn))
            add("user", given(turn))
        elif "own" in turn:
            add("model", [types.Part(text=turn["own"])])
        else:
            add("user", [types.Part(text=turn["heard"])])
    declared = [
        types.FunctionDeclaration(
            name=tool["name"], description=tool["description"], parameters=types.Schema(**tool["gemini"])
        )
        for tool in case["tools"]
    ]
    config = types.GenerateContentConfig(
        system_instruction=types.Content(parts=[types.Part(text=case["system"])]),
        tools=[types.Tool(function_declarations=declared)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    return {"model": case["model"], "contents": contents, "config": config}


def asked(turn):
    if turn.get("text"):
        yield types.Part(text=turn["text"])
    for at, call in enumerate(turn["calls"]):
        asked = types.FunctionCall(id=call["id"], name=call["name"], args=call["args"])
        is_signed = turn.get("thoughts") and at == 0
        yield types.Part(function_call=asked, thought_signature=SIGNATURE if is_signed else None)


def given(turn):
    for call in turn["calls"]:
        response = {"error" if call["is_error"] else "output": call["output"]}
        yield types.Part(
            function_response=types.FunctionResponse(id=call["id"], name=call["name"], response=response)
        )
    for image in (image for call in turn["calls"] for image in call["images"]):
        yield types.Part.from_bytes(data=base64.b64decode(image["data"]), mime_type=image["media_type"])


@functools.cache
def client_of(url, key):
    options = types.HttpOptions(base_url=url, retry_options=types.HttpRetryOptions(attempts=1))
    return genai.Client(api_key=key, vertexai=False, http_options=options)


def send(ask, asked):
    client = client_of(ask["url"], ask["key"])
    try:
        if ask["stream"]:
            return read(list(client.models.generate_content_stream(**asked)))
        return read([client.models.generate_content(**asked)])
    except APIError as problem:
        return failed(problem.code, problem.message)


def read(answers):
    text, thoughts, calls, usage, end = "", "", [], None, None
    for answer in answers:
        usage = answer.usage_metadata or usage
        if answer.prompt_feedback and answer.prompt_feedback.block_reason:
            end = answer.prompt_feedback.block_reason.value
        for candidate in answer.candidates or []:
            end = candidate.finish_reason.value if candidate.finish_reason else end
            for part in (candidate.content and candidate.content.parts) or []:
                if part.function_call:
                    call = part.function_call
                    calls.append((call.id or "", call.name, call.args or {}))
                elif part.thought:
                    thoughts += part.text or ""
                else:
                    text += part.text or ""
    # Thoughts are not part of the provider's count of the output.
    counts = {
        "input": usage.prompt_token_count or 0,
        "output": (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        "cache_read": usage.cached_content_token_count or 0,
        "cache_write": 0,
    }
    return said(text, [thoughts] if thoughts else [], calls, counts, end)


def parse(body):
    """The client has no type of a whole request, but one of each part. They refuse what they do not know."""
    known = {"contents", "systemInstruction", "tools", "generationConfig"}
    if unknown := set(body) - known:
        raise ValueError(f"no such fields: {unknown}")
    for content in body["contents"]:
        types.Content.model_validate(content)
    types.Content.model_validate(body["systemInstruction"])
    for tool in body["tools"]:
        types.Tool.model_validate(tool)
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    return {"problem": None}


def answers():
    refusing = [end for end in types.FinishReason if end.value not in ("STOP", "MAX_TOKENS")]
    ends = [(f"the end {end.value}", [types.Part(text="Half of")], end) for end in refusing]
    blocks = [blocked(why) for why in types.BlockedReason]
    return [answer for row in TABLE + ends for answer in of(*row)] + blocks + [
        refused("a wrong request", 400, error(400, "INVALID_ARGUMENT", "no such tool")),
        refused("a wrong key", 403, error(403, "PERMISSION_DENIED", "API key not valid")),
        refused("too much asked", 429, error(429, "RESOURCE_EXHAUSTED", "slow down")),
        refused("an overload", 503, error(503, "UNAVAILABLE", "The model is overloaded.")),
    ]


def call(id, name, args, **more):
    return types.Part(function_call=types.FunctionCall(id=id, name=name, args=args), **more)


CALLS = [call("c1", "get_weather", {"city": "Köln"}, thought_signature=SIGNATURE), call(None, "get_time", {})]
TABLE = [
    ("a text", [types.Part(text="Hello "), types.Part(text="🌍")], types.FinishReason.STOP),
    ("two calls", CALLS, types.FinishReason.STOP),
    (
        "thoughts, a text and calls",
        [types.Part(text="hm", thought=True), types.Part(text="I look."), *CALLS],
        types.FinishReason.STOP,
    ),
    ("the limit of the output", [types.Part(text="Half of")], types.FinishReason.MAX_TOKENS),
]


def of(name, parts, end):
    yield whole(name, response(parts, end))
    yield stream(name, [*(response([part], None) for part in parts), response([], end)])


def response(parts, end):
    content = types.Content(role="model", parts=parts) if parts else None
    candidate = types.Candidate(content=content, finish_reason=end, index=0)
    usage = types.GenerateContentResponseUsageMetadata(**USAGE)
    return dumped(types.GenerateContentResponse(candidates=[candidate], usage_metadata=usage))


def blocked(why):
    feedback = types.GenerateContentResponsePromptFeedback(block_reason=why)
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=90)
    return whole(
        f"a prompt that is blocked, {why.value}",
        dumped(types.GenerateContentResponse(prompt_feedback=feedback, usage_metadata=usage)),
    )


def dumped(response):
    return json.loads(response.model_dump_json(by_alias=True, exclude_none=True))


def error(code, status, message):
    return {"error": {"code": code, "status": status, "message": message}}
