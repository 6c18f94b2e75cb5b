"""A token encoder whose vectors are written down: one token a word, and [CLS] and [SEP] around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from mars_score.encoders.layers import TokenEncoder, TokenEncoding, Tokens
from mars_score.progress import Progress, silent
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CLS, SEP = 0, 1


class FakeTokenEncoder:
    """Knows a few words; what it does not know, it does not see. Reads ten words."""

    ends = frozenset({CLS, SEP})
    settings = "fake"

    def __init__(self, vectors: Mapping[str, Sequence[float]], end: Sequence[float]) -> None:
        self.vectors, self.end = vectors, end

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        return [self._tokens(text) for text in texts]

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[TokenEncoding]:
        results = []
        for tokens in self.tokenize(texts):
            rows = [self.end if word in {"[CLS]", "[SEP]"} else self.vectors[word] for word in tokens.texts]
            results.append(TokenEncoding(tokens, np.array(rows, np.float32)))
        progress(len(texts), len(texts))
        return results

    def _tokens(self, text: str) -> Tokens:
        in_vocabulary = [word for word in words(text) if word.text.lower() in self.vectors]
        kept = in_vocabulary[:10]
        names = [word.text.lower() for word in kept]
        order = list(self.vectors)
        return Tokens(
            (CLS, *(order.index(name) + 2 for name in names), SEP),
            ("[CLS]", *names, "[SEP]"),
            ((0, 0), *((word.start, word.end) for word in kept), (0, 0)),
            (True, *(False for _ in kept), True),
            truncated=len(in_vocabulary) > len(kept),
        )


def fake_tokens(vectors: Mapping[str, Sequence[float]], end: Sequence[float]) -> TokenEncoder:
    """The fake, to be used as the real one."""
    return cast("TokenEncoder", FakeTokenEncoder(vectors, end))
