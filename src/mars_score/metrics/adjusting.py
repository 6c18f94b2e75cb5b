"""What cosines do not see: fluency, closeness to the context, and copying.

The references and their augmentations say what is usual in this place. A candidate is held against that, so
summaries may copy as their references do, and short answers need not resemble a long story.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from mars_score.metrics.borrowing import Source
from mars_score.similarity.base import cosine
from mars_score.types import Adjustment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.config import ScoringConfig
    from mars_score.similarity.base import Encoding
    from mars_score.types import Example

WORST = -1.0
"""The lowest fluency that counts, which is that of shuffled words, and of a text without a single piece."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What is usual for texts after this context; it does not depend on the candidate."""

    source: Source | None
    """None where there is no context."""
    relevance: float
    """Mean cosine of references and augmentations with the context."""
    fluency: float
    """Of the least fluent human reference, so that no copy of a reference is called clumsy."""
    covered: float
    """The share of what references and augmentations say in words of the context, on average; at least what the
    human references take of it in runs, so that no copy of a reference is called a copy of the context."""
    echoed: float
    """The most of the context that a reference or augmentation repeats."""

    @classmethod
    def of(
        cls, context: str, references: Sequence[Sequence[str]], encodings: Mapping[str, Encoding]
    ) -> Yardstick:
        """Measure references; each comes before its augmentations."""
        human = [texts[0] for texts in references]
        fluency = min(fluency_of(encodings[text]) for text in human)
        if not context.strip():
            return cls(None, 0.0, fluency, 0.0, 0.0)
        texts = [text for each in references for text in each]
        source, encoded = Source.of(context), encodings[context]
        return cls(
            source,
            fmean(cosine(encodings[text], encoded) for text in texts),
            fluency,
            max(fmean(map(source.covered, texts)), *map(source.copied, human)),
            max(map(source.echoed, texts)),
        )


def fluency_of(encoding: Encoding) -> float:
    """How well the words stand in their places: 0 at best."""
    return WORST if encoding.close is None else max(WORST, encoding.close.fluency)


def adjustments(
    example: Example, encodings: Mapping[str, Encoding], usual: Yardstick, config: ScoringConfig
) -> tuple[Adjustment, ...]:
    """Hold a candidate against what is usual. A weight of 0 leaves its term out."""
    candidate = encodings[example.candidate]
    found = []
    if config.fluency:
        own = fluency_of(candidate)
        found.append(
            Adjustment(
                "fluency", config.fluency * min(0.0, own - usual.fluency), own, usual.fluency,
                "words out of place, where the references have none",
            )
        )  # fmt: skip
    if usual.source is None:
        return tuple(found)
    if config.relevance:
        own = cosine(candidate, encodings[example.context])
        found.append(
            Adjustment(
                "relevance", config.relevance * (own - usual.relevance), own, usual.relevance,
                "closeness to the context, beside that of the references",
            )
        )  # fmt: skip
    taken = (
        ("copying", config.copying, usual.source.copied, usual.covered,
         "runs of words taken from the context, beyond what references take"),
        ("echo", config.echo, usual.source.echoed, usual.echoed,
         "the share of the context that is said again, beyond what references say again"),
    )  # fmt: skip
    for name, weight, share, most, meaning in taken:
        if weight:
            own = share(example.candidate)
            amount = 0.0 - weight * max(0.0, own - most - config.slack)
            found.append(Adjustment(name, amount, own, most, meaning))
    return tuple(found)
