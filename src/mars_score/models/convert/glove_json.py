"""GloVe vectors in a JSON object ``{..., "vectors": {word: [numbers..., norm, index]}}`` -> word vectors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from mars_score.models.convert.vectors import write_vectors

if TYPE_CHECKING:
    from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Write the vectors, read one word at a time: the whole object would take gigabytes."""
    text = source.read_text(encoding="utf-8")
    head, mark, _ = text.partition('"vectors":{')
    shape = json.loads(head.rstrip(",") + "}")
    vectors = np.empty((shape["size"], shape["dimensions"]), dtype=np.float32)
    words: list[str] = []
    decode, at = json.JSONDecoder().raw_decode, len(head) + len(mark)
    while text[at] != "}":
        at += text[at] == ","
        word, at = decode(text, at)
        row, at = decode(text, at + 1)
        vectors[len(words)] = row[: shape["dimensions"]]
        words.append(word)
    write_vectors(folder, words, vectors)
