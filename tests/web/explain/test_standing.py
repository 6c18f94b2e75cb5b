"""Floor and ceiling: unrelated texts below, people's own above."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mars_score.types import Example
from mars_score.web.explain.standing import (
    ENOUGH,
    Standing,
    band,
    find_standing,
    make_strip,
    placing,
    standing_sentences,
    unrelated,
)
from tests.web.explain.sample import EXAMPLES, scored, scorer


def items(count: int, passages: int) -> list[Example]:
    return [Example(str(n), f"c{n}", (f"r{n}",), f"p{n % passages}") for n in range(count)]


def test_no_item_gets_a_text_of_its_own_passage() -> None:
    examples = items(12, 4)
    found = unrelated(examples, [], 200, seed=0)
    own = {example.references: example.context for example in examples}
    written = {example.candidate: example.context for example in examples}
    assert all(own[one.references] != written[one.candidate] for one in found)
    assert len(found) == 12 * 9
    # The first turn is a derangement: everybody gets one, and nothing is used twice.
    assert len({one.references for one in found[:12]}) == len({one.candidate for one in found[:12]}) == 12
    assert found == unrelated(list(examples), [], 200, seed=0)
    assert found[:12] != unrelated(examples, [], 100, seed=1)[:12]


def test_the_bound_holds_and_other_rows_help_out() -> None:
    examples = items(30, 30)
    assert len(unrelated(examples, [], 7, seed=0)) == 7
    one = unrelated(examples[:1], examples, 10, seed=0)
    assert len({example.candidate for example in one}) == 10
    assert {example.references for example in one} == {("r0",)}
    assert unrelated(examples[:1], [], 10, seed=0) == []
    assert unrelated([], [], 10, seed=0) == []


def test_people_are_held_against_people_and_against_nobody_else() -> None:
    toy = scorer()
    found = find_standing(toy, EXAMPLES, scored(toy))
    assert len(found.ceiling) == 2
    assert found.itself == ()
    a, b = EXAMPLES[1].references
    context = EXAMPLES[1].context
    by_hand = toy.score(candidates=[a, b], references=[[b], [a]], contexts=[context] * 2).scores
    assert list(found.ceiling) == pytest.approx(sorted(by_hand))
    assert list(found.scores) == sorted(item.score for item in scored(toy))


def test_without_a_second_reference_there_is_no_ceiling() -> None:
    toy = scorer()
    alone = EXAMPLES[:1] + EXAMPLES[3:4]
    found = find_standing(toy, alone, toy.score_examples(alone).items)
    assert found.ceiling == ()
    assert len(found.itself) == 2
    twice = [Example("x", "a", ("the same text", "the  same text"), "c")]
    assert find_standing(toy, twice, toy.score_examples(twice).items).ceiling == ()


def test_nothing_is_augmented_for_it() -> None:
    toy = scorer()
    scores = scored(toy)
    before = toy.infiller.requests  # type: ignore[attr-defined]
    find_standing(toy, EXAMPLES, scores, others=items(20, 20))
    assert toy.infiller.requests == before  # type: ignore[attr-defined]


def test_placing() -> None:
    standing = Standing((0.1, 0.2, 0.5, 0.9), (0.0, 0.1, 0.2) * 5, (0.6, 0.8, 1.0) * 5)
    standing = replace(standing, floor=tuple(sorted(standing.floor)), ceiling=tuple(sorted(standing.ceiling)))
    found = placing(standing, 0.5)
    assert found.above_scores == pytest.approx(2 / 3)
    assert found.above_floor == 1
    assert found.way == pytest.approx((0.5 - 0.1) / (0.8 - 0.1))
    told = standing_sentences(standing, 0.5)
    assert told[0] == "higher than 67% of the other candidates on this page and all of the unrelated texts"
    assert told[1] == "57% of the way from the floor (0.100) to the ceiling (0.800)"
    assert "at or above the middle of the ceiling" in standing_sentences(standing, 0.9)[-1]
    assert "not above the middle of the floor" in standing_sentences(standing, 0.1)[-1]
    assert standing_sentences(Standing((0.3,), (), ()), 0.3) == []
    assert band(()) is None


def test_few_comparisons_are_no_floor_and_no_ceiling() -> None:
    few = Standing((0.1, 0.5), (0.0,) * (ENOUGH - 1), (1.0,) * (ENOUGH - 1))
    assert (placing(few, 0.5).above_floor, placing(few, 0.5).way) == (None, None)
    assert make_strip(few).ranges == ()
    assert standing_sentences(few, 0.5) == ["higher than all of the other candidates on this page"]
    enough = Standing((0.1, 0.5), (0.0,) * ENOUGH, (1.0,) * ENOUGH)
    assert [one.kind for one in make_strip(enough).ranges] == ["floor", "ceiling"]
    assert placing(enough, 0.5).way == 0.5


def test_letters_of_near_scores_stand_on_different_lines() -> None:
    strip = make_strip(Standing((0.5, 0.51), (-0.25, 0.1), ()), [0.51, 0.5, 0.9])
    assert [marker.name for marker in strip.markers] == ["A", "B", "C"]
    assert strip.markers[0].line != strip.markers[1].line
    assert strip.lines == 2
    assert all(0 <= marker.at <= 100 for marker in strip.markers)
    assert all(0 <= at <= 100 for at, _ in strip.ticks)
    assert make_strip(Standing((), (), ())).outline == ""
