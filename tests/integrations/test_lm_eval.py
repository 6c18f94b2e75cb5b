"""MARS under lm-evaluation-harness, by the YAML of docs/integrations.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import lm_eval
import pytest
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from mars_score.errors import InputError
from mars_score.integrations.lm_eval import response_filter
from tests.test_integrations_page import block

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.models, pytest.mark.integration]


class Canned(LM):  # type: ignore[misc]
    """Answers as it was told."""

    def generate_until(self, requests: list[Any], **_: Any) -> list[str]:
        return [CANDIDATES[request.doc_id] for request in requests]

    def loglikelihood(self, requests: list[Any], **_: Any) -> list[Any]:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def test_the_numbers_are_the_scorer_s(
    tmp_path: Path, encoder_calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    rows = zip(CONTEXTS, REFERENCES, strict=True)
    lines = [json.dumps({"context": context, "reference": reference}) for context, reference in rows]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "endings.yaml").write_text(block("lm-eval", "yaml"), encoding="utf-8")
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = lm_eval.simple_evaluate(
        model=Canned(), tasks=["endings"], task_manager=manager, bootstrap_iters=0
    )
    samples = sorted(found["samples"]["endings"], key=lambda sample: sample["doc_id"])
    assert [sample["mars"] for sample in samples] == expected().scores
    assert found["results"]["endings"]["mars,mars"] == pytest.approx(expected().mean, abs=1e-15)
    assert len(encoder_calls) == 1  # all documents in one batch


def test_other_fields_and_several_responses() -> None:
    score = response_filter(reference="answers", context="passage")
    documents = [{"passage": CONTEXTS[0], "answers": [REFERENCES[0], "Nobody knows."]}]
    (mean,) = score([[CANDIDATES[0], "Nobody."]], documents)
    first, second = (score([[text]], documents)[0] for text in (CANDIDATES[0], "Nobody."))
    assert mean == pytest.approx((first + second) / 2)
    with pytest.raises(InputError, match="no field 'references or reference'"):
        response_filter()([["a"]], documents)
