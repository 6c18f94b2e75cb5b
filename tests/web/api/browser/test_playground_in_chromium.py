"""The playground as a reader meets it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mars_score.web.api.app import SAMPLES, make_server
from tests.chromium import barriers, watch
from tests.study.report.test_page import PAYLOADS
from tests.web.api.conftest import SMALL
from tests.web.api.fake import BAD, FakeService
from tests.web.api.running import running
from tests.web.texts import ARABIC, CHINESE, HINDI, JAPANESE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

expect.set_options(timeout=30_000)  # a busy machine is no mistake of the page
REFUSED = "Failed to load resource: the server responded with a status of 4"


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, FakeService]]:
    service = FakeService()
    with running(make_server(service, token=None, hosts=("127.0.0.1",))) as address:
        yield address, service
        service.open.set()


@pytest.fixture
def service(served: tuple[str, FakeService]) -> FakeService:
    served[1].open.set()
    return served[1]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, served: tuple[str, FakeService]) -> Iterator[Page]:
    """Open the playground; fail on any request elsewhere, and on any message but for refusals."""
    yield from opened(context, served[0])


def opened(context: BrowserContext, address: str) -> Iterator[Page]:
    page = context.new_page()
    problems = watch(page, f"{address}/", "blob:", refusals=REFUSED)
    page.goto(f"{address}/")
    expect(page.get_by_label("Candidate 1", exact=True)).to_be_visible()
    yield page
    assert problems == []


def write(page: Page, candidate: str = "a text", reference: str = "what a person wrote") -> None:
    page.get_by_label("Context").fill("a context")
    page.get_by_label("Reference 1", exact=True).fill(reference)
    page.get_by_label("Candidate 1", exact=True).fill(candidate)


def score(page: Page) -> None:
    page.get_by_role("button", name="Score", exact=True).click()


def test_it_opens_with_an_example_that_is_scored(page: Page, service: FakeService) -> None:
    expect(page.get_by_label("Context")).to_have_value(SAMPLES[0].context)
    expect(page.locator("#result .ex-verdict")).to_be_visible()
    expect(page.locator("#result .ex-card")).to_have_count(len(SAMPLES[0].candidates))
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("location.hash") == ""  # nobody has asked for anything yet
    expect(page.locator("#preset-hint")).to_contain_text("the reference and its variants at 20%")


def test_the_winner_is_in_view_after_scoring(page: Page, service: FakeService) -> None:
    expect(page.locator("#result")).to_be_visible()
    for _ in range(6):
        page.get_by_role("button", name="Add a candidate").click()
    page.get_by_label("Candidate 10", exact=True).fill("the last one")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#live")).to_have_text("Done: 10 scores.")
    box = page.locator("#result .ex-verdict").bounding_box()
    assert box
    assert 0 <= box["y"] <= 450


def test_the_address_brings_everything_back(
    page: Page, service: FakeService, context: BrowserContext
) -> None:
    write(page, "ein Fahrrad \N{BICYCLE}", "what a person wrote & more")
    page.get_by_label("Preset").first.select_option("paper-formula")
    page.get_by_label("Beside MARS").first.select_option("")
    score(page)
    page.wait_for_url("**/#try=*")
    expect(page.locator("#live")).to_have_text("Done: 4 scores.")
    for other in (page, context.new_page()):
        if other is page:
            page.reload()
        else:
            other.goto(page.url)
        expect(other.get_by_label("Candidate 1", exact=True)).to_have_value("ein Fahrrad \N{BICYCLE}")
        expect(other.get_by_label("Reference 1", exact=True)).to_have_value("what a person wrote & more")
        expect(other.get_by_label("Preset").first).to_have_value("paper-formula")
        expect(other.locator("#result")).to_contain_text("ein Fahrrad")
    assert service.settings[-1].metrics == ("mars",)
    assert service.settings[-1].preset == "paper-formula"
    page.goto(page.url[: page.url.index("#")] + "#try=broken")
    page.reload()
    expect(page.get_by_label("Context")).to_have_value(SAMPLES[0].context)


def test_a_second_metric_stands_beside(page: Page, service: FakeService) -> None:
    page.get_by_label("Beside MARS").first.select_option("rougeL")
    score(page)
    expect(page.locator("#live")).to_have_text("Done: 4 scores.")
    assert service.settings[-1].metrics == ("mars", "rougeL")


def test_by_hand(page: Page, service: FakeService) -> None:
    for place in (4, 3, 2):
        page.get_by_label(f"Remove candidate {place}").click()
    write(page, "four")
    page.get_by_role("button", name="Add a candidate").click()
    page.keyboard.type("a longer one")  # the new field has the focus
    page.get_by_label("Preset").first.select_option("paper-formula")
    score(page)
    expect(page.locator("#explanation .explained")).to_contain_text("a longer one")
    expect(page.locator("#signature")).to_have_text("fake:v1")
    expect(page.locator("#live")).to_have_text("Done: 2 scores.")
    assert (service.settings[-1].preset, service.settings[-1].watch) == ("paper-formula", True)


@pytest.mark.parametrize(
    ("text", "language", "side"),
    [(ARABIC, "ar", "rtl"), (CHINESE, "zh", "ltr"), (JAPANESE, "ja", "ltr"), (HINDI, "hi", "ltr")],
    ids=["ar", "zh", "ja", "hi"],
)
def test_texts_of_other_languages(
    page: Page, service: FakeService, tmp_path: Path, text: str, language: str, side: str
) -> None:
    for place in (4, 3, 2):
        page.get_by_label(f"Remove candidate {place}").click()
    write(page, text)
    field = page.get_by_label("Candidate 1", exact=True)
    expect(field).to_have_attribute("lang", language)
    expect(field).to_have_attribute("dir", "auto")
    score(page)
    expect(page.locator("#live")).to_have_text("Done: 1 score.")
    candidate = page.locator("#explanation .ex-candidate")
    expect(candidate).to_have_text(text)
    expect(candidate).to_have_attribute("lang", language)
    expect(candidate).to_have_attribute("dir", side)
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "r0", "candidate": text, "reference": text}), "utf-8")
    page.locator("#upload").set_input_files(path)
    cell = page.locator("#file-rows td").first
    expect(cell).to_have_text(text)
    expect(cell).to_have_attribute("lang", language)
    expect(cell).to_have_attribute("dir", "auto")


def test_an_example_is_followed_to_its_explanation(page: Page, service: FakeService) -> None:
    service.open.clear()
    page.get_by_role("button", name=SAMPLES[0].title).click()
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator(".stages [aria-current=step]")).to_have_text("Mask")
    expect(page.locator("#live")).to_have_text("Masking words")
    expect(page.get_by_label("Candidate 4", exact=True)).to_have_value(SAMPLES[0].candidates[3])
    service.open.set()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()
    watch = page.locator("#watch")
    expect(watch).to_be_visible()
    watch.locator("summary").click()
    expect(watch.locator("mark")).to_have_text(f"filled {SAMPLES[0].references[0]}")
    first = page.locator("#explanation details").first
    expect(first).to_have_attribute("open", "")


def test_templates_are_shown_before_they_are_filled(page: Page) -> None:
    expect(page.locator("#result")).to_be_visible()
    page.evaluate(
        """() => {
          mars.templates.clear();
          mars.templates.add({number: 5, ratio: 0.4, pieces: [
            {text: "She", blank: false}, {text: " ran away", blank: true}, {text: ".", blank: false}]});
        }"""
    )
    line = page.locator("#templates li")
    assert line.inner_text().split() == ["40%", "She", "___", "___."]
    expect(line.get_by_role("img")).to_have_attribute("aria-label", "blank of 2 words")
    page.evaluate(
        """() => mars.templates.fill({number: 5, pieces: [
            {text: "She", blank: false}, {text: " stayed", blank: true}, {text: ".", blank: false}]})"""
    )
    assert line.inner_text().split() == ["40%", "She", "stayed."]
    expect(line.locator("mark")).to_have_text("stayed")


def test_cancel(page: Page, service: FakeService) -> None:
    service.open.clear()
    write(page)
    score(page)
    cancel = page.locator("#cancel")
    expect(page.locator(".stages .now")).to_have_text("Mask")
    cancel.click()
    expect(page.locator("#live")).to_have_text("Cancelled.")
    expect(cancel).to_be_hidden()
    service.open.set()
    score(page)
    expect(page.locator("#result")).to_be_visible()


def test_mistakes_are_told(page: Page, service: FakeService) -> None:
    write(page, reference=" ")
    score(page)
    alert = page.locator("#trouble")
    expect(alert).to_contain_text("There is no reference.")
    expect(page.get_by_label("Reference 1", exact=True)).to_be_focused()
    write(page, BAD)
    score(page)
    expect(alert).to_contain_text("a row is bad")
    expect(alert.locator(".remedy")).to_have_text("mend it")
    write(page)
    score(page)
    expect(page.locator("#result")).to_be_visible()
    expect(alert).to_be_hidden()


def test_by_keys_alone(page: Page, service: FakeService) -> None:
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.get_by_role("button", name=SAMPLES[0].title).focus()
    for _ in SAMPLES:
        page.keyboard.press("Tab")
    expect(page.get_by_label("Context")).to_be_focused()
    for text in ("a context", "a reference", "", "a candidate"):  # between the last two: a button
        if text:
            page.keyboard.press("Control+a")
            page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result")).to_contain_text("a candidate")
    expect(page.locator("#result")).to_be_focused()


def rows(count: int) -> str:
    lines = [
        {"id": f"r{i}", "context": "c", "candidate": "x" * (i + 1), "reference": "r"} for i in range(count)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_file_goes_in_and_comes_back(page: Page, service: FakeService, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(rows(30))
    service.open.clear()
    page.set_input_files("#upload", file)
    expect(page.locator("#file-progress")).to_be_visible()
    expect(page.locator("#file-stage")).to_contain_text("0 of 30 rows are scored. Masking words")
    service.open.set()
    expect(page.locator("#file-mean")).to_contain_text("rows.jsonl: 30 rows, mean mars 0.")
    expect(page.locator("#file-live")).to_have_text("Done: 30 rows scored.")
    assert page.locator("#file-rows tr").count() == 30
    assert page.locator("#file-rows tr").nth(1).locator("th, td").all_inner_texts() == [
        "r1",
        "xx",
        "0.3333",
        "",
    ]
    for name, form in (("Download CSV", "csv"), ("Download JSON lines", "jsonl")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"scores.{form}"
        assert len(download.value.path().read_text().splitlines()) == 30 + (form == "csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "rows.csv",
            "candidate,reference\nfine,r\nbad\n",
            "rows.csv:3: the row has 1 cells, but the header has 2",
        ),
        ("rows.txt", "x", "rows.txt: this is no format that can be read."),
        ("rows.jsonl", "{", "rows.jsonl:1:2: broken JSON"),
        ("rows.jsonl", '{"candidate": "a"}', "rows.jsonl:1: no field 'references' or 'reference'"),
        ("rows.jsonl", '{"candidate": "a", "references": null}', "no reference: all are null or blank"),
        ("rows.jsonl", '{"candidate": "a", "referenc": "b"}', "rows.jsonl:1: no field 'references'"),
    ],
)
def test_a_file_with_a_bad_line(page: Page, tmp_path: Path, name: str, content: str, message: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    page.set_input_files("#upload", file)
    expect(page.locator("#file-trouble")).to_contain_text(message)
    expect(page.locator("#file-trouble .remedy")).not_to_be_empty()
    expect(page.locator("#file-trouble")).not_to_contain_text("--")  # no option of the command line
    expect(page.locator("#file-progress")).to_be_hidden()


def test_a_file_is_dropped(page: Page, service: FakeService) -> None:
    page.evaluate(
        """(content) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([content], "dropped.csv"));
          const event = (name) => new DragEvent(name, {dataTransfer: transfer, bubbles: true, cancelable: true});
          const box = document.getElementById("drop");
          box.dispatchEvent(event("dragover"));
          if (!box.classList.contains("over")) throw new Error("the box does not show that it takes files");
          box.dispatchEvent(event("drop"));
        }""",
        "candidate,reference\na,r\n",
    )
    expect(page.locator("#file-mean")).to_contain_text("dropped.csv: 1 row, mean")


def test_texts_of_strangers_stay_texts(page: Page, service: FakeService, tmp_path: Path) -> None:
    texts = [payload.encode("utf-8", "replace").decode() for payload in PAYLOADS]
    for text in texts:
        page.get_by_label("Context").fill(text)
        page.get_by_label("Reference 1", exact=True).fill(text)
        page.get_by_label("Candidate 1", exact=True).fill(text)
        page.locator("#result").evaluate("result => { result.hidden = true; }")
        score(page)
        expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#explanation")).to_contain_text("reversed")
    file = tmp_path / "<img src=x onerror=alert(1)>.jsonl"
    lines = [{"id": f"{i}{text}", "candidate": text, "reference": text} for i, text in enumerate(texts)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    page.set_input_files("#upload", file)
    expect(page.locator("#file-mean")).to_contain_text(f"{len(texts)} rows")
    expect(page.locator("#file-rows")).to_contain_text("<script>alert(1)</script>")
    file.write_text("{")
    page.set_input_files("#upload", file)
    expect(page.locator("#file-trouble")).to_contain_text(
        "<img src=x onerror=alert(1)>.jsonl:1:2: broken JSON"
    )
    assert page.locator("main img, main iframe, main script, main style, main [onerror]").count() == 0


def upload(page: Page, tmp_path: Path, count: int) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(rows(count))
    page.set_input_files("#upload", file)


def ids(page: Page) -> list[str]:
    return page.locator("#file-rows tr:not(.opened) th").all_inner_texts()


def test_rows_of_a_file_are_sorted_searched_and_turned(
    page: Page, service: FakeService, tmp_path: Path
) -> None:
    upload(page, tmp_path, 250)
    expect(page.locator("#file-mean")).to_be_visible()
    expect(page.locator("#file-count")).to_have_text("rows 1 to 100 of 250")
    title = page.get_by_role("button", name="mars", exact=True)
    title.click()
    expect(page.locator("#file-head [aria-sort=descending]")).to_have_text("mars")
    assert ids(page)[:2] == ["r0", "r1"]  # the shortest candidates have the highest scores here
    title.click()
    expect(page.locator("#file-head [aria-sort=ascending]")).to_have_text("mars")
    assert ids(page)[:2] == ["r249", "r248"]
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#file-count")).to_have_text("rows 101 to 200 of 250")
    page.get_by_label("Search").fill("r24")
    expect(page.locator("#file-count")).to_have_text("rows 1 to 11 of 11 of 250 in the file")
    page.get_by_label("Search").fill("nothing like it")
    expect(page.locator("#file-count")).to_have_text("no row fits")


def test_a_click_on_a_row_opens_its_explanation(page: Page, service: FakeService, tmp_path: Path) -> None:
    upload(page, tmp_path, 3)
    expect(page.locator("#file-mean")).to_be_visible()
    button = page.get_by_role("button", name="r1", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#file-rows .opened .ex-verdict")).to_be_visible()
    # The chart inside looks as it does by hand, not like the table around it.
    first = "getComputedStyle(document.querySelector('%s .ex-chart td'))"
    for style in ("paddingTop", "borderTopWidth"):
        inside, by_hand = (page.evaluate(f"{first % box}.{style}") for box in ("#file-rows", "#explanation"))
        assert inside == by_hand, style
    expect(button).to_have_attribute("aria-expanded", "true")
    page.locator("#file-rows tr").first.locator("td").first.click()
    expect(page.locator("#file-rows .opened")).to_have_count(1)
    expect(button).to_have_attribute("aria-expanded", "false")
    page.locator("#file-rows tr").first.locator("td").first.click()
    expect(page.locator("#file-rows .opened")).to_have_count(0)


@pytest.mark.slow
def test_ten_thousand_rows_are_seen_within_three_seconds(
    page: Page, service: FakeService, tmp_path: Path
) -> None:
    lines = [
        {"id": f"r{i}", "context": "c", "candidate": f"text {i}", "reference": "r"} for i in range(10_000)
    ]
    file = tmp_path / "large.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    expect(page.locator("#result")).to_be_visible()
    service.open.clear()  # not one score is there yet
    # In seconds of this process, in which the server runs too: what other programs do to the clock is not counted.
    begun = time.process_time()
    page.set_input_files("#upload", file)
    expect(page.locator("#file-count")).to_have_text("rows 1 to 100 of 10,000")
    assert time.process_time() - begun < 3
    service.open.set()
    page.get_by_label("Search").fill("r9999")
    expect(page.locator("#file-count")).to_contain_text("of 10,000 in the file", timeout=30_000)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark")])
def test_nothing_keeps_people_from_reading(
    browser: Browser, served: tuple[str, FakeService], tmp_path: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    for page in opened(context, served[0]):
        expect(page.locator("#result")).to_be_visible()
        upload(page, tmp_path, 3)
        expect(page.locator("#file-mean")).to_be_visible()
        assert barriers(page) == []
    context.close()


@pytest.mark.parametrize("width", [1280, 768, 390, 320])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_at_any_width(
    browser: Browser, served: tuple[str, FakeService], width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    for page in opened(context, served[0]):
        page.get_by_role("button", name=SAMPLES[1].title).click()
        expect(page.locator("#result")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    context.close()


def test_everything_has_a_name(page: Page) -> None:
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, textarea, select, input, progress")].filter((one) =>
            !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim())).map((one) => one.id)"""
    )
    assert nameless == []


def test_a_server_with_a_token(context: BrowserContext) -> None:
    app = make_server(FakeService(), token="long-enough", hosts=("127.0.0.1",), limits=SMALL)
    with running(app) as address:
        page = context.new_page()
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Unauthorized")
        page.goto(f"{address}/?token=long-enough")
        assert page.url == f"{address}/"
        write(page)
        score(page)
        expect(page.locator("#result")).to_be_visible()


def test_a_server_that_goes_away_is_noticed(context: BrowserContext) -> None:
    service = FakeService()
    with running(make_server(service, token=None, hosts=("127.0.0.1",))) as address:
        page = context.new_page()
        page.goto(address)
    write(page)
    score(page)
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")


def test_the_description_page(page: Page, served: tuple[str, FakeService]) -> None:
    page.get_by_role("link", name="interface for programs").click()
    expect(page.locator("h1")).to_have_text("mars-score: interface")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
