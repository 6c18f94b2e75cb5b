"""Metrics that know nothing of quality, or nothing of the references. No good metric may lose to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial

from mars_score import flags
from mars_score.encoders.base import Encoder, Encoding, cosine
from mars_score.fingerprint import metric_signature
from mars_score.metrics.base import Input, Value, flagged, score_rows, signature
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

# Metrics that know nothing of quality. What they explain in a study, no metric has earned.


class CandidateLength:
    """The number of words of the candidate: ``candidate_length``."""

    name = "candidate_length"
    higher_is_better = True
    inputs: tuple[Input, ...] = ()

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        return signature(self.name, {"tok": "whitespace"})

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Count the words of each candidate."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        return flagged(float(len(example.candidate.split())), example)


class Random:
    """A hash of candidate, references and context as a number: ``random``."""

    name = "random"
    higher_is_better = True
    inputs: tuple[Input, ...] = ("references", "context")

    def __init__(self, seed: int = 0) -> None:
        """Take a seed; another seed is another metric."""
        self._seed = seed

    @property
    def signature(self) -> str:
        """All that the numbers depend on."""
        return signature(self.name, {"hash": "sha256", "seed": f"{self._seed}"})

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Hash each example."""
        return score_rows(self.name, examples, self._value, progress)

    def _value(self, example: Example) -> Value:
        # As for every metric, neither the order of the references nor a copy of one matters.
        references = sorted(set(example.references))
        texts = json.dumps([self._seed, example.candidate, references, example.context])
        first = int.from_bytes(hashlib.sha256(texts.encode()).digest()[:8], "big")
        return flagged((first >> 11) / (1 << 53), example)  # the 53 bits that a float holds exactly


# A sentinel: the cosine of candidate and context. It reads no reference, and copying the context is
# perfect.


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
        texts = list(
            dict.fromkeys(text for example in examples for text in (example.candidate, example.context))
        )
        encoded = dict(zip(texts, self.encoder.encode(texts, partial(progress, "encoding")), strict=True))
        return [_value(example, encoded[example.candidate], encoded[example.context]) for example in examples]


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
