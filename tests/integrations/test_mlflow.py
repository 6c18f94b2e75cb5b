"""MARS under MLflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mlflow
import pytest

from mars_score.integrations.mlflow import mars_scorer

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.models, pytest.mark.integration]


def test_the_numbers_are_the_scorer_s(tmp_path: Path, encoder_calls: list[int]) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    mlflow.set_experiment(
        experiment_id=mlflow.create_experiment("mars", artifact_location=(tmp_path / "files").as_uri())
    )
    rows = [
        {"inputs": {"story": context}, "outputs": candidate, "expectations": {"expected_response": reference}}
        for candidate, reference, context in zip(CANDIDATES, REFERENCES, CONTEXTS, strict=True)
    ]
    result = mlflow.genai.evaluate(data=rows, scorers=[mars_scorer()])
    found = {
        row.request["story"]: row["mars/value"]
        if "mars/value" in row
        else row.assessments[0]["feedback"]["value"]
        for _, row in result.result_df.iterrows()
    }
    assert [found[context] for context in CONTEXTS] == expected().scores
    assert result.metrics["mars/mean"] == pytest.approx(expected().mean)
    assert 1 <= len(encoder_calls) < len(CANDIDATES)
