"""A text's words with their place in it, which of them carry its content, and its sentences.

Language models have tokens of their own; masking is by words.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import cache, lru_cache
from itertools import accumulate, groupby, pairwise
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from mars_score.errors import missing_extra
from mars_score.text.languages import ENGLISH, common_words, joined_marks

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
        stand_in = _CLASSES.get(category) or _CLASSES.get(category[0]) or character
        if category[0] == "L" and unicodedata.name(character, "").startswith(_WITHOUT_SPACES):
            stand_in = _IDEOGRAPH
        self[code] = stand_in
        return stand_in


_TABLE = _StandIns({code: chr(code) for code in range(128)})
_TABLE.update({ord("\u2019"): "'", ord("\u2010"): "-", ord("\u2011"): "-", ord(_JOINER): _JOINER})
_TABLE.update(dict.fromkeys(range(0x1F1E6, 0x1F200), _FLAG))  # regional indicators
_TABLE.update(dict.fromkeys(range(0x1F3FB, 0x1F400), _MARK))  # skin tones


def words(text: str, language: str = "") -> tuple[Word, ...]:
    """Split a text into words. Each character that is not white space is in exactly one of them.

    Scripts without spaces are split by character, or, where the language is named, into its words.
    """
    shape = text if text.isascii() else text.translate(_TABLE)
    unsegmented = tuple(
        Word(text[match.start() : match.end()], *match.span()) for match in _TOKEN.finditer(shape)
    )
    return (
        unsegmented
        if language not in SEGMENTERS
        else _segmented(text, unsegmented, shape, SEGMENTERS[language])
    )


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
    text: str, unsegmented: Sequence[Word], shape: str, segment: Callable[[str], list[str]]
) -> tuple[Word, ...]:
    """Join the characters of a script without spaces to words."""
    joined: list[Word] = []
    for ideographs, run in groupby(unsegmented, lambda word: shape[word.start] == _IDEOGRAPH):
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
    text_words = words(text, language)
    return text if len(text_words) <= count else text[: text_words[count - 1].end]


# Which words carry a text's content: not punctuation, and not the small words of English grammar.

_FUNCTION_WORDS = """
    a an the this that these those such same both each every either neither another other any some no
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves one's
    who whom whose which what when where why how whether while
    and or but nor so yet if then than as because since until unless although though however
    of in on at by for with about against between into through during before after above below
    to from up down out off over under again further upon onto within without toward towards
    am is are was were be been being have has had having do does did doing
    will would shall should can could may might must not
    there here just too very also only own more most few
    'm 're 've 'll 'd 's i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd
    it's it'll it'd we're we've we'll we'd they're they've they'll they'd that's there's who's what's
    isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't shan't
    shouldn't can't cannot couldn't mustn't mightn't n't
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and their contractions."""
FUNCTION_WORDS_VERSION = "english1"
"""For signatures: raised whenever the list or the rule changes."""


@lru_cache(maxsize=1 << 16)
def is_punctuation(word: str) -> bool:
    """Whether a word is made of punctuation and signs such as ``$`` or ``+`` alone. An emoji is a word."""
    kinds = {unicodedata.category(character) for character in word}
    return all(kind[0] == "P" or kind in {"Sm", "Sc", "Sk"} for kind in kinds)


def is_function_word(word: str, language: str = ENGLISH) -> bool:
    """Whether a word, in whatever case, is of the list above; in other languages, one of the most common words."""
    plain = word.replace("\u2019", "'").lower()
    return plain in FUNCTION_WORDS if language == ENGLISH else joined_marks(plain) in common_words(language)


# Where sentences end.

_ABBREVIATIONS = (
    "mr mrs ms dr prof st jr sr gen col capt lt sgt sen rep gov rev vs eg ie cf approx dept inc ltd corp "
    "jan feb apr jun jul aug sep sept oct nov dec"
)
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
SENTENCES_VERSION = "rule1"
"""For signatures: raised whenever the rule changes."""

_CLOSING = "\"'\u2019\u201d)\\]}\u00bb"
_END_MARK = "[.!?\u2026]"
# The look-behind lets a match start only at the first of many marks, which would otherwise take quadratic time.
_END = re.compile(rf"(?P<gap>\s?)(?<!{_END_MARK})(?P<mark>{_END_MARK}+)[{_CLOSING}]*(?=\s+(?P<next>\S))")
_OTHER_END_MARK = "[\u3002\uff01\uff1f\uff61\u0964\u061f\u06d4]"
"""Ends a sentence in other scripts, some of which have no space to follow."""
_ANY_END = re.compile(rf"{_END.pattern}|(?P<other>{_OTHER_END_MARK}+)[{_CLOSING}\u300d\u300f\uff09]*")
_OPENING = "\"'\u2018\u201c([{\u00ab"


def sentences(text: str, *, all_scripts: bool = False) -> list[str]:
    """Split a text; no sentence is blank, and together they have all its characters but white space.

    A rule of thumb, made for English, that needs no data. A sentence ends

    - at a line break;
    - after ``.``, ``!``, ``?`` or ``…``, however many, with the quotation marks and brackets that close it, where
      white space follows and then anything but a lower-case letter. In a text without a single capital, lower
      case may follow; and so it may after a mark that stands by itself (text that is already split into words);
    - where all scripts are asked for, after the full stops, question and exclamation marks of Chinese, Japanese,
      Hindi, Arabic and Urdu, whatever follows;
    - but not after a full stop that belongs to a title or abbreviation of the list above, to an initial ("J.") or
      to letters with full stops ("U.S.", "p.m."), although a sentence can end there.
    """
    plain = not any(character.isupper() for character in text)
    parts = []
    for line in text.splitlines():
        start = 0
        for end in (_ANY_END if all_scripts else _END).finditer(line):
            if (all_scripts and end["other"]) or _ends(line[start : end.start("mark")], end, plain=plain):
                parts.append(line[start : end.end()])
                start = end.end()
        parts.append(line[start:])
    return [sentence.strip() for sentence in parts if sentence.strip()]


def _ends(before: str, end: re.Match[str], *, plain: bool) -> bool:
    """Whether a mark, with what stands before it in its sentence, ends the sentence."""
    if end["gap"]:
        return True
    last = before.rsplit(maxsplit=1)[-1:]
    if end["mark"] == "." and last and _is_short(last[0].lstrip(_OPENING)):
        return False
    return plain or not end["next"].islower()


def _is_short(word: str) -> bool:
    """Whether a word before a full stop is an abbreviation, an initial, or letters with full stops."""
    letters = word.split(".")
    if all(len(part) == 1 and part.isalpha() for part in letters):
        return len(letters) > 1 or (word.isupper() and word != "I")
    return word.lower() in ABBREVIATIONS
