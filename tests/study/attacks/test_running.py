"""Any callable metric can be attacked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError
from mars_score.io.datasets.base import Dataset, Rated
from mars_score.metrics.sentinels import CandidateLength
from mars_score.study.attacks.robustness import ATTACKS, PAPER_ATTACKS, attack_metric
from tests.study.attacks.rows import example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import Example

TEXTS = [
    "Tom drove on for 3 hours.",
    "They called a garage in Bergen.",
    "It was late",
    "She slept well that night.",
    "Help",
]
DATASET = Dataset(
    "own",
    tuple(
        Rated(replace(example(text, f"This is context {i + 3}. It was dark."), id=str(i)), float(i), "a")
        for i, text in enumerate(TEXTS)
    ),
)


def length(examples: Sequence[Example]) -> list[float | None]:
    return [float(len(row.candidate.split())) for row in examples]


def overlap(examples: Sequence[Example]) -> list[float | None]:
    """The share of the reference's words that a candidate has; undefined for one word."""
    results: list[float | None] = []
    for row in examples:
        words, wanted = set(row.candidate.split()), set(row.references[0].split())
        results.append(len(words & wanted) / len(wanted) if len(words) > 1 else None)
    return results


def test_a_bag_of_words_does_not_see_reordering() -> None:
    (result,) = attack_metric(length, DATASET, ["reorder"])
    assert (result.rows, result.not_applicable) == (4, 1)
    assert (result.mean_change, result.share, result.ties) == (0.0, 0.5, 1.0)
    assert result.pearson.change == 0.0


def test_every_attack_is_run_by_default() -> None:
    result = attack_metric(length, DATASET)
    assert [outcome.attack for outcome in result] == list(ATTACKS)
    by_name = {outcome.attack: outcome for outcome in result}
    assert by_name["truncation"].share == 1.0
    assert by_name["repetition"].share == 0.0
    assert all(
        outcome.rows + outcome.not_applicable + outcome.undefined == len(DATASET) for outcome in result
    )


def test_the_copied_reference_is_a_ceiling() -> None:
    (result,) = attack_metric(overlap, DATASET, "copy_reference")
    assert result.share == 0.0
    assert (result.rows, result.undefined) == (4, 1)


def test_scores_are_those_of_the_same_rows() -> None:
    seen: list[list[str]] = []

    def score(examples: Sequence[Example]) -> list[float | None]:
        seen.append([row.id for row in examples])
        return [float(row.id) for row in examples]

    (result,) = attack_metric(score, Dataset("turned", DATASET.rows[::-1]), ["number_swap"])
    assert seen == [["4", "3", "2", "1", "0"], ["0"]]
    assert result.mean_change == 0.0


def test_a_metric_is_not_asked_about_no_rows() -> None:
    def score(examples: Sequence[Example]) -> list[float | None]:
        assert examples
        return length(examples)

    part = Dataset("one", (DATASET.rows[4],))
    (result,) = attack_metric(score, part, ["reorder"])
    assert (result.rows, result.not_applicable, result.share) == (0, 1, None)


def test_the_seed_and_the_direction_are_passed_on() -> None:
    def first_letter(examples: Sequence[Example]) -> list[float | None]:
        return [float(ord(row.candidate[0])) for row in examples]

    seeds = [attack_metric(first_letter, DATASET, ["reorder"], seed) for seed in (0, 0, 1, 2, 3)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) > 1
    (up,), (down,) = (
        attack_metric(length, DATASET, ["truncation"], higher_is_better=up) for up in (True, False)
    )
    assert (up.share, down.share) == (1.0, 0.0)


def test_a_metric_of_the_package() -> None:
    metric = CandidateLength()
    result = attack_metric(lambda rows: [value.score for value in metric.score(rows)], DATASET, PAPER_ATTACKS)
    assert result == attack_metric(length, DATASET, PAPER_ATTACKS)


def test_bad_calls() -> None:
    with pytest.raises(ConfigError, match="returned 1 scores for 5 examples"):
        attack_metric(lambda rows: [1.0], DATASET)
    with pytest.raises(ConfigError, match="unknown attack 'negate'"):
        attack_metric(
            lambda rows: pytest.fail("scored before the names were checked"), DATASET, ["reorder", "negate"]
        )
