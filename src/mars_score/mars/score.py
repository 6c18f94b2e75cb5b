"""Eq. 7: the weighted mean of a candidate's cosines with a reference and its augmentations.

`score` is the formula. `ReferenceSet` holds what the candidates of one item are compared with, and adds the
adjustments; `Comparator` encodes many candidates together and compares each with its set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from mars_score import flags
from mars_score.mars.adjustments import (
    ReferenceBaseline,
    adjustments,
    likelihood_adjustments,
    read_likelihoods,
    soft_match,
)
from mars_score.storage.lru import LRUCache
from mars_score.text.languages import ENGLISH
from mars_score.types import (
    Adjustment,
    Augmentation,
    AugmentedReference,
    Comparison,
    Example,
    Fact,
    ItemScore,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mars_score.config import ScoringConfig
    from mars_score.encoders.base import Encoder, Encoding, EncodingMemory
    from mars_score.lm.likelihood import Likelihood
    from mars_score.mars.adjustments import Likelihoods
    from mars_score.progress import StageProgress
    from mars_score.types import Pair

    Vector = NDArray[np.float64]

REFERENCE_SETS = 64 << 20
"""Bytes of reference sets that are kept for the next system's candidates, about."""
NEARLY_ALL = 0.9
"""The share of copied words from which a candidate is flagged as a copy of its context."""
_ENTRY = 200
"""Bytes of a word, an n-gram, a text or a template, about."""


def score(cosines: Vector, weights: Vector, starts: Sequence[int] = (0,)) -> Vector:
    """Eq. 7 for each of R references: the weighted mean of the cosines with it and with its augmentations.

    `cosines` and `weights` are (n,), one for each text; the texts of a reference begin at its entry of `starts` (R,).
    """
    means: Vector = np.add.reduceat(cosines * weights, starts)
    return means


def ratio_weights(augmented: Sequence[AugmentedReference], q: float) -> list[float]:
    """Geometric weights over the ratios, shared by the samples of a ratio; they sum to 1."""
    ratios = list(dict.fromkeys(one.ratio for one in augmented))
    raw = [
        q ** ratios.index(one.ratio) / sum(other.ratio == one.ratio for other in augmented)
        for one in augmented
    ]
    return [weight / sum(raw) for weight in raw]


# A scale that can be read: 0 is an unrelated text, 100 a copy of the best reference of the same item.

UNRELATED = (
    "Fold the napkins twice and lay them beside the plates.",
    "The left bearing of the pump has to be greased every spring.",
    "Her cousin collects postage stamps with pictures of whales.",
    "Clouds will move in from the coast late in the afternoon.",
    "A prime number is divisible by itself and by one alone.",
    "The choir rehearses in the gym while the hall is painted.",
    "Please keep your receipt in case the shoes do not fit.",
    "Volcanic soil is rich in minerals, so vines grow well in it.",
    "He tuned the old guitar and hummed a song about trains.",
)
"""Of many subjects, without numbers and names. The middle one of their scores counts, should some be related."""


