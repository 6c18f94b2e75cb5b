"""The paper's Table 6: the rows on which a metric and people differ most, and the kind of error."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.stats.data import Floats, numbers
from mars_score.study.attacks.base import passage
from mars_score.study.results import Disagreement, ResultTerm
from mars_score.study.results_file import from_json, to_json
from mars_score.study.store import ScoreStore, row_key
from mars_score.study.worker import LazyMetric
from mars_score.text.words import is_function_word, is_punctuation, words
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.study.scoring import DatasetScores


# The paper's three kinds of error (section 4.4), by simple rules on the texts.

OUT_OF_VOCABULARY = "out_of_vocabulary"
COPIED = "copied_from_context"
INFERENCE = "further_inference"
PLACEHOLDERS = frozenset(["unk", "oov"])
COPIED_SHARE = 0.5
IN_REFERENCES, IN_CONTEXT = 0.25, 0.5
_RUN = 3


def error_kinds(example: Example, score_rank: float, human_rank: float) -> tuple[str, ...]:
    """Return the kinds that apply to a row; none may, or several."""
    holds = {
        OUT_OF_VOCABULARY: bool(unknown_words(example)),
        COPIED: is_copied(example),
        INFERENCE: human_rank >= 0.5 and human_rank > score_rank and is_new(example),
    }
    return tuple(kind for kind, applies in holds.items() if applies)


def unknown_words(example: Example) -> list[str]:
    """Return the candidate's words that nobody knows."""
    from wordfreq import word_frequency

    given = set(_words(" \n".join([example.context, *example.references]))) - PLACEHOLDERS
    return [
        word
        for word in dict.fromkeys(_words(example.candidate))
        if word in PLACEHOLDERS or (word not in given and not word_frequency(word, "en", wordlist="best"))
    ]


def is_copied(example: Example) -> bool:
    """Tell whether the candidate is made of the context, more than people's own texts are."""
    source = _runs(passage(example))
    share = _share(_runs(example.candidate), source)
    others = [_share(_runs(reference), source) for reference in example.references]
    return share >= COPIED_SHARE and share > max(others)


def is_new(example: Example) -> bool:
    """Tell whether the candidate's content is neither that of the references nor that of the context."""
    content = _content(example.candidate)
    references = set().union(*(_content(reference) for reference in example.references))
    return (
        bool(content)
        and _share(content, references) <= IN_REFERENCES
        and _share(content, _content(example.context)) <= IN_CONTEXT
    )


def _words(text: str) -> list[str]:
    return [word.text.casefold() for word in words(text) if not is_punctuation(word.text)]


def _content(text: str) -> set[str]:
    return {word for word in _words(text) if not is_function_word(word)}


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = _words(text)
    return {tuple(tokens[i : i + _RUN]) for i in range(len(tokens) - _RUN + 1)}


def _share(some: Set[object], of: Set[object]) -> float:
    return len(some & of) / len(some) if some else 0.0


MARS = "mars"
"""The metric that can explain its scores."""


@dataclass(frozen=True, slots=True)
class _Apart:
    """A row and where metric and people see it."""

    row: int
    score_rank: float
    human_rank: float


@dataclass(frozen=True, slots=True)
class _Terms:
    """For the store: the terms of one row."""

    terms: tuple[ResultTerm, ...]


def disagreements(scores: DatasetScores, name: str, count: int, store: ScoreStore) -> list[Disagreement]:
    """Return the rows whose ranks differ most, most first; rows without a score are passed over."""
    metric = next(pair for pair in scores.metrics if pair.name == name)
    apart = _most_apart(scores, scores.oriented(metric), count)
    terms = _terms(scores, [pair.row for pair in apart], store) if name == MARS else [()] * len(apart)
    made = []
    for pair, explained in zip(apart, terms, strict=True):
        row, score = scores.dataset.rows[pair.row], scores.rows[name][pair.row].score
        assert score is not None  # ranks are of rows with a score
        made.append(
            Disagreement(
                metric=name,
                id=row.id,
                system=row.system,
                kinds=error_kinds(row.example, pair.score_rank, pair.human_rank),
                score=score,
                human=row.human,
                score_rank=pair.score_rank,
                human_rank=pair.human_rank,
                context=row.example.context,
                references=row.example.references,
                candidate=row.example.candidate,
                terms=explained,
            )
        )
    return made


def _most_apart(scored: DatasetScores, scores: Sequence[float | None], count: int) -> list[_Apart]:
    metric = numbers(scores)
    usable = np.flatnonzero(np.isfinite(metric))
    if len(usable) < 2:
        return []
    human = np.array(scored.dataset.human)[usable]
    ranked = [
        _Apart(int(row), float(score), float(rating))
        for row, score, rating in zip(usable, _ranks(metric[usable]), _ranks(human), strict=True)
    ]
    ids = [row.id for row in scored.dataset]
    ranked.sort(key=lambda pair: (-abs(pair.score_rank - pair.human_rank), ids[pair.row]))
    return ranked[:count]


def _ranks(values: Floats) -> Floats:
    """The share of the other rows that are below; a tie counts half."""
    return np.asarray((stats.rankdata(values) - 1) / (len(values) - 1), dtype=np.float64)


def _terms(scores: DatasetScores, rows: Sequence[int], store: ScoreStore) -> list[tuple[ResultTerm, ...]]:
    """What the score of MARS is made of, from the store or from the scorer."""
    signature = f"terms|{LazyMetric(MARS, scores.scorer).signature(store)}"
    keys = {row: row_key(signature, scores.digests[row]) for row in rows}
    saved = {row: store.get(key) for row, key in keys.items()}
    new = [row for row, value in saved.items() if value is None]
    if new:
        items = scores.scorer.score_examples([scores.dataset.examples[row] for row in new])
        for row, item in zip(new, items, strict=True):
            saved[row] = to_json(
                _Terms(
                    tuple(
                        ResultTerm(
                            term.ratio,
                            term.cosine,
                            term.weight,
                            tuple((block.text, block.blank) for block in term.augmented.segments),
                        )
                        for term in item.augmented
                    )
                )
            )
        store.keep({keys[row]: saved[row] for row in new})
    return [from_json(_Terms, saved[row]).terms for row in rows]
