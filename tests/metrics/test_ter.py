from __future__ import annotations

import pytest

from mars_score.metrics.ter import Ter
from mars_score.types import Example

from .human_data import needs_data, numbers, rows


def ter(candidate: str, *references: str) -> float:
    return numbers(Ter(), [Example("1", candidate, references)])[0]


def test_by_hand() -> None:
    assert ter("a c b d", "a b c d") == pytest.approx(1 / 4)  # one word moves
    assert ter("a x c", "a b c d") == pytest.approx(2 / 4)  # one is replaced, one is missing
    assert ter("x y z", "a") == pytest.approx(3)  # one is replaced, two are too many, of one word


def test_several_references_by_hand() -> None:
    # 1 edit to the first; 3 to the second. The fewest edits, in parts of the mean length of 2 and 4.
    assert ter("a x", "a b", "a b c d") == pytest.approx(1 / 3)


def test_lower_is_better_and_a_perfect_match_is_zero() -> None:
    assert not Ter().higher_is_better
    assert ter("The boat came back.", "No boat.", "The boat came back.") == 0


def test_case_does_not_count_and_punctuation_does() -> None:
    assert ter("the BOAT came", "The boat came") == 0
    assert ter("the boat came", "the boat came.") == pytest.approx(1 / 3)


def test_a_blank_candidate_lacks_every_word() -> None:
    assert ter("", "the boat came") == ter(" \n", "the boat came") == 1
    assert ter("", "a b", "a b c d") == pytest.approx(2 / 3)  # the shorter one by insertions, of 3 words


def test_signature_is_literal() -> None:
    assert Ter().signature == (
        "ter:v1|lib:sacrebleu|case:lower|tok:tercom|norm:no|punct:yes|refs:fewest/mean"
    )


@needs_data
def test_as_sacrebleu() -> None:
    from sacrebleu import sentence_ter

    # Short texts, as the search for moves takes long on others.
    examples = rows(("usr_personachat", 150), ("kpqa_semeval_mcscript", 150), ("mans_roc", 10))
    expected = [sentence_ter(example.candidate, list(example.references)).score / 100 for example in examples]
    assert numbers(Ter(), examples) == pytest.approx(expected, rel=1e-12)
    assert max(expected) > 1
