"""Eq. 7: the weighted mean of a candidate's cosines with a reference and its augmentations; then adjustments."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.metrics.adjusting import Yardstick, adjustments
from mars_score.metrics.piecewise import match
from mars_score.similarity.base import Encoding, cosine
from mars_score.types import Adjustment, Augmentation, AugmentedReference, Comparison, Example, ItemScore

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


def copy_score(
    example: Example,
    augmentations: Sequence[Augmentation],
    encodings: Mapping[str, Encoding],
    config: ScoringConfig,
    usual: Yardstick | None = None,
) -> float:
    """What a copy of the best human reference gets."""
    texts = [found.augmented[0].text for found in augmentations]
    copies = (replace(example, candidate=text) for text in dict.fromkeys(texts))
    return max(compare(copy, augmentations, encodings, config, usual).score for copy in copies)


def capped(item: ItemScore, most: float) -> ItemScore:
    """Take from a score what goes beyond that of a copy."""
    above = max(0.0, item.score - most)
    meaning = "no more than a copy of the best reference gets"
    cap = Adjustment("cap", 0.0 - above, item.score, most, meaning)
    return replace(item, score=min(item.score, most), adjustments=(*item.adjustments, cap))


def compare(
    example: Example,
    augmentations: Sequence[Augmentation],
    encodings: Mapping[str, Encoding],
    config: ScoringConfig,
    usual: Yardstick | None = None,
) -> ItemScore:
    """Score one candidate; of several references the best one counts, or their mean.

    `usual` is what the adjustments hold the candidate against; the paper's formula has none.
    """
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
    words = [_words(candidate, terms, encodings, config) for terms in compared]
    totals = [
        sum(term.weight * term.cosine for term in terms) + sum(one.amount for one in own)
        for terms, own in zip(compared, words, strict=True)
    ]
    told = _flags(example, candidate, [one for encoded in against for one in encoded], augmentations)
    shared = () if usual is None else adjustments(example, candidate, usual, config)
    added = sum(one.amount for one in shared)
    if config.references == "mean":
        share = 1 / len(compared)
        terms = tuple(Comparison(t.augmented, t.cosine, t.weight * share) for each in compared for t in each)
        own = _mean(words)
        return ItemScore(example.id, sum(totals) * share + added, terms, (*own, *shared), told)
    best = totals.index(max(totals))
    return ItemScore(example.id, totals[best] + added, compared[best], (*words[best], *shared), told)


def _words(
    candidate: Encoding,
    terms: Sequence[Comparison],
    encodings: Mapping[str, Encoding],
    config: ScoringConfig,
) -> tuple[Adjustment, ...]:
    """Let the match of single words take its share of the place of cosines."""
    if not config.words:
        return ()
    whole = sum(term.weight * term.cosine for term in terms)
    single = sum(
        term.weight * match(candidate.close, other, config.match)
        for term in terms
        if candidate.close is not None and (other := encodings[term.text].close) is not None
    )
    meaning = f"single words matched, which count for {config.words:.0%} of the cosines' place"
    return (Adjustment("words", config.words * (single - whole), single, whole, meaning),)


def _mean(words: Sequence[tuple[Adjustment, ...]]) -> tuple[Adjustment, ...]:
    """One adjustment for all references."""
    flat = [one for each in words for one in each]
    if not flat:
        return ()
    return (
        Adjustment(
            "words",
            fmean(one.amount for one in flat),
            fmean(one.measured for one in flat),
            fmean(one.usual for one in flat),
            flat[0].meaning,
        ),
    )


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
