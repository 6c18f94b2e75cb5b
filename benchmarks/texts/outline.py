"""What a story is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Outline:
    """One story with slots; :mod:`benchmarks.texts.filling` says how they are written."""

    context: str
    """Four sentences, without the ending."""
    slots: Mapping[str, tuple[str, ...]]
    """What each slot may hold. The lengths are coprime (five, four, three): see ``chosen``."""
    endings: tuple[str, ...]
    """Sentences that end the story well, whatever the slots hold."""
    astray: tuple[str, ...]
    """Sentences of the same subject that contradict the story or make no sense in it."""
