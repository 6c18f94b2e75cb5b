"""A real Chromium. Without one the tests of pages fail: a page that nobody has opened is not tested."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.append(str(Path(__file__).parents[1] / "tools"))
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


def barriers(page: Page) -> list[str]:
    """What axe-core finds that keeps people from reading a page, serious or worse."""
    from need_axe import SCRIPT

    if not SCRIPT.is_file():
        pytest.fail("axe-core is not here; fetch it with: python tools/need_axe.py")
    # Through the debugger: the page's own policy would refuse a script that is not its own.
    page.evaluate(SCRIPT.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:200]} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
