"""GloVe vectors as bzip2-compressed text, ``word number number ...`` a line -> word vectors."""

from __future__ import annotations

import bz2
from typing import TYPE_CHECKING

import numpy as np

from mars_score.models.convert.vectors import write_vectors

if TYPE_CHECKING:
    from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Write the vectors."""
    words: list[str] = []
    rows: list[np.ndarray[tuple[int], np.dtype[np.float32]]] = []
    with bz2.open(source, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            word, *numbers = line.rstrip("\n").split(" ")
            words.append(word)
            rows.append(np.array(numbers, dtype=np.float32))
    write_vectors(folder, words, np.stack(rows))
