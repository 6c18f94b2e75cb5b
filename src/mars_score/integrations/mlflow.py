"""MLflow: `mars_scorer`, for ``mlflow.genai.evaluate(data=..., scorers=[mars_scorer()])``.

MLflow calls a scorer for one row at a time from several threads; calls that come together are scored as one batch.
"""

from __future__ import annotations

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from mars_score.api import async_scorer, describe


def mars_scorer(
    preset: str = "general",
    *,
    reference: str = "expected_response",
    context: str | None = None,
    **options: Any,
) -> Scorer:
    """Return a scorer of outputs.

    The reference is the entry `reference` of a row's expectations (a text or a list of texts). The context is the
    entry `context` of its inputs, or all texts of its inputs, one a line. Options are those of `MarsScorer`.
    """
    gathering = async_scorer(preset, **options)

    @scorer(name="mars", aggregations=["mean", "min", "max"])  # type: ignore[untyped-decorator]
    def mars(inputs: dict[str, Any], outputs: Any, expectations: dict[str, Any]) -> Feedback:
        texts = [value for value in inputs.values() if isinstance(value, str)]
        before = "\n".join(texts) if context is None else str(inputs[context])
        item = gathering.submit(str(outputs), expectations[reference], before).result()
        return Feedback(
            name="mars",
            value=item.reported,
            rationale=describe(item),
            metadata={"signature": gathering.scorer.signature, "flags": " ".join(item.flags)},
        )

    return mars
