"""Hugging Face evaluate: ``evaluate.load(mars_score.integrations.evaluate.__file__, "general")``, or `Mars` itself."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from mars_score.api import shared_scorer
from mars_score.config import PRESETS

_TEXT = datasets.Value("string")
_COLUMNS = {"predictions": _TEXT, "contexts": _TEXT}


class Mars(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Takes predictions, references (one or a list for each) and contexts; the configuration's name is a preset."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in (*PRESETS, "default"):
            raise ValueError(f"unknown configuration {self.config_name!r}; there are {', '.join(PRESETS)}")
        return evaluate.MetricInfo(
            description="MARS: context-aware score by augmented references (ACL 2021). Higher is better.",
            citation="https://aclanthology.org/2021.acl-long.521",
            inputs_description="predictions, references (a text or a list of texts each), contexts",
            features=[
                datasets.Features(_COLUMNS | {"references": datasets.Sequence(_TEXT)}),
                datasets.Features(_COLUMNS | {"references": _TEXT}),
            ],
        )

    def compute(
        self, *, predictions: Any = None, references: Any = None, **columns: Any
    ) -> dict[str, Any] | None:
        """Score; contexts may be left out."""
        if predictions is not None:
            columns.setdefault("contexts", [""] * len(predictions))
        found: dict[str, Any] | None = super().compute(
            predictions=predictions, references=references, **columns
        )
        return found

    def _compute(
        self, predictions: list[str], references: list[Any], contexts: list[str], questions: Any = None
    ) -> dict[str, Any]:
        preset = self.config_name if self.config_name in PRESETS else "general"
        result = shared_scorer(preset).score(predictions, references, contexts, questions)
        return {"mars": result.mean, "scores": result.scores, "signature": result.signature}
