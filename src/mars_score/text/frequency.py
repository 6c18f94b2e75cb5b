"""How much a word tells: the inverse document frequency (Appendix A), from a fixed table or from a corpus."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable


class Idf(Protocol):
    """The inverse document frequency of a word: finite and above 0, as priorities divide by it."""

    @property
    def name(self) -> str:
        """What the signature says of this table."""
        ...

    def __call__(self, word: str) -> float:
        """Return the inverse document frequency of a word."""
        ...


class BackgroundIdf:
    """The English word frequencies of ``wordfreq``: a score does not depend on the other rows of a file."""

    @property
    def name(self) -> str:
        """The table and its hash: it is data, like a model."""
        return f"wordfreq@{_table_hash()}"

    def __call__(self, word: str) -> float:
        """Return -log P(word occurs in a document)."""
        return _background(word)


_TABLE = "large_en.msgpack.gz"
"""What wordfreq reads for English with ``wordlist="best"``."""
_DOCUMENT = 20
"""Words in a document. The data that the paper scores are short: endings, headlines, answers."""
_RAREST = 1e-8
"""The frequency of a word that the table does not have: that of its rarest words."""
_PUNCTUATION = 0.05
"""The frequency of punctuation, which the table leaves out: about that of the full stop, and of "the"."""


@lru_cache(maxsize=1)
def _table_hash() -> str:
    """8 hex digits that change with the table; the library is not imported for that, as it reads its table then."""
    spec = find_spec("wordfreq")
    assert spec is not None
    assert spec.origin is not None
    return hashlib.sha256(Path(spec.origin).with_name("data").joinpath(_TABLE).read_bytes()).hexdigest()[:8]


@lru_cache(maxsize=1 << 16)
def _background(word: str) -> float:
    in_document = -math.expm1(_DOCUMENT * math.log1p(-_frequency(word)))  # 1 - (1 - frequency)^20
    return -math.log(in_document)


def _frequency(word: str) -> float:
    if all(unicodedata.category(character)[0] == "P" for character in word):
        return _PUNCTUATION
    from wordfreq import word_frequency

    return max(float(word_frequency(word, "en", wordlist="best")), _RAREST)


class CorpusIdf:
    """Document frequencies of a corpus: in the paper, of the references that are scored."""

    def __init__(self, documents: Iterable[str]) -> None:
        """Count the documents that have each word, in whatever case."""
        vocabularies = [{word.text.casefold() for word in words(document)} for document in documents]
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


COMMONEST = 8.0
"""On the scale of `wordfreq` (log10 of occurrences in a thousand million words) no word is commoner."""


def rarity(word: str) -> float:
    """0 for the commonest words of English, 8 for a word that nobody uses."""
    from wordfreq import zipf_frequency

    return max(0.0, COMMONEST - float(zipf_frequency(word, "en")))
