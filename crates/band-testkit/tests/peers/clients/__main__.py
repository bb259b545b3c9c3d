"""The providers' own clients, driven by tests.

A list of questions comes in as JSON, the list of answers goes out. `send` asks an endpoint for the next step of a
conversation and says what the client reads; `parse` holds a request against the client's own types; `answers` makes
answers of the client's own types.
"""

import json
import sys

import on_chat
import on_gemini
import on_messages
import on_responses

DIALECTS = {"chat": on_chat, "responses": on_responses, "anthropic": on_messages, "gemini": on_gemini}


def answer(question):
    on = DIALECTS[question["dialect"]]
    match question["act"]:
        case "send":
            return on.send(question, on.request(question["case"]))
        case "parse":
            return on.parse(question["body"])
        case "answers":
            return on.answers()


def guarded(question):
    try:
        return answer(question)
    except Exception as problem:
        return {"problem": f"{type(problem).__name__}: {problem}"}


if __name__ == "__main__":
    json.dump([guarded(question) for question in json.load(sys.stdin)], sys.stdout)
