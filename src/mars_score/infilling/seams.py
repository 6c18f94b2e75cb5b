"""Where a fill meets the text around it: what may be written there, so that the whole reads as one text.

A language model that fills a blank from the left does not know what follows. Most bad seams are merely improbable,
and the search (`mars_score.infilling.search`) weighs them down. Some are wrong whatever their probability, and are
refused here: a sentence that ends before lower-case text, doubled marks, a sentence without its capital, marks that
are spaced in another way than the reference's, quotation marks and signs that the reference does not have, another
script.

`Seam` is what a blank's surroundings ask for, read off the reference. `SeamRules` knows the vocabulary: which tokens
may come next, as masks, and whether a complete fill is accepted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from mars_score.text.languages import ENGLISH, english_words, script_of_letter
from mars_score.text.words import is_function_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from mars_score.lm.causal import Vocabulary
    from mars_score.types import Template

MARKS = frozenset(",.;:!?\u2026\u3001\u3002\uff0c\uff01\uff1f\uff1b\uff1a\u060c\u061b\u061f\u06d4\u0964")
"""Marks that never follow each other; the last ones are those of Arabic, Urdu and Hindi."""
SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964][\"'\u201d\u2019)\]]*$")
"""The end of a sentence."""
_SENTENCE_BREAK = re.compile(
    r"(?:[.!?\u2026\u061f\u06d4\u0964][\"'\u201d\u2019)\]]*\s+|[\u3002\uff01\uff1f][\u201d\u2019]*\s*)(?=\w)"
)
"""Where one sentence ends and another begins."""
_PAUSE = re.compile(
    r"[.!?:;\u2026\u2013\u2014\u3002\uff01\uff1f\u061f\u06d4\u0964][\"'\u201d\u2019)\]]*$|[\"\u201c(]$"
)
"""What may stand before a capital that a sentence begins with."""
_SPACED = re.compile(r"\w [,.;:!?](?: |$)")
"""A mark set off by a space, as in tokenized corpora."""
_SPACED_FRENCH = re.compile(r"\w [,.](?: |$)")
"""The same in French, which sets other marks off in any text."""
ORDINARY = MARKS - frozenset(":\uff1a\u060c\u061b\u061f\u06d4\u0964") | frozenset("'\u2019-")
"""Marks that any text may have. Others come from the reference alone: a quotation or a bracket needs its other half,
and a colon is mostly the label of a dialogue's next speaker."""
UNITS = frozenset("$\u00a3\u20ac%&#\u00b0")
"""Signs that a context may bring in."""
_DOUBLED = re.compile(r"[,.;:!?'\u2019-]{2,}")
"""Marks one after another; three dots are one mark."""
_LABEL = re.compile(r"\W*\w\.")
"""A single letter and a full stop."""
_ARTICLE = re.compile(r"\b[aA]n?$")
_SOUNDS = re.compile(
    r"(?P<vowel>(?!onc?e\b|[eE][uw])[aeioAEIO][a-z]|[uU](?:[lmp]|n(?!i)))|[bcdfgjklmnpqrstvwzBCDFGJKLMNPQRSTVWZ][a-z]"
)
"""How a word sounds at its beginning, where its letters tell: not of "hour", "one", "used" or "FBI"."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_ASKS = re.compile(r"\s*(what|how|why|where|who|which)\b", re.IGNORECASE)
_DEPENDS = re.compile(
    r"\s*(when|while|as|if|because|since|although|though|unless|until|whether|after|before)\b[^,]*$",
    re.IGNORECASE,
)
"""A clause that needs another one, without a comma after which that could stand."""
_DANGLING = re.compile(
    r"\b(a|an|the|and|or|but|of|to|in|on|at|by|for|from|with|than|as|that|which|because|if)\W+$",
    re.IGNORECASE,
)
"""A sentence that goes on, and is cut off."""
_NONE: frozenset[str] = frozenset()
_LATIN = frozenset({script_of_letter("a")})
NEAR = 24
"""Characters of the neighbouring text that a seam looks at."""


@dataclass(frozen=True, slots=True)
class Seam:
    """What a blank's surroundings ask of its fill."""

    before: str
    """The end of the text before the blank; empty where the text begins with it."""
    masked: str
    """What the blank replaces."""
    after: str
    """The beginning of the text after it; empty where the text ends with the blank."""
    cased: bool = True
    """Whether the reference has capitals at all."""
    spaced: bool = False
    """Whether the reference sets marks off by spaces."""
    single: bool = False
    """Whether the reference is one sentence, which its fills must not divide."""
    needs_break: bool = False
    """Whether a fill that began with a letter would grow the word before it."""
    signs: frozenset[str] = frozenset()
    """Signs beyond the ordinary marks that may be written."""
    scripts: frozenset[str] = frozenset()
    """The scripts of context and reference; none: no restriction."""
    language: str = ENGLISH
    """What the reference is written in."""

    @classmethod
    def at(
        cls, template: Template, block: int, context: str, *, needs_break: bool, language: str = ENGLISH
    ) -> Seam:
        """The seam of one of a template's blanks."""
        texts = [part.text for part in template.blocks]
        before = "".join(texts[:block])[-NEAR:]
        after = texts[block + 1][:NEAR] if block + 1 < len(texts) else ""
        cased = any(map(str.isupper, template.source))
        spaced = bool((_SPACED_FRENCH if language == "fr" else _SPACED).search(template.source))
        signs = signs_of(template.source) | (signs_of(context) & UNITS)
        scripts = scripts_of(template.source)
        # Elsewhere, English words of the context must not lead the writer into English.
        if language == ENGLISH:
            scripts |= scripts_of(context)
        single = not _SENTENCE_BREAK.search(template.source)
        return cls(before, texts[block], after, cased, spaced, single, needs_break, signs, scripts, language)

    @property
    def needs_capital(self) -> bool:
        """Whether the fill begins a sentence that the reference begins with a capital."""
        begins = not self.before.strip() or bool(SENTENCE_END.search(self.before.rstrip()))
        first = next(filter(str.isalpha, self.masked), "")
        return begins and first.isupper()

    @property
    def needs_lower_case(self) -> bool:
        """Whether the fill begins a sentence that the reference begins without a capital."""
        begins = not self.before.strip() or bool(SENTENCE_END.search(self.before.rstrip()))
        first = next(filter(str.isalpha, self.masked), "")
        return begins and first.islower()

    @property
    def stands_close(self) -> bool:
        """Whether no space may come first, as after a bracket or a hyphen."""
        return bool(self.before.strip()) and self.masked[:1].isalnum()

    def accepts(self, fill: str) -> bool:
        """Whether a complete fill may stand here."""
        text, after, masked = fill.rstrip(), self.after.lstrip(), self.masked.rstrip()
        if not text or (self.single and _SENTENCE_BREAK.search(f"{text} {after[:1]}")):
            return False
        if after:
            return self._joins(fill, text, after, masked)
        # The text ends here, as a sentence if and only if the reference does.
        ended = bool(SENTENCE_END.search(masked))
        if bool(SENTENCE_END.search(text)) != ended or self._says_twice(text):
            return False
        return not (
            ended and self.language == ENGLISH and _DANGLING.search(text) and not _DANGLING.search(masked)
        )

    def _joins(self, fill: str, text: str, after: str, masked: str) -> bool:
        """Whether a fill may stand before the text after it."""
        ended = bool(SENTENCE_END.search(masked))
        ends = bool(SENTENCE_END.search(text))
        last, first = re.search(r"\w+$", text), re.match(r"\w+", after)
        faults = (
            # a question in place of a statement, the context's own, mostly, or half a sentence
            not self.before.strip()
            and self.language == ENGLISH
            and any(opening.match(text) and not opening.match(self.masked) for opening in (_ASKS, _DEPENDS)),
            # a mark in place of words, or a speaker's label
            (any(map(str.isalnum, masked)) and not any(map(str.isalnum, text)))
            or (_LABEL.fullmatch(text) and not ended),
            # "a empty house"
            self.language == ENGLISH and bool(_ARTICLE.search(text)) and _wrong_article(text, after),
            # a sentence ends before lower-case text
            ends and not ended and (after[:1].islower() or not self.cased),
            # a capital in the middle of a sentence
            ended and self.cased and after[:1].isupper() and not _PAUSE.search(text),
            # a sentence that is cut off
            self._is_cut_off(text + after[:1]),
            # two marks
            text[-1] in MARKS and after[0] in MARKS,
            # two words in one
            fill[-1:].isalnum() and self.after[:1].isalnum() and not self.masked[-1:].isalnum(),
            # what stands around it, said twice
            self._says_twice(text)
            or after.casefold().startswith(text.casefold())
            or (last and first and last[0].casefold() == first[0].casefold()),
        )
        return not any(faults)

    def _is_cut_off(self, text: str) -> bool:
        """Whether a sentence ends with a word that asks for another one, and not so in the reference."""
        if self.language != ENGLISH or not _DANGLING.search(text):
            return False
        return not _DANGLING.search(self.masked.rstrip() + self.after.lstrip()[:1])

    def _says_twice(self, text: str) -> bool:
        """Whether a fill has a word that says something and stands right before or after it, too."""
        return bool(self._telling(text) & (self._telling(self.before) | self._telling(self.after)))

    def _telling(self, text: str) -> set[str]:
        """The words of a text that say something."""
        found = set(_LONG_WORD.findall(text.casefold()))
        return {word for word in found if not is_function_word(word, self.language)}


