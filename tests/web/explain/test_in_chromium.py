"""The page of explanations as a reader meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mars_score.io.html import assets
from mars_score.types import Example
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.page import FILES, HERE, fragment, to_page
from mars_score.web.explain.standing import find_standing
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
from tests.study.toy_mars import toy_scorer
from tests.web.explain.sample import explained_with, sample, scorer
from tests.web.texts import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

PAIRS = CONTRASTS | {"shared": ("ink", "best"), "badge": ("paper", "accent"), "flags": ("warn", "paper")}
PAIRS |= {"matched": ("ink", "matched"), "facts": ("ink", "doubted"), "clear": ("sure", "paper")}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of the sample."""
    path = tmp_path_factory.mktemp("explaining") / "page.html"
    items, standing = sample()
    path.write_text(
        to_page(items, standing, signature="mars:v0|toy", source="rows.jsonl", left_out=3), encoding="utf-8"
    )
    return path


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    with opened_file(browser, file) as page:
        yield page


def shown(page: Page) -> list[str]:
    """Return the numbers of the items that are shown, from the top down."""
    return [
        item.get_attribute("data-order") or "" for item in page.locator(".ex-item").all() if item.is_visible()
    ]


def test_search(page: Page) -> None:
    assert shown(page) == ["1", "2", "3", "4"]
    page.get_by_label("Search").fill("BEEKEEPER basket")
    assert shown(page) == ["3"]
    assert page.locator("#count").inner_text() == "1 of 4 shown"
    page.get_by_label("Search").fill("kiln/b")
    assert shown(page) == ["1"]
    page.get_by_label("Search").fill("noun")  # our own word, which every table of words has
    assert shown(page) == []
    page.get_by_role("button", name="Show all items").click()
    assert shown(page) == ["1", "2", "3", "4"]
    expect(page.locator("#none")).to_be_hidden()


def test_filter_by_flag(page: Page) -> None:
    page.get_by_label("Flag").select_option("empty_candidate")
    assert shown(page) == ["3"]
    page.get_by_label("Search").fill("kiln")
    assert shown(page) == []
    page.get_by_label("Flag").select_option("")
    assert shown(page) == ["1"]


def test_sort(page: Page) -> None:
    def values(name: str) -> list[float]:
        found = [item.get_attribute(f"data-{name}") for item in page.locator(".ex-item").all()]
        return [float(value) if value else -1.0 for value in found]

    sort = page.get_by_label("Sort by")
    sort.select_option("high")
    assert values("score") == sorted(values("score"), reverse=True)
    sort.select_option("low")
    assert values("score") == sorted(values("score"))
    sort.select_option("apart")
    assert values("apart") == sorted(values("apart"), reverse=True)
    assert shown(page)[-1] == "4"  # nobody rated it
    sort.select_option("order")
    assert shown(page) == ["1", "2", "3", "4"]


def test_an_item_opens_by_keyboard(page: Page) -> None:
    second = page.locator("#item-2")
    summary = second.locator("> summary")
    expect(second.locator(".ex-verdict")).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    expect(second.locator(".ex-verdict")).to_be_visible()
    expect(second.locator(".ex-sum").first).to_be_hidden()  # how it was made is one step further
    page.keyboard.press("Space")
    expect(second.locator(".ex-verdict")).to_be_hidden()
    page.get_by_role("button", name="Open all").focus()
    page.keyboard.press("Enter")
    assert page.locator(".ex-item[open]").count() == 4
    page.get_by_role("button", name="Close all").click()
    assert page.locator(".ex-item[open]").count() == 0


def test_words_tell_more_on_hover_and_by_keys(page: Page) -> None:
    tip = page.locator(".ex-tip")
    words = page.locator("#item-1 .ex-making .ex-words .ex-word")
    page.locator("#item-1 .ex-making > summary").click()
    expect(tip).to_be_hidden()
    words.nth(3).hover()
    assert tip.inner_text().startswith("glaze: noun, IDF ")
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    page.mouse.move(2, 2)
    page.locator("#item-1 .ex-long").focus()
    page.keyboard.press("Tab")
    assert tip.inner_text().startswith("By: noun")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("small: noun")
    assert "masked at" in tip.inner_text()
    page.keyboard.press("ArrowLeft")
    assert tip.inner_text().startswith("had: noun")
    assert words.nth(4).get_attribute("aria-describedby") == "ex-tip"
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.locator("#item-1 > summary .ex-flag").first.hover()
    assert "removed before scoring" in tip.inner_text()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(page: Page, width: int) -> None:
    check_width(page, width, ".ex-scroll, .skip, .ex-tip")


