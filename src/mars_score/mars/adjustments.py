"""What cosines do not see: single words, fluency, closeness to the context, facts, likelihood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from mars_score.encoders.base import cosine
from mars_score.mars.facts import Sources
from mars_score.text.languages import ENGLISH, resolved
from mars_score.text.words import words
from mars_score.types import Adjustment, Fact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mars_score.config import MatchKind, ScoringConfig
    from mars_score.encoders.base import Encoding, TokenReading
    from mars_score.lm.likelihood import Likelihood
    from mars_score.progress import StageProgress
    from mars_score.types import Example

    Likelihoods = Mapping[tuple[str, str], tuple[float, int]]
    """By context and text: the mean log-probability of a token, and the number of tokens."""


# Texts compared piece by piece: each piece finds the most similar one of the other text (as BERTScore does).

RECALL = 0.7
"""What recall counts where it counts more than precision."""
HALF_COVERED = 12
"""Pieces of a reference at which coverage is half of the match: an answer of a word or two may be a part of it."""


def soft_match(
    candidate: TokenReading, references: Sequence[TokenReading], kind: MatchKind
) -> NDArray[np.float64]:
    """Return how well the pieces of a text match those of each other text: 1 at best.

    balanced   the mean of precision (of the candidate's pieces) and recall (of the reference's)
    recall     what the reference says should be said; more does less harm
    coverage   either for short references, recall alone for long ones: who says little of much is not near it
    either     the better of the two: an answer may hold the expected one, or be a part of it
    """
    import torch

    starts = np.cumsum([0, *(len(one.weights) for one in references[:-1])])  # (R,)
    weights = np.concatenate([one.weights for one in references])  # (M,): of all references
    # By torch, which multiplies small matrices faster than NumPy; from memory of its own, since how an array is aligned
    # may decide in which order a library adds.
    pieces = torch.cat([torch.from_numpy(one.vectors) for one in references])  # (M, H)
    alike = (torch.from_numpy(candidate.vectors).clone() @ pieces.T).numpy()  # (n, M)
    precision = candidate.weights @ np.maximum.reduceat(alike, starts, axis=1)  # (R,)
    recall = np.add.reduceat(alike.max(0) * weights, starts)  # (R,)
    if kind in ("either", "coverage"):
        joined = np.maximum(precision, recall)
        if kind == "coverage":
            square = np.array([len(one.weights) ** 2 for one in references])  # (R,)
            joined += square / (square + HALF_COVERED**2) * (recall - joined)
    else:
        share = RECALL if kind == "recall" else 0.5
        joined = share * recall + (1 - share) * precision
    found: NDArray[np.float64] = joined.astype(np.float64)
    return found


# What a text takes over from its context, or says again, in runs of words.

RUN = 3
"""Words of a run that may be copied."""
SAID_AGAIN = 4
"""Words of a run that is said again; shorter ones, such as names, come back in good texts."""
_WORD = re.compile(r"\w+|[^\w\s]")
Run = tuple[str, ...]


def _words(text: str, language: str) -> list[str]:
    """Words and marks; the pattern takes a Chinese sentence for one word, and vowel signs for ends of words."""
    if language == ENGLISH:
        return _WORD.findall(text)
    return [word.text for word in words(text, language)]


def _runs(words: Sequence[str], length: int = RUN) -> list[Run]:
    """All runs of so many words, in order."""
    return list(zip(*(words[start:] for start in range(length)), strict=False))


def repeated(text: str, language: str = ENGLISH) -> float:
    """The share of a text's words that stand in runs which it has said before."""
    own = [word.text for word in words(text.lower(), language) if word.text[0].isalnum()]
    seen: set[Run] = set()
    again: set[int] = set()
    for start, run in enumerate(_runs(own, SAID_AGAIN)):
        if run in seen:
            again.update(range(start, start + SAID_AGAIN))
        seen.add(run)
    return len(again) / len(own) if own else 0.0


