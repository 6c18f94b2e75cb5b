"""A dry run counts and computes nothing; its estimate is what earlier runs took."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from mars_score.cli import reporting
from mars_score.cli.reporting import Rate, known_rate, learn_rate
from mars_score.mars.scorer import MarsScorer
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference, Infilled, InfillingRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .conftest import CommandLine

pytestmark = pytest.mark.usefixtures("light")

UNKNOWN = (
    "time: unknown, as augmenting with these settings has not been timed on this machine; start the run "
)


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "100M")


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def used(scorer: MarsScorer) -> NoReturn:
        raise AssertionError("a model was loaded")

    for part in ("tagger", "infiller", "encoder"):
        monkeypatch.setattr(MarsScorer, part, property(used))


def rows(count: int, references: int) -> list[dict[str, Any]]:
    return [
        {"candidate": f"candidate {n}", "reference": f"the old reference {n % references}", "context": "Well"}
        for n in range(count)
    ]


@pytest.mark.usefixtures("no_work")
def test_nothing_is_computed_or_written(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(12, 4))
    result = cli("score", "rows.jsonl", "-o", "out.jsonl", "--dry-run")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "rows: 12, of which 0 are done and 12 are to be scored\n"
        "metrics: mars\n"
        f"references: 4 distinct, of which 0 are cached and 4 are new\n{UNKNOWN}"
    )
    result = cli("augment", "rows.jsonl", "-o", "out.jsonl", "--dry-run")
    assert result.out.startswith(
        f"rows: 12; references done: 0\nreferences: 4 distinct, of which 0 are cached and 4 are new\n{UNKNOWN}"
    )
    assert [path.name for path in cli.folder.iterdir()] == ["rows.jsonl"]


def test_what_is_done_and_what_is_cached(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(12, 4))
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    lines = Path("out.jsonl").read_bytes().splitlines(keepends=True)
    Path("out.jsonl").write_bytes(b"".join(lines[:5]) + b'{"id": "torn')
    before = Path("out.jsonl").read_bytes()
    result = cli("score", "rows.jsonl", "-o", "out.jsonl", "--dry-run")
    assert result.out.startswith(
        "rows: 12, of which 5 are done and 7 are to be scored\nmetrics: mars\n"
        "references: 4 distinct, of which 4 are cached and 0 are new\ntime: about "
    )
    assert Path("out.jsonl").read_bytes() == before
    result = cli("score", "rows.jsonl", "--dry-run", "--no-cache", "--metric", "bleu1,mars_no_plan,mars")
    assert "references for mars_no_plan: 4 distinct, of which 0 are cached and 4 are new\n" in result.out
    assert "\nreferences: 4 distinct, of which 0 are cached and 4 are new\n" in result.out


def test_the_estimate_grows_with_the_work(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only filling moves: two seconds for each reference."""
    now = 0.0

    class Slow:
        def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
            nonlocal now
            now += 2.0 * len(requests)
            return [
                Infilled(
                    tuple(
                        AugmentedReference(template, ("...",) * template.blanks)
                        for template in request.templates
                    )
                )
                for request in requests
            ]

    monkeypatch.setattr(MarsScorer, "infiller", Slow())
    monkeypatch.setattr("mars_score.mars.scorer.perf_counter", lambda: now)
    cli.put_rows("first.jsonl", rows(5, 5))
    cli("augment", "first.jsonl", "-o", "first-out.jsonl")
    cli.put_rows("rows.jsonl", [{**row, "context": "Hmm."} for row in rows(90, 10)])
    result = re.search(
        r"time: about ([\d.]+) s in one process",
        cli("augment", "rows.jsonl", "-o", "o.jsonl", "--dry-run").out,
    )
    assert result
    assert float(result[1]) == pytest.approx(20.0, abs=0.2)
    cli.put_rows("rows.jsonl", rows(20, 10))  # five of which the cache has
    assert "time: about 10.0 s" in cli("augment", "rows.jsonl", "-o", "o.jsonl", "--dry-run").out


def test_the_cost_line(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(12, 4))
    cli("score", "rows.jsonl", "-o", "out.jsonl")
    form = r"cost: {} references \({} augmented now, {} from the cache\), 0 tokens written, "
    form += r"\d+\.\d s, peak memory [\d,]+ MB\n"
    assert re.fullmatch(form.format(4, 4, 0), cli.cost)
    cli("score", "rows.jsonl", "-o", "again.jsonl")
    assert re.fullmatch(form.format(4, 0, 4), cli.cost)
    cli("score", "rows.jsonl", "-o", "again.jsonl")
    assert re.fullmatch(form.format(0, 0, 0), cli.cost)


def test_rates_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path))
    learn_rate("one", Rate(3.0, 6))
    assert known_rate("one") == Rate(3.0, 6)
    learn_rate("none", Rate(0.0, 0))
    assert known_rate("none") is None
    for text in ("", "[]", '{"one": 1}', '{"one": {"seconds": "x", "units": 1}}', '{"one": {"seconds": 1}}'):
        (tmp_path / reporting.RATES).write_text(text)
        assert known_rate("one") is None
    learn_rate("one", Rate(1.0, 2))
    assert known_rate("one") == Rate(1.0, 2)
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path / reporting.RATES))  # a file in place of the folder
    learn_rate("one", Rate(3.0, 6))
    assert known_rate("one") is None