def test_bars_are_drawn_to_scale(page: Page) -> None:
    charts = page.locator("#item-1 .ex-chart")
    rows = [row for chart in charts.all() for row in chart.locator("tr").all()]
    amounts = [float(row.locator(".ex-figure").inner_text().replace("\N{MINUS SIGN}", "-")) for row in rows]
    assert min(amounts) < 0 < max(amounts)
    bars = [row.locator(".ex-adds").bounding_box() for row in rows]
    zeros = [row.locator(".ex-zero").bounding_box() for row in rows]
    per_unit = {amount: bar["width"] / abs(amount) for amount, bar in zip(amounts, bars, strict=True) if bar}
    assert max(per_unit.values()) == pytest.approx(min(per_unit.values()), rel=0.05)
    for amount, bar, zero in zip(amounts, bars, zeros, strict=True):
        assert bar
        assert zero
        assert zero["x"] == pytest.approx(zeros[0]["x"], abs=0.5)  # type: ignore[index]
        edge = bar["x"] if amount > 0 else bar["x"] + bar["width"]
        assert edge == pytest.approx(zero["x"], abs=1.5)
    fills = {
        amount > 0: row.locator(".ex-adds").evaluate("one => getComputedStyle(one).fill")
        for amount, row in zip(amounts, rows, strict=True)
    }
    assert fills[True] != fills[False]


def test_the_answer_is_seen_without_scrolling(page: Page) -> None:
    """Which is best, by how much, why, which words, and can I trust it: all in the first screen."""
    item = page.locator("#item-1")
    for part in (
        ".ex-verdict",
        ".ex-trust",
        ".ex-target",
        ".ex-reason",
        ".ex-chart",
        ".ex-candidate .ex-matched",
    ):
        box = item.locator(part).first.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 900, part
    assert item.locator(".ex-verdict").inner_text().startswith("A is best, with 0.")
    assert item.locator(".ex-reason").first.inner_text().startswith("0.")


