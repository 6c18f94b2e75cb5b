"""MARS under deepeval."""

from __future__ import annotations

from typing import Any

import deepeval
import pytest
from deepeval.evaluate.configs import CacheConfig, DisplayConfig
from deepeval.test_case import LLMTestCase

from mars_score.api import shared_scorer
from mars_score.integrations.deepeval import MarsTestMetric

from .rows import CANDIDATES, CONTEXTS, REFERENCES

pytestmark = [pytest.mark.models, pytest.mark.integration]

QUESTION = "What happened then?"


def cases() -> list[Any]:
    rows = zip(CANDIDATES, REFERENCES, CONTEXTS, strict=True)
    return [
        LLMTestCase(
            input=QUESTION, actual_output=candidate or " ", expected_output=reference, context=[context]
        )
        for candidate, reference, context in rows
    ]


def test_the_numbers_are_the_scorer_s(encoder_calls: list[int]) -> None:
    result = deepeval.evaluate(
        test_cases=cases(),
        metrics=[MarsTestMetric(threshold=0.3)],
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
    )
    calls = len(encoder_calls)
    wanted = shared_scorer().score(CANDIDATES, REFERENCES, CONTEXTS, [QUESTION] * len(CANDIDATES)).scores
    found = {test.actual_output: test.metrics_data[0] for test in result.test_results}
    assert [found[candidate or " "].score for candidate in CANDIDATES] == wanted
    assert [found[candidate or " "].success for candidate in CANDIDATES] == [score >= 0.3 for score in wanted]
    assert 1 <= calls < len(CANDIDATES)


def test_assertions_explain_themselves() -> None:
    deepeval.assert_test(cases()[0], [MarsTestMetric(threshold=0.1)], run_async=False)
    with pytest.raises(AssertionError, match=r"(?s)MARS.*reason: score .*cosines with"):
        deepeval.assert_test(cases()[2], [MarsTestMetric(threshold=0.9)], run_async=False)
    metric = MarsTestMetric()
    with pytest.raises(ValueError, match="expected_output"):
        metric.measure(LLMTestCase(input="a", actual_output="b"))
