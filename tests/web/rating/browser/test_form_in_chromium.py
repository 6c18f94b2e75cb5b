"""The form as raters meet it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.rating.questions import order_for
from mars_score.web.rating.sheet import read_sheet
from mars_score.web.rating.storage import RatingStore
from tests.chromium import barriers
from tests.study.report.test_page import PAYLOADS
from tests.web.rating.samples import rows, write_sheet
from tests.web.rating.server import Server
from tests.web.texts import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page, Route

    Open = Callable[..., Page]

PATIENCE = 20_000
"""Milliseconds; longer than the page waits between two attempts."""


def stored(server: Server, rater: str) -> list[list[int | None]]:
    """A rater's answers, text by text in the rater's order, as another process reads them."""
    sheet = read_sheet(server.sheet)
    with RatingStore(server.sheet.with_name("sheet.ratings.sqlite"), sheet, make=False) as store:
        result = store.answers_of(rater)
    return [
        [result.get(text.code, {}).get(question) for question in QUESTIONS]
        for text in order_for(sheet, rater)
    ]


def begin(page: Page, rater: str) -> None:
    """Give a name, by keys alone."""
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "rater":
            break
    page.keyboard.type(rater)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/text\?"))


def at(page: Page, number: int) -> None:
    expect(page.locator("h1")).to_have_text(re.compile(rf"^Text {number} of \d+$"), timeout=PATIENCE)


def press(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("Saved", timeout=PATIENCE)


def chosen(page: Page) -> list[str | None]:
    return [
        page.locator(f"input[name={name}]:checked").get_attribute("value")
        if page.locator(f"input[name={name}]:checked").count()
        else None
        for name in QUESTIONS
    ]


def test_ten_texts_with_the_keyboard_alone(opened: Open, restartable: Server) -> None:
    """Reloading, stopping and killing the server in between; going back to correct an answer."""
    page = opened(restartable)
    begin(page, "Ida")
    for number in range(1, 3):
        at(page, number)
        press(page, "345")
        page.keyboard.press("Enter")

    at(page, 3)
    press(page, "67")
    saved(page)
    page.reload()
    assert chosen(page) == ["6", "7", None]
    press(page, "1")
    page.keyboard.press("Enter")

    at(page, 4)
    assert restartable.stop() == 0
    press(page, "2")
    expect(page.locator("#saved")).to_have_text("Not saved, retrying. The server cannot be reached.")
    press(page, "22")
    page.keyboard.press("Enter")
    at(page, 4)
    restartable.start()
    at(page, 5)

    press(page, "333")
    saved(page)
    restartable.kill()
    restartable.start()
    page.keyboard.press("Enter")
    at(page, 6)

    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.value") != "back":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    at(page, 5)
    assert chosen(page) == ["3", "3", "3"]
    press(page, "77")
    page.keyboard.press("Enter")
    for number in range(6, 11):
        at(page, number)
        press(page, "456")
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Thank you")
    expected = [[3, 4, 5]] * 2 + [[6, 7, 1], [2, 2, 2], [7, 7, 3]] + [[4, 5, 6]] * 5
    assert stored(restartable, "Ida") == expected


def test_a_rater_comes_back_in_another_browser(opened: Open, shared: Server) -> None:
    page = opened(shared)
    begin(page, "Comes back")
    press(page, "555")
    page.keyboard.press("Enter")
    at(page, 2)
    press(page, "5")
    saved(page)
    other = opened(shared)
    other.get_by_label("Your name").fill("comes BACK")
    other.keyboard.press("Enter")
    expect(other.get_by_text("has rated 1 of 12 texts")).to_be_visible()
    other.get_by_role("button", name="Go on as Comes back").click()
    at(other, 2)
    assert chosen(other) == ["5", None, None]


def test_two_raters_at_once(opened: Open, shared: Server) -> None:
    pages = {name: opened(shared) for name in ("First", "Second")}
    for name, page in pages.items():
        begin(page, name)
    for number in range(1, 4):
        for keys, page in zip(("123", "765"), pages.values(), strict=True):
            at(page, number)
            press(page, keys)
            page.keyboard.press("Enter")
    for page in pages.values():
        at(page, 4)
    assert stored(shared, "First")[:4] == [[1, 2, 3]] * 3 + [[None] * 3]
    assert stored(shared, "Second")[:4] == [[7, 6, 5]] * 3 + [[None] * 3]


def test_arrows_clicks_and_keys_too_many(opened: Open, shared: Server) -> None:
    page = opened(shared)
    begin(page, "Arrows")
    page.get_by_role("radio", name="1: has nothing to do with it").focus()
    press(page, " ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    saved(page)
    page.get_by_role("group", name="Readability How well").locator("label").nth(5).click()
    page.get_by_role("radio", name="7: very good").check()
    saved(page)
    assert chosen(page) == ["3", "6", "7"]
    page.get_by_role("button", name="Next text").focus()
    press(page, "189")
    page.keyboard.press("Control+1")
    assert chosen(page) == ["3", "6", "7"]
    page.locator("h1").click()
    page.keyboard.press("Enter")
    at(page, 2)
    assert stored(shared, "Arrows")[0] == [3, 6, 7]


def test_an_open_question_holds_the_text(opened: Open, shared: Server) -> None:
    page = opened(shared)
    begin(page, "Hasty")
    press(page, "4")
    page.keyboard.press("Enter")
    at(page, 1)
    assert page.evaluate("document.activeElement.name") == "readability"
    press(page, "45")
    page.keyboard.press("Enter")
    at(page, 2)


def test_what_is_not_acknowledged_is_not_called_saved(opened: Open, shared: Server) -> None:
    """One route for the whole test: switching interception on takes the browser a moment, in which requests pass."""
    refusal: tuple[int, str] | None = None

    def answer(route: Route) -> None:
        if refusal is None:
            route.continue_()
        else:
            status, body = refusal
            route.fulfill(status=status, body=body, content_type="application/json")

    page = opened(shared)
    page.route("**/answer", answer)
    begin(page, "Unlucky")
    refusal = 507, '{"error": {"message": "The disk is full.", "remedy": ""}}'
    press(page, "444")
    expect(page.locator("#saved")).to_have_text("Not saved, retrying. The disk is full.")
    expect(page.locator("#saved")).to_have_class("problem")
    page.keyboard.press("Enter")
    at(page, 1)
    refusal = None
    at(page, 2)
    assert stored(shared, "Unlucky")[0] == [4, 4, 4]

    old = "This page is of another sheet of texts."
    refusal = 409, f'{{"error": {{"message": "{old}", "remedy": "Start again."}}}}'
    press(page, "1")
    expect(page.locator("#saved")).to_have_text(f"Not saved. {old} Start again.")
    refusal = None
    press(page, "11")
    saved(page)
    assert stored(shared, "Unlucky")[1] == [1, 1, 1]


def test_without_a_script(opened: Open, shared: Server) -> None:
    page = opened(shared, java_script_enabled=False)
    page.get_by_label("Your name").fill("Plain")
    page.keyboard.press("Enter")
    at(page, 1)
    expect(page.get_by_text("saved when you press Next or Back")).to_be_visible()
    for name in ("#keys", "#theme"):  # they do nothing here
        expect(page.locator(name)).to_be_hidden()
    for name, value in zip(QUESTIONS, "254", strict=True):
        page.locator(f"input[name={name}][value='{value}']").check()
    page.keyboard.press("Enter")
    at(page, 2)
    page.locator("input[name=overall][value='7']").check()
    page.get_by_role("button", name="Back").click()
    at(page, 1)
    page.locator("input[name=overall][value='1']").check()
    page.get_by_role("button", name="Next text").click()
    at(page, 2)
    page.get_by_role("button", name="Next text").click()
    at(page, 2)
    assert stored(shared, "Plain")[:2] == [[2, 5, 1], [None, None, 7]]


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_nothing_sticks_out(opened: Open, shared: Server, width: int) -> None:
    page = opened(shared, viewport={"width": width, "height": 800})
    begin(page, f"Width {width}")
    press(page, "444")
    saved(page)
    rater = f"?rater=Width+{width}"
    for path in ("/", f"/{rater}", f"/text{rater}&n=1", f"/texts{rater}"):
        page.goto(shared.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.goto(f"{shared.url}/text{rater}&n=1")
    boxes = [box.bounding_box() for box in page.locator(".points label").all()]
    assert all(box and box["width"] >= 32 and box["height"] >= 40 for box in boxes)
    context = page.locator(".words.long")
    assert context.evaluate("box => box.scrollHeight > box.clientHeight + 40")
    context.focus()
    page.keyboard.press("End")
    expect(context).not_to_have_js_property("scrollTop", 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_keeps_people_from_reading(opened: Open, shared: Server, width: int, scheme: str) -> None:
    page = opened(shared, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    assert barriers(page) == []
    page.get_by_label("Your name").fill(f"Reader {width} {scheme}")
    page.keyboard.press("Enter")
    at(page, 1)
    assert barriers(page) == []
    page.get_by_role("link", name="0 rated").click()
    expect(page.locator("ol.numbers")).to_be_visible()
    assert barriers(page) == []


def test_dark_for_all_pages(opened: Open, shared: Server) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = opened(shared, color_scheme="dark")
    assert page.evaluate(ground) == "rgb(20, 23, 27)"
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_label("Your name").fill("Dark")
    page.keyboard.press("Enter")
    at(page, 1)
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Use dark colours").click()
    press(page, "1")
    page.reload()
    assert page.evaluate(ground) == "rgb(20, 23, 27)"


def test_texts_of_strangers_do_nothing(opened: Open, tmp_path: Path) -> None:
    spiked = [
        replace(row, text=f"{row.text}{payload}", context=f"{payload}{row.context}")
        for row, payload in zip(rows(), PAYLOADS[:-1], strict=False)
    ]
    server = Server(write_sheet(tmp_path, spiked, key=False))
    server.start()
    try:
        page = opened(server)
        begin(page, "Brave")
        texts = order_for(read_sheet(server.sheet), "Brave")
        for number, text in enumerate(texts, 1):
            page.goto(f"{server.url}/text?rater=Brave&n={number}")
            assert page.locator(".words.rated").inner_text() == text.text
            assert page.locator(".reading .words").inner_text() == text.context
            press(page, "444")
            saved(page)
    finally:
        server.close()


def test_texts_of_other_languages(opened: Open, tmp_path: Path) -> None:
    spoken = [replace(row, text=text, context=text) for row, text in zip(rows(), LANGUAGES, strict=False)]
    server = Server(write_sheet(tmp_path, spoken, key=False))
    server.start()
    try:
        page = opened(server)
        begin(page, "Polyglot")
        for number, text in enumerate(order_for(read_sheet(server.sheet), "Polyglot"), 1):
            page.goto(f"{server.url}/text?rater=Polyglot&n={number}")
            language = LANGUAGES[text.text]
            for words in page.locator(".words").all():
                assert words.get_attribute("lang") == language
                assert words.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    finally:
        server.close()
