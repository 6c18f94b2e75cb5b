"""What the likelihood metrics make of log-probabilities that are given to them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import pytest

from mars_score import flags
from mars_score.lm.likelihood import Likelihood, Reading
from mars_score.metrics.likelihoods import QUESTIONS, LikelihoodMetric
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.mars.scorer import MarsScorer
    from mars_score.progress import Progress


class Told:
    """A model that finds every word of a text 1/2 probable, and 1/8 after nothing."""

    max_context, max_text = 9, 9

    def read(self, texts: Sequence[tuple[str, str]], progress: Progress) -> list[Reading]:
        return [
            Reading(tuple(math.log(0.5 if context else 0.125) for _ in text.split()))
            for context, text in texts
        ]


def metric(name: str) -> LikelihoodMetric:
    return LikelihoodMetric(name, cast("Likelihood", Told()), "told@0")


EXAMPLE = Example("a", "two words", ("one", "three more words"), "a context")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("perplexity", 2.0),  # exp(-log 1/2)
        ("perplexity_alone", 8.0),
        ("lm_likelihood", math.log(0.5)),
        ("lm_pmi", math.log(4)),  # log 1/2 - log 1/8, for every word
        ("lm_reference", math.log(0.5)),
    ],
)
def test_definitions(name: str, value: float) -> None:
    (result,) = metric(name).score([EXAMPLE])
    assert result.score == pytest.approx(value)
    assert result.flags == ()


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_empty_candidate_is_undefined_and_says_why(name: str) -> None:
    empty, full = metric(name).score([Example("b", " ", ("one",), "a context"), EXAMPLE])
    assert empty.score is None
    assert empty.flags == (flags.EMPTY_CANDIDATE,)
    assert full.score is not None


def test_the_default_model_prefers_what_follows(scorer: MarsScorer) -> None:
    likelihood = Likelihood(scorer.guided.model)
    context = "Rosa had lost her keys. She searched every pocket of her coat."
    examples = [
        Example(name, candidate, ("Then she found them in the door.",), context)
        for name, candidate in {
            "good": "At last she found the keys in her bag.",
            "shuffled": "bag her in keys the found she last At.",
            "unrelated": "Photosynthesis turns light into sugar.",
        }.items()
    ]
    for name in ("perplexity", "lm_likelihood"):
        result = LikelihoodMetric(name, likelihood, "smollm2-135m")
        scores = [value.score or 0 for value in result.score(examples)]
        best = max(scores) if result.higher_is_better else min(scores)
        assert scores[0] == best
    pmi = [
        value.score or 0 for value in LikelihoodMetric("lm_pmi", likelihood, "smollm2-135m").score(examples)
    ]
    assert pmi[0] > pmi[2]


@pytest.mark.parametrize("name", QUESTIONS)
def test_without_a_context(name: str) -> None:
    (result,) = metric(name).score([Example("c", "two words", ("one",), " ")])
    reads = "context" in metric(name).inputs
    assert result.flags == ((flags.NO_CONTEXT,) if reads else ())
    assert (result.score is None) == (name == "lm_pmi")
