"""Which language a text is in, by its script and its common words, and whether that is the expected one.

`wordfreq` has word frequencies of the languages here. Only their most common words are read for this: they make up
half of any text, and no name, however rare, counts against a language.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ENGLISH = "en"
AUTO = "auto"
"""Each reference's own language."""
UNKNOWN = "und"
"""A language of which nothing is known; its words all count the same."""

_LATIN = "ca cs da de en es fi fil fr hu id is it lt lv ms nb nl pl pt ro sh sk sl sv tr vi"
_SCRIPTS = {
    "LATIN": _LATIN, "CYRILLIC": "bg mk ru uk", "ARABIC": "ar fa ur", "CJK": "ja zh", "HANGUL": "ko", "THAI": "th",
    "BENGALI": "bn", "GREEK": "el", "HEBREW": "he", "DEVANAGARI": "hi", "TAMIL": "ta",
}  # fmt: skip
SCRIPTS = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
"""The script of each language."""
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})

# Raise `LANGUAGE_RULES` in signature.py when you change what is below.
COMMON = 4.0
"""On the scale of `wordfreq` (log10 of occurrences per billion words): rarer words are not looked at,"""
RARE = 3.0
"""and count as much as this."""
FLUENT = 4.9
"""A text whose words are so common on average is in the language; no other one is looked at."""
MARGIN = 0.3
"""So much more common on average a text's words must be in another language, or it is not said to be in that,"""
EVIDENCE = 2.0
"""and so much in all: one common word of another language is a coincidence."""
MANY = 8
"""With so many words, none of them common in its language, a text is foreign whatever else it is."""
TELLING = 4.5
"""English words that are so common tell that a text is English."""
LETTERS = 12
"""Letters of a text that tell whether it is Japanese."""
KANA = 0.1
"""The least share of syllable signs in a Japanese text of so many letters."""

_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
"""Letters beside a digit, as in m8 and l8r, are no word of any language."""


def resolved(setting: str, text: str, around: str = "") -> str:
    """The language of a text by a setting: the one that it names, or each text's own."""
    return language_of(text, around) if setting == AUTO else setting


def language_of(text: str, around: str = "") -> str:
    """Tell a text's language; one that is too short to tell is read together with what is around it."""
    language = _best(text)
    if language is None and around.strip():
        language = _best(f"{around}\n{text}")
    likely = _likely(script_of(text) or script_of(around))
    if language is None and likely in SCRIPTS and is_foreign(text, likely):
        language = _ranked(text, SCRIPTS[likely])[0][1]  # two languages that are much alike
    return language or likely


def is_foreign(text: str, language: str) -> bool:
    """Whether a text is in another language: by its script, or as its words are those of another one.

    A text that is too short to tell is not.
    """
    script = script_of(text)
    if not script:
        return False
    if script != SCRIPTS.get(language):
        return True
    if script == "CJK":
        return _letters(text) >= LETTERS and (_kana(text) >= KANA) != (language == "ja")
    words = _words(text)
    commonness = _commonness(words, language)
    if commonness >= FLUENT:
        return False
    rivals = [
        _commonness(words, other) for other in SCRIPTS if SCRIPTS[other] == script and other != language
    ]
    gain = max(rivals, default=commonness) - commonness
    return (gain > MARGIN and gain * len(words) > EVIDENCE) or (
        commonness <= RARE and len(words) >= MANY and bool(rivals)
    )


@lru_cache(maxsize=1 << 14)
def mismatch(setting: str, reference: str, context: str) -> bool:
    """Whether a reference or its context is not in the language of the settings; by `AUTO`, in another one each."""
    language = resolved(setting, reference, context)
    return language == UNKNOWN or is_foreign(reference, language) or is_foreign(context, language)


@lru_cache(maxsize=1 << 14)
def script_of(text: str) -> str:
    """The script of most of a text's letters; empty if it has none."""
    counts = Counter(map(script_of_letter, filter(str.isalpha, text)))
    return counts.most_common(1)[0][0] if counts else ""


