"""WordNet as METEOR asks for it: the synsets of a word, from a folder, loaded once and safe to share."""

from __future__ import annotations

import os
import threading
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mars_score.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

# NLTK's reader seeks in files that it keeps open, so that two threads would read each other's lines.
_ONE_AT_A_TIME = threading.Lock()


class WordNet:
    """The part of NLTK's WordNet reader that METEOR uses; all objects of one folder share what is loaded."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that holds ``corpora/wordnet``; it is read on first use."""
        self.folder = folder

    def synsets(self, word: str) -> list[Any]:
        """Return the meanings of a word or of its base form, of any part of speech."""
        with _ONE_AT_A_TIME:
            # A forked process must not share the open files either, so it loads its own.
            found: list[Any] = _reader(self.folder.absolute(), os.getpid()).synsets(word)
        return found


@lru_cache(maxsize=2)
def _reader(folder: Path, process: int) -> Any:
    corpus = folder / "corpora" / "wordnet"
    remedy = "remedy: mars-score models get wordnet"
    if not corpus.is_dir():
        raise ModelError(f"{folder} does not hold WordNet: there is no folder {corpus}\n  {remedy}")
    import nltk.data  # noqa: PLC0415  # two seconds, so only when a word is looked up
    from nltk.corpus.reader.wordnet import WordNetCorpusReader  # noqa: PLC0415

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]  # NLTK has no types
        """WordNet without the map between its versions, which is for other languages and half of the loading."""

        def map_wn(self, version: str = "wordnet") -> dict[str, str]:
            """Map nothing."""
            return {}

    # NLTK reads files below these folders only. The entry stays: files are opened when first needed.
    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The multilingual functions are not available")
            return EnglishReader(str(corpus), None)
    except (OSError, LookupError, ValueError, AssertionError) as error:
        raise ModelError(f"{folder} holds a damaged WordNet: {error}\n  {remedy}") from error
