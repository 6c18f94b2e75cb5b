"""What the language model makes of candidates: worked by hand, and against the model asked plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.lm.likelihood import Likelihood, Reading
from mars_score.mars.adjustments import (
    HALF_READ,
    LEAST_LIKELY,
    MOST_LIKELY,
    MOST_UNLIKELY,
    likelihood_adjustment,
    read_likelihoods,
    unlikely_adjustment,
)
from mars_score.types import Adjustment, Example

from .plain_reading import plain_reader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer

CONTEXT = "Nora had promised to bake a cake for the school fair."
REFERENCE = "She got up early, mixed the batter and brought a warm cake to the fair."
GOOD = "So she rose at six, and by noon her cake stood on the long table in the hall."
LOST = "So she rose at six, and by noon her anchor swam on the long engine in the comma."
ROWS = [
    Example("good", GOOD, (REFERENCE,), CONTEXT),
    Example("lost", LOST, (REFERENCE,), CONTEXT),
    Example("copy", REFERENCE, (REFERENCE,), CONTEXT),
    Example("alone", GOOD, (REFERENCE,)),
    Example("empty", "", (REFERENCE,), CONTEXT),
]


class Told:
    """Reads as it is told: a text is a number, its mean log-probability."""

    def read(self, pairs: Sequence[tuple[str, str]], progress: object) -> list[Reading]:
        return [Reading((float(text),) * 3 if text else ()) for _, text in pairs]


def test_candidates_and_references_are_read() -> None:
    rows = [
        Example("1", "-4", ("-3", "-2"), "x"),
        Example("2", "", ("-3",), "x"),
        Example("3", "-4", ("-3",), "y"),
    ]
    found = read_likelihoods(rows, [("y", "-1")], cast("Likelihood", Told()), lambda *_: None)
    assert found == {
        ("x", "-4"): (-4, 3),
        ("x", "-3"): (-3, 3),
        ("x", "-2"): (-2, 3),
        ("x", ""): (0, 0),
        ("y", "-4"): (-4, 3),
        ("y", "-3"): (-3, 3),
        ("y", "-1"): (-1, 3),
    }


def told(
    candidate: float,
    *references: float,
    weight: float = 0.2,
    tokens: int = HALF_READ,
    copied: float = 0.0,
    unlikely: bool = False,
) -> Adjustment:
    """The adjustment of a candidate among references, each given as its mean log-probability."""
    texts = {("x", f"reference {place}"): (value, 9) for place, value in enumerate(references)}
    example = Example("1", "candidate", tuple(text for _, text in texts), "x")
    readings = {("x", "candidate"): (candidate, tokens), **texts}
    make = unlikely_adjustment if unlikely else likelihood_adjustment
    return make(example, readings, weight, copied)


@pytest.mark.parametrize(
    ("mean", "tokens", "amount"),
    [
        (-2.5, 64, 0.0), (-3.5, 64, -0.1), (-2.0, 64, 0.05), (-1.0, 64, 0.1), (-0.1, 64, 0.1), (-4.5, 64, -0.2),
        (-40.0, 64, -0.2), (-3.5, 16, -0.04), (-3.5, 192, -0.15), (0.0, 0, 0.0),
    ],
)  # fmt: skip
def test_worked_by_hand(mean: float, tokens: int, amount: float) -> None:
    """The better of the references has -2.5; of 64 tokens half counts."""
    found = told(mean, -5.0, -2.5, tokens=tokens)
    assert (found.name, found.usual) == ("likelihood", -2.5)
    assert found.amount == pytest.approx(amount)
    assert found.amount == pytest.approx(0.2 * (found.measured - found.usual))


@pytest.mark.parametrize(("mean", "amount"), [(-1.5, 0.075), (-3.5, -0.1), (-2.5, 0.0)])
def test_copied_words_gain_nothing_but_lose_as_before(mean: float, amount: float) -> None:
    assert told(mean, -2.5, copied=0.25).amount == pytest.approx(amount)


@given(st.floats(-30, 0), st.floats(-30, 0), st.floats(-12, 0), st.floats(0, 1), st.integers(0, 500))
def test_the_more_probable_never_loses(
    one: float, other: float, reference: float, weight: float, tokens: int
) -> None:
    low, high = (told(mean, reference, weight=weight, tokens=tokens).amount for mean in sorted((one, other)))
    assert LEAST_LIKELY * weight <= low <= high <= MOST_LIKELY * weight


@pytest.mark.parametrize("tokens", [1, 500])
@pytest.mark.parametrize(
    ("mean", "copied", "amount"),
    [
        (-1.0, 0.0, 0.0), (-4.5, 0.0, 0.0), (-5.0, 0.0, -0.1), (-5.5, 0.0, -0.2), (-40.0, 0.0, -0.2),
        # Where three quarters are copied, they stand 0.5 below, and the rest a quarter of what the mean is.
        (-4.5, 0.75, -0.075), (-3.5, 0.75, -0.025), (-1.5, 0.75, 0.0), (0.0, 1.0, -0.1), (-9.0, 1.0, -0.1),
    ],
)  # fmt: skip
def test_unlikely_words_by_hand(mean: float, copied: float, amount: float, tokens: int) -> None:
    """The least probable of the references has -3; 1.5 below it is still usual, however short a candidate is."""
    found = told(mean, -3.0, -2.0, tokens=tokens, copied=copied, unlikely=True)
    assert (found.name, found.usual) == ("unlikely", -4.5)
    assert found.amount == pytest.approx(amount)
    assert found.amount == pytest.approx(0.2 * (found.measured - found.usual))


@given(st.floats(-30, 0), st.floats(-30, 0), st.floats(-12, 0), st.floats(0, 1), st.floats(0, 1))
def test_the_more_probable_loses_no_more(
    one: float, other: float, reference: float, weight: float, copied: float
) -> None:
    low, high = (
        told(mean, reference, weight=weight, copied=copied, unlikely=True).amount
        for mean in sorted((one, other))
    )
    assert -MOST_UNLIKELY * weight <= low <= high <= 0


@given(st.floats(-12, 0), st.floats(-12, 0))
def test_no_reference_is_unlikely(one: float, other: float) -> None:
    assert told(one, one, other, unlikely=True).amount == 0


@pytest.fixture(scope="module")
def judged(scorer: MarsScorer) -> MarsScorer:
    return scorer.with_options(likelihood=0.1)


@pytest.fixture(scope="module")
def unread(scorer: MarsScorer) -> MarsScorer:
    """Without the language model's reading."""
    return scorer.with_options(likelihood=0.0)


