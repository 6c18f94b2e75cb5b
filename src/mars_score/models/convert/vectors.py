"""The layout of word vectors: ``words.txt``, a word a line, and ``vectors.safetensors``, a row a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


def write_vectors(folder: Path, words: list[str], vectors: NDArray[np.float32]) -> None:
    """Write words and their vectors (words, dimensions), tensor ``vectors``."""
    from safetensors.numpy import save_file

    if (
        len(words) != len(vectors)
        or len(set(words)) != len(words)
        or any(word.split() != [word] for word in words)
    ):
        raise ValueError("words must be unique, free of white space and as many as the vectors")
    (folder / "words.txt").write_text("\n".join(words), encoding="utf-8", newline="\n")
    save_file({"vectors": vectors}, folder / "vectors.safetensors")
