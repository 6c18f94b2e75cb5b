"""The report that is opened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mars_score.study.report.page import write_report
from tests.study.report.sample import sample_study

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of the made-up study."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "resvg_py", None)  # PNG files take most of the time, and are not shown
        write_report(sample_study(), folder)
    return folder / "report.html"
