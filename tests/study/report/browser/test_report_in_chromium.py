"""The report as a reader meets it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mars_score.study.report.page import write_report
from tests.chromium import (
    CONTRASTS,
    OPEN_ALL,
    SCRIPTS,
    WIDTHS,
    barriers,
    check_contrasts,
    check_dark,
    check_nothing_ran,
    check_width,
    opened_file,
)
from tests.study.report.sample import sample_study
from tests.study.report.small import RESERVED, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

TABLE = "#table_table3_levels_pearson"


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    with opened_file(browser, report) as page:
        yield page


def names(page: Page, table: str = TABLE) -> list[str]:
    return page.locator(f"{table} tbody th").all_inner_texts()


def keys(page: Page, column: int, table: str = TABLE) -> list[str]:
    cells = page.locator(f"{table} tbody tr > :nth-child({column + 1})").all()
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
    position = 9  # answers, all rows: perplexity is undefined
    assert titles[position].strip() == "all rows"
    button = page.locator(f"{TABLE} thead tr:last-child th").nth(position).locator("button")
    for _ in range(2):
        button.click()
        assert keys(page, position)[-1] == ""
        assert keys(page, position).count("") == 1


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
    expect(tip).to_be_hidden()
    cell.hover()
    assert "95% interval" in tip.inner_text()
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
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
    expect(tip).to_be_hidden()
    page.mouse.move(2, 2)
    page.evaluate("scrollBy(0, 40)")
    page.wait_for_timeout(50)
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(page: Page, width: int) -> None:
    check_width(page, width, ".scroll, svg, .skip, #tip")


def test_dark_by_system_and_by_choice(page: Page) -> None:
    check_dark(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(page: Page, scheme: str) -> None:
    check_contrasts(page, scheme, CONTRASTS)


def test_scripts_in_texts_do_not_run(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    study = with_texts(sample_study(), lambda text: f"{text}{SCRIPTS}", RESERVED)
    write_report(replace(study, datasets=study.datasets[:1]), tmp_path)
    with opened_file(browser, tmp_path / "report.html") as page:
        check_nothing_ran(page)


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


def test_findings_use_the_width(browser: Browser, tmp_path: Path) -> None:
    study = sample_study()
    write_report(replace(study, datasets=study.datasets[:1]), tmp_path)
    with opened_file(browser, tmp_path / "report.html") as page:
        first, *others = (box.bounding_box() for box in page.locator(".finding").all())
        assert first
        assert others
        assert all(box and box["width"] == first["width"] for box in others)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_keeps_people_from_reading(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.evaluate(OPEN_ALL)
    assert barriers(page) == []