@dataclass(frozen=True, slots=True)
class PercentScale:
    """The two points of an item's scale, as scores."""

    unrelated: float
    """The median of what the unrelated texts get."""
    copy: float
    """What a copy of the best human reference gets."""

    def percent(self, score: float) -> float:
        """The place of a score between the two, from 0 to 100."""
        if self.copy <= self.unrelated:  # as with an empty reference
            return 100.0 if score >= self.copy else 0.0
        return 100.0 * min(1.0, max(0.0, (score - self.unrelated) / (self.copy - self.unrelated)))


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
    scale: PercentScale | None = None

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
            np.array(
                [weight for found in augmentations for weight in ratio_weights(found.augmented, config.q)]
            ),
            config,
        )

    @property
    def human(self) -> tuple[str, ...]:
        """The references as people wrote them."""
        return tuple(dict.fromkeys(found.augmented[0].text for found in self.augmentations))

    def measured(
        self, example: Example, encodings: Mapping[str, Encoding], likelihoods: Likelihoods, language: str
    ) -> ReferenceSet:
        """Measure all that does not depend on the candidate."""
        baseline = partial(ReferenceBaseline.of, language=language)
        texts = [[one.text for one in found.augmented] for found in self.augmentations]
        cut = flags.raised({flags.REFERENCE_TRUNCATED: any(encodings[text].truncated for text in self.texts)})
        found = replace(
            self,
            flags=frozenset({*cut, *(flag for one in self.augmentations for flag in one.flags)}),
            usual=baseline(example.context, texts, encodings) if self.config.adjusts else None,
        )
        percent = self.config.scale == "percent"
        if not self.config.cap and not percent:
            return found

        def scores(candidates: Iterable[str]) -> list[float]:
            rows = (replace(example, candidate=text) for text in candidates)
            return [found.score(row, encodings, likelihoods).score for row in rows]

        copy = max(scores(self.human))
        scale = PercentScale(median(scores(UNRELATED)), copy) if percent else None
        return replace(found, most=copy if self.config.cap else None, scale=scale)

    def score(
        self, example: Example, encodings: Mapping[str, Encoding], likelihoods: Likelihoods
    ) -> ItemScore:
        """Score one candidate; of several references the best one counts, or their mean."""
        config, candidate = self.config, encodings[example.candidate]
        others = [encodings[text] for text in self.texts]
        vectors = np.stack([one.vector for one in others]).astype(np.float64)  # (texts, H)
        cosines = (vectors @ candidate.vector.astype(np.float64))[self.which]  # (n,)
        whole = score(cosines, self.weights, self.starts)  # (R,)
        single = self._matches(candidate, encodings) if config.words else whole  # (R,)
        totals = whole + config.words * (single - whole)  # (R,)
        best = int(totals.argmax())
        chosen = range(len(totals)) if config.references == "mean" else range(best, best + 1)
        own = (_words(_mean(single, chosen), _mean(whole, chosen), config),) if config.words else ()
        facts, copied = self._facts(example.candidate), self._copied(example.candidate)
        shared = (
            () if self.usual is None else adjustments(example, encodings, self.usual, facts, copied, config)
        )
        if config.reads_likelihoods:
            beyond = self.usual.beyond(copied) if self.usual else 0.0
            shared = (*shared, *likelihood_adjustments(example, likelihoods, config, beyond))
        item = ItemScore(
            example.id,
            _mean(totals, chosen) + sum(one.amount for one in shared),
            self._terms(cosines, chosen),
            (*own, *shared),
            self._flags(example, candidate, copied),
            copied,
            facts,
        )
        item = item if self.most is None else _capped(item, self.most)
        return item if self.scale is None else replace(item, percent=self.scale.percent(item.score))

    def _facts(self, candidate: str) -> tuple[Fact, ...]:
        """What neither context nor references bear out, where facts count."""
        return self.usual.sources.unsupported(candidate) if self.usual and self.config.facts else ()

    def _copied(self, candidate: str) -> float:
        """The share of the candidate's words that are copied from the context in runs."""
        return self.usual.ngrams.copied(candidate) if self.usual and self.usual.ngrams else 0.0

    def _matches(self, candidate: Encoding, encodings: Mapping[str, Encoding]) -> Vector:
        """(R,) how well single words match those of each human reference; 0 where there are none.

        Of an augmented reference the whole counts, as what is new in it need not be what another person would write.
        """
        found = np.zeros(len(self.augmentations))  # (R,)
        closes = [encodings[one.augmented[0].text].close for one in self.augmentations]
        read = [(number, close) for number, close in enumerate(closes) if close is not None]
        if candidate.close is not None and read:
            numbers, readings = zip(*read, strict=True)
            found[list(numbers)] = soft_match(candidate.close, readings, self.config.match)
        return found

    def _terms(self, cosines: Vector, chosen: range) -> tuple[Comparison, ...]:
        """What the chosen references contribute to the mean of their cosines."""
        ends = (*self.starts[1:], len(self.which))
        part = slice(self.starts[chosen.start], ends[chosen.stop - 1])
        augmented = (one for number in chosen for one in self.augmentations[number].augmented)
        shares = self.weights[part] / len(chosen)
        return tuple(map(Comparison, augmented, cosines[part].tolist(), shares.tolist()))

    def _flags(self, example: Example, candidate: Encoding, copied: float) -> tuple[str, ...]:
        """What a reader should know of this score, in alphabetical order."""
        blank = not example.candidate.strip()
        own = flags.raised(
            {
                flags.EMPTY_CANDIDATE: blank,
                flags.OUT_OF_VOCABULARY: not blank and not candidate.vector.any(),
                flags.NO_CONTEXT: not example.context.strip(),
                flags.COPIED: copied >= NEARLY_ALL,
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


class Comparator:
    """Compares candidates with their references and augmentations; reference sets are kept for the next candidates."""

    def __init__(self, config: ScoringConfig, language: str = ENGLISH) -> None:
        """Take the settings of scoring, and the language of references (or `AUTO`)."""
        self.config, self.language = config, language
        self.reference_sets: LRUCache[tuple[Pair, ...], ReferenceSet] = LRUCache(REFERENCE_SETS, _size)
        """By context and references."""

    def score(
        self,
        examples: Sequence[Example],
        augmented: Mapping[Pair, Augmentation],
        encoder: Encoder,
        memory: EncodingMemory,
        progress: StageProgress,
        likelihood: Likelihood | None = None,
    ) -> list[ItemScore]:
        """Encode all texts together, then score each candidate by Eq. 7 and adjust."""
        from mars_score.encoders.network import single_threaded_torch

        firsts: dict[tuple[Pair, ...], Example] = {}
        for example in examples:
            firsts.setdefault(example.pairs, example)
        sets = {pairs: self._reference_set(pairs, augmented) for pairs in firsts}
        references = dict.fromkeys(text for each in sets.values() for text in each.texts)
        contexts = dict.fromkeys(
            example.context for example in examples if self.config.adjusts and example.context.strip()
        )
        candidates = dict.fromkeys(example.candidate for example in examples)
        also = UNRELATED if self.config.scale == "percent" else ()
        references |= dict.fromkeys(also)
        encodings = _encode([*candidates, *references, *contexts], encoder, memory, progress)
        for text in (*references, *contexts):  # the next system has them too; its candidates are its own
            memory.keep(text, encodings[text])
        for text in candidates:
            if text not in references and text not in contexts:
                memory.keep_for_now(text, encodings[text])
        # What a copy is compared by is the text of the augmentation, which may be spaced otherwise.
        copies = [
            (one.context, text) for pairs, one in firsts.items() for text in (*sets[pairs].human, *also)
        ]
        likelihoods = {} if likelihood is None else read_likelihoods(examples, copies, likelihood, progress)
        with single_threaded_torch():
            for pairs, reference_set in sets.items():
                if self.reference_sets.get(pairs) is not reference_set:
                    sets[pairs] = reference_set.measured(firsts[pairs], encodings, likelihoods, self.language)
                    self.reference_sets.keep(pairs, sets[pairs])
            return [sets[example.pairs].score(example, encodings, likelihoods) for example in examples]

    def _reference_set(self, pairs: tuple[Pair, ...], augmented: Mapping[Pair, Augmentation]) -> ReferenceSet:
        """What was measured before, or what is to be measured once all is encoded."""
        augmentations = tuple(augmented[pair] for pair in pairs)
        measured = self.reference_sets.get(pairs)
        if measured is not None and measured.augmentations == augmentations:
            return measured
        return ReferenceSet.of(augmentations, self.config)


def _size(pairs: tuple[Pair, ...], reference_set: ReferenceSet) -> int:
    """The bytes of a reference set, about: the words and n-grams of its context are most of them."""
    usual = reference_set.usual
    parts = len(usual.sources.words) + (len(usual.ngrams.runs) if usual.ngrams else 0) if usual else 0
    return _ENTRY * (10 + len(pairs) + 4 * len(reference_set.texts) + parts)


def _encode(
    texts: Sequence[str], encoder: Encoder, memory: EncodingMemory, progress: StageProgress
) -> dict[str, Encoding]:
    """Encode what is not in memory, all of it together."""
    remembered = {text: encoding for text in texts if (encoding := memory.get(text)) is not None}
    new = list(dict.fromkeys(text for text in texts if text not in remembered))
    return remembered | dict(zip(new, encoder.encode(new, partial(progress, "encoding")), strict=True))
