"""Texts of other languages on pages and in the terminal: what they are marked as, and that words are found in them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from mars_score.io.html import isolated, written_in
from mars_score.study.report.page import write_report
from mars_score.types import ItemScore, ScoreResult
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.marks import MATCHED_ELSEWHERE, ReadText, copied_runs, find_marks
from mars_score.web.explain.page import to_page
from tests.study.report.sample import sample_study
from tests.study.report.small import RESERVED, with_texts
from tests.study.toy_mars import toy_scorer
from tests.web.texts import ARABIC, CHINESE, LANGUAGES, PIGEONS, ROWS, TEA


@pytest.mark.parametrize(("text", "language"), LANGUAGES.items())
def test_the_attributes_of_a_text(text: str, language: str) -> None:
    side = "rtl" if language == "ar" else "ltr"
    assert written_in(text) == f' lang="{language}" dir="{side}"'
    assert (
        f"<span{written_in(text)}>"
        in ScoreResult(
            (ItemScore("1", 0.5, (), example=replace(ROWS[0], candidate=text)),), "s"
        )._repr_html_()
    )


@pytest.mark.parametrize("text", ["", "12:30", "\N{GEORGIAN LETTER AN}\N{GEORGIAN LETTER BAN}"])
def test_a_text_of_which_nothing_is_known(text: str) -> None:
    assert written_in(text) == ' dir="auto"'


def test_a_word_from_the_right_is_set_apart_in_a_sentence() -> None:
    assert isolated("word 字") == "word 字"
    assert isolated("كلمة") == "\u2068كلمة\u2069"
    assert cell_len(isolated("كلمة")) == 4


def page_of_rows() -> str:
    scorer = toy_scorer(cache=None, language="auto")
    return to_page(explain_examples(scorer, ROWS), None, signature="s", source="rows.jsonl")


def test_explanations_name_the_language_of_every_text() -> None:
    html = page_of_rows()
    for kind in ("ex-candidate ex-words", "ex-target", "ex-context"):
        found = re.findall(rf'{kind}" lang="(\w+)" dir="(\w+)"', html)
        assert {*found} == {("ar", "rtl"), ("zh", "ltr"), ("ja", "ltr"), ("hi", "ltr")}, kind
    assert html.count('<b lang="en" dir="ltr">Reference</b>') == 4


def test_every_line_has_an_end() -> None:
    html = page_of_rows()
    ends = set(re.findall(r'data-at="([\d-]+)">([^<]+)<', html))
    begun = re.findall(r'data-to="([\d-]+)"', html)
    assert begun
    assert set(begun) <= {place for place, _ in ends}
    assert {"湿透", "回家", "お茶"} <= {word for _, word in ends}  # words, not characters


def test_words_of_chinese_are_words() -> None:
    context = "她没有带伞"
    assert copied_runs("我没有钱", context, "zh") == []
    assert copied_runs("我没有带伞", context) == [
        (1, 5)
    ]  # three characters in a row, where no language is named
    candidate, reference = (ReadText.of(text, None, "zh") for text in (CHINESE, *TEA))
    found = [mark.text for mark in find_marks(candidate, [(0, reference)], PIGEONS, ())]
    assert found == ["喝", "热", "茶"]


def test_encoders_that_find_all_words_alike_need_more_for_a_match() -> None:
    class Other:
        head = None

        def read_pieces(self, text: str) -> None:
            return None

    assert ReadText.of("a word", Other()).matched == MATCHED_ELSEWHERE  # type: ignore[arg-type]
    assert ReadText.of("a word", None).matched < MATCHED_ELSEWHERE


def test_the_report_names_the_language_of_texts(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("report")
    study = sample_study()
    texts = {row.candidate for one in study.datasets for row in one.disagreements}
    write_report(with_texts(study, lambda text: ARABIC if text in texts else text, RESERVED), folder)
    html = (folder / "report.html").read_text("utf-8")
    assert '<dd class="as-written" lang="ar" dir="rtl">iPhone' in html
    assert '<span class="example-text" lang="ar" dir="rtl">iPhone' in html
