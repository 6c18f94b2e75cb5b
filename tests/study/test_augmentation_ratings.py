"""Table 7: reading ratings, and the numbers made of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from mars_score.errors import InputError
from mars_score.stats.ratings import krippendorff_alpha
from mars_score.study.augmentation_ratings import (
    Rating,
    augmentation_study,
    choose_items,
    key_path,
    key_text,
    read_ratings,
    sheet_rows,
    sheet_text,
)
from tests.study.toy_mars import toy_scorer
from tests.study.toys import dataset, reference

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "item,variant,question,rater,rating\n"
GIVEN = {
    ("a", "original"): [5, 6], ("a", "naive"): [3, 4], ("a", "mars"): [6, 6],
    ("b", "original"): [4, 5], ("b", "naive"): [2, 5], ("b", "mars"): [5, 3],
    ("c", "original"): [7, 7], ("c", "naive"): [4, 1], ("c", "mars"): [6, 7],
}  # fmt: skip
RATINGS = [
    Rating(item, variant, "overall", f"r{i}", float(value))
    for (item, variant), values in GIVEN.items()
    for i, value in enumerate(values)
]


def test_means_tests_and_alpha() -> None:
    result = augmentation_study(RATINGS)
    assert [(rating.variant, rating.n) for rating in result.ratings] == [
        ("original", 6),
        ("naive", 6),
        ("mars", 6),
    ]
    original, naive, mars = ([v for (_, of), vs in GIVEN.items() if of == variant for v in vs]
                             for variant in ("original", "naive", "mars"))  # fmt: skip
    for rating, values in zip(result.ratings, (original, naive, mars), strict=True):
        assert rating.mean == pytest.approx(np.mean(values))
        assert rating.deviation == pytest.approx(np.std(values, ddof=1))
    items = {v: [float(np.mean(GIVEN[item, v])) for item in "abc"] for v in ("original", "naive", "mars")}
    assert [(test.first, test.second) for test in result.tests] == [
        ("original", "naive"), ("original", "mars"), ("naive", "mars"),
    ]  # fmt: skip
    for test in result.tests:
        expected = stats.ttest_rel(items[test.first], items[test.second])
        assert test.t == pytest.approx(expected.statistic)
        assert test.p == pytest.approx(expected.pvalue)
        assert test.difference == pytest.approx(np.mean(items[test.first]) - np.mean(items[test.second]))
        assert test.n == 3
    assert result.alphas == {"overall": krippendorff_alpha(list(GIVEN.values())).value}


def test_order_does_not_matter_and_absent_variants_are_absent() -> None:
    assert augmentation_study(RATINGS[::-1]) == augmentation_study(RATINGS)
    result = augmentation_study([rating for rating in RATINGS if rating.variant != "naive"])
    assert [(test.first, test.second) for test in result.tests] == [("original", "mars")]
    (single,) = augmentation_study(RATINGS[:1]).ratings
    assert (single.mean, single.deviation, single.n) == (5.0, 0.0, 1)


def test_items_without_both_variants_are_not_paired() -> None:
    result = augmentation_study(
        [rating for rating in RATINGS if (rating.item, rating.variant) != ("a", "mars")]
    )
    assert {(test.first, test.second): test.n for test in result.tests}["original", "mars"] == 2
    equal = augmentation_study([r for r in RATINGS if r.item == "a"]).tests[0]
    assert (equal.t, equal.p, equal.n) == (None, None, 1)


def test_reading(tmp_path: Path) -> None:
    rows = [[rating.item, rating.variant, rating.question, rating.rater, rating.rating] for rating in RATINGS]
    table = tmp_path / "ratings.csv"
    table.write_text(HEADER + "".join(",".join(map(str, row)) + "\n" for row in rows))
    lines = tmp_path / "ratings.jsonl"
    names = HEADER.strip().split(",")
    lines.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    assert read_ratings(table) == read_ratings(lines) == RATINGS
    table.write_text("Item,Variant,Question,Rater,Rating\n1, MARS ,Overall,x,7\n")
    assert read_ratings(table) == [Rating("1", "mars", "overall", "x", 7.0)]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (HEADER + "1,mars,overall,x,8\n", 2, "rating must be from 1 to 7, not '8'"),
        (HEADER + "1,mars,overall,x,\n", 2, "rating must be from 1 to 7"),
        (HEADER + "1,mars,overall,x,3\n2,mars,overall,x,good\n", 3, "rating must be a number"),
        (HEADER + "1,marsian,overall,x,3\n", 2, "unknown variant 'marsian'. Did you mean 'mars'?"),
        (HEADER + "1,mars,beauty,x,3\n", 2, "unknown question 'beauty'"),
        (HEADER + "1,mars,overall,x\n", 2, "the row has 4 cells"),
        (HEADER + "1,mars,overall,x,3\n1,mars,overall,x,4\n", None, "rates the overall of item '1', mars, twice"),
        ("item,variant,rater,rating\n1,mars,x,3\n", 2, "there is no column 'question'"),
        (HEADER, None, "no ratings"),
        ("", None, "no ratings"),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, text: str, line: int | None, problem: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_ratings(path)
    assert problem in str(caught.value)
    assert caught.value.line == line
    assert caught.value.remedy


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_ratings(tmp_path / "none.csv")
    (tmp_path / "ratings.xlsx").write_text("")
    with pytest.raises(InputError, match="csv, tsv or jsonl"):
        read_ratings(tmp_path / "ratings.xlsx")


def filled(tmp_path: Path, columns: str = "x,5,6,7") -> Path:
    """A sheet as `rating-sheet` writes it, filled in."""
    rows = sheet_rows(choose_items(dataset(4), 2, 0), toy_scorer(), 0)
    path = tmp_path / "sheet.csv"
    text = sheet_text(rows).replace(",,,,\n", f",{columns}\n")
    path.write_text(text)
    key_path(path).write_text(key_text(rows))
    return path


def test_a_filled_sheet_is_a_file_of_ratings(tmp_path: Path) -> None:
    result = read_ratings(filled(tmp_path))
    assert len(result) == 2 * 3 * 3
    assert {rating.variant for rating in result} == {"original", "naive", "mars"}
    assert {(rating.question, rating.rating) for rating in result} == {
        ("relevance", 5.0), ("readability", 6.0), ("overall", 7.0),
    }  # fmt: skip
    assert len({rating.item for rating in result}) == 2


def test_bad_sheets(tmp_path: Path) -> None:
    path = filled(tmp_path, ",5,6,7")
    with pytest.raises(InputError, match="no rater is named"):
        read_ratings(path)
    path = filled(tmp_path, ",,,")
    with pytest.raises(InputError, match="no row of the sheet is rated"):
        read_ratings(path)
    path = filled(tmp_path)
    key_path(path).write_text("code,item,variant\n")
    with pytest.raises(InputError, match="the key has no such code"):
        read_ratings(path)
    key_path(path).write_text("kode,item,variant\n1,2,3\n")
    with pytest.raises(InputError, match="no column 'code'"):
        read_ratings(path)
    key_path(path).unlink()
    with pytest.raises(InputError, match="no such file"):
        read_ratings(path)


def test_the_sheet_tells_nothing_of_the_variants() -> None:
    items = choose_items(dataset(6), 4, 0)
    rows = sheet_rows(items, toy_scorer(), 0)
    assert len(rows) == 12
    assert len({row.code for row in rows}) == 12
    assert [row.code for row in rows] == sorted(row.code for row in rows)
    sheet = sheet_text(rows)
    assert not any(word in sheet for word in ("original", "naive", "mars"))
    assert not any(item.id in sheet for item in items)
    texts = {(row.item, row.variant): row.text for row in rows}
    for item in items:
        assert texts[item.id, "original"] == item.references[0]
        assert "rabbit" in texts[item.id, "mars"]
        assert "badger" in texts[item.id, "naive"]


def test_the_choice_of_items() -> None:
    data = dataset(10)
    first, other = (choose_items(data, 5, seed) for seed in (0, 1))
    assert first == choose_items(data, 5, 0)
    assert first != other
    assert len({example.id for example in first}) == 5
    assert all(example.candidate == "" for example in first)
    assert len(choose_items(data, 99, 0)) == 10
    assert {item.references[0] for item in choose_items(data, 99, 0)} == {reference(i) for i in range(10)}
    codes = [{row.code for row in sheet_rows(first, toy_scorer(), seed)} for seed in (0, 1)]
    assert not codes[0] & codes[1]
