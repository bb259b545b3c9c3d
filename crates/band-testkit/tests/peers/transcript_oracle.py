"""Shows rooms to models as the released SDK does: JSON lines in, one answer a line out."""

import json
import logging
import sys
from datetime import datetime, timezone

from band.converters.anthropic import AnthropicHistoryConverter
from band.converters.parsing import parse_tool_call, parse_tool_result
from band.core.types import PlatformMessage
from band.runtime.formatters import build_participants_message, mention_label, replace_uuid_mentions

logging.disable(logging.CRITICAL)


def call(content):
    read = parse_tool_call(content)
    return read and {"id": read.tool_call_id, "name": read.name, "arguments": read.args}


def result(content):
    read = parse_tool_result(content)
    return read and {"id": read.tool_call_id, "name": read.name, "output": read.output, "is_error": read.is_error}


def message(fields):
    now = datetime.now(timezone.utc)
    rest = {"id": "m", "room_id": "r", "sender_id": "s", "message_type": "text", "metadata": {}, "created_at": now}
    return PlatformMessage(**rest, **fields).format_for_llm()


def past(items):
    converter = AnthropicHistoryConverter(agent_name="Bot")
    return converter.convert(items)


ANSWERS = {
    "call": call,
    "result": result,
    "message": message,
    "past": past,
    "participants": build_participants_message,
    "label": lambda fields: mention_label(**fields),
    "mentions": lambda fields: replace_uuid_mentions(**fields),
}

for line in sys.stdin:
    [(kind, question)] = json.loads(line).items()
    print(json.dumps(ANSWERS[kind](question)))
