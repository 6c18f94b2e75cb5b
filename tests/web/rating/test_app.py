"""The form without a browser: what is asked for, what is answered, and what is never said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from mars_score.io.html import csp_hash
from mars_score.study.augmentation_ratings import QUESTIONS, VARIANTS
from mars_score.web.rating.app import make_rating_app
from mars_score.web.rating.questions import order_for
from mars_score.web.rating.sheet import Sheet, read_sheet
from mars_score.web.rating.storage import RatingStore
from tests.study.report.test_page import HANDLER, PAYLOADS, URL_ATTRIBUTES, Page
from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL = dict.fromkeys(QUESTIONS, "4")
TAGS = {
    "html", "head", "meta", "link", "title", "style", "script", "body", "header", "main", "section", "div",
    "a", "b", "button", "fieldset", "form", "h1", "h2", "input", "kbd", "label", "legend", "progress", "p", "small",
    "span", "dl", "dt", "dd", "ol", "ul", "li",
}  # fmt: skip


def begin(client: TestClient, rater: str = "Ida", **more: str) -> Any:
    return client.post("/start", data={"rater": rater, **more})


def fields(page: str) -> dict[str, str]:
    """What the page's form sends by itself."""
    result = (attributes for tag, attributes in Page(page).tags if tag == "input")
    return {
        str(item["name"]): str(item["value"])
        for item in result
        if item.get("type") == "hidden" or "checked" in item
    }


def text(client: TestClient, number: int = 1, rater: str = "Ida") -> str:
    answer = client.get("/text", params={"rater": rater, "n": number})
    assert answer.status_code == 200
    return str(answer.text)


def submit(client: TestClient, number: int, ratings: dict[str, str], **more: str) -> Any:
    sent = {**fields(text(client, number)), **ratings, **more}
    return client.post("/text", data={name: value for name, value in sent.items() if value})


def send(client: TestClient, **values: Any) -> Any:
    sent = {**fields(text(client)), "question": "overall", "rating": "5", **values}
    return client.post("/answer", data=sent)


def test_from_the_first_text_to_the_last_without_a_script(
    client: TestClient, store: RatingStore, sheet: Sheet
) -> None:
    assert "12 texts" in client.get("/").text
    where = begin(client).headers["location"]
    for number, item in enumerate(order_for(sheet, "Ida"), 1):
        assert parse_qs(urlsplit(where).query) == {"rater": ["Ida"], "n": [str(number)]}
        page = client.get(where).text
        assert f"Text {number} of 12" in page
        assert item.text in Page(page).texts
        assert item.context in Page(page).texts
        answer = submit(client, number, FULL, go="next")
        assert answer.status_code == 303
        where = answer.headers["location"]
    assert where == "/texts?rater=Ida"
    assert "All 12 texts are rated" in client.get(where).text
    assert store.answers_of("Ida") == {text.code: dict.fromkeys(QUESTIONS, 4) for text in sheet.texts}


def test_raters_go_on_where_they_were(client: TestClient) -> None:
    begin(client)
    submit(client, 1, FULL)
    submit(client, 2, {"overall": "3"})
    asked = begin(client, " ida ")
    assert asked.headers["location"] == "/?rater=Ida"
    welcome = client.get("/?rater=Ida").text
    assert "has rated 1 of 12 texts" in welcome
    assert begin(client, again="yes").headers["location"] == "/text?rater=Ida&n=2"
    assert fields(text(client, 2))["overall"] == "3"
    listed = client.get("/texts?rater=Ida").text
    assert (listed.count(', rated"'), listed.count(', open"')) == (1, 11)
    assert "Go on with text 2" in listed


def test_another_rater_knows_nothing_of_it(client: TestClient) -> None:
    begin(client)
    submit(client, 1, FULL)
    assert begin(client, "Tomas").headers["location"] == "/text?rater=Tomas&n=1"
    assert "checked" not in {name for _, tag in Page(text(client, 1, "Tomas")).tags for name in tag}
    assert "Ida" not in client.get("/").text


