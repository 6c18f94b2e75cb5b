"""MARS under Hugging Face evaluate."""

from __future__ import annotations

import evaluate
import pytest

from mars_score.integrations import evaluate as mars

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

pytestmark = pytest.mark.models


@pytest.fixture(autouse=True)
def _offline(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, and scripts are copied to a folder of their own."""
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path_factory.mktemp("modules")))
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path_factory.mktemp("metrics"))


def test_the_numbers_are_the_scorer_s(encoder_calls: list[int]) -> None:
    metric = mars.Mars()
    found = metric.compute(predictions=CANDIDATES, references=REFERENCES, contexts=CONTEXTS)
    assert found == {"mars": expected().mean, "scores": expected().scores, "signature": expected().signature}
    assert len(encoder_calls) == 1


def test_it_is_loaded_by_its_path() -> None:
    metric = evaluate.load(mars.__file__, "paper-formula")
    found = metric.compute(
        predictions=CANDIDATES, references=[[one] for one in REFERENCES], contexts=CONTEXTS
    )
    assert found["scores"] != expected().scores
    assert "adjust:" not in found["signature"]
    with pytest.raises(ValueError, match="unknown configuration 'paperformula'"):
        evaluate.load(mars.__file__, "paperformula")


def test_rows_may_come_one_by_one_and_without_contexts(encoder_calls: list[int]) -> None:
    metric = mars.Mars()
    for row in zip(CANDIDATES, REFERENCES, CONTEXTS, strict=True):
        metric.add(prediction=row[0], reference=row[1], contexts=row[2])
    found = metric.compute()
    assert found is not None
    assert found["scores"] == expected().scores
    assert len(encoder_calls) <= 1
    alone = metric.compute(predictions=CANDIDATES, references=REFERENCES)
    assert alone is not None
    assert alone["scores"] == expected(contexts=False).scores
