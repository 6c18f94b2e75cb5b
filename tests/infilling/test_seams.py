"""What may stand between two texts, and which tokens may begin or go on with a fill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.infilling.seams import Seam, SeamRules, scripts_of, signs_of

from .cases import template

if TYPE_CHECKING:
    from mars_score.lm.causal import LanguageModel


def seam(marked: str, block: int, context: str = "") -> Seam:
    """The seam of a blank of a template in brackets."""
    return Seam.at(template(marked), block, context, needs_break=block > 0)


@pytest.mark.parametrize(
    ("marked", "fill", "accepted"),
    [
        ("She ran[ home] and slept.", " outside", True),
        ("She ran[ home] and slept.", " outside.", False),  # ends a sentence before lower case
        ("She ran[ home], then slept.", " outside,", False),  # two marks
        ("She ran[ home], then slept.", " outside", True),
        ("She ran[ home and] slept.", " and slept", False),  # a word twice
        ("She ran[ home and] slept.", ",", False),  # a mark in place of words
        ("She ran[,] slept and sang.", " and", True),
        ("She ran[ home.] Then Bo slept.", " outside.", True),
        ("She ran[ home.] Then Bo slept.", " outside and", False),  # a capital inside a sentence
        ("She ran[ home.] Then Bo slept.", " outside:", True),
        ("She ran[ home.]", " outside.", True),
        ("She ran[ home.]", " outside and", False),  # does not end
        ("She ran[ home.]", " away with.", False),  # is cut off
        ("She came[ in.]", " back to.", True),
        ("She ran[ home].", " away with", False),
        ("She ran[ home].", " away", True),
        ("She ran[ home] with Bo.", " away and", True),
        (
            "She ran[ home and] slept long.",
            " to where she had slept and",
            False,
        ),  # a word that says something, twice
        ("She ran[ home]", " outside", True),
        ("She ran[ home]", " outside.", False),  # ends where the reference does not
        ("a well[-]known face", " and un", False),  # two words in one
        ("a well[-]known face", "-", True),
        ("she ran[ home .] then bo slept", " outside .", True),  # the reference does so, too
        ("She ran[ home]", " ", False),
    ],
)
def test_where_a_fill_may_end(marked: str, fill: str, accepted: bool) -> None:
    assert seam(marked, 1).accepts(fill) is accepted


@pytest.mark.parametrize(("fill", "accepted"), [("B.", False), ("Yes.", True), ("Then", True)])
def test_a_single_letter_is_no_sentence(fill: str, accepted: bool) -> None:
    """It is the label of a dialogue's next speaker."""
    assert seam("[Then] Ann ran. Bo slept.", 0).accepts(fill) is accepted


def test_one_sentence_stays_one(language_model: LanguageModel) -> None:
    one, two = seam("She ran[ home and] Bo slept.", 1), seam("She ran[ home and] Bo slept. Ann sang.", 1)
    for fill in (" home.", " home. Then"):
        assert not one.accepts(fill)
        assert two.accepts(fill)
    assert not allowed(language_model, one, ".")
    assert " The" in allowed(language_model, two, ".")
    assert seam("She paid[ 3] euros.", 1).accepts(" 4.50")


def test_a_statement_does_not_become_a_question() -> None:
    assert seam("[Then] Ann ran.", 0).accepts("Later,")
    assert not seam("[Then] Ann ran.", 0).accepts("How long")
    assert seam("[Who said] Ann ran?", 0).accepts("How long")


def test_a_statement_does_not_become_half_a_sentence() -> None:
    river = seam("[The old] river ran.", 0)
    assert not river.accepts("When the")
    assert river.accepts("When it rained, the")
    assert seam("[As the] river ran, Bo slept.", 0).accepts("When the")


@pytest.mark.parametrize(
    ("article", "word", "accepted"),
    [
        ("a", "empty", False), ("an", "empty", True), ("an", "dog", False), ("a", "dog", True), ("an", "hour", True),
        ("a", "one-off", True), ("a", "once", True), ("a", "university", True), ("an", "umbrella", True),
        ("a", "umbrella", False), ("an", "MP", True), ("a", "UK", True), ("an", "8", True), ("a", "European", True),
    ],
)  # fmt: skip
def test_articles_go_with_the_sound_of_the_next_word(article: str, word: str, accepted: bool) -> None:
    """Where the letters tell."""
    of = seam(f"She saw[ the] {word} there.", 1)
    assert of.accepts(f" {article}") is accepted


def allowed(model: LanguageModel, of: Seam, previous: str | None = None) -> set[str]:
    """The tokens that may come first, or after another."""
    rules = SeamRules(model.vocabulary)
    pieces = model.vocabulary.pieces
    mask = rules.forbidden(of, None if previous is None else pieces.index(previous)).tolist()
    return {piece for piece, forbidden in zip(pieces, mask, strict=True) if not forbidden}


def test_what_may_begin_a_fill(language_model: LanguageModel) -> None:
    inside = allowed(language_model, seam("She ran[ home] and slept.", 1))
    assert {" to", ",", " The", "-"} <= inside
    assert not inside & {"to", " ,", '"', ' "', " (", "/*", "?!", "\n", "<|endoftext|>", " \u0438", " *"}
    start = allowed(language_model, seam("[Then she] ran.", 0))
    assert {" The", "The"} <= start
    assert not start & {" then", "then", ",", " '", "'"}
    after_mark = allowed(language_model, seam("Home,[ then] she ran.", 1))
    assert " and" in after_mark
    assert not after_mark & {",", "."}
    bracket = allowed(language_model, seam("Home (the[ old] one) was far.", 1))
    assert {")", " ("} <= bracket
    close = allowed(language_model, Seam("a well-", "known", " face"))
    assert "known" in close
    assert " known" not in close


def test_what_may_go_on(language_model: LanguageModel) -> None:
    where = seam("She ran[ home. Then she] slept.", 1)
    assert not allowed(language_model, where, ".") & {".", ",", " then", "then"}
    assert " Then" in allowed(language_model, where, ".")
    assert " then" in allowed(language_model, seam("she ran[ home] then. she slept", 1), ".")


def test_spacing_and_signs_are_the_references(language_model: LanguageModel) -> None:
    spaced = allowed(language_model, seam("she ran[ home] . then she slept .", 1))
    assert " ," in spaced
    assert "," not in spaced
    price = seam("It cost[ much].", 1, context="They paid $20 (cash).")
    assert " $" in allowed(language_model, price)
    assert " (" not in allowed(language_model, price)


def test_scripts_come_from_context_and_reference(language_model: LanguageModel) -> None:
    assert scripts_of("Straße и 天気だ 42!") == {"LATIN", "CYRILLIC", "CJK"}
    assert signs_of('Well-known, "isn\'t it?" (50%)') == {'"', "(", ")", "%"}
    word = next(piece for piece in language_model.vocabulary.pieces if scripts_of(piece) == {"CYRILLIC"})
    assert word not in allowed(language_model, seam("She ran [home].", 1), "a")
    assert word in allowed(language_model, seam("She ran [home].", 1, context="\u0434\u043e\u043c"), "a")
