"""A sentinel: the cosine of candidate and context. It reads no reference, and copying the context is perfect.

A metric that agrees with people no better than this one may only be measuring how near a text is to what it
was made from. Scores are in [-1, 1].
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.fingerprint import metric_signature
from mars_score.metrics.base import Input, Value
from mars_score.progress import StageProgress, silent_stages
from mars_score.similarity.base import cosine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.similarity.base import Encoder, Encoding
    from mars_score.types import Example


class ContextCosine:
    """Cosine with the context, under a sentence encoder."""

    name = "context_cosine"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("context",)

    def __init__(self, encoder: Encoder, encoder_name: str) -> None:
        """Take an encoder, known in signatures as `encoder_name`."""
        self.encoder, self.encoder_name = encoder, encoder_name

    @property
    def signature(self) -> str:
        """The encoder decides."""
        return metric_signature(self.name, enc=self.encoder_name)

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Encode every text once, then compare."""
        texts = list(dict.fromkeys(text for one in examples for text in (one.candidate, one.context)))
        found = dict(zip(texts, self.encoder.encode(texts, partial(progress, "encoding")), strict=True))
        return [_value(one, found[one.candidate], found[one.context]) for one in examples]


def _value(example: Example, candidate: Encoding, context: Encoding) -> Value:
    """0 for a candidate without a vector, undefined for a context without one."""
    blank, alone = not example.candidate.strip(), not example.context.strip()
    raised = flags.raised(
        {
            flags.EMPTY_CANDIDATE: blank,
            flags.OUT_OF_VOCABULARY: not blank and not candidate.vector.any(),
            flags.NO_CONTEXT: alone or not context.vector.any(),
            flags.CANDIDATE_TRUNCATED: candidate.truncated,
            flags.CONTEXT_TRUNCATED: context.truncated,
        }
    )
    if not candidate.vector.any():
        return Value(0.0, raised)
    if not context.vector.any():
        return Value(None, raised)
    return Value(max(-1.0, min(1.0, cosine(candidate, context))), raised)
