"""What is to be done with rows. Requests with equal settings share a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["score", "augment"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a request asks for."""

    preset: str
    metrics: tuple[str, ...] = ("mars",)
    kind: Kind = "score"
    explain: bool = False
    """Also explain the MARS scores."""
    watch: bool = False
    """Also tell of each template as it is filled."""