def test_back_keeps_what_was_answered(client: TestClient, store: RatingStore) -> None:
    begin(client)
    submit(client, 1, FULL)
    back = submit(client, 2, {"readability": "2"}, go="back")
    assert back.headers["location"] == "/text?rater=Ida&n=1"
    assert submit(client, 1, {"overall": "6"}).headers["location"] == "/text?rater=Ida&n=2"
    assert fields(text(client, 1))["overall"] == "6"
    assert fields(text(client, 2))["readability"] == "2"
    assert [answer.rating for answer in store.history()] == [4, 4, 4, 2, 6]


def test_an_open_question_holds_the_text(client: TestClient) -> None:
    begin(client)
    answer = submit(client, 1, {"overall": "3"}, go="next")
    assert answer.status_code == 422
    assert "Please answer all questions" in answer.text
    assert fields(answer.text)["overall"] == "3"


def test_one_answer_is_saved_and_acknowledged(client: TestClient, store: RatingStore, sheet: Sheet) -> None:
    begin(client)
    answer = send(client)
    assert (answer.status_code, answer.json()) == (200, {"saved": {"overall": "5"}})
    assert store.answers_of("Ida") == {order_for(sheet, "Ida")[0].code: {"overall": 5}}


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"rating": "0"}, 422),
        ({"rating": "8"}, 422),
        ({"rating": "4.5"}, 422),
        ({"rating": ""}, 422),
        ({"rating": "\u0664"}, 422),
        ({"question": "variant"}, 422),
        ({"n": "0"}, 404),
        ({"n": "13"}, 404),
        ({"n": "-1"}, 404),
        ({"n": "9" * 5000}, 404),
        ({"n": "\u0661"}, 404),
        ({"rater": "nobody"}, 409),
        ({"rater": "<script>"}, 409),
        ({"sheet": "0" * 16}, 409),
    ],
)
def test_what_our_pages_do_not_send(
    client: TestClient, store: RatingStore, values: dict[str, str], status: int
) -> None:
    begin(client)
    answer = send(client, **values)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    if "question" not in values:
        form = client.post("/text", data={**fields(text(client)), **FULL, "overall": "8", **values})
        assert form.status_code == status
        assert form.headers["content-type"].startswith("text/html")
    assert store.answers() == []


def test_odd_requests(client: TestClient) -> None:
    begin(client)
    assert client.get("/text?rater=nobody&n=1").headers["location"] == "/"
    assert client.get("/texts").headers["location"] == "/"
    assert client.get("/text?rater=Ida&n=x").status_code == 404
    assert client.get("/text?rater=Ida").status_code == 404
    assert client.get("/answer").status_code == 405
    assert client.post("/answer", content=b"\xff\xfe=%%%&&&").status_code == 409
    assert client.post("/answer", content=b"x" * 20_000).status_code == 413
    assert client.post("/start", data={}).status_code == 422
    assert (
        client.post("/start", headers={"Origin": "http://example.com"}, data={"rater": "x"}).status_code
        == 403
    )


def test_a_full_disk_is_told_and_nothing_acknowledged(client: TestClient, store: RatingStore) -> None:
    begin(client)
    chosen = {**fields(text(client)), "relevance": "2", "readability": "3", "overall": "7"}
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    # The pages that there are have some room left.
    numbers = iter(range(10_000))
    while send(client, rating=str(next(numbers) % 7 + 1)).status_code == 200:
        pass
    kept = store.answers()
    for rating in "123":
        failed = send(client, rating=rating)
        if failed.status_code == 507:
            break
    assert failed.status_code == 507
    assert "disk that keeps the ratings is full" in failed.json()["error"]["message"]
    assert "saved" not in failed.json()
    page = client.post("/text", data=chosen)
    assert page.status_code == 507
    assert "Not saved. The disk" in page.text
    assert {name: fields(page.text)[name] for name in QUESTIONS} == {name: chosen[name] for name in QUESTIONS}
    assert store.answers() == kept
    assert client.post("/start", data={"rater": "x" * 60}).status_code in (303, 507)


def test_a_file_that_went_away_is_told(client: TestClient, store: RatingStore) -> None:
    begin(client)
    store.path.rename(store.path.with_name("elsewhere.sqlite"))
    answer = send(client)
    assert answer.status_code == 503
    assert "moved or deleted" in answer.json()["error"]["message"]


