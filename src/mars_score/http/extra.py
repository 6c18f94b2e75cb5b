"""The extra that servers need; everything else of this package does without it."""

from __future__ import annotations

from importlib.util import find_spec

from mars_score.errors import ConfigError

NEEDED = ("fastapi", "uvicorn")


def check_extra(command: str) -> None:
    """Refuse a command whose libraries are absent, and say how to get them."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    if absent:
        raise ConfigError(
            f"mars-score {command} needs {' and '.join(absent)}\n  remedy: pip install 'mars-score[serve]'"
        )
