"""What every infiller offers: templates in, augmented references out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import AugmentedReference, Template


@dataclass(frozen=True, slots=True)
class Request:
    """The templates of one reference and the context that they are filled in."""

    context: str
    templates: tuple[Template, ...]
    question: str = ""
    """The end of the context that is kept when the context is cut."""
    language: str = "en"
    """What the templates are written in, and their fills have to be."""


@dataclass(frozen=True, slots=True)
class Infilled:
    """The answer to a request."""

    augmented: tuple[AugmentedReference, ...]
    """One for each template (times `samples`), in the templates' order."""
    context_truncated: bool = False


class Infiller(Protocol):
    """Fills blanks."""

    def fill(self, requests: Sequence[Request], progress: Progress = silent) -> list[Infilled]:
        """Answer each request, in order."""
