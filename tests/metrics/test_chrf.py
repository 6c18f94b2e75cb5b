from __future__ import annotations

import pytest

from mars_score.metrics.chrf import Chrf
from mars_score.types import Example

from .human_data import needs_data, numbers, rows


def chrf(candidate: str, *references: str) -> float:
    return numbers(Chrf(), [Example("1", candidate, references)])[0]


def test_by_hand() -> None:
    # One character: precision 2/2, recall 2/3. Two: 1/1 and 1/2. The candidate has no three, so two orders
    # count: P = 1, R = (2/3 + 1/2) / 2 = 7/12, and F with beta 2 is 5 P R / (4 P + R) = 35/55.
    assert chrf("ab", "abc") == pytest.approx(7 / 11)
    # The other way: P = 7/12, R = 1.
    assert chrf("abc", "ab") == pytest.approx(5 * 7 / 12 / (4 * 7 / 12 + 1))


def test_the_best_reference_counts() -> None:
    assert chrf("ab", "xy", "abc", "zz") == chrf("ab", "abc")


def test_white_space_does_not_count_and_case_does() -> None:
    assert chrf("a  b\nc", "abc") == 1
    assert chrf("A", "a") == 0


def test_other_scripts_can_be_compared() -> None:
    assert chrf("雨が降る", "雨が降る") == chrf("👍🏽", "👍🏽") == 1
    assert 0 < chrf("雨が降る", "雨が降った") < 1


def test_signature_is_literal() -> None:
    assert Chrf().signature == (
        "chrf:v1|lib:sacrebleu|case:mixed|chars:6|words:0|beta:2|space:no|eff:yes|refs:best"
    )


@needs_data
def test_as_sacrebleu() -> None:
    from sacrebleu import sentence_chrf

    examples = rows(("mans_roc", 100), ("usr_personachat", 100), ("newsroom", 50), ("summeval", 30))
    expected = [
        sentence_chrf(example.candidate, list(example.references)).score / 100 for example in examples
    ]
    assert numbers(Chrf(), examples) == pytest.approx(expected, rel=1e-12)
