"""MARS under Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import inspect_ai
import pytest
from inspect_ai._util.entrypoints import ensure_entry_points
from inspect_ai._util.registry import registry_create
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import exact
from inspect_ai.solver import solver

from mars_score.integrations.inspect_ai import mars

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.models, pytest.mark.integration]


@solver  # type: ignore[untyped-decorator]
def canned() -> Any:
    """Answer as the sample says; no model is asked."""

    async def solve(state: Any, generate: Any) -> Any:
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["candidate"])
        return state

    return solve


def run(scorers: Any, folder: Path) -> Any:
    rows = zip(CANDIDATES, REFERENCES, CONTEXTS, strict=True)
    samples = [
        Sample(input=context, target=reference, metadata={"candidate": candidate, "source": context.upper()})
        for candidate, reference, context in rows
    ]
    task = inspect_ai.Task(dataset=samples, solver=canned(), scorer=scorers)
    (log,) = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir=str(folder))
    assert log.status == "success", log.error
    return log


def scores(log: Any) -> list[Any]:
    return [sample.scores["mars"].value for sample in log.samples]


def test_the_numbers_are_the_scorer_s(tmp_path: Path, encoder_calls: list[int]) -> None:
    log = run(mars(), tmp_path)
    assert scores(log) == expected().scores
    assert 1 <= len(encoder_calls) < len(CANDIDATES)  # rows of a moment are one batch
    (result,) = log.results.scores
    assert result.metrics["mean"].value == pytest.approx(expected().mean)
    first = log.samples[0].scores["mars"]
    assert first.metadata["signature"] == expected().signature
    assert first.explanation.startswith(f"score {expected().scores[0]:.4f}\ncosines with")


def test_an_old_log_is_scored_again(tmp_path: Path) -> None:
    log = inspect_ai.score(run(exact(), tmp_path), mars(), action="append", display="none")
    assert scores(log) == expected().scores
    assert "exact" in log.samples[0].scores


def test_it_is_found_by_its_name_and_takes_options(tmp_path: Path) -> None:
    ensure_entry_points()
    named = registry_create("scorer", "mars_score/mars", context="source", preset="paper-formula")
    found = scores(run(named, tmp_path))
    assert len(found) == len(CANDIDATES)
    assert found != expected().scores
