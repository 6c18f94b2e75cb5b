"""Seconds as people say them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Return ``12.3 s``, ``45 min`` or ``3.1 h``."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
