"""The report as a reader meets it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.study.report.page import write_report
from tests.study.report.sample import sample_study
from tests.study.report.small import RESERVED, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Request

WIDTHS = (1280, 768, 390, 320)
TABLE = "#table_table3_levels_pearson"
CONTRASTS = {
    # Text on its ground, WCAG's 4.5 for small text.
    "body": ("ink", "paper"),
    "quiet": ("soft", "paper"),
    "quiet on raised": ("soft", "raised"),
    "links": ("accent", "paper"),
    "best": ("ink", "best"),
    "warnings": ("warn", "raised"),
    "written": ("ink", "written"),
}


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """Open the report; fail on any request but the file itself, and on any message."""
    # Smooth scrolling would move the page below a resting pointer.
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, offline=True, reduced_motion="reduce"
    )
    page = context.new_page()
    wrong: list[str] = []

    def listen(request: Request) -> None:
        if request.url != report.as_uri() and request.url != "data:,":
            wrong.append(f"request: {request.url}")

    page.on("request", listen)
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.goto(report.as_uri())
    yield page
    context.close()
    assert wrong == []


def names(page: Page, table: str = TABLE) -> list[str]:
    return page.locator(f"{table} tbody th").all_inner_texts()


def keys(page: Page, place: int, table: str = TABLE) -> list[str]:
    cells = page.locator(f"{table} tbody tr > :nth-child({place + 1})").all()
    return [cell.get_attribute("data-key") or "" for cell in cells]


def test_a_click_sorts_and_another_turns_round(page: Page) -> None:
    before = names(page)
    head = page.locator(f"{TABLE} thead tr:last-child th").nth(1)
    assert head.get_attribute("aria-sort") == "none"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(key) for key in keys(page, 1)]
    assert values == sorted(values, reverse=True)
    assert names(page) != before
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(key) for key in keys(page, 1)] == sorted(values)
    assert sorted(names(page)) == sorted(before)


def test_keys_sort_too_and_one_column_at_a_time(page: Page) -> None:
    heads = page.locator(f"{TABLE} thead tr:last-child th")
    heads.nth(1).locator("button").click()
    heads.nth(0).locator("button").focus()
    page.keyboard.press("Enter")
    assert names(page) == sorted(names(page), key=str.casefold)
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    assert heads.nth(1).get_attribute("aria-sort") == "none"
    page.keyboard.press("Space")
    assert heads.nth(0).get_attribute("aria-sort") == "descending"


def test_missing_numbers_stay_last(page: Page) -> None:
    titles = page.locator(f"{TABLE} thead tr:last-child th").all_inner_texts()
    place = 9  # answers, all rows: perplexity is undefined
    assert titles[place].strip() == "all rows"
    button = page.locator(f"{TABLE} thead tr:last-child th").nth(place).locator("button")
    for _ in range(2):
        button.click()
        assert keys(page, place)[-1] == ""
        assert keys(page, place).count("") == 1


def test_every_table_sorts_by_every_column(page: Page) -> None:
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    unsorted = page.evaluate(
        """() => {
          const wrong = [];
          for (const head of document.querySelectorAll("th[aria-sort]")) {
            head.querySelector("button").click();
            const rows = [...head.closest("table").tBodies[0].rows];
            const keys = rows.map((row) => row.cells[head.cellIndex].dataset.key).filter((key) => key !== "");
            const order = head.classList.contains("number")
              ? (a, b) => Number(b) - Number(a)
              : (a, b) => a.localeCompare(b, "en", { numeric: true });
            if (keys.some((key, i) => i && order(keys[i - 1], key) > 0)) wrong.push(head.innerText);
          }
          return wrong;
        }"""
    )
    assert unsorted == []
    assert page.locator("th[aria-sort]").count() > 100


def test_figures_are_drawn(page: Page) -> None:
    boxes = [panel.bounding_box() for panel in page.locator("svg.panel").all()]
    assert len(boxes) == 3 + 3 + 3 + 6 + 3 + 3
    assert all(box is not None and box["width"] > 200 and box["height"] > 100 for box in boxes)
    fill = page.locator("svg .point").first.evaluate("point => getComputedStyle(point).fill")
    assert fill == "rgb(0, 114, 178)"


def test_exact_numbers_on_hover_tap_and_focus(page: Page) -> None:
    tip = page.locator("#tip")
    cell = page.locator(f"{TABLE} tbody td").first
    assert tip.is_hidden()
    cell.hover()
    assert "95% interval" in tip.inner_text()
    page.locator("h1").hover()
    assert tip.is_hidden()
    page.locator("svg .mark").first.hover()
    assert "texts" in tip.inner_text()
    page.locator("h1").click()
    page.locator(f"{TABLE} thead tr:last-child th button").last.focus()
    page.keyboard.press("Tab")
    first = tip.inner_text()
    assert "all rows: " in first
    page.keyboard.press("ArrowDown")
    assert tip.inner_text() != first
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.mouse.move(2, 2)
    page.evaluate("scrollBy(0, 40)")
    page.wait_for_timeout(50)
    assert tip.is_hidden()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    # Hidden overflow counts too: no element but those inside a scrolling box may reach beyond the page.
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((found) =>
          !found.closest(".scroll, svg, .skip, #tip") && found.getBoundingClientRect().right > innerWidth + 0.5
        ).map((found) => found.outerHTML.slice(0, 80))"""
    )
    assert beyond == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_dark_by_system_and_by_choice(page: Page) -> None:
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for what, pair in CONTRASTS.items():
        first, second = (
            page.evaluate(f"getComputedStyle(document.body).getPropertyValue('--{name}')") for name in pair
        )
        assert contrast(first, second) >= 4.5, (what, scheme)


def contrast(first: str, second: str) -> float:
    """Return WCAG's contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour.strip()[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_texts_of_strangers_do_not_run(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    attack = "\"'><script>window.ran=1</script><img src=x onerror=window.ran=1><svg onload=window.ran=1>"
    study = with_texts(sample_study(), lambda text: f"{text}{attack}", RESERVED)
    write_report(replace(study, datasets=study.datasets[:1]), tmp_path)
    context = browser.new_context(offline=True)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate("window.ran === undefined")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert [url for url in requests if url != "data:,"] == [(tmp_path / "report.html").as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_policy_stops_what_slips_through(page: Page) -> None:
    # Were a text ever printed raw, the browser itself would refuse to run it. A page of its own, for the message.
    messages: list[str] = []
    other = page.context.new_page()
    other.on("console", lambda message: messages.append(message.text))
    other.goto(page.url)
    other.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran=1\">')")
    other.wait_for_timeout(100)
    assert other.evaluate("window.ran === undefined")
    assert any("Content Security Policy" in message for message in messages)
