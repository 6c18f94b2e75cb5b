"""The converters of word vectors; the one for language models is in test_gguf.py."""

from __future__ import annotations

import bz2
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import load_file

from mars_score.models.catalogue import CONVERTER_VERSIONS
from mars_score.models.fetch import CONVERTERS

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {"the": [0.5, -1.0], ",": [0.0, 2.0], '"': [1.0, 1.0], "naïve": [3.0, 4.0]}


def check(folder: Path) -> None:
    assert (folder / "words.txt").read_text(encoding="utf-8").split("\n") == list(WORDS)
    vectors = load_file(folder / "vectors.safetensors")["vectors"]
    assert vectors.dtype == np.float32
    assert vectors.tolist() == list(WORDS.values())


def test_every_converter_has_a_version() -> None:
    assert CONVERTERS.keys() == CONVERTER_VERSIONS.keys()


def test_json(tmp_path: Path) -> None:
    rows = {word: [*row, 9.9, index] for index, (word, row) in enumerate(WORDS.items())}
    data = {
        "precision": 8,
        "size": 4,
        "dimensions": 2,
        "words": list(WORDS),
        "vectors": rows,
        "unkVector": [0, 0],
    }
    source = tmp_path / "glove.json"
    source.write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
    CONVERTERS["glove-json"](source, tmp_path)
    check(tmp_path)


def test_text(tmp_path: Path) -> None:
    source = tmp_path / "glove.txt.bz2"
    lines = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in WORDS.items())
    source.write_bytes(bz2.compress(lines.encode()))
    CONVERTERS["glove-text"](source, tmp_path)
    check(tmp_path)


def test_a_repeated_word_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "glove.txt.bz2"
    source.write_bytes(bz2.compress(b"a 1\na 2\n"))
    with pytest.raises(ValueError, match="unique"):
        CONVERTERS["glove-text"](source, tmp_path)