@lru_cache(maxsize=1 << 16)
def script_of_letter(letter: str) -> str:
    """The first word of a letter's Unicode name stands for its script well enough."""
    if letter.isascii():
        return "LATIN"
    name = unicodedata.name(letter, "UNKNOWN").split()[0]
    return {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "FULLWIDTH": "LATIN"}.get(
        name, name
    )


@lru_cache(maxsize=64)
def common_words(language: str, count: int = 100) -> frozenset[str]:
    """The most common words of a language, which are those of its grammar; without vowel signs, as `joined_marks`."""
    return frozenset(list(_common_words(language))[:count])


@lru_cache(maxsize=64)
def english_words(language: str) -> frozenset[str]:
    """Common words of English that are far less common in another language."""
    theirs = _common_words(language)
    return frozenset(
        word
        for word, value in _common_words(ENGLISH).items()
        if value >= TELLING and len(word) > 1 and theirs.get(word, RARE) < value - 1
    )


def _best(text: str) -> str | None:
    """The language that a text's words are most common in; none if two are as likely, or words are too few."""
    script = script_of(text)
    if script == "CJK":
        return "ja" if _kana(text) >= KANA else "zh"
    rivals = [code for code in SCRIPTS if SCRIPTS[code] == script]
    if len(rivals) == 1:
        return rivals[0]
    if not rivals:
        return None
    words = _words(text)
    (best, code), (second, _) = _ranked(text, script)[:2]
    clear = (best - second) * len(words) > EVIDENCE / 2 or len(words) > 2 * MANY
    return code if best > RARE and clear else None


def _ranked(text: str, script: str) -> list[tuple[float, str]]:
    """The languages of a script, the one that a text's words are most common in first, and how common they are."""
    words = _words(text)
    return sorted(
        ((_commonness(words, code), code) for code in SCRIPTS if SCRIPTS[code] == script), reverse=True
    )


def _likely(script: str) -> str:
    """What a text of a script is taken for if nothing else is known of it."""
    return {"LATIN": ENGLISH, "CYRILLIC": "ru", "ARABIC": "ar"}.get(script, UNKNOWN)


def _words(text: str) -> list[str]:
    """The words that tell a language; a single Latin letter, as in "c u", may be short for anything."""
    marks = unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i")
    words = _WORD.findall(marks if marks.isascii() else joined_marks(marks))
    return [word for word in words if len(word) > 1 or not word.isascii()]


def joined_marks(text: str) -> str:
    """Leave out vowel signs, as of Indian scripts: they belong to their word, which the pattern does not know."""
    return "".join(letter for letter in text if unicodedata.category(letter)[0] != "M")


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _kana(text: str) -> float:
    """The share of letters that are Japanese syllable signs."""
    letters = [letter for letter in text if letter.isalpha()]
    kana = sum("\u3040" <= letter <= "\u30ff" or "\uff66" <= letter <= "\uff9f" for letter in letters)
    return kana / max(1, len(letters))


def _commonness(words: Iterable[str], language: str) -> float:
    """How common words are in a language on average."""
    table = _common_words(language)
    values = [table.get(word, RARE) for word in words]
    return sum(values) / len(values) if values else RARE


@lru_cache(maxsize=64)
def _common_words(language: str) -> dict[str, float]:
    """The common words of a language, the most common first, and how common they are.

    Read from wordfreq's file, not through the library, which would keep whole tables in memory.
    """
    import msgpack

    path = table_path(language, "small")
    if path is None:
        return {}
    with gzip.open(path) as file:
        _, *levels = msgpack.load(file, raw=False)  # level i: words that occur 10^(-i/100) of the time
    common = levels[: round((9 - COMMON) * 100)]
    return {joined_marks(word): 9 - level / 100 for level, words in enumerate(common) for word in words}


def table_path(language: str, size: str = "large") -> Path | None:
    """The file of wordfreq with the frequencies of a language, of this size or else the small one."""
    spec = find_spec("wordfreq")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).with_name("data")
    paths = [folder / f"{wordlist}_{language}.msgpack.gz" for wordlist in (size, "small")]
    return next((path for path in paths if path.is_file()), None)