def test_nothing_tells_which_text_is_which(sheet: Sheet, store: RatingStore) -> None:
    """Neither codes nor items nor variants are sent, in pages, headers or answers."""
    app = make_rating_app(sheet, store)
    secrets = {row.code for row in rows()} | {row.item for row in rows()} | set(VARIANTS)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answers = [client.get("/"), begin(client)]
        for number in range(1, 13):
            answers += [
                client.get("/text", params={"rater": "Ida", "n": number}),
                send(client, n=str(number)),
            ]
            answers.append(submit(client, number, FULL))
        answers += [
            client.get("/texts?rater=Ida"),
            client.get("/?rater=Ida"),
            client.get("/nothing"),
            client.get("/docs"),
        ]
    assert len(answers) > 40
    for answer in answers:
        sent = f"{answer.url} {answer.headers} {answer.text}".lower()
        assert [secret for secret in secrets if re.search(rf"\b{secret}\b", sent)] == []


def test_pages_of_variants_have_one_shape(client: TestClient) -> None:
    begin(client)
    shapes = {
        tuple((tag, tuple(attributes)) for tag, attributes in Page(text(client, number)).tags)
        for number in range(2, 12)
    }
    assert len(shapes) == 1


def test_labels_headings_and_policy(client: TestClient) -> None:
    begin(client)
    answer = client.get("/text?rater=Ida&n=2")
    page = Page(answer.text)
    radios = [attributes for tag, attributes in page.tags if attributes.get("type") == "radio"]
    assert len(radios) == 21
    assert [radio["aria-label"] for radio in radios[:2]] == ["1: has nothing to do with it", "2"]
    assert page.count("legend") == page.count("fieldset") == 3
    assert page.count("h1") == 1
    policy = answer.headers["content-security-policy"]
    (script,) = re.findall("<script>(.*?)</script>", answer.text, re.DOTALL)
    assert f"script-src '{csp_hash(script)}'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["cache-control"] == "no-store"


def check_inert(html: str) -> None:
    """Nothing runs or loads, and no element is there that the templates do not have."""
    page = Page(html)
    assert page.count("script") == page.count("style") == 1
    for tag, attributes in page.tags:
        assert tag in TAGS, tag
        for name, value in attributes.items():
            assert not HANDLER.match(name), (tag, name)
            assert name != "style", tag
            if name in URL_ATTRIBUTES or name in ("data-next", "data-back"):
                assert re.fullmatch(r"#[a-z]+|data:,|/[a-z]*(\?[\w=&+%.-]*)?", value or ""), value
    html.encode("utf-8")


@pytest.fixture
def spiked(tmp_path: Path) -> Iterator[TestClient]:
    """A sheet with a payload in every text and context."""
    made = [
        replace(row, text=f"{row.text}{payload}", context=f"{row.context}{payload}")
        for row, payload in zip(rows(), PAYLOADS, strict=True)
    ]
    # No file can hold these two, so no sheet has them.
    made = [replace(row, text=plain(row.text), context=plain(row.context)) for row in made]
    sheet = read_sheet(write_sheet(tmp_path, made))
    with RatingStore(tmp_path / "r.sqlite", sheet, make=True) as store:
        app = make_rating_app(sheet, store)
        with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
            yield client


def plain(given: str) -> str:
    return given.replace("\x00", "").replace("\ud800", "")


def test_texts_of_strangers_stay_texts(spiked: TestClient) -> None:
    begin(spiked)
    shown = ""
    for number in range(1, 13):
        html = text(spiked, number)
        check_inert(html)
        shown += "".join(Page(html).texts)
    for payload in PAYLOADS[:-1]:
        assert shown.count(payload) >= 2


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_names_of_strangers_stay_texts(client: TestClient, payload: str) -> None:
    sent = payload.encode(errors="replace").decode()
    refused = begin(client, sent)
    assert refused.status_code == 422
    check_inert(refused.text)
    for path in ("/", "/text", "/texts"):
        answer = client.get(path, params={"rater": sent, "n": sent}, headers={"Accept": "text/html"})
        assert answer.status_code in (200, 303)
        if answer.status_code == 200:
            check_inert(answer.text)


def test_a_token_is_asked_for(sheet: Sheet, store: RatingStore) -> None:
    app = make_rating_app(sheet, store, token="a long secret")
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/").status_code == 401
        assert client.post("/start", data={"rater": "Ida"}).status_code == 401
        assert client.get("/?token=a+long+secret").status_code == 200
        assert begin(client).status_code == 200
        assert store.raters() == ["Ida"]
