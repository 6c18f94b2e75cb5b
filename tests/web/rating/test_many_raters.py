"""Sixteen raters save at once over HTTP while the form is killed (SIGKILL) and started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.faults import many_raters

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    many_raters.write_sheet(sheet)
    ledger = many_raters.collect(sheet, raters=16, kills=2)
    assert len(ledger.acknowledged) == 16 * 17 * 3
    assert ledger.again >= 2, "nobody noticed that the form was killed"
    lost, doubled, stored = many_raters.compare(sheet, ledger, 16)
    assert (lost, doubled, stored) == (0, 0, 16 * 17 * 3)