def test_the_model_asked_plainly(judged: MarsScorer, smollm: Path) -> None:
    read = plain_reader(smollm, judged.guided.model.start)
    items = judged.score_examples(ROWS)
    for row, item in zip(ROWS[:4], items, strict=False):
        (usual, _), (mean, tokens) = read(row.context, REFERENCE), read(row.context, row.candidate)
        (found,) = (one for one in item.adjustments if one.name == "likelihood")
        assert found.usual == pytest.approx(usual, abs=1e-4)
        counted = min(1, max(-2, mean - usual)) * tokens / (tokens + 64)
        assert found.amount == pytest.approx(0.1 * counted, abs=1e-5)
    (found,) = (one for one in items[4].adjustments if one.name == "likelihood")
    assert found.amount == 0


def test_it_is_added_to_the_score(unread: MarsScorer, judged: MarsScorer) -> None:
    """Where no cap acts: none of these is as good as a copy, but for the copy."""
    for plain, item in zip(unread.score_examples(ROWS), judged.score_examples(ROWS), strict=True):
        (found,) = (one for one in item.adjustments if one.name == "likelihood")
        assert item.score == pytest.approx(plain.score + found.amount, abs=1e-9)
        terms = sum(term.weight * term.cosine for term in item.augmented)
        assert item.score == pytest.approx(terms + sum(one.amount for one in item.adjustments), abs=1e-9)


def test_nonsense_loses_more_than_sense(unread: MarsScorer, judged: MarsScorer) -> None:
    good, lost, copy, *_ = (
        item.score - plain.score
        for item, plain in zip(judged.score_examples(ROWS), unread.score_examples(ROWS), strict=True)
    )
    assert lost < good - 0.02
    assert copy == 0


def test_unlikely_words_cost_even_where_a_text_is_short(unread: MarsScorer) -> None:
    warned = unread.with_options(fluency=0.0, unlikely=0.1)
    plain = unread.with_options(fluency=0.0)
    assert "unlikely0.1" in warned.signature
    assert "|likely:smollm2-135m@" in warned.signature
    shuffled = Example("shuffled", "cake warm a brought and early up batter", (REFERENCE,), CONTEXT)
    rows = [*ROWS, shuffled]
    both = zip(plain.score_examples(rows), warned.score_examples(rows), strict=True)
    good, _, copy, alone, empty, lost = (item.score - before.score for before, item in both)
    assert lost == pytest.approx(-0.1)
    assert (good, copy, alone, empty) == (0, 0, 0, 0)


def test_nobody_is_above_a_copy_of_the_reference(judged: MarsScorer) -> None:
    near = [
        Example("copied context", CONTEXT, (REFERENCE,), CONTEXT),
        Example("both", f"{CONTEXT} {REFERENCE}", (REFERENCE,), CONTEXT),
        ROWS[2],
    ]
    *others, copy = judged.score_examples(near).scores
    assert max(others) <= copy


def test_spaces_around_a_reference_do_no_harm(judged: MarsScorer) -> None:
    spaced = Example("1", GOOD, (f"  {REFERENCE}\n", f"{REFERENCE.replace(' ', '  ', 1)} "), CONTEXT)
    (item,) = judged.with_options(scale="percent").score_examples([spaced])
    assert item.percent is not None
    assert 0 < item.percent < 100


def test_other_rows_do_not_matter(judged: MarsScorer) -> None:
    together = judged.score_examples(ROWS).scores
    assert [judged.with_options().score_examples([row]).scores[0] for row in ROWS] == together
    assert judged.score_examples(ROWS[::-1]).scores == together[::-1]


def test_the_signature_names_the_model(unread: MarsScorer, judged: MarsScorer) -> None:
    assert "likelihood0.1" in judged.signature
    assert "|likely:smollm2-135m@" in judged.signature
    assert ".head1024|" in judged.signature
    assert "likel" not in unread.signature
    assert unread._likelihood is None
