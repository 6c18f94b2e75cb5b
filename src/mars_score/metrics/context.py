"""`mars_context`: a score for rows without references, from the context alone.

The mean of two numbers between 0 and 1:

    relevance    the cosine of candidate and context under the sentence encoder; below 0 it counts as 0
    likelihood   the mean log-probability of the candidate's tokens after the context, on a scale from that of random
                 words (0) to that of fluent, expected prose (1)

It is not `mars` with something left out: without a reference nobody has said what a good text is, and a copy of the
context gets nearly everything. Compare systems with it, and let nobody train on it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.encoders.base import cosine
from mars_score.fingerprint import metric_signature
from mars_score.metrics.base import Input, Value
from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.encoders.base import Encoder, Encoding
    from mars_score.lm.likelihood import Likelihood, Reading
    from mars_score.types import Example

RANDOM, EXPECTED = -9.0, -2.0
"""Mean log-probability of a token in random words, and in prose that a reader expects; copies of the context have
more, which does not count."""


class MarsContext:
    """Closeness to the context and likelihood after it."""

    name = "mars_context"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("context",)

    def __init__(self, encoder: Encoder, encoder_name: str, likelihood: Likelihood, lm_name: str) -> None:
        """Take an encoder and a language model with the names that signatures have for them."""
        self.encoder, self.likelihood = encoder, likelihood
        self._models = encoder_name, lm_name

    @property
    def signature(self) -> str:
        """Both models and how much the language model reads."""
        encoder, lm = self._models
        limits = f"ctx{self.likelihood.max_context}.text{self.likelihood.max_text}"
        return metric_signature(self.name, enc=encoder, lm=lm, cut=limits)

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Encode and read every text once."""
        texts = list(
            dict.fromkeys(text for example in examples for text in (example.candidate, example.context))
        )
        encodings = dict(zip(texts, self.encoder.encode(texts, partial(progress, "encoding")), strict=True))
        pairs = [(example.context, example.candidate) for example in examples]
        readings = self.likelihood.read(pairs, partial(progress, "reading"))
        return [
            _value(example, encodings[example.candidate], encodings[example.context], reading)
            for example, reading in zip(examples, readings, strict=True)
        ]


def _value(example: Example, candidate: Encoding, context: Encoding, reading: Reading) -> Value:
    """0 for a candidate without words; undefined without a context."""
    blank, alone = not example.candidate.strip(), not example.context.strip()
    raised = flags.raised(
        {
            flags.EMPTY_CANDIDATE: blank,
            flags.OUT_OF_VOCABULARY: not blank and not candidate.vector.any(),
            flags.NO_CONTEXT: alone or not context.vector.any(),
            flags.CANDIDATE_TRUNCATED: candidate.truncated or reading.text_cut,
            flags.CONTEXT_TRUNCATED: context.truncated or reading.context_cut,
        }
    )
    if blank or not reading.log_probs:
        return Value(0.0, raised)
    if flags.NO_CONTEXT in raised:
        return Value(None, raised)
    relevance = max(0.0, min(1.0, cosine(candidate, context)))
    return Value((relevance + likelihood_share(reading.mean)) / 2, raised)


def likelihood_share(mean: float) -> float:
    """Where a mean log-probability lies between random words (0) and expected prose (1)."""
    return (max(RANDOM, min(mean, EXPECTED)) - RANDOM) / (EXPECTED - RANDOM)
