"""The sentinel that copying the context maximises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mars_score import flags
from mars_score.encoders.base import Encoding
from mars_score.metrics.sentinels import ContextCosine
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Sequence


class Letters:
    """Encodes a text as how often it has the letters a and b, b counting downwards."""

    def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
        results = []
        for text in texts:
            vector = np.array([text.count("a") - text.count("z"), text.count("b")], dtype=np.float32)
            results.append(Encoding(vector / (np.linalg.norm(vector) or 1), truncated="!" in text))
        return results


@pytest.mark.parametrize(
    ("candidate", "context", "expected"),
    [
        ("ab", "ab", (1.0, ())),
        ("a", "ab", (0.5**0.5, ())),
        ("a", "b", (0.0, ())),
        ("a", "z", (-1.0, ())),
        ("", "a", (0.0, (flags.EMPTY_CANDIDATE,))),
        ("?", "a", (0.0, (flags.OUT_OF_VOCABULARY,))),
        ("a", " ", (None, (flags.NO_CONTEXT,))),
        ("a", "?", (None, (flags.NO_CONTEXT,))),
        ("a!", "a", (1.0, (flags.CANDIDATE_TRUNCATED,))),
        ("a", "a!", (1.0, (flags.CONTEXT_TRUNCATED,))),
    ],
)
def test_by_hand(candidate: str, context: str, expected: tuple[float | None, tuple[str, ...]]) -> None:
    (value,) = ContextCosine(Letters(), "letters").score([Example("1", candidate, ("x",), context)])
    assert value.score == pytest.approx(expected[0])
    assert value.flags == expected[1]


def test_signature() -> None:
    metric = ContextCosine(Letters(), "letters@0")
    assert metric.signature.endswith("|enc:letters@0")
    assert (metric.name, metric.inputs, metric.higher_is_better) == ("context_cosine", ("context",), True)