@dataclass(frozen=True, slots=True)
class ContextNgrams:
    """A context, ready to be compared with what was made from it."""

    runs: frozenset[Run] = field(repr=False)
    language: str = ENGLISH

    @classmethod
    def of(cls, context: str, language: str = ENGLISH) -> ContextNgrams:
        """Read a context, whose words are found by its language."""
        return cls(frozenset(_runs(_words(context.lower(), language))), language)

    def copied(self, text: str) -> float:
        """The share of a text's words that stand in runs of the context; 0 for a text of less than three words."""
        own = _words(text.lower(), self.language)
        inside = {start + i for start, run in enumerate(_runs(own)) if run in self.runs for i in range(RUN)}
        return len(inside) / len(own) if own else 0.0


# Is this what one would say here? How probable the language model finds candidates after their contexts.

MOST_LIKELY, LEAST_LIKELY = 1.0, -2.0
"""Nats beside the most probable human reference: more than these count no further, up or down."""
HALF_READ = 64
"""Tokens of a candidate of whose likelihood half counts: of a reply or an answer it tells little."""


def read_likelihoods(
    examples: Sequence[Example],
    others: Sequence[tuple[str, str]],
    likelihood: Likelihood,
    progress: StageProgress,
) -> Likelihoods:
    """Read each candidate and each reference, and other texts, given with their contexts."""
    own = ((one.context, text) for one in examples for text in (one.candidate, *one.references))
    pairs = dict.fromkeys((*own, *others))
    readings = likelihood.read(list(pairs), partial(progress, "reading"))
    return {
        pair: (reading.mean if reading.log_probs else 0.0, len(reading.log_probs))
        for pair, reading in zip(pairs, readings, strict=True)
    }


def likelihood_adjustment(
    example: Example, likelihoods: Likelihoods, weight: float, copied: float = 0.0
) -> Adjustment:
    """How probable a candidate is beside the most probable human reference: it says what is usual here.

    What is copied from the context is probable because it was just read: so a gain counts for what is not `copied`, a
    share of the words.
    """
    usual = max(likelihoods[example.context, text][0] for text in example.references)
    mean, tokens = likelihoods[example.context, example.candidate]
    counted = min(MOST_LIKELY, max(LEAST_LIKELY, mean - usual)) * tokens / (tokens + HALF_READ)
    if counted > 0:
        counted *= 1 - copied
    meaning = "how probable the words are after this context, beside the references; copied words gain nothing by it"
    return Adjustment("likelihood", weight * counted, usual + counted, usual, meaning)


STILL_USUAL = 1.5
"""Nats below the least probable human reference at which a candidate begins to lose: people differ by as much."""
MOST_UNLIKELY = 1.0
"""Nats below that: more count no further, since shuffled words are there already."""
COPIED = 0.5
"""Nats below that at which copied words stand, however probable they are."""


def unlikely_adjustment(
    example: Example, likelihoods: Likelihoods, weight: float, copied: float = 0.0
) -> Adjustment:
    """How far a candidate is below all that is usual, however short: its words are out of place.

    How probable the words are that are `copied`, a share of them, tells nothing: the model has just read them.
    """
    usual = min(likelihoods[example.context, text][0] for text in example.references) - STILL_USUAL
    mean, _ = likelihoods[example.context, example.candidate]
    below = (1 - copied) * (usual - mean) + copied * COPIED
    lost = min(MOST_UNLIKELY, max(0.0, below))
    meaning = "much less probable than any reference, as words out of place are; copied words count as such"
    return Adjustment("unlikely", 0.0 - weight * lost, usual - lost, usual, meaning)


def likelihood_adjustments(
    example: Example, likelihoods: Likelihoods, config: ScoringConfig, copied: float
) -> tuple[Adjustment, ...]:
    """What the language model's reading adds and takes. A weight of 0 leaves its term out."""
    weights = {likelihood_adjustment: config.likelihood, unlikely_adjustment: config.unlikely}
    return tuple(make(example, likelihoods, weight, copied) for make, weight in weights.items() if weight)


# What cosines do not see: fluency, closeness to the context, and facts.

