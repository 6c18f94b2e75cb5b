"""Texts a second of our encoders beside those of the sentence-transformers library, with the same weights.

    python -m benchmarks.encoding

encode_vs_sentence_transformers   the library's seconds / ours, for each encoder that is in the store; the name of the
                                  line has the encoder's. The library has its default batch size.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.texts import candidates, stories
from benchmarks.timing import alternately, report
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.models.store import ModelStore
from mars_score.models.tokenizer import quiet

ENCODERS = {"minilm-l6": 600, "mpnet-base": 120, "embeddinggemma-300m": 48}
"""With the number of texts: as many as take a few seconds."""


def main() -> None:
    """Print a ratio for each encoder that is in the store."""
    store = ModelStore()
    ready = {status.entry.name for status in store.status() if status.state == "ready"}
    for name, count in ENCODERS.items():
        if name in ready:
            compare(name, str(store.path(name)), texts(count))
        else:
            print(f"left out {name}: mars-score models get {name}", file=sys.stderr, flush=True)


def compare(name: str, folder: str, some: list[str]) -> None:
    """Time both, and see that they mean the same."""
    from sentence_transformers import SentenceTransformer

    ours = SentenceEncoder(folder)
    with quiet():
        theirs: Any = SentenceTransformer(folder, device="cpu")
    prompt = {"prompt": ours.prompt} if ours.prompt else {}
    wanted = theirs.encode(some[:8], normalize_embeddings=True, **prompt)
    found = np.stack([encoding.vector for encoding in ours.encode(some[:8])])
    seconds = alternately(
        {
            "ours": lambda: ours.encode(some),
            "theirs": lambda: theirs.encode(some, normalize_embeddings=True, **prompt),
        }
    )
    report(
        f"encode_vs_sentence_transformers:{name}", seconds["theirs"] / seconds["ours"], at_least=1.5,
        texts=len(some), texts_per_second=len(some) / seconds["ours"],
        largest_difference=float(np.abs(wanted - found).max()),
    )  # fmt: skip


def texts(count: int) -> list[str]:
    """Contexts, endings and candidates: texts of very different lengths, as a scorer encodes them."""
    found = [text for pair in stories(count) for text in (pair.context, pair.reference, *candidates(pair, 2))]
    return list(dict.fromkeys(found))[:count]


if __name__ == "__main__":
    main()
