"""Parts of a data set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mars_score.errors import ConfigError
from mars_score.io.datasets.base import Dataset, Rated, select
from mars_score.types import Example

DATASET = Dataset(
    "news",
    tuple(
        Rated(Example(f"{system}{i}", "a", ("b",)), 1.0, system, task=f"task{i}")
        for i in range(2)
        for system in ("lede3", "textrank", "pointer_n")
    ),
    references_left_out=4,
)


def test_systems_are_selected_in_the_order_of_rows() -> None:
    part = select(DATASET, ["pointer_n", "lede3"])
    assert [row.id for row in part] == ["lede30", "pointer_n0", "lede31", "pointer_n1"]
    assert (part.name, part.references_left_out) == ("news", 4)
    assert part.content_hash != DATASET.content_hash


def test_one_system_may_be_named_alone() -> None:
    assert [row.id for row in select(DATASET, "lede3", "task1")] == ["lede31"]


def test_languages() -> None:
    rows = tuple(replace(row, lang=lang) for row, lang in zip(DATASET, ["de", "", "fr", "de"], strict=False))
    dataset = replace(DATASET, rows=rows)
    assert [row.id for row in select(dataset, langs=["de"])] == ["lede30", "lede31"]
    assert [row.id for row in select(dataset, langs=[""])] == ["textrank0"]
    with pytest.raises(ConfigError, match="news has no language 'it'; it has de, fr"):
        select(dataset, langs="it")


def test_nothing_named_is_all() -> None:
    assert select(DATASET) == DATASET


@pytest.mark.parametrize(
    ("systems", "problem"),
    [(["textrang"], "news has no system 'textrang'.* Did you mean 'textrank'?"), ([], "no system is named")],
)
def test_names_that_are_not_there(systems: list[str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        select(DATASET, systems)
