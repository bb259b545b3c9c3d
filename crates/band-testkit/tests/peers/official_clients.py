"""The providers' own clients, driven by tests.

One JSON object comes in, one goes out. `send` asks an endpoint for the next step of a conversation; `build` makes
a response of the client's own types; `check` holds a request against the client's own types.
"""

import json
import sys

from pydantic import TypeAdapter


def chat_messages(ask):
    messages = [{"role": "system", "content": ask["system"]}]
    for entry in ask["conversation"]:
        if "user" in entry:
            messages.append({"role": "user", "content": entry["user"]})
        elif "own" in entry:
            messages.append({"role": "assistant", "content": entry["own"]})
        else:
            calls = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": compact(call["args"])},
                }
                for call in entry["calls"]
            ]
            messages.append({"role": "assistant", "content": entry.get("text"), "tool_calls": calls})
            for call in entry["calls"]:
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": call["output"]})
    return messages


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def send_chat(ask):
    from openai import OpenAI

    client = OpenAI(base_url=ask["url"] + "/v1", api_key=ask["key"], max_retries=0)
    asked = {"model": ask["model"], "messages": chat_messages(ask), "tools": ask["tools"]}
    if not ask["stream"]:
        answer = client.chat.completions.create(**asked)
        message = answer.choices[0].message
        calls = [(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or []]
        return said(message.content, calls, answer.usage.prompt_tokens, answer.usage.completion_tokens)
    asked["stream_options"] = {"include_usage": True}
    text, calls, usage = "", {}, None
    for chunk in client.chat.completions.create(stream=True, **asked):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for piece in choice.delta.tool_calls or []:
                call = calls.setdefault(piece.index, ["", "", ""])
                call[0] = piece.id or call[0]
                call[1] = piece.function.name or call[1]
                call[2] += piece.function.arguments or ""
    return said(text, calls.values(), usage.prompt_tokens, usage.completion_tokens)


def send_responses(ask):
    from openai import OpenAI

    client = OpenAI(base_url=ask["url"] + "/v1", api_key=ask["key"], max_retries=0)
    items = []
    for entry in ask["conversation"]:
        if "user" in entry:
            items.append({"role": "user", "content": entry["user"]})
        elif "own" in entry:
            items.append({"role": "assistant", "content": entry["own"]})
        else:
            if entry.get("text"):
                items.append({"role": "assistant", "content": entry["text"]})
            for call in entry["calls"]:
                items.append(
                    {
                        "type": "function_call",
                        "call_id": call["id"],
                        "name": call["name"],
                        "arguments": compact(call["args"]),
                    }
                )
            for call in entry["calls"]:
                items.append({"type": "function_call_output", "call_id": call["id"], "output": call["output"]})
    asked = {
        "model": ask["model"],
        "instructions": ask["system"],
        "input": items,
        "tools": ask["tools"],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if ask["stream"]:
        with client.responses.stream(**asked) as stream:
            for _ in stream:
                pass
            answer = stream.get_final_response()
    else:
        answer = client.responses.create(**asked)
    calls = [(i.call_id, i.name, i.arguments) for i in answer.output if i.type == "function_call"]
    return said(answer.output_text, calls, answer.usage.input_tokens, answer.usage.output_tokens)


def send_anthropic(ask):
    from anthropic import Anthropic

    client = Anthropic(base_url=ask["url"], api_key=ask["key"], max_retries=0)
    messages = []

    def add(role, blocks):
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": blocks})

    for entry in ask["conversation"]:
        if "user" in entry:
            add("user", [{"type": "text", "text": entry["user"]}])
        elif "own" in entry:
            add("assistant", [{"type": "text", "text": entry["own"]}])
        else:
            text = [{"type": "text", "text": entry["text"]}] if entry.get("text") else []
            add(
                "assistant",
                text
                + [
                    {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
                    for call in entry["calls"]
                ],
            )
            add(
                "user",
                [
                    {"type": "tool_result", "tool_use_id": call["id"], "content": call["output"]}
                    | ({"is_error": True} if call["is_error"] else {})
                    for call in entry["calls"]
                ],
            )
    asked = {
        "model": ask["model"],
        "max_tokens": 4096,
        "system": [{"type": "text", "text": ask["system"]}],
        "messages": messages,
        "tools": ask["tools"],
    }
    if ask["stream"]:
        with client.messages.stream(**asked) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**asked)
    text = "".join(block.text for block in answer.content if block.type == "text")
    calls = [(b.id, b.name, compact(b.input)) for b in answer.content if b.type == "tool_use"]
    return said(text, calls, answer.usage.input_tokens, answer.usage.output_tokens)


def send_gemini(ask):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=ask["key"], http_options=types.HttpOptions(base_url=ask["url"]))
    contents = []

    def add(role, parts):
        if contents and contents[-1].role == role:
            contents[-1].parts.extend(parts)
        else:
            contents.append(types.Content(role=role, parts=parts))

    for entry in ask["conversation"]:
        if "user" in entry:
            add("user", [types.Part(text=entry["user"])])
        elif "own" in entry:
            add("model", [types.Part(text=entry["own"])])
        else:
            text = [types.Part(text=entry["text"])] if entry.get("text") else []
            calls = entry["calls"]
            add(
                "model",
                text
                + [
                    types.Part(function_call=types.FunctionCall(id=call["id"], name=call["name"], args=call["args"]))
                    for call in calls
                ],
            )
            add(
                "user",
                [
                    types.Part(
                        function_response=types.FunctionResponse(
                            id=call["id"],
                            name=call["name"],
                            response={"error" if call["is_error"] else "output": call["output"]},
                        )
                    )
                    for call in calls
                ],
            )
    config = types.GenerateContentConfig(
        system_instruction=types.Content(parts=[types.Part(text=ask["system"])]),
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(**tool) for tool in ask["tools"]])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    asked = {"model": ask["model"], "contents": contents, "config": config}
    text, calls, usage = "", [], None
    if ask["stream"]:
        answers = client.models.generate_content_stream(**asked)
    else:
        answers = [client.models.generate_content(**asked)]
    for answer in answers:
        usage = answer.usage_metadata or usage
        for part in answer.candidates[0].content.parts or []:
            if part.function_call:
                call = part.function_call
                calls.append((call.id, call.name, compact(call.args)))
            elif part.text and not part.thought:
                text += part.text
    return said(text, calls, usage.prompt_token_count, usage.candidates_token_count)


