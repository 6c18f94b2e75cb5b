"""How stages report their progress; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (finished, total) during the work."""
StageProgress = Callable[[str, int, int], None]
"""Called with (stage, finished, total): stages are masking, infilling and encoding."""


def silent(finished: int, total: int) -> None:
    """Report no progress."""


def silent_stages(stage: str, finished: int, total: int) -> None:
    """Report no progress of stages."""
