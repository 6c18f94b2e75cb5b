"""Parts of speech, as far as masking needs them: adjective, adverb, noun or other."""

from __future__ import annotations

import json
import re
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from mars_score.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Tag = Literal["adjective", "adverb", "noun", "other"]
_PENN: dict[str, Tag] = {"JJ": "adjective", "RB": "adverb", "NN": "noun"}
"""By the first letters of a tag of the Penn Treebank, for English;"""
_UNIVERSAL: dict[str, Tag] = {"ADJ": "adjective", "ADV": "adverb", "NOUN": "noun", "PROPN": "noun"}
"""by the universal part of speech, for any other language."""


class Tagger(Protocol):
    """Tags the words of one text; the tags depend on nothing but that text."""

    @property
    def name(self) -> str:
        """What the signature says of this tagger."""
        ...

    @property
    def language(self) -> str:
        """The language that it knows; words of others are not given to it."""
        ...

    def tags(self, words: Sequence[str]) -> list[Tag]:
        """Return one tag for each word."""
        ...


class SpacyTagger:
    """The tagger of a spaCy pipeline: a folder of data, loaded on first use."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    @property
    def name(self) -> str:
        """The pipeline's own name and version."""
        return "{lang}_{name}-{version}".format_map(self._meta)

    @property
    def language(self) -> str:
        """As the pipeline says."""
        return str(self._meta.get("lang", ""))

    def tags(self, words: Sequence[str]) -> list[Tag]:
        """Tag one text, alone: in a batch, rounding could let its tags depend on its neighbours."""
        return _tag(words, self._penn) if self.language == "en" else self._universal(words)

    def prepare(self) -> None:
        """Load the pipeline."""
        _ = self._pipeline

    def _penn(self, parts: list[str]) -> list[str]:
        return [token.tag_ for token in self._read(parts)]

    def _universal(self, words: Sequence[str]) -> list[Tag]:
        """By universal parts of speech. The last part of a word decides: of "l'eau", that is the noun."""
        parts = [_ELISION.findall(_plain(word)) or [word] for word in words]
        tokens = iter(self._read([part for split in parts for part in split]))
        read = [[next(tokens).pos_ for _ in split][-1] for split in parts]
        return [
            _UNIVERSAL.get(tag, "other") if any(map(str.isalnum, word)) else "other"
            for word, tag in zip(words, read, strict=True)
        ]

    def _read(self, parts: list[str]) -> Any:
        from spacy.tokens import Doc

        # A space after each part: the true spacing would change fewer than one tag in a thousand.
        return self._pipeline(Doc(self._pipeline.vocab, words=parts))

    @cached_property
    def _meta(self) -> dict[str, Any]:
        try:
            meta: dict[str, Any] = json.loads((self._folder / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(f"{self._folder} does not hold a spaCy pipeline: {error}") from error
        return meta

    @cached_property
    def _pipeline(self) -> Any:
        _ = self._meta  # a folder that holds something else is refused at once
        import spacy

        unused = _checked(self._folder)
        with warnings.catch_warnings():
            # Made by another minor version of spaCy; our dependency admits only versions that read it.
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            warnings.filterwarnings("ignore", category=DeprecationWarning)  # between spaCy and SudachiPy
            try:
                pipeline = spacy.load(self._folder, exclude=unused)
            except (OSError, ValueError) as error:
                raise ModelError(f"cannot load a spaCy tagger from {self._folder}: {error}") from error
            except (
                ImportError
            ) as error:  # what splits the texts of some languages, although ours come as words
                raise _missing(error, self._folder) from error
        if not {"tagger", "morphologizer"} & set(pipeline.pipe_names):
            raise ModelError(f"the spaCy pipeline in {self._folder} has no tagger")
        return pipeline


def _missing(error: ImportError, folder: Path) -> ModelError | ConfigError:
    """Name the extra that has what a pipeline needs."""
    if "sudachi" in str(error).lower():
        return ConfigError(
            "Japanese taggers need SudachiPy and its dictionary\n  remedy: pip install 'mars-score[languages]'"
        )
    return ModelError(f"cannot load a spaCy tagger from {folder}: {error}")


def _used(components: Any, language: object) -> tuple[str, ...]:
    """The components that give parts of speech: of the Penn Treebank for English, else universal ones."""
    if language == "en" or not {"morphologizer", "attribute_ruler"} & set(components):
        return ("tok2vec", "tagger")
    return (
        ("tok2vec", "morphologizer")
        if "morphologizer" in components
        else ("tok2vec", "tagger", "attribute_ruler")
    )


_KNOWN = frozenset(
    f"spacy.{name}"
    for name in (
        "Tokenizer.v1", "ja.JapaneseTokenizer", "Vectors.v1", "tagger_scorer.v1",
        "morphologizer_scorer.v1", "attribute_ruler_scorer.v1", "Tagger.v1", "Tagger.v2", "Tok2Vec.v1", "Tok2Vec.v2",
        "Tok2VecListener.v1", "HashEmbedCNN.v1", "HashEmbedCNN.v2", "MultiHashEmbed.v1", "MultiHashEmbed.v2",
        "CharacterEmbed.v1", "CharacterEmbed.v2", "MaxoutWindowEncoder.v1", "MaxoutWindowEncoder.v2",
        "MishWindowEncoder.v1", "MishWindowEncoder.v2", "StaticVectors.v1", "StaticVectors.v2",
    )
)  # fmt: skip
"""What a tagger may be made of. Some other parts unpickle weights, load another pipeline or call any function that is
registered; of those that come with spaCy, no published tagger for the processor needs one."""


def _checked(folder: Path) -> list[str]:
    """Return the components to leave out; a pipeline that asks for code or for other pipelines is refused."""
    from spacy.util import load_config

    try:
        config = load_config(folder / "config.cfg")
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load a spaCy tagger from {folder}: {error}") from error
    nlp, components = dict(config.get("nlp", {})), dict(config.get("components", {}))
    pipeline = nlp.get("pipeline")
    names = {*components, *(pipeline if isinstance(pipeline, list) else ())}
    checks = [(f"{key} = {value}", value in _KNOWN) for key, value in _registered(nlp)]
    language = nlp.get("lang")
    checks.append((f"lang = {language}", isinstance(language, str) and language.isalnum()))
    used = _used(components, language)
    for name in used:
        component = components.get(name, {"factory": name})
        checks.append((f"{name}: factory = {component.get('factory')}", component.get("factory") == name))
        checks += [(f"{name}: {key} = {value}", value in _KNOWN) for key, value in _registered(component)]
    for what, allowed in checks:
        if not allowed:
            raise ModelError(
                f"{folder / 'config.cfg'} asks for {what}, which is no part of a plain tagger of spaCy: what is "
                "registered elsewhere may run code as it is loaded\n"
                "  remedy: name a pipeline such as en_core_web_sm, or --set tagger=pattern"
            )
    return sorted(names - set(used))


def _registered(value: Any) -> list[tuple[str, str]]:
    """What a part of the settings takes from a registry, however deep it stands."""
    registered: list[tuple[str, str]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            registered += [(key, str(inner))] if key.startswith("@") else _registered(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            registered += _registered(inner)
    return registered


class PatternTagger:
    """TextBlob's rule-based tagger: less exact, but it needs no data of its own."""

    name = "pattern"
    language = "en"

    def tags(self, words: Sequence[str]) -> list[Tag]:
        """Tag one text."""
        return _tag(words, self._penn)

    def _penn(self, parts: list[str]) -> list[str]:
        penn_tags = [penn for _, penn in self._tagger.tag(" ".join(parts), tokenize=False)]
        if len(penn_tags) == len(parts):
            return penn_tags
        # TextBlob split the parts in its own way: tag each by itself.
        return [self._tagger.tag(part, tokenize=False)[0][1] for part in parts]

    @cached_property
    def _tagger(self) -> Any:
        try:
            from textblob.en.taggers import PatternTagger as TextBlobTagger
        except ImportError as error:
            raise ConfigError(
                "the tagger 'pattern' needs TextBlob: pip install 'mars-score[textblob]'"
            ) from error
        tagger = TextBlobTagger()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ResourceWarning
            )  # it reads its word list and leaves the file open
            tagger.tag("word", tokenize=False)
        return tagger


class NoTagger:
    """All words are alike: for languages that have no tagger."""

    name = "none"
    language = ""

    def tags(self, words: Sequence[str]) -> list[Tag]:
        """Tag one text."""
        return ["other" for _ in words]


BUILT_IN: dict[str, Callable[[], Tagger]] = {PatternTagger.name: PatternTagger, NoTagger.name: NoTagger}
"""Taggers without weights, by name."""


def _tag(words: Sequence[str], penn: Callable[[list[str]], list[str]]) -> list[Tag]:
    """Tag words by a function that gives Penn Treebank tags of their parts; the first part decides."""
    if not words:
        return []
    parts = [_split(word) for word in words]
    part_tags = iter(penn([part for split in parts for part in split]))
    tagged = [[next(part_tags) for _ in split] for split in parts]
    # What has no letter and no digit is never a noun, though taggers guess so of an emoji.
    return [
        _PENN.get(first[:2], "other") if any(map(str.isalnum, word)) else "other"
        for word, (first, *_) in zip(words, tagged, strict=True)
    ]


_ELISION = re.compile(r"[^']+'?")
"""The parts of a word with an apostrophe, in languages that leave out vowels there."""
_CONTRACTION = re.compile(r"(.+?)(n't|'(?:s|re|ve|ll|d|m)|(?<=^can)not)", re.IGNORECASE)


def _split(word: str) -> tuple[str, ...]:
    """Split a contraction as the Penn Treebank does, from which taggers learn.

    Whole, "don't" would be an adverb and "she'll" a noun.
    """
    plain = _plain(word)
    contraction = _CONTRACTION.fullmatch(plain)
    return contraction.groups() if contraction else (plain,)


def _plain(word: str) -> str:
    return (
        word.replace("\u2019", "'").encode("utf-8", "replace").decode("utf-8")
    )  # spaCy rejects lone surrogates
