"""The interface for programs, with a service that needs no models."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from mars_score.web.api.schemas import AugmentRequest, JobRequest, ScoreRequest
from tests.web.api.fake import BAD, BROKEN, SIGNATURE, FakeService, score_of
from tests.web.api.running import until

if TYPE_CHECKING:
    from starlette.testclient import TestClient


def item(candidate: Any = "a text", **more: Any) -> dict[str, Any]:
    return {"context": "c", "references": ["r"], "candidate": candidate, **more}


def test_scores_come_in_order_with_their_signatures(client: TestClient) -> None:
    answer = client.post("/v1/score", json={"items": [item("ab", id="x"), item("", id=7), item("abcd")]})
    assert answer.status_code == 200
    assert answer.json() == {
        "preset": "general",
        "signatures": {"mars": SIGNATURE},
        "results": [
            {"id": "x", "scores": {"mars": score_of("ab")}, "flags": []},
            {"id": "7", "scores": {"mars": None}, "flags": []},
            {"id": "3", "scores": {"mars": score_of("abcd")}, "flags": []},
        ],
    }


def test_preset_and_metrics_are_passed_on(client: TestClient, service: FakeService) -> None:
    body = {
        "items": [item()],
        "preset": "paper-formula",
        "metrics": ["bleu1", "mars", "bleu1"],
        "explain": True,
    }
    answer = client.post("/v1/score", json=body).json()
    (settings,) = service.settings
    assert (settings.preset, settings.metrics, settings.explain) == ("paper-formula", ("bleu1", "mars"), True)
    assert list(answer["results"][0]["scores"]) == ["bleu1", "mars"]
    assert answer["explanations"][0]["candidates"][0]["text"] == "a text"


def test_augment(client: TestClient) -> None:
    body = {"items": [{"context": "c", "references": ["r", "s"]}]}
    (row,) = client.post("/v1/augment", json=body).json()["results"]
    assert [one["reference"] for one in row["references"]] == ["r", "s"]
    assert row["references"][0]["augmented"] == [{"ratio": 0.0, "template": "r", "text": "r"}]


def test_choices(client: TestClient) -> None:
    assert "rougeL" in {one["name"] for one in client.get("/v1/metrics").json()["metrics"]}
    presets = client.get("/v1/presets").json()["presets"]
    assert [(one["name"], one["default"]) for one in presets] == [
        ("general", True),
        ("paper-formula", False),
    ]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": [{"references": ["r"]}]}, "items.0.candidate"),
        ({"items": [{"candidate": "c"}]}, "items.0.references"),
        ({"items": [item(), item(references=[])]}, "items.1.references"),
        ({"items": [item(references=["r", " "])]}, "items.0.references: a reference is blank"),
        ({"items": [item(references="r")]}, "items.0.references"),
        ({"items": [item(candidate=3)]}, "items.0.candidate"),
        ({"items": [item(candidate=None)]}, "items.0.candidate"),
        ({"items": [item(referenze="x")]}, "items.0.referenze"),
        ({"items": [item()], "metric": "mars"}, "metric"),
        ({"items": [item()], "preset": "generel"}, "Did you mean 'general'?"),
        ({"items": [item()], "metrics": ["rouge"]}, "unknown metric 'rouge'"),
        ({"items": [item()], "metrics": []}, "metrics"),
        ({"items": [item()], "metrics": ["bleu1"], "explain": True}, "only the metric mars"),
        ({"items": [item(id="a"), item(id="a")]}, "items.1.id: 'a' is the id of items.0, too"),
        ({"items": [item(id="2"), item()]}, "is the id of items.0"),
        ({"items": [item("x" * 501)]}, "items.0.candidate: 501 characters are more than 500"),
        ({"items": [item(context="x" * 501)]}, "items.0.context"),
        ({"items": [item(references=["x" * 501])]}, "items.0.references"),
        ({"items": [item(references=["r"] * 4)]}, "4 texts are more than 3"),
        ({"items": [item()] * 21}, "21 rows are more than 20"),
        ({"items": [item()] * 6, "explain": True}, "6 rows are more than 5"),
        ({"items": [item("\ud800")]}, "items.0.candidate"),
        ([], ""),
    ],
)
def test_what_is_wrong_is_named(client: TestClient, service: FakeService, body: Any, complaint: str) -> None:
    import json

    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/score", content=json.dumps(body), headers=headers)
    assert answer.status_code == 422
    assert complaint in answer.json()["error"]["message"]
    assert service.batches == []


def test_a_body_that_is_too_large(client: TestClient) -> None:
    assert client.post("/v1/score", json={"items": [item("x" * 20_001)]}).status_code == 413


def test_failures_of_the_work(client: TestClient) -> None:
    answer = client.post("/v1/score", json={"items": [item(BAD)]})
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        {"message": "a row is bad", "remedy": "mend it"},
    )
    assert client.post("/v1/score", json={"items": [item(BROKEN)]}).status_code == 500
    assert client.post("/v1/score", json={"items": [item()]}).status_code == 200


def test_a_full_queue_refuses_with_a_time(client: TestClient, service: FakeService) -> None:
    service.open.clear()
    answers: list[int] = []

    def ask() -> None:
        answers.append(client.post("/v1/score", json={"items": [item()]}).status_code)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: client.get("/healthz").json()["requests"] == 4)
    answer = client.post("/v1/score", json={"items": [item()]})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    assert "try again in" in answer.json()["error"]["remedy"]
    service.open.set()
    for thread in threads:
        thread.join()
    assert answers == [200] * 4


def test_health(client: TestClient) -> None:
    until(lambda: client.get("/healthz").status_code == 200)
    assert client.get("/healthz").json() == {"status": "ready", "requests": 0, "rows": 0, "message": ""}


class Slow(FakeService):
    """Loads when the gate opens; the first time that fails."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded = threading.Event()
        self.failures = 1

    def load(self) -> None:
        self.loaded.wait()
        if self.failures:
            self.failures -= 1
            raise OSError("no disk")


