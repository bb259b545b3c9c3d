"""Drives the released state machines: one JSON line, a sequence of calls, in; one JSON line, what each gave, out.

In:  {"make": [class, args, keywords] or "same" or null, "watch": [call, …], "calls": [call, …]}, a call being [name, arg, …].
     Without a class the calls are functions of the module; with "same" they go on with the last object. An argument {"member": "Class.Name"} is a member of an
     enumeration, {"set": [...]} a set, and {"policy": null} the default policy of a session.
Out: {"steps": [[said, seen, …], …]}: the answer of each call, and then those of the watched calls.
     What was raised is {"raised": type, "text": …, "issues": …}.
"""

import json
import sys

import band_sdk_core as core

PLAIN = (str, int, float, bool, type(None))


def argument(given):
    if isinstance(given, dict) and len(given) == 1:
        (kind, inner), = given.items()
        if kind == "member":
            owner, name = inner.split(".")
            return getattr(getattr(core, owner), name)
        if kind == "set":
            return set(inner)
        if kind == "policy":
            return core.SessionPolicy.default()
    return given


def plain(answer):
    if isinstance(answer, PLAIN):
        return answer
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [plain(value) for value in answer]
    for name in ("value", "wire_name"):
        if hasattr(answer, name):
            return getattr(answer, name)
    fields = (name for name in dir(answer) if not name.startswith("_"))
    return {name: plain(getattr(answer, name)) for name in fields if not callable(getattr(answer, name))}


def call(owner, name, *arguments):
    try:
        return plain(getattr(owner, name)(*map(argument, arguments)))
    except Exception as raised:  # the answer is compared, whatever it is
        issues = [list(issue) for issue in getattr(raised, "issues", ())]
        return {"raised": type(raised).__name__, "text": str(raised), "issues": issues}


owner = core
for line in sys.stdin:
    case = json.loads(line)
    if case["make"] is None:
        owner = core
    elif case["make"] != "same":
        name, arguments, keywords = case["make"]
        owner = getattr(core, name)(*map(argument, arguments), **keywords)
    steps = [[call(owner, *step), *(call(owner, *look) for look in case["watch"])] for step in case["calls"]]
    print(json.dumps({"steps": steps}), flush=True)
