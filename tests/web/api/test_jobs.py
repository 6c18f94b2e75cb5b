"""Jobs: started, followed, fetched, cancelled; from JSON and from files."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from mars_score.types import Example
from mars_score.web.api.app import make_server
from mars_score.web.api.jobs import Jobs
from mars_score.web.api.queue import Pace, Queue, RequestSettings, ServerLimits, Ticket
from mars_score.web.errors import HttpError
from tests.study.report.test_page import PAYLOADS, Page
from tests.web.api.conftest import SMALL
from tests.web.api.fake import BAD, FakeService, score_of
from tests.web.api.running import until

if TYPE_CHECKING:
    from collections.abc import Coroutine

ITEM = {"id": "a", "context": "c", "references": ["r"], "candidate": "text"}
JSONL = {"Content-Type": "application/x-ndjson"}
CSV = {"Content-Type": "text/csv; charset=utf-8"}


def start(client: TestClient, body: dict[str, Any] | None = None) -> str:
    answer = client.post("/v1/jobs", json=body or {"items": [ITEM]})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def events(client: TestClient, job: str, **headers: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    with client.stream("GET", f"/v1/jobs/{job}/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for block in "".join(answer.iter_text()).split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if fields:
                found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_from_start_to_result(client: TestClient) -> None:
    job = start(client)
    seen = events(client, job)
    assert seen[-1][0] == "done"
    assert seen[-1][1]["rows_done"] == 1
    state = client.get(f"/v1/jobs/{job}").json()
    assert (state["state"], state["means"]) == ("done", {"mars": score_of("text")})
    row = {"number": 0, "id": "a", "candidate": "text", "scores": {"mars": score_of("text")}, "flags": []}
    listed = client.get(f"/v1/jobs/{job}/rows").json()
    assert listed == {"rows": 1, "fitting": 1, "flags": {}, "page": [row]}
    assert client.get(f"/v1/jobs/{job}/result").json()["results"][0]["id"] == "a"


def test_a_watcher_sees_templates_and_can_come_back(client: TestClient) -> None:
    job = start(client, {"items": [ITEM], "watch": True, "explain": True})
    names = [name for name, _ in events(client, job)]
    assert names.index("template") < names.index("filled") < names.index("done")
    assert "template" not in [name for name, _ in events(client, job, **{"Last-Event-ID": "1"})]
    for odd in ("99", "x", "-1", "\u0663"):
        headers = {"Last-Event-ID": odd.encode()}
        assert client.get(f"/v1/jobs/{job}/events", headers=headers).status_code == 200  # type: ignore[arg-type]
    assert '<div class="explained">' in client.get(f"/v1/jobs/{job}/explanation").text


def test_files_in_and_out(client: TestClient, service: FakeService) -> None:
    rows = [{**ITEM, "id": f"r{i}", "candidate": "x" * i} for i in range(30)]
    body = "\n".join(map(json.dumps, rows))
    created = client.post(
        "/v1/jobs?preset=paper-formula&metrics=mars,bleu1&name=rows.jsonl", content=body, headers=JSONL
    )
    assert created.json()["rows"] == 30
    job = created.json()["id"]
    assert events(client, job)[-1][0] == "done"
    assert service.settings[0].metrics == ("mars", "bleu1")
    lines = client.get(f"/v1/jobs/{job}/result?format=jsonl")
    assert [json.loads(line)["id"] for line in lines.text.splitlines()] == [row["id"] for row in rows]
    table = client.get(f"/v1/jobs/{job}/result?format=csv")
    assert table.headers["content-disposition"] == 'attachment; filename="scores.csv"'
    assert table.text.splitlines()[:3] == ["id,mars,bleu1,flags", "r0,,,", "r1,0.5,0.5,"]
    assert client.get(f"/v1/jobs/{job}").json()["name"] == "rows.jsonl"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ("candidate,reference,context\nc,r,x\n", CSV),
        ("candidate\treference\nc\tr\n", {"Content-Type": "text/tab-separated-values"}),
        ('[{"candidate": "c", "reference": "r"}]', JSONL),
        ('\ufeff{"candidate": "c", "reference": "r"}\r\n', JSONL),
    ],
)
def test_formats(client: TestClient, body: str, headers: dict[str, str]) -> None:
    job = client.post("/v1/jobs", content=body.encode(), headers=headers).json()["id"]
    assert events(client, job)[-1][0] == "done"


@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        ('{"candidate": "c", "reference": "r"}\n{"candidate": ', JSONL, "rows.x:2:15: broken JSON"),
        ('{"candidate": "c", "reference": " "}', JSONL, "rows.x:1: item '1': reference is blank"),
        ('{"prediction": "c", "reference": "r"}', JSONL, "rows.x:1: no field 'candidate'"),
        ("candidate,reference\nc\n", CSV, "rows.x:2: the row has 1 cells"),
        ('candidate,reference\nc,"r\n', CSV, "rows.x:2: a quote is opened"),
        ("", CSV, "rows.x: the file has no rows"),
        ("\xff", JSONL, "rows.x:1: not UTF-8"),
        ("candidate,reference\n" + "c,r\n" * 51, CSV, "51 rows are more than 50"),
        (f"candidate,reference\n{'c' * 501},r\n", CSV, "rows.x:2.candidate: 501 characters"),
        ("id,candidate,reference\na,c,r\na,c,r\n", CSV, "the id 'a' is on line 2 and again on line 3"),
    ],
)
def test_a_bad_row_is_named_by_its_line(
    client: TestClient, body: str, headers: dict[str, str], message: str
) -> None:
    answer = client.post("/v1/jobs?name=rows.x", content=body.encode("latin-1"), headers=headers)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
    assert answer.json()["error"]["remedy"]


def test_other_contents_are_refused(client: TestClient) -> None:
    for kind in ("text/html", "multipart/form-data; boundary=x", ""):
        answer = client.post("/v1/jobs", content=b"x", headers={"Content-Type": kind})
        assert answer.status_code == 415
    answer = client.post("/v1/jobs", content=b"{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 422


def test_a_name_is_never_opened(client: TestClient) -> None:
    for name in ("/etc/passwd", "../../secret", "-", "a\nb\x00" * 90):
        answer = client.post("/v1/jobs", params={"name": name}, content=b"", headers=JSONL)
        assert "the file has no rows" in answer.json()["error"]["message"]
        assert len(answer.json()["error"]["message"]) < 200


def test_a_job_that_fails_says_why(client: TestClient) -> None:
    job = start(client, {"items": [{**ITEM, "candidate": BAD}]})
    assert events(client, job)[-1] == ("failed", {"message": "a row is bad", "remedy": "mend it"})
    assert client.get(f"/v1/jobs/{job}/result").status_code == 422


def test_unfinished_unknown_cancelled(client: TestClient, service: FakeService) -> None:
    service.open.clear()
    job = start(client)
    answer = client.get(f"/v1/jobs/{job}/result")
    assert answer.status_code == 409
    assert f"/v1/jobs/{job}/events" in answer.json()["error"]["remedy"]
    assert client.get(f"/v1/jobs/{job}/explanation").status_code == 409
    waiting = start(client)
    assert client.delete(f"/v1/jobs/{waiting}").status_code == 204
    assert client.delete(f"/v1/jobs/{job}").status_code == 204
    for path in ("", "/events", "/result", "/explanation"):
        assert client.get(f"/v1/jobs/{job}{path}").status_code == 404
    assert client.delete(f"/v1/jobs/{job}").status_code == 404
    until(lambda: client.get("/healthz").json()["requests"] == 0)
    assert len(service.batches) == 1


def test_an_explanation_must_be_asked_for(client: TestClient) -> None:
    job = start(client)
    events(client, job)
    assert client.get(f"/v1/jobs/{job}/explanation").status_code == 409


def test_ids_cannot_be_guessed(client: TestClient) -> None:
    assert len({start(client), start(client)}) == 2
    assert len(start(client)) == 24


def test_jobs_are_bounded_in_number(client: TestClient, service: FakeService) -> None:
    finished = start(client)
    events(client, finished)
    service.open.clear()
    started = [start(client) for _ in range(3)]
    assert client.get(f"/v1/jobs/{finished}").status_code == 404  # it made room
    answer = client.post("/v1/jobs", json={"items": [ITEM]})
    assert answer.status_code == 429
    assert answer.headers["retry-after"]
    assert client.get(f"/v1/jobs/{started[0]}").status_code == 200


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run in a thread of its own: a browser of other tests may have left a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def test_jobs_are_bounded_in_rows() -> None:
    async def check() -> None:
        limits = ServerLimits(kept_rows=10)
        jobs = Jobs(limits, Queue(limits, Pace()))

        def ticket(rows: int) -> Ticket:
            return Ticket(RequestSettings("story"), [Example(str(i), "c", ("r",)) for i in range(rows)])

        first, second = jobs.add(ticket(5), ""), jobs.add(ticket(5), "")
        with pytest.raises(HttpError, match="2 jobs are running"):
            jobs.add(ticket(1), "")
        first.ticket.fail(HttpError(422, "x"))
        await asyncio.sleep(0)
        jobs.add(ticket(1), "")
        with pytest.raises(HttpError, match="no such job"):
            jobs.find(first.id)
        assert jobs.find(second.id) is second

    in_a_loop(check())


def test_jobs_are_bounded_in_age() -> None:
    async def check() -> None:
        now = 0.0
        limits = ServerLimits(job_age=100)
        jobs = Jobs(limits, Queue(limits, Pace()), lambda: now)
        old = jobs.add(Ticket(RequestSettings("story"), [Example("1", "c", ("r",))]), "")
        other = jobs.add(Ticket(RequestSettings("story"), [Example("1", "c", ("r",))]), "")
        old.ticket.fail(HttpError(422, "x"))
        await asyncio.sleep(0)
        now = 100
        assert jobs.find(old.id) is old
        assert old.ticket.examples == ()  # its texts are forgotten before
        now = 101
        with pytest.raises(HttpError):
            jobs.find(old.id)
        assert jobs.find(other.id) is other  # not finished yet

    in_a_loop(check())


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_texts_of_strangers_stay_texts(client: TestClient, payload: str) -> None:
    text = payload.encode("utf-8", "replace").decode()

    def structure(text: str) -> set[tuple[str, frozenset[str]]]:
        row = {"id": f"i{text}", "context": f"c{text}", "references": [f"r{text}"], "candidate": f"t{text}"}
        job = start(client, {"items": [row], "explain": True, "watch": True})
        assert events(client, job)[-1][0] == "done"
        answer = client.get(f"/v1/jobs/{job}/explanation")
        assert "script-src" not in answer.headers["content-security-policy"]
        for path in ("", "/result", "/result?format=csv", "/result?format=jsonl"):
            assert "html" not in client.get(f"/v1/jobs/{job}{path}").headers["content-type"]
        return {(tag, frozenset(attributes)) for tag, attributes in Page(answer.text).tags}

    assert structure(text) == structure("x")
    answer = client.post("/v1/jobs", params={"name": text}, content=text.encode(), headers=CSV)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/json"


def test_rows_are_sorted_searched_and_listed_by_the_page(client: TestClient) -> None:
    rows = [{"id": f"r{i}", "context": "c", "candidate": "x" * (i % 7), "reference": "r"} for i in range(50)]
    body = "".join(json.dumps(row) + "\n" for row in rows)
    job = client.post("/v1/jobs", content=body.encode(), headers=JSONL).json()["id"]
    assert events(client, job)[-1][0] == "done"

    def ask(**query: object) -> dict[str, Any]:
        answer: dict[str, Any] = client.get(f"/v1/jobs/{job}/rows", params=query).json()  # type: ignore[arg-type]
        return answer

    page = ask(offset=10, count=5)
    assert (page["rows"], page["fitting"]) == (50, 50)
    assert [row["number"] for row in page["page"]] == [10, 11, 12, 13, 14]
    for descending in (True, False):
        scores = [row["scores"]["mars"] for row in ask(sort="mars", descending=descending)["page"]]
        defined = [score for score in scores if score is not None]
        assert defined == sorted(defined, reverse=descending)
        assert scores[len(defined) :] == [None] * 8  # empty candidates come last, whichever way
    assert [row["id"] for row in ask(sort="id")["page"]] == sorted(f"r{i}" for i in range(50))
    assert [row["id"] for row in ask(search="R4 xxxxx")["page"]] == ["r40", "r41", "r47", "r48"]
    assert ask(flag="empty_candidate")["fitting"] == 0
    assert client.get(f"/v1/jobs/{job}/rows?count=501").status_code == 422


def test_rows_are_there_before_their_scores(client: TestClient, service: FakeService) -> None:
    service.open.clear()
    body = b'{"candidate": "one", "reference": "r"}\n{"candidate": "two", "reference": "r"}\n'
    job = client.post("/v1/jobs", content=body, headers=JSONL).json()["id"]
    page = client.get(f"/v1/jobs/{job}/rows").json()["page"]
    assert [(row["candidate"], row["scores"]) for row in page] == [("one", None), ("two", None)]
    assert client.get(f"/v1/jobs/{job}/rows/0/explanation").status_code == 409
    service.open.set()
    assert events(client, job)[-1][0] == "done"


def test_a_row_is_explained_beside_the_others_of_its_item(client: TestClient, service: FakeService) -> None:
    rows = [
        {"id": f"r{i}", "context": f"c{i % 2}", "candidate": f"text {i}", "reference": "r"} for i in range(6)
    ]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    job = client.post("/v1/jobs?metrics=bleu1", content=body, headers=JSONL).json()["id"]
    assert events(client, job)[-1][0] == "done"
    answer = client.get(f"/v1/jobs/{job}/rows/3/explanation")
    assert answer.status_code == 200
    assert service.batches[-1] == ["r3", "r1", "r5"]
    assert service.settings[-1].metrics == ("mars", "bleu1")
    assert "text 3" in answer.text
    assert client.get(f"/v1/jobs/{job}/rows/6/explanation").status_code == 404


def test_texts_are_let_go_when_there_are_too_many() -> None:
    service = FakeService()
    limits = replace(SMALL, kept_texts=100)
    app = make_server(service, token=None, hosts=("testserver",), limits=limits)
    body = json.dumps({"candidate": "x" * 80, "reference": "r"}).encode()
    with TestClient(app) as client:
        jobs = []
        for _ in range(2):
            jobs.append(client.post("/v1/jobs", content=body, headers=JSONL).json()["id"])
            assert events(client, jobs[-1])[-1][0] == "done"
        answer = client.get(f"/v1/jobs/{jobs[0]}/rows")
        assert (answer.status_code, answer.json()["error"]["remedy"]) == (410, "upload the file again")
        assert client.get(f"/v1/jobs/{jobs[0]}/result").status_code == 200
        assert client.get(f"/v1/jobs/{jobs[1]}/rows").json()["fitting"] == 1


def test_a_page_is_not_told_of_the_command_line(client: TestClient) -> None:
    for body in (b'{"prediction": "c", "target": "r"}', b'{"foo": "c"}', b"foo,bar\n1,2\n"):
        headers = JSONL if body.startswith(b"{") else CSV
        remedy = client.post("/v1/jobs", content=body, headers=headers).json()["error"]["remedy"]
        assert "rename it in the file" in remedy.lower()
        assert "--" not in remedy
        assert "Python" not in remedy
