"""The page: one file, no strangers' code, and what a reader needs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

from mars_score.io.html import csp_hash
from mars_score.study.report.page import contents, to_page
from mars_score.study.results import DatasetResult, Study
from tests.study.report.sample import CANDIDATE, sample_study
from tests.study.report.small import INFO, RESERVED, small_study, with_texts

PAYLOADS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)',
    "</style><style>*{background:url(https://example.com)}</style>",
    "</title><svg onload=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    "--><iframe src=//example.com></iframe><!--",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;",
    "\u202ereversed\x00\x1b[31m\ud800",
)
HANDLER = re.compile("^on", re.IGNORECASE)
URL_ATTRIBUTES = {
    "href",
    "src",
    "action",
    "formaction",
    "data",
    "poster",
    "srcset",
    "xlink:href",
    "background",
}
TAGS = {
    "html", "head", "meta", "link", "title", "style", "script", "body", "header", "main", "nav", "section", "div",
    "a", "b", "button", "code", "details", "h1", "h2", "h3", "mark", "p", "small", "span", "summary",
    "dl", "dt", "dd", "ol", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption",
    "svg", "g", "rect", "text", "line", "circle", "path",
}  # fmt: skip


class Page(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def page_of(study: Study) -> str:
    return to_page(study, contents(study))


@cache
def sample_page() -> str:
    return page_of(sample_study())


def page_with(payload: str) -> str:
    """Return the page of a study in which every text ends with a payload."""
    study = sample_study()
    dataset = replace(study.datasets[1], rows=study.datasets[1].rows[:20])
    study = replace(study, datasets=(dataset,))
    return page_of(with_texts(study, lambda text: f"{text}{payload}", RESERVED))


@cache
def harmless_structure() -> list[tuple[str, set[str]]]:
    return [(tag, set(attributes)) for tag, attributes in Page(page_with("x")).tags]


def check_inert(page: Page) -> None:
    """Nothing runs, nothing loads, and no element is there that the templates do not have."""
    assert page.count("script") == 1
    assert page.count("style") == 1
    for tag, attributes in page.tags:
        assert tag in TAGS, tag
        for name, value in attributes.items():
            assert not HANDLER.match(name), (tag, name)
            assert name != "style", tag
            if name in URL_ATTRIBUTES:
                assert re.fullmatch(
                    r"#[a-z]+|data:,|(tables|figures)/[a-z0-9_]+\.(csv|md|tex|svg)", value or ""
                ), value


def test_the_page_is_inert() -> None:
    check_inert(Page(sample_page()))


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_texts_of_strangers_stay_texts(payload: str) -> None:
    html = page_with(payload)
    page = Page(html)
    check_inert(page)
    html.encode("utf-8")
    # The payload changes texts and values of attributes, never the structure.
    assert [(tag, set(attributes)) for tag, attributes in page.tags] == harmless_structure()


def test_a_payload_is_shown_to_the_reader() -> None:
    study = sample_study()
    dataset = study.datasets[0]
    changed = replace(dataset.disagreements[0], context=PAYLOADS[0])
    study = replace(study, datasets=(replace(dataset, disagreements=(changed,)),))
    assert PAYLOADS[0] in Page(page_of(study)).texts


def test_the_policy_allows_this_style_and_this_script_only() -> None:
    html = sample_page()
    policy = next(
        a["content"] for tag, a in Page(html).tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    script = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    assert policy == (
        f"default-src 'none'; style-src '{csp_hash(style[0])}'; script-src '{csp_hash(script[0])}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_nothing_in_style_or_script_loads_anything() -> None:
    html = sample_page()
    for word in (
        "http:",
        "https:",
        "url(",
        "@import",
        "fetch(",
        "XMLHttpRequest",
        "innerHTML",
        "eval(",
        "import(",
    ):
        assert word not in html, word


def test_anchors_lead_somewhere_and_are_unique() -> None:
    page = Page(sample_page())
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {link[1:] for link in links if link and link.startswith("#")} <= set(ids)


def test_every_section_is_in_the_contents() -> None:
    page = Page(sample_page())
    sections = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert len(sections) == 14
    assert [link for link in links[1:] if link and link.startswith("#")] == [
        f"#{anchor}" for anchor in sections
    ]


def test_undefined_numbers_say_why() -> None:
    texts = Page(sample_page()).texts
    places = [index for index, text in enumerate(texts) if text == "undefined"]
    assert places
    assert "the metric's scores are all equal" in {texts[position + 1] for position in places}


def test_texts_and_numbers_are_there() -> None:
    page = Page(sample_page())
    assert CANDIDATE in page.texts
    tips = [attributes["title"] for tag, attributes in page.tags if tag == "td" and "title" in attributes]
    assert any(
        re.search(r"95% interval 0\.\d{6,} to 0\.\d{6,}; significance cluster 1", tip or "") for tip in tips
    )


def test_an_almost_empty_study_has_a_page() -> None:
    page = Page(page_of(small_study(DatasetResult("d", INFO))))
    assert page.count("table") == 2
    assert "4 texts" in " ".join(page.texts)


def test_a_study_of_nothing_has_a_page() -> None:
    study = replace(small_study(DatasetResult("d", INFO)), datasets=(), metrics=())
    assert "0 metrics were compared" in page_of(study)
