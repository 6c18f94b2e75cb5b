"""Eq. 7: the weighted mean of a candidate's cosines with a reference and its augmentations; then adjustments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from mars_score import flags
from mars_score.mars.adjustments import ReferenceBaseline, adjustments, likelihood_adjustment, matches
from mars_score.types import Adjustment, Augmentation, AugmentedReference, Comparison, Example, ItemScore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mars_score.config import ScoringConfig
    from mars_score.encoders.base import Encoding
    from mars_score.mars.adjustments import Likely

    Vector = NDArray[np.float64]


def weights(augmented: Sequence[AugmentedReference], q: float) -> list[float]:
    """Geometric weights over the ratios, shared by the samples of a ratio; they sum to 1."""
    ratios = list(dict.fromkeys(one.ratio for one in augmented))
    raw = [
        q ** ratios.index(one.ratio) / sum(other.ratio == one.ratio for other in augmented)
        for one in augmented
    ]
    return [weight / sum(raw) for weight in raw]


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """What the candidates of one item are held against: references, their augmentations, and what is usual.

    It holds no encoding, so that many of them can be kept for the next candidates.
    """

    augmentations: tuple[Augmentation, ...]
    texts: tuple[str, ...]
    """What candidates are compared with, each once, by the alphabet: so their order leaves no trace in rounding."""
    which: NDArray[np.int64]
    """(n,) which text stands where: each of R references, its augmentations behind it."""
    starts: tuple[int, ...]
    """(R,) where the texts of each reference begin."""
    weights: Vector
    """(n,) of each text; those of a reference sum to 1."""
    config: ScoringConfig
    flags: frozenset[str] = frozenset()
    """What a reader should know of the references."""
    usual: ReferenceBaseline | None = None
    """For the adjustments; the paper's formula has none."""
    most: float | None = None
    """What a copy of the best human reference gets, if nothing may get more."""

    @classmethod
    def of(cls, augmentations: Sequence[Augmentation], config: ScoringConfig) -> ReferenceSet:
        """Take what is known before anything is encoded."""
        counts = [len(found.augmented) for found in augmentations]
        texts = [one.text for found in augmentations for one in found.augmented]
        unique = sorted(set(texts))
        return cls(
            tuple(augmentations),
            tuple(unique),
            np.array([unique.index(text) for text in texts]),
            tuple(accumulate(counts[:-1], initial=0)),
            np.array([weight for found in augmentations for weight in weights(found.augmented, config.q)]),
            config,
        )

    def measured(self, example: Example, encodings: Mapping[str, Encoding], likely: Likely) -> ReferenceSet:
        """Measure all that does not depend on the candidate."""
        texts = [[one.text for one in found.augmented] for found in self.augmentations]
        cut = flags.raised({flags.REFERENCE_TRUNCATED: any(encodings[text].truncated for text in self.texts)})
        found = replace(
            self,
            flags=frozenset({*cut, *(flag for one in self.augmentations for flag in one.flags)}),
            usual=ReferenceBaseline.of(example.context, texts, encodings) if self.config.adjusts else None,
        )
        if not self.config.cap:
            return found
        copies = (replace(example, candidate=text) for text in dict.fromkeys(each[0] for each in texts))
        return replace(found, most=max(found.score(copy, encodings, likely).score for copy in copies))

    def score(self, example: Example, encodings: Mapping[str, Encoding], likely: Likely) -> ItemScore:
        """Score one candidate; of several references the best one counts, or their mean."""
        config, candidate = self.config, encodings[example.candidate]
        others = [encodings[text] for text in self.texts]
        vectors = np.stack([one.vector for one in others]).astype(np.float64)  # (texts, H)
        cosines = (vectors @ candidate.vector.astype(np.float64))[self.which]  # (n,)
        whole = self._by_reference(cosines)  # (R,)
        single = self._by_reference(self._matches(candidate, others)) if config.words else whole  # (R,)
        totals = whole + config.words * (single - whole)  # (R,)
        best = int(totals.argmax())
        chosen = range(len(totals)) if config.references == "mean" else range(best, best + 1)
        own = (_words(_mean(single, chosen), _mean(whole, chosen), config),) if config.words else ()
        shared = () if self.usual is None else adjustments(example, encodings, self.usual, config)
        if config.likelihood:
            shared = (*shared, likelihood_adjustment(example, likely, config.likelihood))
        item = ItemScore(
            example.id,
            _mean(totals, chosen) + sum(one.amount for one in shared),
            self._terms(cosines, chosen),
            (*own, *shared),
            self._flags(example, candidate),
        )
        return item if self.most is None else _capped(item, self.most)

    def _by_reference(self, values: Vector) -> Vector:
        """(n,) -> (R,): the weighted mean of each reference's own."""
        found: Vector = np.add.reduceat(values * self.weights, self.starts)
        return found

    def _matches(self, candidate: Encoding, others: Sequence[Encoding]) -> Vector:
        """(n,) how well single words match; 0 where there are none."""
        found = np.zeros(len(others))  # (texts,)
        read = [(i, one.close) for i, one in enumerate(others) if one.close is not None]
        if candidate.close is not None and read:
            places, readings = zip(*read, strict=True)
            found[list(places)] = matches(candidate.close, readings, self.config.match)
        expanded: Vector = found[self.which]
        return expanded

    def _terms(self, cosines: Vector, chosen: range) -> tuple[Comparison, ...]:
        """What the chosen references contribute to the mean of their cosines."""
        ends = (*self.starts[1:], len(self.which))
        part = slice(self.starts[chosen.start], ends[chosen.stop - 1])
        augmented = (one for number in chosen for one in self.augmentations[number].augmented)
        shares = self.weights[part] / len(chosen)
        return tuple(map(Comparison, augmented, cosines[part].tolist(), shares.tolist()))

    def _flags(self, example: Example, candidate: Encoding) -> tuple[str, ...]:
        """What a reader should know of this score, in alphabetical order."""
        blank = not example.candidate.strip()
        own = flags.raised(
            {
                flags.EMPTY_CANDIDATE: blank,
                flags.OUT_OF_VOCABULARY: not blank and not candidate.vector.any(),
                flags.NO_CONTEXT: not example.context.strip(),
                flags.CANDIDATE_TRUNCATED: candidate.truncated,
            }
        )
        return tuple(sorted({*own, *self.flags}))


def _mean(values: Vector, chosen: range) -> float:
    """Of the chosen references; a plain sum, as they are few."""
    return sum(float(values[number]) for number in chosen) / len(chosen)


def _words(single: float, whole: float, config: ScoringConfig) -> Adjustment:
    """The match of single words takes its share of the place of cosines."""
    meaning = f"single words matched, which count for {config.words:.0%} of the cosines' place"
    return Adjustment("words", config.words * (single - whole), single, whole, meaning)


def _capped(item: ItemScore, most: float) -> ItemScore:
    """Take from a score what goes beyond that of a copy."""
    above = max(0.0, item.score - most)
    meaning = "no more than a copy of the best reference gets"
    cap = Adjustment("cap", 0.0 - above, item.score, most, meaning)
    return replace(item, score=min(item.score, most), adjustments=(*item.adjustments, cap))
