"""Metrics that ask a causal language model how probable a text is.

    perplexity         exp of minus the mean log p of the candidate's tokens after the context (lower is better)
    perplexity_alone   the same without the context: a sentinel, as it cannot know what was asked for
    lm_likelihood      mean log p(candidate | context), as GPTScore asks it
    lm_pmi             mean of log p(candidate | context) - log p(candidate): what the context explains
    lm_reference       mean log p(reference | candidate), in the spirit of BARTScore; the best reference counts

A candidate without tokens has no perplexity: its score is undefined, with the flag ``empty_candidate``. Without a
context (flag ``no_context``) there is nothing that it could add, so `lm_pmi` is undefined; the others are not affected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.fingerprint import metric_signature
from mars_score.metrics.base import Input, Value
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.lm.likelihood import Likelihood, Reading

Pairs = list[tuple[str, str]]
"""(context, text) pairs to be read."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a metric has the language model read for an example, and what it makes of the answer."""

    pairs: Callable[[Example], Pairs]
    answer: Callable[[list[Reading]], float]
    inputs: tuple[Input, ...]
    higher_is_better: bool = True
    needs_context: bool = False
    """Whether the answer means nothing without a context."""


def _candidate(example: Example) -> Pairs:
    return [(example.context, example.candidate)]


QUESTIONS: dict[str, Question] = {
    "perplexity": Question(
        _candidate, lambda readings: math.exp(-readings[0].mean), ("context",), higher_is_better=False
    ),
    "perplexity_alone": Question(
        lambda example: [("", example.candidate)],
        lambda readings: math.exp(-readings[0].mean),
        (),
        higher_is_better=False,
    ),
    "lm_likelihood": Question(_candidate, lambda readings: readings[0].mean, ("context",)),
    "lm_pmi": Question(
        lambda example: [*_candidate(example), ("", example.candidate)],
        lambda readings: (
            (sum(readings[0].log_probs) - sum(readings[1].log_probs)) / len(readings[0].log_probs)
        ),
        ("context",),
        needs_context=True,
    ),
    "lm_reference": Question(
        lambda example: [(example.candidate, reference) for reference in example.references],
        lambda readings: max(reading.mean for reading in readings if reading.log_probs),
        ("references",),
    ),
}


class LikelihoodMetric:
    """One of the questions above, asked of a language model."""

    def __init__(self, name: str, likelihood: Likelihood, model_name: str) -> None:
        """Bind the question to a model, known in signatures as `model_name`."""
        self.name, self.likelihood, self.model_name = name, likelihood, model_name
        self._question = QUESTIONS[name]

    @property
    def higher_is_better(self) -> bool:
        """The direction."""
        return self._question.higher_is_better

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What is read beside the candidate."""
        return self._question.inputs

    @property
    def signature(self) -> str:
        """Model and limits."""
        limits = f"ctx{self.likelihood.max_context}.text{self.likelihood.max_text}"
        return metric_signature(self.name, lm=self.model_name, cut=limits)

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Read every text once, then answer for each example."""
        wanted = [self._question.pairs(example) for example in examples]
        flat = [pair for pairs in wanted for pair in pairs]
        readings = iter(self.likelihood.read(flat, partial(progress, "reading")))
        return [
            self._value(example, [next(readings) for _ in pairs])
            for example, pairs in zip(examples, wanted, strict=True)
        ]

    def _value(self, example: Example, readings: list[Reading]) -> Value:
        """The number, unless there is nothing to divide by."""
        alone = "context" in self.inputs and not example.context.strip()
        raised = flags.raised(
            {
                flags.NO_CONTEXT: alone,
                flags.EMPTY_CANDIDATE: not example.candidate.strip(),
                flags.CONTEXT_TRUNCATED: any(reading.context_cut for reading in readings),
                flags.CANDIDATE_TRUNCATED: any(reading.text_cut for reading in readings),
            }
        )
        if not example.candidate.strip() or not any(reading.log_probs for reading in readings):
            return Value(None, raised)
        if alone and self._question.needs_context:
            return Value(None, raised)
        return Value(self._question.answer(readings), raised)