def test_ready_means_that_models_are_loaded() -> None:
    from starlette.testclient import TestClient

    from mars_score.web.api.app import make_server

    service = Slow()
    with TestClient(make_server(service, token=None, hosts=())) as client:
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["status"]) == (503, "loading")
        service.loaded.set()
        until(lambda: client.get("/healthz").json()["message"] == "no disk")
        assert client.post("/v1/score", json={"items": [item()]}).status_code == 200
        assert client.get("/healthz").status_code == 200


def test_the_description_has_examples_and_all_errors(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert {"200", "401", "403", "413", "422", "429", "500", "503"} <= set(
        described["paths"]["/v1/score"]["post"]["responses"]
    )
    assert described["components"]["schemas"]["ScoreRequest"]["examples"]
    assert "HTTPValidationError" not in described["components"]["schemas"]
    page = client.get("/docs").text
    assert "She took the half-baked bread" in page
    assert "/v1/jobs/{job_id}/events" in page


@pytest.mark.parametrize(
    "body",
    [
        {"items": [{}] * 20_000},
        {"items": [item(references=[1] * 20_000)]},
        {"items": [item(**{f"x{number}": 0 for number in range(20_000)})]},
        {"items": [item()], **{f"x{number}": 0 for number in range(20_000)}},
        {"items": [item()], "metrics": [0] * 20_000},
        {"items": [0] * 20_000},
    ],
    ids=range(6),
)
def test_a_body_full_of_errors_has_few(body: dict[str, Any]) -> None:
    """Each error takes a kilobyte and some microseconds, and all but the first are for nobody."""
    text = json.dumps(body)
    for kind in (ScoreRequest, JobRequest, AugmentRequest):
        with pytest.raises(ValidationError) as caught:
            kind.model_validate_json(text)
        assert caught.value.error_count() <= 10
        with pytest.raises(ValidationError) as caught:
            kind.model_validate(body)
        assert caught.value.error_count() <= 10


@pytest.mark.parametrize("path", ["/v1/score", "/v1/augment", "/v1/jobs"])
@pytest.mark.parametrize(
    "text",
    [
        '{"items": ' + "[" * 9_000,
        '{"items": ' + '{"items":' * 1_500,
        '{"items": [{"id": ' + "9" * 9_000 + ', "references": ["r"]}]}',
        '{"items": [{"id": 1e999, "references": ["r"]}]}',
        '{"items": [{"id": NaN, "references": ["r"]}]}',
        '{"items": "' + "x" * 9_000,
        '"' + "\\ud800" * 1_000 + '"',
        "\ufeff{}",
        "\x00",
    ],
    ids=range(9),
)
def test_json_beyond_bounds(client: TestClient, path: str, text: str) -> None:
    answer = client.post(path, content=text.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert 0 < len(answer.json()["error"]["message"]) <= 2_010


def test_a_long_text_is_not_sent_back_whole(client: TestClient) -> None:
    row = json.dumps({"id": "x" * 15_000, "candidate": 1, "references": ["r"]})
    answer = client.post("/v1/jobs", content=row, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code == 422
    assert len(answer.json()["error"]["message"]) <= 2_010
