"""Word tokens with their place in the text. Language models have tokens of their own; masking is by words."""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import cache
from itertools import accumulate, groupby, pairwise
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from mars_score.errors import missing_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Word(NamedTuple):
    """A word, a number, a punctuation mark or a symbol: ``text[start:end]`` of the text it came from."""

    text: str
    start: int
    end: int


# Characters beyond ASCII are first replaced, one for one, by the stand-in of their class, so that the pattern
# below is about a handful of characters and offsets stay true. The stand-ins are no letters to the pattern.
_MARK, _JOINER, _IDEOGRAPH, _SYMBOL, _FLAG = "\u0300", "\u200d", "\ue000", "\ue001", "\ue002"
_CLASSES = {"M": _MARK, "Cf": _MARK, "L": "x", "Nd": "0", "N": "x", "So": _SYMBOL}
_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

_TOKEN = re.compile(
    rf"""
      (?:[A-Za-z]\.){{2,}}(?!\w)                               # U.S., p.m.
    | (?<!\S)'(?i:s|re|ve|ll|d|m)(?!\w)                        # the 's of text that is already split
    | \w[\w{_MARK}{_JOINER}]*                                  # a word, or a number such as 3,000.50
      (?:(?:['-]|(?<=\d)[.,:](?=\d))\w[\w{_MARK}{_JOINER}]*)*
    | {_IDEOGRAPH}[{_MARK}{_JOINER}]*                          # scripts without spaces, by character
    | {_FLAG}{{1,2}}                                           # a flag is a pair
    | {_SYMBOL}[{_MARK}{_JOINER}]*                             # an emoji with all that is joined to it
      (?:(?<={_JOINER})\S[{_MARK}{_JOINER}]*)*
    | (?P<mark>\S)(?P=mark)*[{_MARK}{_JOINER}]*                # punctuation; '...' and '####' are one
    """,
    re.VERBOSE,
)


class _StandIns(dict[int, str]):
    """A table for :meth:`str.translate` that works a character out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        found = _CLASSES.get(category) or _CLASSES.get(category[0]) or character
        if category[0] == "L" and unicodedata.name(character, "").startswith(_WITHOUT_SPACES):
            found = _IDEOGRAPH
        self[code] = found
        return found


_TABLE = _StandIns({code: chr(code) for code in range(128)})
_TABLE.update({ord("\u2019"): "'", ord("\u2010"): "-", ord("\u2011"): "-", ord(_JOINER): _JOINER})
_TABLE.update(dict.fromkeys(range(0x1F1E6, 0x1F200), _FLAG))  # regional indicators
_TABLE.update(dict.fromkeys(range(0x1F3FB, 0x1F400), _MARK))  # skin tones


def words(text: str, language: str = "") -> tuple[Word, ...]:
    """Split a text into words. Each character that is not white space is in exactly one of them.

    Scripts without spaces are split by character, or, where the language is named, into its words.
    """
    shape = text if text.isascii() else text.translate(_TABLE)
    found = tuple(Word(text[match.start() : match.end()], *match.span()) for match in _TOKEN.finditer(shape))
    return found if language not in SEGMENTERS else _segmented(text, found, shape, SEGMENTERS[language])


def _by_jieba(text: str) -> list[str]:
    tokenizer, simplified = _jieba()
    return [text[start:end] for _, start, end in tokenizer.tokenize(simplified(text), HMM=False)]


@cache
def _jieba() -> tuple[Any, Callable[[str], str]]:
    """The segmenter with wordfreq's list of words, and what writes a text as that list does."""
    import jieba
    from wordfreq.chinese import DICT_FILENAME, simplify_chinese

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer(dictionary=DICT_FILENAME)
    # In a folder of its own: it would load what anybody may have put into the common one.
    with TemporaryDirectory() as tokenizer.tmp_dir:
        tokenizer.initialize()
    return tokenizer, simplify_chinese


def _by_mecab(text: str) -> list[str]:
    from wordfreq.mecab import mecab_tokenize

    return [str(token) for token in mecab_tokenize(text, "ja")]


def _by_dictionary(text: str) -> list[str]:
    from pythainlp.tokenize import word_tokenize

    return [str(token) for token in word_tokenize(text, engine="newmm")]


SEGMENTERS: dict[str, Callable[[str], list[str]]] = {"zh": _by_jieba, "ja": _by_mecab, "th": _by_dictionary}
"""What finds the words of languages that are written without spaces: all but Thai as wordfreq does, whose tables count
these words."""


def _segmented(
    text: str, found: Sequence[Word], shape: str, segment: Callable[[str], list[str]]
) -> tuple[Word, ...]:
    """Join the characters of a script without spaces to words."""
    joined: list[Word] = []
    for ideographs, run in groupby(found, lambda word: shape[word.start] == _IDEOGRAPH):
        if not ideographs:
            joined += run
            continue
        run_words = list(run)
        start, end = run_words[0].start, run_words[-1].end
        try:
            tokens = segment(text[start:end])
        except ModuleNotFoundError as error:
            raise missing_extra(error) from error
        # A segmenter that writes some sign in another way cannot say where its words stand.
        joined += _placed(tokens, start) if "".join(tokens) == text[start:end] else run_words
    return tuple(joined)


def _placed(tokens: Sequence[str], start: int) -> list[Word]:
    ends = list(accumulate(map(len, tokens), initial=start))
    return [Word(token, *span) for token, span in zip(tokens, pairwise(ends), strict=True)]


def without_spaces(text: str) -> bool:
    """Whether a text has letters of a script that is written without spaces."""
    return not text.isascii() and _IDEOGRAPH in text.translate(_TABLE)


def first_words(text: str, count: int, language: str = "") -> str:
    """Cut a text after so many words; a shorter text is returned as it is."""
    found = words(text, language)
    return text if len(found) <= count else text[: found[count - 1].end]
