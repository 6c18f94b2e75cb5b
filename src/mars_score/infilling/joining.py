"""From the pieces that were written into a blank to its text, spaced and capitalised as the reference was.

A piece that is the very one that was masked brings back the reference's own characters. The others bring
their own spaces, where the vocabulary knows spaces (RoBERTa); where it does not (BERT), the gap that stood at
the same place is used, and marks are set as in print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.masked_model import MaskedModel, Pieces

_APOSTROPHES = "'\u2019"
_CLOSING = frozenset(",.;:!?)]}%\u2026\u201d" + _APOSTROPHES)
_OPENING = frozenset("([{$\u00a3\u20ac#@\u201c\u2018")
_BINDING = frozenset("-/\u2010\u2011")
_AFTER_APOSTROPHE = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))
_SENTENCE_ENDS = tuple(mark + quote for mark in ".!?" for quote in ("", '"', "\u201d"))


def joined(model: MaskedModel, blank: Pieces, ids: Sequence[int], before: str, after: str) -> str:
    """The text of `ids`, written in the place of `blank` between the texts `before` and `after`."""
    text, kept = before, True
    cased = any(map(str.isupper, (*before, *"".join(blank.texts), *after)))
    for old, own, new in zip(blank.ids, blank.texts, ids, strict=True):
        piece, same = model.vocabulary.pieces[new], new == old
        if same and kept:
            text += own
        else:
            space = own[: len(own) - len(own.lstrip())]
            word = own.lstrip() if same else piece.lstrip()
            if model.uncased and cased and not same and piece.startswith(" "):
                word = _capitalised(text, word)
            text += (_gap(text, piece, space, close=not (same or kept), spaced=model.spaced)) + word
        kept = same
    fill = text[len(before) :]
    if fill[-1:].isalnum() and after[:1].isalnum() and not blank.texts[-1][-1:].isalnum():
        fill += " "  # a mark stood there that kept two words apart
    return fill if before else fill.lstrip()


def _gap(text: str, piece: str, space: str, *, close: bool, spaced: bool) -> str:
    """What to put between the text so far and a piece.

    `space` stood before the piece that was masked; with `close`, both this piece and the one before it are
    new, so that it says little about them.
    """
    if not text or not piece.startswith(" "):
        return ""  # the piece goes on with a word, or stands close by its own choice
    if not spaced:
        return space or " "
    word, last = piece.strip(), text[-1]
    if word[0] in _CLOSING:
        return ""
    if space and not close:
        return space
    # A mark binds on its right only if it stands close on its left: well-known, but not "well - known".
    bound = word in _BINDING or (last in _BINDING and not text[-2:-1].isspace())
    if bound or last in _OPENING or (last in _APOSTROPHES and word in _AFTER_APOSTROPHE):
        return ""
    return space or (" " if last.isalnum() or last in _CLOSING else "")


def _capitalised(text: str, word: str) -> str:
    """A word of a model without capitals, as it is written after this text."""
    so_far = text.rstrip()
    begins = not so_far or so_far.endswith(_SENTENCE_ENDS)
    return word[:1].upper() + word[1:] if begins or word == "i" else word