WORST = -1.0
"""The lowest fluency that counts, which is that of shuffled words, and of a text without a single piece."""
HALF_RELEVANT = 10
"""Words of a reference for which half of the closeness to the context counts: a short answer need not be like it."""
MOST_RELEVANT = 0.2
"""Differences of closeness to the context beyond this count no further, up or down: a short text is far from a long
context by its length alone."""
CONTRADICTION = 2.5
"""What a fact counts that contradicts the sources. One that they do not have may be true, above all in a story."""
MOST_FACTS = 4
"""Facts count no more than this: so no term moves a score by more than a few tenths."""


@dataclass(frozen=True, slots=True)
class ReferenceBaseline:
    """What is usual for texts after this context; it does not depend on the candidate."""

    ngrams: ContextNgrams | None
    """None where there is no context."""
    sources: Sources
    """What the candidate's facts are looked up in: context and human references."""
    relevance: float
    """Mean cosine of references and augmentations with the context."""
    fluency: float
    """Of the least fluent human reference, so that no copy of a reference is called clumsy."""
    repeated: float = 0.0
    """The largest share of the words of a human reference that it says again."""
    language: str = ENGLISH
    """Of the references."""
    words: float = 0.0
    """Mean number of words of the human references."""
    copied: float = 0.0
    """Mean share of the words that human references copy from the context: so much is usual."""

    @classmethod
    def of(
        cls,
        context: str,
        references: Sequence[Sequence[str]],
        encodings: Mapping[str, Encoding],
        language: str = ENGLISH,
    ) -> ReferenceBaseline:
        """Measure references; each comes before its augmentations. The language may be `AUTO`."""
        human = [texts[0] for texts in references]
        fluency = min(fluency_of(encodings[text]) for text in human)
        language = resolved(language, human[0], context)
        sources = Sources([context, *human], language)
        again = max(repeated(text, language) for text in human)
        if not context.strip():
            return cls(None, sources, 0.0, fluency, again, language)
        texts = [text for each in references for text in each]
        relevance = fmean(cosine(encodings[text], encodings[context]) for text in texts)
        length = fmean(len(_words(text, language)) for text in human)
        ngrams = ContextNgrams.of(context, language)
        copied = fmean(map(ngrams.copied, human))
        return cls(ngrams, sources, relevance, fluency, again, language, length, copied)

    def beyond(self, copied: float) -> float:
        """What a candidate copies beyond what is usual."""
        return max(0.0, copied - self.copied)


def fluency_of(encoding: Encoding) -> float:
    """How well the words stand in their places: 0 at best."""
    return WORST if encoding.close is None else max(WORST, encoding.close.fluency)


def adjustments(
    example: Example,
    encodings: Mapping[str, Encoding],
    usual: ReferenceBaseline,
    facts: Sequence[Fact],
    copied: float,
    config: ScoringConfig,
) -> tuple[Adjustment, ...]:
    """Hold a candidate against what is usual, of whose words a share is copied. A weight of 0 leaves its term out."""
    candidate = encodings[example.candidate]
    terms = []
    if config.fluency:
        again = max(0.0, repeated(example.candidate, usual.language) - usual.repeated)
        fluency = fluency_of(candidate) - again
        lost = config.fluency * min(0.0, fluency - usual.fluency)
        meaning = "words out of place or said again, where the references have none"
        terms.append(Adjustment("fluency", lost, fluency, usual.fluency, meaning))
    if config.relevance and usual.ngrams is not None:
        relevance = cosine(candidate, encodings[example.context])
        gain = relevance - usual.relevance
        if gain > 0:  # what a copy gains by being a copy is taken away, not fined
            gain *= 1 - usual.beyond(copied)
        gain = min(MOST_RELEVANT, max(-MOST_RELEVANT, gain))
        amount = config.relevance * gain * usual.words / (usual.words + HALF_RELEVANT)
        meaning = "closeness to the context, beside that of the references; copied words gain nothing by it"
        terms.append(Adjustment("relevance", amount, relevance, usual.relevance, meaning))
    if config.facts:
        counted = sum(CONTRADICTION if fact.contradicts else 1 for fact in facts)
        cost = 0.0 - config.facts * min(MOST_FACTS, counted)
        meaning = "what neither context nor references bear out; what contradicts them costs most"
        terms.append(Adjustment("facts", cost, float(len(facts)), 0.0, meaning))
    return tuple(terms)
