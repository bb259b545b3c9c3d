"""The released validator as an oracle: a JSON line [event, payload] in, a JSON line with its verdict out."""

import json
import sys

from band_sdk_core import validate_event_payload

for line in sys.stdin:
    event, payload = json.loads(line)
    try:
        normal = validate_event_payload(event, payload)
        keys = list(normal) if isinstance(normal, dict) else []
        verdict = {"normal": normal, "keys": keys}
    except ValueError as refused:
        verdict = {"issues": refused.issues, "text": str(refused)}
    print(json.dumps(verdict))
