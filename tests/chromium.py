"""A real Chromium, and what every page must hold in it. Without one the tests of pages fail: nothing is skipped."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request

sys.path.append(str(Path(__file__).parents[1] / "tools"))
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
INSTALL = "apt-get install -y --no-install-recommends chromium-headless-shell"
WIDTHS = (1280, 768, 390, 320)
OPEN_ALL = "for (const d of document.querySelectorAll('details')) d.open = true"
SCRIPTS = "\"'><script>window.ran=1</script><img src=x onerror=window.ran=1><svg onload=window.ran=1>"
"""A text that would run if a page ever printed it raw."""
CONTRASTS = {
    "body": ("ink", "paper"),
    "quiet": ("soft", "paper"),
    "quiet on raised": ("soft", "raised"),
    "links": ("accent", "paper"),
    "best": ("ink", "best"),
    "warnings": ("warn", "raised"),
    "written": ("ink", "written"),
}
"""Text and its ground, by the names of the pages' colours."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    from playwright.sync_api import sync_playwright  # absent where other tools are tested

    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.fail(f"no Chromium is installed; as root: {INSTALL}")
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox; the page is our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
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


def watch(page: Page, *allowed: str, refusals: str = "") -> list[str]:
    """Return a list that will hold requests elsewhere, dialogs, errors of scripts and messages.

    With `refusals`, messages of failed requests that begin so are expected.
    """
    problems: list[str] = []

    def on_request(request: Request) -> None:
        if not request.url.startswith((*allowed, "data:,")):
            problems.append(f"request: {request.url}")

    def on_console(message: ConsoleMessage) -> None:
        if not (refusals and message.text.startswith(refusals)):
            problems.append(f"console: {message.text}")

    def on_dialog(dialog: Dialog) -> None:
        problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("request", on_request)
    page.on("console", on_console)
    page.on("dialog", on_dialog)
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    return problems


@contextmanager
def opened_file(browser: Browser, path: Path, width: int = 1280) -> Iterator[Page]:
    """Open a page without a network; fail on any request but the file itself, and on any message."""
    # Smooth scrolling would move the page below a resting pointer.
    context = browser.new_context(
        viewport={"width": width, "height": 900}, offline=True, reduced_motion="reduce"
    )
    page = context.new_page()
    problems = watch(page, path.as_uri())
    page.goto(path.as_uri())
    yield page
    context.close()
    assert problems == []


def check_width(page: Page, width: int, scrolling: str) -> None:
    """Nothing reaches beyond the page, hidden overflow included, but what is inside a `scrolling` box."""
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate(OPEN_ALL)
    beyond = page.evaluate(
        """(scrolling) => [...document.querySelectorAll("body *")].filter((element) =>
          !element.closest(scrolling) && element.getBoundingClientRect().right > innerWidth + 0.5
        ).map((element) => element.outerHTML.slice(0, 80))""",
        scrolling,
    )
    assert beyond == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def check_dark(page: Page) -> None:
    """Dark by the system's choice, and the button turns it round; paper is white."""
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 23, 27)")
    page.locator("#theme").click()
    assert page.evaluate(ground) == light
    page.locator("#theme").click()
    assert page.evaluate(ground) == dark
    page.emulate_media(media="print")
    assert page.evaluate(ground) == light


def check_contrasts(page: Page, scheme: str, pairs: Mapping[str, tuple[str, str]]) -> None:
    """WCAG's 4.5 for small text."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for what, pair in pairs.items():
        first, second = (
            page.evaluate(f"getComputedStyle(document.body).getPropertyValue('--{name}')") for name in pair
        )
        assert contrast(first, second) >= 4.5, (what, scheme)


def check_nothing_ran(page: Page) -> None:
    """No text of `SCRIPTS` became an element or ran; the page still fits."""
    assert page.evaluate("window.ran === undefined")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def contrast(first: str, second: str) -> float:
    """Return WCAG's contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour.strip()[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
