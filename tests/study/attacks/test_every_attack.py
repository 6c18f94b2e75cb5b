"""What holds for every attack on every text."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import ConfigError
from mars_score.io.datasets.base import Dataset, Rated
from mars_score.study.attacks.base import one_of, row_random, shuffled
from mars_score.study.attacks.robustness import ATTACKS, PAPER_ATTACKS, attack_dataset, find_attack
from tests.study.attacks.rows import datasets, example

names = st.sampled_from(sorted(ATTACKS))


@settings(deadline=None)
@given(datasets(), names, st.integers())
def test_rows_are_changed_or_counted(dataset: Dataset, name: str, seed: int) -> None:
    result = attack_dataset(dataset, name, seed)
    assert result.attack == name
    assert len(result.rows) == len(result.examples) == len(dataset) - result.not_applicable
    assert list(result.rows) == sorted(set(result.rows))
    for row, changed in zip(result.rows, result.examples, strict=True):
        original = dataset.rows[row].example
        assert changed.candidate.split() != original.candidate.split()
        assert dataclasses.replace(changed, candidate=original.candidate) == original


@settings(deadline=None)
@given(datasets(), names, st.integers(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(dataset: Dataset, name: str, seed: int, order: Random) -> None:
    rows = list(dataset.rows)
    order.shuffle(rows)
    first, other = (
        {changed.id: changed.candidate for changed in attack_dataset(each, name, seed).examples}
        for each in (dataset, Dataset("shuffled", tuple(rows)))
    )
    assert first == other


@settings(deadline=None)
@given(datasets(), names.filter(lambda name: name != "unrelated"), st.integers())
def test_other_rows_do_not_matter(dataset: Dataset, name: str, seed: int) -> None:
    whole = {changed.id: changed.candidate for changed in attack_dataset(dataset, name, seed).examples}
    alone = {
        changed.id: changed.candidate
        for row in dataset
        for changed in attack_dataset(Dataset("one", (row,)), name, seed).examples
    }
    assert whole == alone


@settings(deadline=None)
@given(datasets(), names, st.integers(), st.integers(1, 12), st.integers(1, 12))
def test_a_sample_has_whole_items_and_grows(
    dataset: Dataset, name: str, seed: int, few: int, more: int
) -> None:
    few, more = sorted([few, more])
    whole = dict(zip(*_changed(dataset, name, seed, None), strict=True))
    small, large = (dict(zip(*_changed(dataset, name, seed, most), strict=True)) for most in (few, more))
    assert small.items() <= large.items() <= whole.items()
    result = attack_dataset(dataset, name, seed, at_most=few)
    attacked = len(result.rows) + result.not_applicable
    sizes = [[row.item for row in dataset].count(item) for item in {row.item for row in dataset}]
    assert attacked <= few or attacked in sizes
    items = {dataset.rows[index].item for index in result.rows}
    chosen = {index for index, row in enumerate(dataset) if row.item in items}
    assert {index for index in whole if index in chosen} == set(result.rows)


def _changed(dataset: Dataset, name: str, seed: int, most: int | None) -> tuple[tuple[int, ...], list[str]]:
    result = attack_dataset(dataset, name, seed, at_most=most)
    return result.rows, [changed.candidate for changed in result.examples]


def test_seeds_and_ids_matter() -> None:
    text = " ".join(f"word{i}" for i in range(40))
    rows = tuple(Rated(dataclasses.replace(example(text), id=str(i)), 1.0) for i in range(3))
    results = [attack_dataset(Dataset("a", rows), "reorder", seed).examples for seed in (0, 1)]
    assert len({changed.candidate for each in results for changed in each}) == 6


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_applies_to_a_plain_row(name: str) -> None:
    rows = [
        Rated(example("Tom called 2 friends in Bergen. They came."), 1.0, "a"),
        Rated(dataclasses.replace(example("Nobody ate.", "Lunch was late."), id="2"), 2.0, "a"),
    ]
    assert 0 in attack_dataset(Dataset("two", tuple(rows)), name).rows
    assert ATTACKS[name].description


@pytest.mark.parametrize(
    "name", ["reorder", "negation", "number_swap", "name_swap", "truncation", "repetition"]
)
def test_nothing_can_be_done_to_an_empty_candidate(name: str) -> None:
    assert find_attack(name).prepare([])(example(" "), Random(0)) is None


def test_a_text_that_comes_out_the_same_is_left_out() -> None:
    row = example("It  rained.")
    same = dataclasses.replace(row, references=("It rained.\n",))
    result = attack_dataset(Dataset("one", (Rated(same, 1.0),)), "copy_reference")
    assert (result.rows, result.not_applicable) == ((), 1)


def test_only_the_copied_reference_is_harmless() -> None:
    assert [name for name, attack in ATTACKS.items() if not attack.harmful] == ["copy_reference"]
    assert set(PAPER_ATTACKS) <= set(ATTACKS)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'reorder'"):
        find_attack("re-order")


def test_random_numbers_are_those_of_every_python() -> None:
    # Python promises this sequence of the Mersenne Twister for good; the seed is ours.
    random = row_random(0, "reorder", "row")
    assert [round(random.random(), 6) for _ in range(3)] == [0.080334, 0.588712, 0.622749]
    assert row_random(0, "a", "bc").random() != row_random(0, "ab", "c").random()


def test_draws_are_fair() -> None:
    random = Random(1)
    orders = [tuple(shuffled("abc", random)) for _ in range(6000)]
    assert len(set(orders)) == 6
    assert all(orders.count(order) == pytest.approx(1000, abs=120) for order in set(orders))
    drawn = [one_of("abcd", random) for _ in range(4000)]
    assert all(drawn.count(letter) == pytest.approx(1000, abs=120) for letter in "abcd")
