"""Eq. 7: the weighted mean of a candidate's cosines with a reference and its augmentations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.similarity.base import Encoding, cosine
from mars_score.types import Augmentation, AugmentedReference, Comparison, Example, ItemScore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.config import ScoringConfig


def weights(augmented: Sequence[AugmentedReference], q: float) -> list[float]:
    """Geometric weights over the ratios, shared by the samples of a ratio; they sum to 1."""
    ratios = list(dict.fromkeys(one.ratio for one in augmented))
    raw = [
        q ** ratios.index(one.ratio) / sum(other.ratio == one.ratio for other in augmented)
        for one in augmented
    ]
    return [weight / sum(raw) for weight in raw]


def compare(
    example: Example,
    augmentations: Sequence[Augmentation],
    encodings: Mapping[str, Encoding],
    config: ScoringConfig,
) -> ItemScore:
    """Score one candidate; of several references the best one counts, or their mean."""
    candidate = encodings[example.candidate]
    against = [[encodings[one.text] for one in found.augmented] for found in augmentations]
    compared = [
        tuple(
            Comparison(one, cosine(candidate, encoding), weight)
            for one, encoding, weight in zip(
                found.augmented, encoded, weights(found.augmented, config.q), strict=True
            )
        )
        for found, encoded in zip(augmentations, against, strict=True)
    ]
    totals = [sum(term.weight * term.cosine for term in terms) for terms in compared]
    told = _flags(example, candidate, [one for encoded in against for one in encoded], augmentations)
    if config.references == "mean":
        share = 1 / len(compared)
        terms = tuple(Comparison(t.augmented, t.cosine, t.weight * share) for each in compared for t in each)
        return ItemScore(example.id, sum(totals) * share, terms, flags=told)
    best = totals.index(max(totals))
    return ItemScore(example.id, totals[best], compared[best], flags=told)


def _flags(
    example: Example,
    candidate: Encoding,
    references: Sequence[Encoding],
    augmentations: Sequence[Augmentation],
) -> tuple[str, ...]:
    """What a reader should know of this score, in alphabetical order."""
    blank = not example.candidate.strip()
    own = flags.raised(
        {
            flags.EMPTY_CANDIDATE: blank,
            flags.OUT_OF_VOCABULARY: not blank and not candidate.vector.any(),
            flags.NO_CONTEXT: not example.context.strip(),
            flags.CANDIDATE_TRUNCATED: candidate.truncated,
            flags.REFERENCE_TRUNCATED: any(one.truncated for one in references),
        }
    )
    return tuple(sorted({*own, *(flag for found in augmentations for flag in found.flags)}))
