"""lighteval: `mars_metric`, which scores all responses of a task at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.requests import SamplingMethod

from mars_score.api import shared_scorer

if TYPE_CHECKING:
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc


class ResponseScorer(SampleLevelComputation):  # type: ignore[misc]  # not followed by the type checker
    """Scores first responses against the gold choices of their documents, whose query is the context."""

    def __init__(self, preset: str = "general", **options: Any) -> None:
        """Take a preset and options of `MarsScorer`."""
        self.preset, self.options = preset, options

    def compute(self, responses: list[ModelResponse], docs: list[Doc], **kwargs: Any) -> list[float]:
        """Score a task's responses together."""
        result = shared_scorer(self.preset, **self.options).score(
            [response.final_text[0] for response in responses],
            [doc.get_golds() for doc in docs],
            [doc.query for doc in docs],
        )
        return result.scores


def mars_metric(preset: str = "general", **options: Any) -> SampleLevelMetric:
    """Return MARS for the metrics of a task's configuration."""
    return SampleLevelMetric(
        metric_name="mars",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ResponseScorer(preset, **options),
        corpus_level_fn=np.mean,
        batched_compute=True,
    )
