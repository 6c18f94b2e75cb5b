"""The protocol of docs/accuracy.md: halves that share no item, and measures that can be checked by hand."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from accuracy import halves
from accuracy.halves import DATA_SETS, DataSet, make_halves
from accuracy.measures import copies_on_top, kendall, pearson, withstood
from accuracy.settings import FORMULA_OF, WRITTEN
from accuracy.tables import written

from mars_score.study.attacks.robustness import Attacked
from tests.study.toys import dataset

if TYPE_CHECKING:
    from pathlib import Path

    from accuracy.scores import Half

ITEMS = 12
DATA = dataset(ITEMS, "toy")


def half_of(scores: dict[str, dict[str, list[float | None]]], **attacked: tuple[int, ...]) -> Half:
    """What the measures read of a half: rows, attacks and scores."""
    attacks = {name: Attacked(name, rows, (), 0) for name, rows in attacked.items()}
    return SimpleNamespace(dataset=DATA, attacks=attacks, scores=scores)  # type: ignore[return-value]


def human() -> list[float | None]:
    return [float(value) for value in DATA.human if value is not None]


def rows_of(name: str, items: int) -> list[dict[str, Any]]:
    return [
        {"id": f"{name}{item}/{system}", "item": str(item), "system": f"s{system}", "context": f"About {item}.",
         "references": [f"Text {item}.", f"Another text {item}."], "candidate": f"Words {system}.", "human": system}
        for item in range(items)
        for system in range(3)
    ]  # fmt: skip


class TestHalves:
    @pytest.fixture
    def found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[dict[str, Any]]]]:
        """Of each data set the rows of both halves."""
        sets = (DataSet("whole", "story"), DataSet("sample", "qa", items=10, references=1))
        monkeypatch.setattr(halves, "DATA_SETS", sets)
        for data in sets:
            lines = [json.dumps(row) + "\n" for row in rows_of(data.name, 31)]
            (tmp_path / f"{data.name}.jsonl").write_text("".join(lines))
        make_halves(tmp_path, tmp_path / "out")
        return {
            data.name: [
                list(
                    map(json.loads, (tmp_path / "out" / half / f"{data.name}.jsonl").read_text().splitlines())
                )
                for half in ("tune", "test")
            ]
            for data in sets
        }

    def test_an_item_is_in_one_half_with_all_its_rows(
        self, found: dict[str, list[list[dict[str, Any]]]]
    ) -> None:
        tune, test = ([row["item"] for row in half] for half in found["whole"])
        assert not set(tune) & set(test)
        assert len(tune) + len(test) == 3 * 31
        assert abs(len(set(tune)) - len(set(test))) <= 1
        assert all(half.count(item) == 3 for half in (tune, test) for item in half)

    def test_a_sample_keeps_whole_items_and_the_first_reference(
        self, found: dict[str, list[list[dict[str, Any]]]]
    ) -> None:
        both = [row for half in found["sample"] for row in half]
        assert len({row["item"] for row in both}) == 10
        assert len(both) == 30
        assert all(len(row["references"]) == 1 for row in both)

    def test_the_order_of_the_file_does_not_matter(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(halves, "DATA_SETS", (DataSet("data", "story"),))
        rows, results = rows_of("data", 9), []
        for place, ordered in enumerate((rows, rows[::-1])):
            source, target = tmp_path / str(place), tmp_path / f"out{place}"
            source.mkdir()
            (source / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ordered))
            make_halves(source, target)
            lines = (target / "tune" / "data.jsonl").read_text().splitlines()
            results.append({json.loads(line)["id"] for line in lines})
        assert results[0] == results[1]

    def test_no_set_is_named_twice(self) -> None:
        assert len({data.name for data in DATA_SETS}) == len(DATA_SETS) == 8


class TestMeasures:
    def test_a_perfect_metric(self) -> None:
        half = half_of({"good": {"": human()}, "bad": {"": [-(value or 0.0) for value in human()]}})
        assert pearson(half, "good") == pytest.approx(1.0)
        assert pearson(half, "bad") == pytest.approx(-1.0)
        assert kendall(half, "good") == pytest.approx(1.0)
        assert math.isnan(pearson(half, "absent"))
        assert math.isnan(kendall(half, "absent"))

    def test_some_systems_alone(self) -> None:
        """Right within two systems, wrong on the third."""
        third = DATA.systems[-1]
        scores: list[float | None] = [
            -100.0 * (row.human or 0.0) if row.system == third else row.human for row in DATA
        ]
        half = half_of({"mixed": {"": scores}})
        assert pearson(half, "mixed", tuple(DATA.systems[:-1])) == pytest.approx(1.0)
        assert pearson(half, "mixed") < 0

    def test_what_is_withstood(self) -> None:
        before: list[float | None] = [float(place) for place in range(len(DATA))]
        half = half_of({"m": {"": before, "reorder": [0.5, 2.0, 2.0, 9.0]}}, reorder=(1, 2, 3, 4))
        assert (
            withstood(half, "m", "reorder") == 0.5
        )  # 1 > 0.5, 2 = 2, 3 > 2, 4 < 9: an equal score is a loss
        assert math.isnan(withstood(half_of({"m": {"": before}}, reorder=(1,)), "m", "reorder"))

    def test_retrieve_counts_on_the_upper_half(self) -> None:
        ratings = [float(value) for value in human() if value is not None]
        low, high = ratings.index(min(ratings)), ratings.index(max(ratings))
        scores: dict[str, list[float | None]] = {"": [1.0] * len(DATA), "retrieve": [2.0, 0.0]}
        assert withstood(half_of({"m": scores}, retrieve=(low, high)), "m", "retrieve") == 1.0
        assert withstood(half_of({"m": scores}, retrieve=(high, low)), "m", "retrieve") == 0.0

    def test_copies_on_top(self) -> None:
        items = [row.item for row in DATA]
        first, second = (items.index(item) for item in list(dict.fromkeys(items))[:2])
        before: list[float | None] = [0.5] * len(DATA)
        before[second] = 0.9
        half = half_of(
            {"m": {"": before, "copy_reference": [0.5, 0.8]}}, copy_reference=(first, second)
        )  # a tie is no loss
        assert copies_on_top(half, "m") == 0.5


def test_ways_of_augmenting_have_a_line_each_and_both_formulas() -> None:
    worse: list[float | None] = [-(value or 0.0) for value in human()]
    scores = {name: {"": human()} for name in WRITTEN} | {FORMULA_OF + name: {"": worse} for name in WRITTEN}
    head, _, *lines = written({"toy": half_of(scores)}).splitlines()
    assert head == "| setting | toy | toy, formula |"
    assert lines == [f"| {name} | 1.000 | -1.000 |" for name in WRITTEN]
