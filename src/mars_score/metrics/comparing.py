"""Eq. 7: the weighted mean of a candidate's cosines with a reference and its augmentations; then adjustments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.metrics.adjusting import Yardstick, adjustments
from mars_score.metrics.likely import expectedness
from mars_score.metrics.piecewise import match
from mars_score.similarity.base import Encoding, cosine
from mars_score.types import Adjustment, Augmentation, AugmentedReference, Comparison, Example, ItemScore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.config import ScoringConfig
    from mars_score.metrics.likely import Likely


def weights(augmented: Sequence[AugmentedReference], q: float) -> list[float]:
    """Geometric weights over the ratios, shared by the samples of a ratio; they sum to 1."""
    ratios = list(dict.fromkeys(one.ratio for one in augmented))
    raw = [
        q ** ratios.index(one.ratio) / sum(other.ratio == one.ratio for other in augmented)
        for one in augmented
    ]
    return [weight / sum(raw) for weight in raw]


@dataclass(frozen=True, slots=True)
class Against:
    """What the candidates of one item are held against: references, their augmentations, and what is usual."""

    augmentations: tuple[Augmentation, ...]
    encoded: tuple[tuple[Encoding, ...], ...]
    """For each reference: it, and its augmentations."""
    config: ScoringConfig
    usual: Yardstick | None = None
    """For the adjustments; the paper's formula has none."""
    likely: Likely = field(default_factory=dict)
    """How probable each text is, where that counts."""
    most: float | None = None
    """What a copy of the best human reference gets, if nothing may get more."""

    @classmethod
    def of(
        cls,
        example: Example,
        augmentations: Sequence[Augmentation],
        encodings: Mapping[str, Encoding],
        likely: Likely,
        config: ScoringConfig,
    ) -> Against:
        """Measure all that does not depend on the candidate."""
        texts = [[one.text for one in found.augmented] for found in augmentations]
        encoded = tuple(tuple(encodings[text] for text in each) for each in texts)
        usual = Yardstick.of(example.context, texts, encodings) if config.adjusts else None
        found = cls(tuple(augmentations), encoded, config, usual, likely)
        if not config.cap:
            return found
        copies = (replace(example, candidate=text) for text in dict.fromkeys(each[0] for each in texts))
        return replace(found, most=max(found.score(one, encodings[one.candidate]).score for one in copies))

    def score(self, example: Example, candidate: Encoding) -> ItemScore:
        """Score one candidate; of several references the best one counts, or their mean."""
        config = self.config
        compared = [
            tuple(
                Comparison(one, cosine(candidate, encoding), weight)
                for one, encoding, weight in zip(
                    found.augmented, encoded, weights(found.augmented, config.q), strict=True
                )
            )
            for found, encoded in zip(self.augmentations, self.encoded, strict=True)
        ]
        words = [
            _words(candidate, terms, encoded, config)
            for terms, encoded in zip(compared, self.encoded, strict=True)
        ]
        totals = [
            sum(term.weight * term.cosine for term in terms) + sum(one.amount for one in own)
            for terms, own in zip(compared, words, strict=True)
        ]
        told = _flags(example, candidate, [one for each in self.encoded for one in each], self.augmentations)
        shared = () if self.usual is None else adjustments(example, candidate, self.usual, config)
        if config.likelihood:
            shared = (*shared, expectedness(example, self.likely, config.likelihood))
        added = sum(one.amount for one in shared)
        if config.references == "mean":
            share = 1 / len(compared)
            terms = tuple(
                Comparison(t.augmented, t.cosine, t.weight * share) for each in compared for t in each
            )
            total, own = sum(totals) * share + added, _mean(words)
        else:
            best = totals.index(max(totals))
            terms, total, own = compared[best], totals[best] + added, words[best]
        item = ItemScore(example.id, total, terms, (*own, *shared), told)
        return item if self.most is None else _capped(item, self.most)


def _capped(item: ItemScore, most: float) -> ItemScore:
    """Take from a score what goes beyond that of a copy."""
    above = max(0.0, item.score - most)
    meaning = "no more than a copy of the best reference gets"
    cap = Adjustment("cap", 0.0 - above, item.score, most, meaning)
    return replace(item, score=min(item.score, most), adjustments=(*item.adjustments, cap))


def _words(
    candidate: Encoding, terms: Sequence[Comparison], encoded: Sequence[Encoding], config: ScoringConfig
) -> tuple[Adjustment, ...]:
    """Let the match of single words take its share of the place of cosines."""
    if not config.words:
        return ()
    whole = sum(term.weight * term.cosine for term in terms)
    single = sum(
        term.weight * match(candidate.close, other.close, config.match)
        for term, other in zip(terms, encoded, strict=True)
        if candidate.close is not None and other.close is not None
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
