"""What an article is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TOWNS = (
    *("Halvik", "Brennport", "Stenford", "Kirkhaven", "Lowmere", "Tarnby", "Ashwick"),
    *("Oldcastle", "Rivemont", "Dunmoor", "Saltby"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MONTHS = ("January", "March", "April", "May", "June", "September", "October")


@dataclass(frozen=True)
class Report:
    """A piece of local news with slots; :mod:`benchmarks.texts.filling` says how they are written."""

    sentences: tuple[str, ...]
    """In the order of a newspaper: what happened comes first, so that the report may be cut anywhere."""
    slots: Mapping[str, tuple[str, ...]]
    """What each slot may hold. The lengths are coprime (eleven, seven, five, four, three): see ``chosen``."""
    summaries: tuple[str, ...]
    """One or two sentences each, true whatever the slots hold."""
