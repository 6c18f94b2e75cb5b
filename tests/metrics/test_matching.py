"""Blocks of rows: each text prepared, order kept, progress told to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.metrics import matching
from mars_score.metrics.matching import Prepared, match
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def test_rows_of_the_same_references_are_done_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "BLOCK", 12)
    asked: list[list[str]] = []
    events: list[tuple[str, int, int]] = []

    def prepare(texts: list[str], progress: Callable[[int, int], None]) -> list[Prepared[str]]:
        asked.append(texts)
        progress(len(texts), len(texts))
        return [Prepared(text) for text in texts]

    rows = [("aaa", "xxx"), ("bbb", "yyy"), ("ccc", "xxx"), ("ddd", "yyy"), ("aaa", "yyy")]
    examples = [Example(str(row), candidate, (reference,)) for row, (candidate, reference) in enumerate(rows)]
    result = match(
        examples, prepare, lambda a, b: float(ord(a[0]) * 1000 + ord(b[0])), lambda *now: events.append(now)
    )
    assert [value.score for value in result] == [ord(a[0]) * 1000 + ord(b[0]) for a, b in rows]
    assert asked == [["aaa", "bbb", "ccc", "xxx", "yyy"], ["aaa", "ddd", "yyy"]]
    assert [now for now in events if now[0] == "encoding"] == [("encoding", 5, 8), ("encoding", 8, 8)]
    assert events[-1] == ("comparing", 5, 5)


def test_no_rows() -> None:
    assert (
        match([], lambda texts, _: [Prepared(text) for text in texts], lambda a, b: 0.0, lambda *_: None)
        == []
    )
