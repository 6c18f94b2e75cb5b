"""How stages tell the outside how far they are; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Told (finished, total) as the work goes on."""
StageProgress = Callable[[str, int, int], None]
"""Told (stage, finished, total): stages are masking, infilling and encoding."""


def silent(finished: int, total: int) -> None:
    """Report no progress."""


def silent_stages(stage: str, finished: int, total: int) -> None:
    """Report no progress of stages."""
