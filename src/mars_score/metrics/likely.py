"""Is this what one would say here? How probable the language model finds candidates after their contexts.

Bad stories and summaries wander off, contradict themselves or stop making sense: their words come unexpected. People
notice that where sentence vectors do not. A text that is copied from its context is the least unexpected of all, so
little is gained by being more probable than the references are.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mars_score.types import Adjustment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.lm.likelihood import Likelihood
    from mars_score.progress import StageProgress
    from mars_score.types import Example

    Likely = Mapping[tuple[str, str], float]
    """By context and text: the mean log-probability of a token."""

ORDINARY = -3.0
"""What ordinary prose has, a perplexity of 20: there nothing is added or taken."""
MARGIN = 1.0
"""So much more than the most probable human reference is as much as counts; copies of the context have more."""
LEAST = -9.0
"""Nothing is lost by less than this, which is that of random words; also the value of an empty text."""


def read(examples: Sequence[Example], likelihood: Likelihood, progress: StageProgress) -> Likely:
    """Read each candidate and each reference."""
    pairs = dict.fromkeys(
        (one.context, text) for one in examples for text in (one.candidate, *one.references)
    )
    readings = likelihood.read(list(pairs), partial(progress, "reading"))
    return {
        pair: reading.mean if reading.log_probs else LEAST
        for pair, reading in zip(pairs, readings, strict=True)
    }


def expectedness(example: Example, likely: Likely, weight: float) -> Adjustment:
    """How probable a candidate is, where its references say how much of that is possible by honest means."""
    most = MARGIN + max(likely[example.context, text] for text in example.references)
    counted = max(LEAST, min(likely[example.context, example.candidate], most))
    meaning = "how probable the words are after this context, as far as that counts beside the references"
    return Adjustment("likelihood", weight * (counted - ORDINARY), counted, ORDINARY, meaning)
