"""METEOR (Lavie and Agarwal, 2007), computed by NLTK with the synonyms of a real WordNet."""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from mars_score.errors import ModelError
from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

# WordNet as METEOR asks for it: the synsets of a word, from a folder, loaded once and safe to share.

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
            synsets: list[Any] = _reader(self.folder.absolute(), os.getpid()).synsets(word)
        return synsets


@lru_cache(maxsize=2)
def _reader(folder: Path, process: int) -> Any:
    corpus = folder / "corpora" / "wordnet"
    remedy = "remedy: mars-score models get wordnet"
    if not corpus.is_dir():
        raise ModelError(f"{folder} does not hold WordNet: there is no folder {corpus}\n  {remedy}")
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

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


# METEOR (Lavie and Agarwal, 2007), computed by NLTK with the synonyms of a real WordNet.

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
_SENTENCE_END = re.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["'\u201d\u2019)\]]))\s+""")


class Meteor:
    """Matches of words, stems and synonyms, and their order: ``meteor``."""

    name = "meteor"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references",)

    def __init__(self, wordnet: Path, wordnet_name: str | None = None) -> None:
        """Take the folder that holds ``corpora/wordnet``, and how signatures call it (``wordnet@`` its hash)."""
        self._wordnet, self._wordnet_name = WordNet(wordnet), wordnet_name

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        fields = {
            "case": "lower",
            "tok": "nltk-word",
            "stem": "porter",
            "syn": self._wordnet_name or f"wordnet@{_hash(self._wordnet.folder)}",
            "alpha": f"{_ALPHA:g}",
            "beta": f"{_BETA:g}",
            "gamma": f"{_GAMMA:g}",
            "refs": "best",
        }
        return signature(self.name, fields, library="nltk")

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Score each candidate against its best reference."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        from nltk.translate.meteor_score import meteor_score

        score = meteor_score(
            [tokens(reference) for reference in example.references],
            tokens(example.candidate),
            wordnet=self._wordnet,
            alpha=_ALPHA,
            beta=_BETA,
            gamma=_GAMMA,
        )
        return flagged(float(score), example)


@lru_cache(maxsize=1 << 12)
def tokens(text: str) -> tuple[str, ...]:
    """Split a text into words and punctuation; kept for a while, as references come again."""
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    return tuple(word for sentence in _SENTENCE_END.split(text) for word in tokenizer.tokenize(sentence))


def _hash(folder: Path) -> str:
    from mars_score.models.resolve import folder_hash

    return folder_hash(folder, "wordnet")
