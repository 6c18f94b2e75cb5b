from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.progress import silent_stages
from mars_score.run.base import LocalEngine
from tests.run.jobs import Squares, noted

if TYPE_CHECKING:
    from pathlib import Path


def test_a_batch_is_done_when_its_result_is_asked_for(tmp_path: Path) -> None:
    taken: list[int] = []
    batches = (taken.append(number) or number for number in range(5))  # type: ignore[func-returns-value]
    results = LocalEngine().run(Squares(str(tmp_path)), batches, silent_stages)
    assert taken == []
    assert [next(results), next(results)] == [0, 1]
    assert taken == [0, 1]
    assert list(results) == [4, 9, 16]
    assert len(noted(tmp_path, "made-")) == 1
