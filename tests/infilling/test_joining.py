"""Spaces, capitals and marks of a fill, for a vocabulary without spaces (WordPiece) and one with them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from mars_score.infilling.naive import joined
from mars_score.lm.masked import Pieces

if TYPE_CHECKING:
    from mars_score.lm.masked import MaskedModel


@dataclass
class Words:
    """A model whose pieces are numbered as they are met."""

    spaced: bool = True
    uncased: bool = True

    def __post_init__(self) -> None:
        self.vocabulary = SimpleNamespace(pieces=[])

    def id(self, piece: str) -> int:
        pieces = self.vocabulary.pieces
        if piece not in pieces:
            pieces.append(piece)
        return int(pieces.index(piece))


def _joined(model: Words, before: str, blank: str, written: str, after: str) -> str:
    """`blank` and `written` have their pieces between bars; in `written`, ## goes on with a word."""
    texts = blank.split("|")
    own = [text.strip() if not model.spaced else f" {text.strip().lower()}" for text in texts]
    new = [
        piece.removeprefix("##") if piece.startswith("##") or not model.spaced else f" {piece}"
        for piece in written.split("|")
    ]
    pieces = Pieces(tuple(map(model.id, own)), tuple(texts))
    fill = joined(cast("MaskedModel", model), pieces, [model.id(piece) for piece in new], before, after)
    return before + fill + after


@pytest.mark.parametrize(
    ("before", "blank", "written", "after", "expected"),
    [
        ("She called", " for", "to", " help.", "She called to help."),
        ("She called", " for", "for", " help.", "She called for help."),
        ("She called", "\nfor", "to", " help.", "She called\nto help."),
        ("She called", " for", ",", " help.", "She called, help."),
        ("She called", ".", "and", "", "She called and"),
        ("She called", ".", "!", "", "She called!"),
        ("", "The", "a", " captain", "A captain"),
        ("It ended.", " The", "a", " captain", "It ended. A captain"),
        ("it ended.", " the", "a", " captain", "it ended. a captain"),
        ("It ended;", " The", "a", " captain", "It ended; a captain"),
        ("Then", " he", "i", " left", "Then I left"),
        ("In", " Paris", "paris", ".", "In Paris."),
        ("a", " calling", "walk", " x", "a walk x"),
        ("a", " call|ing", "walk|##ing", " x", "a walking x"),
        ("a", " big| old", "well|-", " x", "a well- x"),
        ("a", " big| old| red", "well|-|known", " x", "a well-known x"),
        ("a", " big| -| old", "dog|-|cat", " x", "a dog - cat x"),
        ("a", " in|-|side", "the|big|side", " x", "a the big side x"),
        ("they", " do| so| now", "don|'|t", " x", "they don't x"),
        ("(", "word", "a", ")", "(a)"),
        ("one", " (", "and", "two", "one and two"),
        ("one", " (", "(", "two", "one (two"),
        ("He said:", ' "|No', '"|yes', '"', 'He said: "yes"'),
        ("it cost", " $|5", "$|7", ".", "it cost $7."),
    ],
)
def test_pieces_without_spaces(before: str, blank: str, written: str, after: str, expected: str) -> None:
    assert _joined(Words(), before, blank, written, after) == expected


@pytest.mark.parametrize(
    ("before", "blank", "written", "after", "expected"),
    [
        ("She called", " for", " to", " help.", "She called to help."),
        ("She called", "\nfor", " to", " help.", "She called\nto help."),
        ("She called", " for", ",", " help.", "She called, help."),
        ("", "The", " A", " captain", "A captain"),
        ("", "The", "a", " captain", "a captain"),
        ("Then", " he", " i", " left", "Then i left"),
        ("a", " call|ing", " walk|ed", " x", "a walked x"),
        ("one", " (", " and", "two", "one and two"),
    ],
)
def test_pieces_with_spaces(before: str, blank: str, written: str, after: str, expected: str) -> None:
    model = Words(spaced=False, uncased=False)
    assert _joined(model, before, blank, written, after) == expected
