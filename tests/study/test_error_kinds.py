"""The three kinds of error, on the paper's pattern but with texts of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.study.disagreements import disagreements, error_kinds, is_copied, is_new, unknown_words
from mars_score.study.scoring import make_work, score_works
from mars_score.types import Example
from tests.study.toy_mars import toy_scorer
from tests.study.toys import dataset

if TYPE_CHECKING:
    from mars_score.study.store import ScoreStore

CONTEXT = (
    "The old ferry to the island broke down twice this spring. The company has ordered a new ship that runs on "
    "batteries, and the crew will be trained in June."
)
REFERENCE = "A ferry line replaces its failing boat with an electric one."


def example(
    candidate: str, context: str = CONTEXT, reference: str = REFERENCE, question: str = ""
) -> Example:
    return Example("1", candidate, (reference,), context, question)


@pytest.mark.parametrize(
    ("candidate", "unknown"),
    [
        ("The ferry line buys UNK UNK .", ["unk"]),
        ("The <unk> is electric.", ["unk"]),
        ("The ferry is called Zzyqxvhagen now.", ["zzyqxvhagen"]),
        ("The ferry is electric, and 7 years old!", []),
        ("", []),
    ],
)
def test_unknown_words(candidate: str, unknown: list[str]) -> None:
    assert unknown_words(example(candidate)) == unknown


def test_a_rare_word_of_the_context_is_known() -> None:
    assert unknown_words(example("Zzyqxvhagen waits.", context="The town is Zzyqxvhagen.")) == []


def test_copied() -> None:
    assert is_copied(example("The company has ordered a new ship that runs on batteries."))
    assert not is_copied(example("A ferry line buys an electric boat."))
    assert not is_copied(example("new ship"))  # too short to tell
    # Where people copy as well, copying is no error.
    assert not is_copied(example("The old ferry to the island broke down twice.", reference=CONTEXT))


def test_a_copied_question_is_not_copied_from_the_context() -> None:
    question = "Why did the ferry line order a new boat?"
    asked = example("Why did the ferry line order", f"{CONTEXT}\n{question}", question=question)
    assert not is_copied(asked)


def test_new() -> None:
    assert is_new(example("Passengers will enjoy quieter and cleaner journeys."))
    assert not is_new(example("The ferry line has an electric boat."))
    assert not is_new(example("The crew will be trained."))
    assert not is_new(example("It was there."))  # no content at all


def test_kinds_and_ranks() -> None:
    inferred = example("Passengers will enjoy quieter and cleaner journeys.")
    assert error_kinds(inferred, 0.1, 0.9) == ("further_inference",)
    assert error_kinds(inferred, 0.9, 0.1) == ()  # people do not like it
    assert error_kinds(inferred, 0.1, 0.4) == ()
    assert error_kinds(example("UNK runs on batteries, and the crew will be trained in June."), 0.1, 0.9) == (
        "out_of_vocabulary",
        "copied_from_context",
    )


def test_terms_explain_the_score(store: ScoreStore) -> None:
    data = dataset(4)
    scorer = toy_scorer()
    (result,) = score_works([make_work(data, scorer, ["mars"], (), 0)], store)
    for disagreement in disagreements(result, "mars", 5, store):
        assert sum(term.weight * term.cosine for term in disagreement.terms) == pytest.approx(
            disagreement.score
        )
        assert [term.ratio for term in disagreement.terms] == [0.0, 0.2, 0.4, 0.6]
        original, *others = disagreement.terms
        assert original.segments == ((disagreement.references[0], False),)
        assert any(blank and text == " rabbit" for term in others for text, blank in term.segments)
