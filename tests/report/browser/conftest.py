"""A real Chromium. Without one these tests fail: a report that nobody has opened is not tested."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, sync_playwright

from mars_score.report import write_report
from tests.report.sample import sample_study

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
INSTALL = "apt-get install -y --no-install-recommends chromium-headless-shell"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail(f"no Chromium is installed; as root: {INSTALL}")
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox; the page is our own.
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of the made-up study."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "resvg_py", None)  # PNG files take most of the time, and are not shown
        write_report(sample_study(), folder)
    return folder / "report.html"