def test_a_matched_word_leads_to_its_partner(page: Page) -> None:
    word = page.locator("#item-1 .ex-candidate [data-to]").first
    word.hover()
    partner = page.locator("#item-1 .ex-partner")
    assert partner.count() == 1
    assert partner.inner_text().lower() == word.inner_text().lower()
    line = page.locator("#item-1 .ex-lines line.ex-strong").evaluate(
        "one => { const box = one.getBoundingClientRect(); return [box.left, box.right, box.top, box.bottom] }"
    )
    start, end = word.bounding_box(), partner.bounding_box()
    assert start
    assert end
    middles = sorted(box["x"] + box["width"] / 2 for box in (start, end))
    assert line[:2] == pytest.approx(middles, abs=2)
    assert line[2:] == pytest.approx([end["y"] + end["height"], start["y"]], abs=2)
    assert "In the reference too" in page.locator(".ex-tip").inner_text()
    page.locator("h1").hover()
    assert page.locator(".ex-lines").count() == 0
    page.locator("#item-1 .ex-candidate [tabindex='0']").first.focus()  # and by keys
    assert page.locator("#item-1 .ex-lines").count() == 1


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark")])
def test_nothing_keeps_people_from_reading(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert barriers(page) == []
    page.evaluate(OPEN_ALL)
    assert barriers(page) == []


def test_the_table_keeps_its_roles_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#item-1 .ex-making > summary").click()
    table = page.get_by_role("table", name="The sum of A").first
    assert table.get_by_role("rowheader").count() >= 5
    expect(table.get_by_role("cell").first).to_be_visible()


def test_dark_by_system_and_by_choice(page: Page) -> None:
    check_dark(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(page: Page, scheme: str) -> None:
    check_contrasts(page, scheme, PAIRS)


def test_paper_shows_everything(page: Page) -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#item-4 .ex-sum")).to_be_visible()
    expect(page.locator("#controls")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".ex-item[open]").count() == 1


def test_a_link_to_an_item_opens_it(page: Page) -> None:
    page.evaluate("location.hash = 'item-3'")
    page.wait_for_selector("#item-3[open]")


def test_without_script_the_page_is_complete(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("#controls")).to_be_hidden()
    expect(page.locator("#item-1 .ex-verdict")).to_be_visible()
    page.locator("#item-2 > summary").click()
    expect(page.locator("#item-2 .ex-verdict")).to_be_visible()
    title = page.locator("#item-1 .ex-making .ex-words .ex-word").first.get_attribute("title")
    assert title is not None
    assert title.startswith("By: noun")
    context.close()


def test_a_fragment_that_is_put_in_later_works(browser: Browser, tmp_path: Path) -> None:
    items, standing = sample()
    made = assets(HERE, *FILES)
    host = tmp_path / "host.html"
    host.write_text(
        f'<!doctype html><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{made.policy}"><style>{made.style}</style>'
        f'<button id="theme" hidden></button><div id="here"></div><script>{made.script}</script>',
        encoding="utf-8",
    )
    with opened_file(browser, host) as page:
        for _ in range(2):
            page.evaluate(
                "html => document.getElementById('here').insertAdjacentHTML('beforeend', html)",
                str(fragment(items, standing)),
            )
        page.locator(".ex-making > summary").first.click()
        page.locator(".ex-making .ex-words .ex-word").first.hover()
        assert page.locator(".ex-tip").inner_text().startswith("By: noun")
        assert page.locator(".ex-item[open]").count() == 2


def test_scripts_in_texts_do_not_run(browser: Browser, tmp_path: Path) -> None:
    items, standing = explained_with(lambda text: f"{text}{SCRIPTS}")
    path = tmp_path / "page.html"
    path.write_text(to_page(items, standing, signature=SCRIPTS, source=SCRIPTS), encoding="utf-8")
    with opened_file(browser, path, width=320) as page:
        page.evaluate(OPEN_ALL)
        page.locator(".ex-making .ex-words .ex-word").first.hover()
        check_nothing_ran(page)


def test_two_hundred_items_open_folded(browser: Browser, tmp_path: Path) -> None:
    examples = [
        Example(f"row-{n}", f"candidate {n}", (f"the reference of {n}",), f"at {n}") for n in range(200)
    ]
    toy = scorer()
    items = toy.score_examples(examples).items
    standing = find_standing(toy, examples, items)
    path = tmp_path / "page.html"
    html = to_page(explain_examples(toy, examples, items), standing, signature="s", source="rows.jsonl")
    path.write_text(html, encoding="utf-8")
    assert len(html) < 200 * 15_000
    with opened_file(browser, path) as page:
        assert page.locator("#count").inner_text() == "200 of 200 shown"
        assert page.locator(".ex-item[open]").count() == 1
        page.get_by_label("Search").fill("row-117")
        assert page.locator("#count").inner_text() == "1 of 200 shown"


@pytest.mark.parametrize("width", [1280, 390])
def test_texts_from_the_right_begin_on_the_right(browser: Browser, tmp_path: Path, width: int) -> None:
    path = tmp_path / "page.html"
    items = explain_examples(toy_scorer(cache=None, language="auto"), ROWS)
    path.write_text(to_page(items, None, signature="s", source="rows.jsonl"), encoding="utf-8")
    with opened_file(browser, path, width) as page:
        item = page.locator(".ex-item").first
        text, label = item.locator(".ex-target"), item.locator(".ex-target b")
        outer, inner = text.bounding_box(), label.bounding_box()
        assert outer
        assert inner
        assert (
            outer["x"] + outer["width"] - inner["x"] - inner["width"] < 24
        )  # the label is where the text begins
        # The first word of the candidate is of another script, and the last sign a full stop.
        first, last = page.evaluate(
            """() => {
              const text = document.querySelector(".ex-candidate");
              const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
              const nodes = [];
              while (walk.nextNode()) nodes.push(walk.currentNode);
              const place = (node, at) => {
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + 1);
                return range.getBoundingClientRect().left;
              };
              return [place(nodes[0], 0), place(nodes.at(-1), nodes.at(-1).length - 1)];
            }"""
        )
        assert last < first
        page.evaluate(OPEN_ALL)
        assert barriers(page) == []
        check_width(page, width, ".ex-scroll")
