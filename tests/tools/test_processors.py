"""What the comparison of processors finds fault with, on records made up for it."""

from __future__ import annotations

import copy
import shutil
from typing import TYPE_CHECKING, Any

import processors
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORD: dict[str, Any] = {
    "capability": "AVX2",
    "product": "0a1b2c",
    "texts": {"a": ["It rained.", "It poured."], "b": ["Snow fell."]},
    "scores": {name: {"a": 0.5, "b": None} for name in ("mars", *processors.METRICS)},
}


def run(name: str, threads: int, change: Callable[[dict[str, Any]], object] = lambda _: None) -> Any:
    record = copy.deepcopy(RECORD)
    change(record)
    return processors.Run(name, threads, "9 passed", True, "", record, 1.0)


def moved(by: float, metric: str = "mars") -> Callable[[dict[str, Any]], object]:
    return lambda record: record["scores"][metric].update(a=0.5 + by)


def test_equal_runs_agree() -> None:
    runs = [run("native", 1), run("sse4", 1), run("native", 2), run("sse4", 2)]
    assert processors.faults(runs) == []
    assert "0 of 3" in processors.table(runs)


def test_between_processors_a_score_may_move_within_the_bound() -> None:
    within, beyond = 0.9 * processors.BOUND, 1.1 * processors.BOUND
    assert processors.faults([run("native", 1), run("sse4", 1, moved(within))]) == []
    (fault,) = processors.faults([run("native", 1), run("sse4", 1, moved(beyond))])
    assert fault.startswith("sse4, 1 thread: mars differs by 1.1e-05 from native, 1 thread")


def test_between_numbers_of_threads_not_a_bit_may_differ() -> None:
    (fault,) = processors.faults([run("native", 1), run("native", 2, moved(1e-16 + 1e-15))])
    assert "native, 2 threads: mars differs by" in fault
    assert "more than 0" in fault
    assert processors.faults([run("native", 1), run("native", 2, moved(1e-7, "perplexity"))]) == []


def test_a_number_that_only_one_of_them_has() -> None:
    runs = [run("native", 1), run("sse4", 1, lambda record: record["scores"]["naive"].update(b=0.1))]
    assert ["naive differs by inf" in fault for fault in processors.faults(runs)] == [True]


def test_other_texts_and_failed_tests() -> None:
    other = run("sse4", 1, lambda record: record["texts"].update(b=["Snow fell on us."]))
    assert processors.faults([run("native", 1), other]) == [
        "sse4, 1 thread: 1 augmented references differ from native, 1 thread"
    ]
    failed = processors.Run("native", 1, "1 failed", False, "AssertionError", None, 1.0)
    assert processors.faults([failed]) == ["native, 1 thread: 1 failed\nAssertionError"]
    assert "FAILED: 1 failed" in processors.table([failed])


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_library_is_built(tmp_path: Path) -> None:
    library = processors.intel_library(tmp_path)
    assert library is not None
    assert b"mkl_serv_intel_cpu_true" in library.read_bytes()


def test_without_a_compiler_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert processors.intel_library(tmp_path) is None


def test_enough_rows_are_compared() -> None:
    result = processors.rows()
    assert len(result) == len({row.id for row in result}) >= 36
