"""The clients' types, read strictly: they themselves bear with whatever they do not know."""

import functools
import json

from pydantic import BaseModel, TypeAdapter
from pydantic_core import SchemaValidator


def _strict(schema):
    if isinstance(schema, list | tuple):
        return type(schema)(_strict(one) for one in schema)
    if not isinstance(schema, dict):
        return schema
    schema = {key: _strict(value) for key, value in schema.items()}
    match schema.get("type"):
        case "typed-dict":
            schema["extra_behavior"] = "forbid"
        case "generator":
            # An iterable is read by nobody here, so its items would go unseen.
            schema["type"] = "list"
        case "union":
            schema["mode"] = "left_to_right"
    return schema


def parsed(params, body):
    """A request of one of these forms; a field that the form does not have is an error."""
    _validator(params).validate_python(body)
    return {"problem": None}


@functools.cache
def _validator(params):
    return SchemaValidator(_strict(TypeAdapter(params).core_schema))


@functools.cache
def _adapter(kind):
    return TypeAdapter(kind)


def made(kind, **fields):
    """A value of a type of the client, as it goes over the wire."""
    value = _adapter(kind).validate_python(fields)
    unknown = list(_extras(value, ""))
    if unknown:
        raise ValueError(f"{kind} has no {unknown}")
    return json.loads(value.model_dump_json(by_alias=True, exclude_unset=True))


def _extras(value, place):
    if isinstance(value, BaseModel):
        yield from (f"{place}.{name}" for name in value.model_extra or {})
        for name in type(value).model_fields:
            yield from _extras(getattr(value, name, None), f"{place}.{name}")
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _extras(one, f"{place}[{at}]")


def whole(name, value):
    return {"name": name, "content_type": "application/json", "status": 200, "body": json.dumps(value)}


def refused(name, status, value):
    return whole(name, value) | {"status": status}


def stream(name, events, named=False, last=""):
    """`named`: each event says its type twice, as some providers do."""
    parts = [
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events
    ]
    return {
        "name": name + ", as a stream",
        "content_type": "text/event-stream",
        "status": 200,
        "body": "".join(parts) + last,
    }


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def said(text, thoughts, calls, usage, end):
    """What a client reads of an answer."""
    named = [{"id": id, "name": name, "args": args} for id, name, args in calls]
    return {"text": text, "thoughts": thoughts, "calls": named, "usage": usage, "end": end}


def failed(status, message):
    return {"status": status, "message": message}
