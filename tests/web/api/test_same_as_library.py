"""Scores over HTTP are the library's to the last bit, and what the command line writes to the last byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from mars_score.config import preset
from mars_score.io.readers import read_examples
from mars_score.io.writers import open_writer
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.base import score_all
from mars_score.metrics.registry import make_metric
from mars_score.progress import silent_stages
from mars_score.types import Example, ResultRow
from mars_score.web.api.app import make_server
from mars_score.web.api.queue import RequestSettings
from mars_score.web.api.scorers import Scorers, offered
from mars_score.web.explain.data import as_dict
from mars_score.web.explain.explanation import explain_examples
from tests.study.toy_mars import toy_scorer
from tests.web.api.running import until
from tests.web.api.test_jobs import events

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = Path(__file__).parents[3] / "examples" / "demo.jsonl"
NAMES = ["bleu1", "mars", "rougeL", "context_cosine"]


@pytest.fixture(scope="module")
def rows() -> list[Example]:
    """Two texts for one story, and an answer."""
    every = list(read_examples(DEMO))
    return [*every[:2], every[-1]]


@pytest.fixture(scope="module")
def client(scorer: MarsScorer) -> Iterator[TestClient]:
    service = Scorers(scorer, offered("general", preset, packed=False))
    with TestClient(make_server(service, token=None, hosts=())) as client:
        yield client


def with_preset(scorer: MarsScorer, name: str) -> MarsScorer:
    """A scorer as a user makes it; only the loaded models are shared."""
    made = MarsScorer(name)
    made.parts = scorer.parts
    return made


def item(example: Example) -> dict[str, Any]:
    return {
        "id": example.id,
        "context": example.context,
        "references": list(example.references),
        "candidate": example.candidate,
    }


def test_scores_of_several_metrics(client: TestClient, scorer: MarsScorer, rows: list[Example]) -> None:
    answer = client.post("/v1/score", json={"items": [item(row) for row in rows], "metrics": NAMES}).json()
    metrics = [make_metric(name, scorer) for name in NAMES]
    expected = score_all(metrics, rows)
    assert answer["signatures"] == {metric.name: metric.signature for metric in metrics}
    assert [one["scores"] for one in answer["results"]] == [row.scores for row in expected]
    assert [one["flags"] for one in answer["results"]] == [list(row.flags) for row in expected]


def test_another_preset_and_its_explanation(
    client: TestClient, scorer: MarsScorer, rows: list[Example]
) -> None:
    body = {
        "items": [item(row) for row in rows],
        "preset": "paper-formula",
        "metrics": ["bleu1", "mars"],
        "explain": True,
    }
    answer = client.post("/v1/score", json=body).json()
    other = with_preset(scorer, "paper-formula")
    result = other.score_examples(rows)
    assert answer["signatures"]["mars"] == result.signature
    assert [one["scores"]["mars"] for one in answer["results"]] == result.scores
    expected = [as_dict(one) for one in explain_examples(other, rows, result.items)]
    for explained in answer["explanations"]:
        for candidate in explained["candidates"]:
            assert set(candidate.pop("others")) == {"bleu1"}
    for explained in expected:
        for candidate in explained["candidates"]:
            assert candidate.pop("others") == {}
    assert answer["explanations"] == json.loads(json.dumps(expected))


def test_augmented_references(client: TestClient, scorer: MarsScorer, rows: list[Example]) -> None:
    body = {"items": [{"context": rows[0].context, "references": list(rows[0].references)}]}
    (row,) = client.post("/v1/augment", json=body).json()["results"]
    (found,) = scorer.augment_examples(rows[:1]).values()
    assert [one["text"] for one in row["references"][0]["augmented"]] == [one.text for one in found.augmented]


def test_a_file_comes_back_as_the_command_line_writes_it(
    client: TestClient, scorer: MarsScorer, rows: list[Example], tmp_path: Path
) -> None:
    body = "".join(json.dumps(item(row)) + "\n" for row in rows)
    headers = {"Content-Type": "application/x-ndjson"}
    job = client.post("/v1/jobs?preset=story", content=body, headers=headers).json()["id"]
    assert events(client, job)[-1][0] == "done"
    expected = with_preset(scorer, "story").score_examples(rows)
    for form in ("csv", "jsonl"):
        output = tmp_path / f"scores.{form}"
        with open_writer(output) as writer:
            for one in expected:
                writer.write(ResultRow(one.id, {"mars": one.score}, one.flags))
        assert client.get(f"/v1/jobs/{job}/result?format={form}").content == output.read_bytes()


def test_a_watcher_sees_what_the_model_writes(client: TestClient, scorer: MarsScorer) -> None:
    text = "The keeper rowed out and brought all of the sailors home."
    row: dict[str, Any] = {
        "context": "A ship ran aground.",
        "references": [text],
        "candidate": "He saved them.",
    }
    alone = with_preset(scorer, "general")
    (expected,) = alone.augment_examples([Example("1", "", (text,), row["context"])]).values()
    scorer.parts.forget()  # else there were nothing left to fill
    job = client.post("/v1/jobs", json={"items": [row], "watch": True, "explain": True}).json()["id"]
    seen = events(client, job)
    templates = {event["number"]: event for name, event in seen if name == "template"}
    filled = {event["number"]: event for name, event in seen if name == "filled"}
    assert templates.keys() == filled.keys() == {0, 1, 2}
    for number, one in enumerate(expected.augmented[1:]):
        assert "".join(piece["text"] for piece in templates[number]["pieces"]) == text
        # The best text is watched; where it is the human reference itself, the next best one is taken.
        assert "".join(piece["text"] for piece in filled[number]["pieces"]).strip() in (one.text, text)
        assert templates[number]["ratio"] == one.ratio


def test_ready_once_the_models_are_loaded(client: TestClient) -> None:
    until(lambda: client.get("/healthz").status_code == 200, 60)


def test_which_presets_are_offered() -> None:
    found = list(offered("story", preset, packed=False))
    assert found[0] == "story"
    assert {"general", "summary", "paper-formula"} <= set(found)
    assert "paper" not in found  # its models are others
    assert list(offered("story", preset, packed=True)) == ["story"]
    assert next(iter(offered("paper", preset, packed=False))) == "paper"


def test_a_request_is_a_corpus_of_its_own() -> None:
    """With IDF from the corpus the signature says from which one, as the library's does."""
    scorer = toy_scorer(idf="corpus", cache=None)
    service = Scorers(scorer, {"own": scorer.config})
    examples = [Example(f"row {i}", "A b.", (f"Reference {i} of the rows.",), "Context.") for i in range(4)]
    for some in (examples, examples[:3]):
        settings = RequestSettings("own", ("mars", "mars_no_plan"))
        found = service.work(settings, some, silent_stages, lambda event: None)
        alone = toy_scorer(idf="corpus", cache=None).score_examples(some)
        assert found.signatures["mars"] == alone.signature
        assert f"idf-corpus-{len(some)}-" in alone.signature
        assert f"idf-corpus-{len(some)}-" in found.signatures["mars_no_plan"]
        assert [row.scores["mars"] for row in found.rows] == alone.scores  # type: ignore[union-attr]
    assert scorer.corpus is None
