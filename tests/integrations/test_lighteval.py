"""MARS under lighteval."""

from __future__ import annotations

import pytest
from lighteval.metrics import apply_metric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

from mars_score.integrations.lighteval import mars_metric

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

pytestmark = [pytest.mark.models, pytest.mark.integration]


def test_the_numbers_are_the_scorer_s(encoder_calls: list[int]) -> None:
    metric = mars_metric()
    docs = [
        Doc(query=context, choices=["something else", reference], gold_index=1)
        for context, reference in zip(CONTEXTS, REFERENCES, strict=True)
    ]
    responses = [ModelResponse(text=[text]) for text in CANDIDATES]
    found = [row["mars"] for row in apply_metric(responses, docs, [metric])]
    assert found == expected().scores
    assert len(encoder_calls) == 1
    assert metric.get_corpus_aggregations()["mars"](found) == pytest.approx(expected().mean)