def said(text, calls, given, taken):
    return {
        "text": text or "",
        "calls": [{"id": id, "name": name, "args": json.loads(args)} for id, name, args in calls],
        "input_tokens": given,
        "output_tokens": taken,
    }


def build(ask):
    """A response with a text and a call, of the client's own types."""
    text, name, args = ask["text"], ask["name"], ask["args"]
    match ask["dialect"]:
        case "chat":
            from openai.types.chat import ChatCompletion

            call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": compact(args)}}
            message = {"role": "assistant", "content": text, "tool_calls": [call]}
            body = ChatCompletion.model_validate(
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "m",
                    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
                    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
                },
                strict=True,
            )
        case "responses":
            from openai.types.responses import Response

            content = [{"type": "output_text", "text": text, "annotations": []}]
            message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
            call = {"type": "function_call", "call_id": "c1", "name": name, "arguments": compact(args)}
            body = Response.model_validate(
                {
                    "id": "x",
                    "object": "response",
                    "created_at": 1.0,
                    "model": "m",
                    "status": "completed",
                    "output": [message, call],
                    "parallel_tool_calls": True,
                    "tool_choice": "auto",
                    "tools": [],
                    "usage": {
                        "input_tokens": 7,
                        "output_tokens": 3,
                        "total_tokens": 10,
                        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                        "output_tokens_details": {"reasoning_tokens": 0},
                    },
                }
            )
        case "anthropic":
            from anthropic.types import Message

            call = {"type": "tool_use", "id": "c1", "name": name, "input": args}
            body = Message.model_validate(
                {
                    "id": "x",
                    "type": "message",
                    "role": "assistant",
                    "model": "m",
                    "content": [{"type": "text", "text": text}, call],
                    "stop_reason": "tool_use",
                    "usage": {"input_tokens": 7, "output_tokens": 3},
                }
            )
        case "gemini":
            from google.genai import types

            parts = [
                types.Part(text=text),
                types.Part(function_call=types.FunctionCall(id="c1", name=name, args=args)),
            ]
            body = types.GenerateContentResponse(
                candidates=[
                    types.Candidate(
                        content=types.Content(role="model", parts=parts), finish_reason=types.FinishReason.STOP
                    )
                ],
                usage_metadata=types.GenerateContentResponseUsageMetadata(
                    prompt_token_count=7, candidates_token_count=3
                ),
            )
    return json.loads(body.model_dump_json(by_alias=True, exclude_none=ask["dialect"] == "gemini"))


def check(ask):
    """Whether the request has the form that the client's types describe."""
    match ask["dialect"]:
        case "chat":
            from openai.types.chat.completion_create_params import CompletionCreateParams as params
        case "responses":
            from openai.types.responses.response_create_params import ResponseCreateParams as params
        case "anthropic":
            from anthropic.types.message_create_params import MessageCreateParams as params
    TypeAdapter(params).validate_python(ask["body"])
    return {"ok": True}


SEND = {"chat": send_chat, "responses": send_responses, "anthropic": send_anthropic, "gemini": send_gemini}

if __name__ == "__main__":
    ask = json.load(sys.stdin)
    match ask["act"]:
        case "send":
            result = SEND[ask["dialect"]](ask)
        case "build":
            result = build(ask)
        case "check":
            result = check(ask)
    print(json.dumps(result))
