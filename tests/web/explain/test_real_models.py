"""The demonstration rows with the real models, from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mars_score.io.readers import read_examples
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.page import to_page
from mars_score.web.explain.standing import band, find_standing

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

DEMO = Path(__file__).parents[3] / "examples" / "demo.jsonl"


def test_the_demonstration(scorer: MarsScorer) -> None:
    scorer = scorer.with_options(ratios=(0.4,))  # one ratio is enough to explain, and quicker to fill
    rows = [row for row in read_examples(DEMO) if row.id.startswith(("story-violin", "qa-greenhouse"))]
    items = scorer.score_examples(rows).items
    explained = explain_examples(scorer, rows, items)
    assert [len(item.candidates) for item in explained] == [3, 4]
    for item in explained:
        for one in item.candidates:
            total = sum(term.contribution for term in one.terms) + sum(a.amount for a in one.adjustments)
            assert total + one.rest == pytest.approx(one.score, abs=1e-6)
    greenhouse = explained[-1]
    shared = [word.text for word in greenhouse.references[0].words if word.shared]
    assert {"heating", "had", "jammed"} <= set(shared)
    standing = find_standing(scorer, rows, items)
    floor, ceiling = band(standing.floor), band(standing.ceiling)
    assert floor
    assert ceiling
    assert floor.high < ceiling.middle
    best = max(item.score for item in items)
    assert floor.high < best
    html = to_page(explained, standing, signature=scorer.signature, source=DEMO.name)
    assert "7 candidates of 2 items" in html
