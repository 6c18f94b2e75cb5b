"""The page of explanations: one file, no strangers' code, and what a reader needs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
from markupsafe import Markup

from mars_score.io.html import csp_hash, template_text
from mars_score.types import Adjustment
from mars_score.web.explain.page import FILES, HERE, MARKS, fragment, to_page
from mars_score.web.explain.standing import Standing
from tests.study.report.test_page import HANDLER, PAYLOADS, Page
from tests.web.explain.sample import explained_with, sample

SIGNATURE = "mars:v0|toy"
TAGS = {
    "html", "head", "meta", "link", "title", "style", "script", "body", "header", "main", "section", "div", "form",
    "label", "input", "select", "option", "button", "output", "a", "b", "code", "del", "details", "dl", "dt", "dd",
    "h1", "h2", "h3", "h4", "h5", "li", "mark", "ol", "p", "span", "summary", "table", "tbody", "td", "th", "thead",
    "tr", "ul", "svg", "rect", "line", "path", "text",
}  # fmt: skip
URLS = {"href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href", "background"}


@cache
def sample_page() -> str:
    items, standing = sample()
    return to_page(items, standing, signature=SIGNATURE, source="rows.jsonl")


def page_with(payload: str) -> str:
    """Return the page of rows in which every text has a payload."""
    items, standing = explained_with(lambda text: f"{text} {payload}" if text else text)
    told = Adjustment(f"n{payload}", -0.1, 0.2, 0.3, payload)
    items = tuple(
        replace(
            item,
            candidates=tuple(
                replace(one, adjustments=(told,), rest=0.1, flags=(*one.flags, f"f{payload}"))
                for one in item.candidates
            ),
        )
        for item in items
    )
    return to_page(items, standing, signature=payload, source=payload, left_out=2)


def check_inert(page: Page) -> None:
    """Nothing runs, nothing loads, and no element is there that the templates do not have."""
    assert page.count("script") == page.count("style") == 1
    for tag, attributes in page.tags:
        assert tag in TAGS, tag
        for name, value in attributes.items():
            assert not HANDLER.match(name), (tag, name)
            assert name != "style", tag
            if name in URLS:
                assert re.fullmatch("#[a-z]+|data:,", value or ""), value


def test_the_page_is_inert() -> None:
    check_inert(Page(sample_page()))


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_texts_of_strangers_stay_texts(payload: str) -> None:
    html = page_with(payload)
    check_inert(Page(html))
    html.encode("utf-8")
    assert "<img" not in html
    assert "<script>alert" not in html


def test_a_payload_is_shown_to_the_reader() -> None:
    page = Page(page_with("<script>alert(1)</script>"))
    assert any("The potter cursed the kiln. <script>alert(1)</script>" in text for text in page.texts)


def test_the_policy_allows_this_style_and_this_script_only() -> None:
    html = sample_page()
    policy = next(
        a["content"] for _, a in Page(html).tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    assert policy == (
        f"default-src 'none'; style-src '{csp_hash(style)}'; script-src '{csp_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_nothing_loads_anything() -> None:
    for word in ("http:", "https:", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
        assert word not in sample_page(), word


def test_anchors_lead_somewhere_and_are_unique() -> None:
    page = Page(sample_page())
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {link[1:] for link in links if link} <= set(ids)


def test_everything_is_told() -> None:
    html = sample_page()
    shown = " ".join(" ".join(Page(html).texts).split())
    for told in (
        "6 candidates of 4 items", "kiln/b", "rabbit", "The candidate reads less smoothly than the references.",
        "Measured 4.20, usual 3.10", "is best, with", "People gave it 4.50", "9 comparisons with texts",
        "2 comparisons are too few", "up to 20%, 40% and 60% of them", SIGNATURE, "empty candidate",
        "The reference that gives the highest sum counts", "Cleaned before scoring",
    ):  # fmt: skip
        assert told in shown, told
    tips = [a["title"] for tag, a in Page(html).tags if tag == "span" and "title" in a]
    assert any(
        re.fullmatch(r"glaze: noun, IDF .*, cost 10, as the context has it too; kept", t or "") for t in tips
    )
    assert any("masked at" in (tip or "") for tip in tips)


def test_the_first_item_is_open_and_the_others_are_folded() -> None:
    items = [a for tag, a in Page(sample_page()).tags if tag == "details" and a.get("class") == "ex-item"]
    assert ["open" in a for a in items] == [True, False, False, False]
    assert [a["data-order"] for a in items] == ["1", "2", "3", "4"]


def test_rows_left_out_are_told() -> None:
    items, standing = sample()
    html = to_page(items, standing, signature=SIGNATURE, source="x", left_out=1200)
    assert "1,200 rows of the file are not on this page." in html
    assert "not on this page" not in sample_page()


def test_where_there_is_no_ceiling_the_page_says_so() -> None:
    items, standing = sample()
    html = to_page(items, replace(standing, ceiling=(), itself=(0.8, 0.9)), signature=SIGNATURE, source="x")
    assert "no item has two references" in html
    assert "a copy of the reference gets 0.850" in html
    assert "there are no unrelated texts" in to_page(
        items[:1], Standing((0.5,), (), ()), signature="", source=""
    )


def test_without_a_standing_and_without_items() -> None:
    items, _ = sample()
    html = to_page(items, None, signature=SIGNATURE, source="x")
    assert "ex-strip" not in html.split("</style>")[1]
    check_inert(Page(html))
    assert "0 items" in to_page((), None, signature=SIGNATURE, source="x")


def test_a_fragment_is_the_items_alone() -> None:
    items, standing = sample()
    found = fragment(items, standing)
    assert isinstance(found, Markup)
    page = Page(found)
    assert page.count("script") == page.count("style") == page.count("html") == 0
    assert not any("id" in attributes for _, attributes in page.tags)  # there may be several on a page
    assert sum(a.get("class") == "ex-item" for _, a in page.tags) == 4
    assert fragment(()).strip() == '<div class="explained">\n</div>'
    assert all(template_text(HERE, name) for name in FILES)


def test_the_parts_of_the_page_fit_together() -> None:
    """Every class that a template names has a rule, and every rule is used."""
    templates = ("bars", "sum", "texts", "item", "fragment", "explain")
    html = "".join(template_text(HERE, f"{name}.html.j2") for name in templates)
    style = template_text(HERE, "explained.css")
    named = set(re.findall(r"\.(ex-[a-z]+)", style)) - {"ex-tip"}
    drawn = ("cosine", "adds", "score", "floor", "ceiling", "itself", "partner", "lines", "strong")
    made = set(re.findall(r"ex-[a-z]+", html))
    made |= {f"ex-{kind}" for kind in (*drawn, *MARKS, "clear", "mixed", "close")}
    assert named <= made


def on_percent_scale(*percents: float) -> str:
    """Return the page of the sample's first item with these places on the percent scale."""
    (item, *_), _ = sample()
    candidates = [
        replace(one, percent=percent) for one, percent in zip(item.candidates, percents, strict=True)
    ]
    return to_page(
        (replace(item, candidates=tuple(candidates)),), None, signature=SIGNATURE, source="rows.jsonl"
    )


def test_the_percent_scale_is_shown_where_it_was_chosen() -> None:
    html = on_percent_scale(64.2, 38.1, 12.0)
    assert "is best, with <b>64%</b>: 26 points above" in html
    assert "3 candidates, <b>12%</b> to <b>64%</b>" in html
    assert 'data-score="64.2"' in html
    assert "0% is what texts about other things get" in html
    plain = sample_page()
    assert "points above" not in plain
    assert "0% is what" not in plain


def test_beyond_the_ends_of_the_percent_scale_the_raw_difference_is_told() -> None:
    html = on_percent_scale(100.0, 100.0, 0.0)
    (item, *_), _ = sample()
    scores = sorted((one.score for one in item.candidates), reverse=True)
    assert f"with <b>100%</b>: {scores[0] - scores[1]:.2f} above" in html
