"""The paper's Table 6: the rows on which a metric and people differ most, and how the score came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.evaluation.scored import numbers
from mars_score.study.codec import from_json, to_json
from mars_score.study.error_kinds import error_kinds
from mars_score.study.lazy_metric import LazyMetric
from mars_score.study.results import Disagreement, Term
from mars_score.study.score_store import row_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.evaluation.scored import Floats
    from mars_score.study.score_store import ScoreStore
    from mars_score.study.scoring import DatasetScores

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

    terms: tuple[Term, ...]


def disagreements(found: DatasetScores, name: str, count: int, store: ScoreStore) -> list[Disagreement]:
    """Return the rows whose ranks differ most, most first; rows without a score are passed over."""
    metric = next(one for one in found.metrics if one.name == name)
    apart = _most_apart(found, found.oriented(metric), count)
    terms = _terms(found, [one.row for one in apart], store) if name == MARS else [()] * len(apart)
    made = []
    for one, explained in zip(apart, terms, strict=True):
        row, score = found.dataset.rows[one.row], found.rows[name][one.row].score
        assert score is not None  # ranks are of rows with a score
        made.append(
            Disagreement(
                metric=name,
                id=row.id,
                system=row.system,
                kinds=error_kinds(row.example, one.score_rank, one.human_rank),
                score=score,
                human=row.human,
                score_rank=one.score_rank,
                human_rank=one.human_rank,
                context=row.example.context,
                references=row.example.references,
                candidate=row.example.candidate,
                terms=explained,
            )
        )
    return made


def _most_apart(found: DatasetScores, scores: Sequence[float | None], count: int) -> list[_Apart]:
    metric = numbers(scores)
    usable = np.flatnonzero(np.isfinite(metric))
    if len(usable) < 2:
        return []
    human = np.array(found.dataset.human)[usable]
    ranked = [
        _Apart(int(row), float(score), float(rating))
        for row, score, rating in zip(usable, _ranks(metric[usable]), _ranks(human), strict=True)
    ]
    ids = [row.id for row in found.dataset]
    ranked.sort(key=lambda one: (-abs(one.score_rank - one.human_rank), ids[one.row]))
    return ranked[:count]


def _ranks(values: Floats) -> Floats:
    """The share of the other rows that are below; a tie counts half."""
    return np.asarray((stats.rankdata(values) - 1) / (len(values) - 1), dtype=np.float64)


def _terms(found: DatasetScores, rows: Sequence[int], store: ScoreStore) -> list[tuple[Term, ...]]:
    """What the score of MARS is made of, from the store or from the scorer."""
    signature = f"terms|{LazyMetric(MARS, found.scorer).signature(store)}"
    keys = {row: row_key(signature, found.digests[row]) for row in rows}
    known = {row: store.get(key) for row, key in keys.items()}
    new = [row for row, value in known.items() if value is None]
    if new:
        items = found.scorer.score_examples([found.dataset.examples[row] for row in new])
        for row, item in zip(new, items, strict=True):
            known[row] = to_json(
                _Terms(
                    tuple(
                        Term(
                            term.ratio,
                            term.cosine,
                            term.weight,
                            tuple((block.text, block.blank) for block in term.augmented.segments),
                        )
                        for term in item.augmented
                    )
                )
            )
        store.keep({keys[row]: known[row] for row in new})
    return [from_json(_Terms, known[row]).terms for row in rows]
