"""README.md and docs/performance.md have the figures of benchmarks/results.json, and no others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import figures
import pytest

if TYPE_CHECKING:
    from pathlib import Path

RESULTS: figures.Results = {
    "second_system": {"ratio": 1.234, "goal": "<= 1.3", "holds": True, "machine": "toy, 2 cores", "date": "2026-01-02"},
    "memory": {"ratio": 12.34, "goal": None, "holds": None, "machine": "other", "date": "2026-01-03"},
}  # fmt: skip
PAGE = "Costs <!--=second_system-->9<!--/--> times.\n<!--figures-->\nstale\n<!--/figures-->\nEnd."


@pytest.mark.parametrize("page", figures.PAGES, ids=lambda page: str(page.name))
def test_pages_have_the_measured_figures(page: Path) -> None:
    results = json.loads(figures.RESULTS.read_text("utf-8"))
    assert page.read_text("utf-8") == figures.filled(page.read_text("utf-8"), results), (
        "python tools/figures.py"
    )


def test_every_result_is_explained() -> None:
    results = json.loads(figures.RESULTS.read_text("utf-8"))
    assert results.keys() <= figures.MEANING.keys()
    assert all({"ratio", "goal", "holds", "machine", "date"} <= result.keys() for result in results.values())


def test_ratios_and_table_are_filled_in() -> None:
    page = figures.filled(PAGE, RESULTS)
    assert "Costs <!--=second_system-->1.23<!--/--> times." in page
    assert "stale" not in page
    assert "| 1.23 | <= 1.3 | yes | 1 |" in page
    assert "| 12.3 |  |  | 2 |" in page
    assert "On: (1) toy, 2 cores, 2026-01-02; (2) other, 2026-01-03." in page
    assert figures.filled(page, RESULTS) == page
    assert page.endswith("<!--/figures-->\nEnd.")


def test_an_unknown_benchmark_is_an_error() -> None:
    with pytest.raises(KeyError):
        figures.filled("<!--=nothing-->1<!--/-->", RESULTS)
