"""Reads settings and files as the released SDK does: JSON lines in, one verdict a line out."""

import json
import math
import os
import sys
import tempfile
from pathlib import Path

from band import SessionConfig
from band.config import load_agent_config


def settings(variables):
    os.environ.update(variables)
    try:
        config = SessionConfig()
    except ValueError as error:
        return {"refused": error.errors()[0]["msg"]}
    finally:
        for name in variables:
            del os.environ[name]
    # JSON has no word for what is not finite.
    is_odd = lambda value: isinstance(value, float) and not math.isfinite(value)
    return {"taken": {key: str(value) if is_odd(value) else value for key, value in config.model_dump().items()}}


def file(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent_config.yaml"
        if text is not None:
            path.write_text(text, encoding="utf-8")
        try:
            agent_id, api_key = load_agent_config("bot", config_path=path)
        except Exception as error:
            return {"refused": str(error).replace(str(path), "FILE")}
        return {"taken": [str(agent_id), str(api_key)]}


for line in sys.stdin:
    case = json.loads(line)
    verdict = settings(case["settings"]) if "settings" in case else file(case["file"])
    print(json.dumps(verdict), flush=True)
