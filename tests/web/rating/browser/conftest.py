"""The form in a real browser, served by a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.chromium import watch
from tests.web.rating.samples import rows, write_sheet
from tests.web.rating.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

Open = "Callable[..., Page]"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A form that stays up; each test is a rater of its own. Contexts are long."""
    server = Server(write_sheet(tmp_path_factory.mktemp("rating"), rows(sentences=20), key=False))
    server.start()
    yield server
    server.close()


@pytest.fixture
def restartable(tmp_path: Path) -> Iterator[Server]:
    """A form of ten texts that is stopped and started by its test."""
    server = Server(write_sheet(tmp_path, rows()[:10], key=False))
    server.start()
    yield server
    server.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a form; at the end, fail on requests to anybody else, on dialogs, and on errors of the script."""
    contexts, problems = [], list[list[str]]()

    def make(server: Server, path: str = "/", **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        # A browser reports each failed request, and some tests are about these.
        problems.append(watch(page, server.url, refusals="Failed to load resource"))
        page.goto(server.url + path)
        return page

    yield make
    for context in contexts:
        context.close()
    assert [problem for of_page in problems for problem in of_page] == []
