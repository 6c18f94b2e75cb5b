"""The assertion for other people's tests."""

from __future__ import annotations

from typing import Any

import pytest

from mars_score.mars.scorer import MarsScorer
from mars_score.testing import assert_score

pytestmark = pytest.mark.models

CONTEXT = "The bus broke down on the hill. Everyone got out."
REFERENCE = "They pushed it up together."


def test_a_good_text_passes_and_is_returned() -> None:
    item = assert_score("All of them pushed it up.", REFERENCE, CONTEXT, at_least=0.4)
    assert item.score == MarsScorer().score(["All of them pushed it up."], [REFERENCE], [CONTEXT]).scores[0]


def test_a_bad_one_is_explained() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_score("Bees sleep purple #bees", REFERENCE, CONTEXT, at_least=0.6)
    first, *rest = str(caught.value).splitlines()
    assert first.endswith("is below 0.6: 'Bees sleep purple #bees'")
    assert any(line.startswith("  cosines with the reference and its variants: ") for line in rest)
    assert any("hashtags, links or control characters were removed" in line for line in rest)
    assert rest[-1].startswith("  signature: mars:")


def test_settings_questions_and_several_references() -> None:
    given: dict[str, Any] = {
        "reference": [REFERENCE, "They walked."],
        "question": "What did they do?",
        "at_least": -1.0,
    }
    item = assert_score("They walked.", context=CONTEXT, q=0.9, **given)
    assert item.example is not None
    assert item.example.question == "What did they do?"
    assert "q:0.9" in item.scorer.signature
    other = assert_score("They walked.", context=CONTEXT, scorer=MarsScorer("paper-formula"), **given)
    assert other.score != item.score
