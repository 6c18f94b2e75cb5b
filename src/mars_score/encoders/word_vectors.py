"""Word-vector encodings (the paper's GloVe variant): the mean of a text's word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mars_score.encoders.base import Encoding
from mars_score.progress import Progress, silent
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

VECTORS = "vectors.safetensors"
"""The file that tells a folder of word vectors from a sentence encoder."""


class WordVectorEncoder:
    """Static word vectors; words without one are passed over."""

    def __init__(self, location: str) -> None:
        """Load `words.txt` and `vectors.safetensors` from a folder."""
        from safetensors.numpy import load_file

        folder = Path(location)
        names = (folder / "words.txt").read_text("utf-8").split("\n")
        self.index = {word: i for i, word in enumerate(names) if word}
        self.vectors = load_file(folder / VECTORS)["vectors"]

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text."""
        encodings = {text: Encoding(self._vector(text)) for text in dict.fromkeys(texts)}
        progress(len(encodings), len(encodings))
        return [encodings[text] for text in texts]

    def _vector(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        rows = [self.index[word] for word in (w.text.lower() for w in words(text)) if word in self.index]
        mean = self.vectors[rows].mean(0) if rows else np.zeros(self.vectors.shape[1], np.float32)
        norm = np.linalg.norm(mean)
        return np.asarray(mean / norm if norm else mean, dtype=np.float32)
