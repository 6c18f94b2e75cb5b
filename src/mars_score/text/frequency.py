"""How much a word tells: the inverse document frequency (Appendix A), from a fixed table or from a corpus."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from mars_score.text.languages import AUTO, ENGLISH, resolved, table_path
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Idf(Protocol):
    """The inverse document frequency of a word: finite and above 0, as priorities divide by it."""

    @property
    def name(self) -> str:
        """What the signature says of this table."""
        ...

    def __call__(self, word: str) -> float:
        """Return the inverse document frequency of a word."""
        ...

    def within(self, language: str) -> Idf:
        """The frequencies of one language."""
        ...


class BackgroundIdf:
    """The word frequencies of ``wordfreq``: a score does not depend on the other rows of a file."""

    def __init__(self, language: str = ENGLISH) -> None:
        """Take the table of a language; of `AUTO`, that of each reference's own by `within`."""
        self.language = language

    @property
    def name(self) -> str:
        """The table and its hash: it is data, like a model."""
        if self.language == AUTO:
            return f"wordfreq-auto@{version('wordfreq')}"
        tag = "" if self.language == ENGLISH else f"-{self.language}"
        return f"wordfreq{tag}@{_table_hash(self.language)}"

    def __call__(self, word: str) -> float:
        """Return -log P(word occurs in a document)."""
        return _background(word, self.language)

    def within(self, language: str) -> BackgroundIdf:
        """The table of one language."""
        return self if language == self.language else BackgroundIdf(language)


_DOCUMENT = 20
"""Words in a document. The data that the paper scores are short: endings, headlines, answers."""
_RAREST = 1e-8
"""The frequency of a word that the table does not have: that of its rarest words."""
_PUNCTUATION = 0.05
"""The frequency of punctuation, which the table leaves out: about that of the full stop, and of "the"."""


@lru_cache(maxsize=64)
def _table_hash(language: str) -> str:
    """8 hex digits that change with the table; the library is not imported for that, as it reads its table then."""
    path = table_path(language)
    return "none" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()[:8]


@lru_cache(maxsize=1 << 16)
def _background(word: str, language: str) -> float:
    in_document = -math.expm1(_DOCUMENT * math.log1p(-_frequency(word, language)))  # 1 - (1 - frequency)^20
    return -math.log(in_document)


def _frequency(word: str, language: str) -> float:
    if all(unicodedata.category(character)[0] == "P" for character in word):
        return _PUNCTUATION
    if table_path(language) is None:
        return _RAREST  # no table: all words count the same
    from wordfreq import get_frequency_dict, word_frequency

    if language in WHOLE:
        return max(float(get_frequency_dict(language).get(WHOLE[language](word), 0.0)), _RAREST)
    return max(float(word_frequency(word, language, wordlist="best")), _RAREST)


def _simplified(word: str) -> str:
    from wordfreq.chinese import simplify_chinese

    return str(simplify_chinese(word))


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


WHOLE: dict[str, Callable[[str], str]] = {"zh": _simplified, "ja": _folded, "ko": _folded}
"""Languages whose words are looked up as they are, and how the table writes them; wordfreq would segment them again."""


class CorpusIdf:
    """Document frequencies of a corpus: in the paper, of the references that are scored."""

    def __init__(self, documents: Iterable[str], language: str = ENGLISH) -> None:
        """Count the documents that have each word, in whatever case."""
        vocabularies = [
            {word.text.casefold() for word in words(document, resolved(language, document))}
            for document in documents
        ]
        self._size = len(vocabularies)
        self._count = Counter(word for vocabulary in vocabularies for word in vocabulary)

    @cached_property
    def name(self) -> str:
        """The corpus's size and a digest of its counts: other references make other scores."""
        counts = repr((self._size, sorted(self._count.items()))).encode("utf-8", "backslashreplace")
        return f"corpus-{self._size}-{hashlib.sha256(counts).hexdigest()[:8]}"

    def __call__(self, word: str) -> float:
        """Return -log(df / M) with one document added that has the word and one that has not.

        So neither a word of every document (0) nor one of none (infinite) breaks the priorities.
        """
        return -math.log((self._count[word.casefold()] + 1) / (self._size + 2))

    def within(self, language: str) -> CorpusIdf:
        """The corpus itself, whatever the language."""
        return self


COMMONEST = 8.0
"""On the scale of `wordfreq` (log10 of occurrences per billion words) no word is more common."""


def rarity(word: str) -> float:
    """0 for the most common words of English, 8 for a word that nobody uses."""
    from wordfreq import zipf_frequency

    return max(0.0, COMMONEST - float(zipf_frequency(word, "en")))