class SeamRules:
    """The vocabulary as seams see it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Look at every token once."""
        pieces, device = vocabulary.pieces, vocabulary.writable.device
        bare = [piece.lstrip() for piece in pieces]

        def table(flags: Iterable[bool]) -> Tensor:
            return torch.tensor(list(flags), device=device)

        self.writable, self.opens_word = vocabulary.writable, vocabulary.opens_word  # (V,) each
        self.pieces = pieces
        self.opens_space = table(piece[:1].isspace() for piece in pieces)
        self.opens_mark = table(piece[:1] in MARKS and bool(piece) for piece in bare)
        self.opens_sign = table(not piece[:1].isalnum() for piece in bare)
        self.opens_lower = table(piece[:1].islower() for piece in bare)
        self.opens_upper = table(piece[:1].isupper() for piece in bare)
        self.doubled = table(bool(_DOUBLED.search(piece)) and piece.strip() != "..." for piece in pieces)
        self.by_scripts, self.by_signs = _groups(map(scripts_of, pieces)), _groups(map(signs_of, pieces))
        self._base: dict[tuple[object, ...], Tensor] = {}
        self._first: dict[tuple[object, ...], Tensor] = {}

    def forbidden(self, seam: Seam, previous: int | None) -> Tensor:
        """(V,) bool: the tokens that must not come next, after the fill's last token so far, or first."""
        if previous is None:
            return self._forbidden_first(seam)
        piece = self.pieces[previous]
        after_mark = piece[-1:] in MARKS
        after_end = after_mark and seam.cased and bool(SENTENCE_END.search(piece))
        ended = seam.single and bool(SENTENCE_END.search(piece))
        key = (seam.language, seam.cased, seam.spaced, seam.signs, seam.scripts, after_mark, after_end, ended)
        if key not in self._first:
            mask = self._forbidden(seam)
            if ended:  # a second sentence
                mask = torch.ones_like(mask)
            if after_mark:
                mask = mask | self.opens_mark
            if after_end:
                mask = mask | self.opens_lower
            self._first[key] = mask
        return self._first[key]

    def _forbidden_first(self, seam: Seam) -> Tensor:
        """What must not begin a fill."""
        begins = not seam.before.strip()
        after_mark = begins or seam.before.rstrip()[-1] in MARKS
        needs_word = begins and seam.masked.lstrip()[:1].isalnum()
        flags = (
            seam.needs_break, seam.stands_close, after_mark, seam.needs_capital, seam.needs_lower_case, needs_word,
        )  # fmt: skip
        key = ("first", seam.language, seam.cased, seam.spaced, seam.signs, seam.scripts, *flags)
        if key not in self._first:
            mask = self._forbidden(seam)
            tables = (
                self.opens_word, self.opens_space, self.opens_mark, self.opens_lower, self.opens_upper,
                self.opens_sign,
            )  # fmt: skip
            for flag, table in zip(flags, tables, strict=True):
                if flag:
                    mask = mask | table
            self._first[key] = mask
        return self._first[key]

    def _forbidden(self, seam: Seam) -> Tensor:
        """What must not be written anywhere in a blank."""
        key = (seam.language, seam.cased, seam.spaced, seam.signs, seam.scripts)
        if key not in self._base:
            # A mark is set off by a space where the reference does so, and nowhere else.
            wrong = self.opens_mark & (~self.opens_space if seam.spaced else self.opens_space)
            mask = ~self.writable | wrong | self.doubled
            if not seam.cased:
                mask = mask | self.opens_upper
            foreign = [ids for signs, ids in self.by_signs.items() if signs - seam.signs]
            if seam.scripts:
                foreign += [ids for scripts, ids in self.by_scripts.items() if scripts - seam.scripts]
            # The writer's own language, into which it falls where nothing holds it.
            if seam.language != ENGLISH:
                strange = english_words(seam.language)
                foreign.append([i for i, piece in enumerate(self.pieces) if piece.strip().lower() in strange])
            for ids in foreign:
                mask[ids] = True
            self._base[key] = mask
        return self._base[key]


def _groups(values: Iterable[frozenset[str]]) -> dict[frozenset[str], list[int]]:
    """The numbers of equal values."""
    groups: dict[frozenset[str], list[int]] = {}
    for number, value in enumerate(values):
        groups.setdefault(value, []).append(number)
    return groups


def _wrong_article(text: str, after: str) -> bool:
    """Whether a text that ends with an article has the other one than the next word asks for."""
    sound = _SOUNDS.match(after)
    return sound is not None and (sound["vowel"] is not None) != text.lower().endswith("n")


def signs_of(text: str) -> frozenset[str]:
    """What a text has beside letters, digits, spaces and ordinary marks."""
    if text.strip().isalnum():  # most tokens
        return _NONE
    return frozenset(sign for sign in set(text) - ORDINARY if not (sign.isalnum() or sign.isspace()))


def scripts_of(text: str) -> frozenset[str]:
    """The scripts that a text's letters belong to."""
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else _NONE
    return frozenset(script_of_letter(letter) for letter in set(text) if letter.isalpha())
