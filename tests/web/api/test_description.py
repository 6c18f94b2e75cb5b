"""Whatever the description allows is answered as it says, and nothing makes the server fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from starlette.testclient import TestClient

from mars_score.web.api.app import make_server
from tests.web.api.fake import FakeService
from tests.web.api.test_jobs import ITEM, events

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
EXAMPLES = 12


@schemathesis.serializer("application/x-ndjson", "text/csv", "text/tab-separated-values")
def as_text(context: Any, value: Any) -> bytes:
    """A file is any text."""
    return str(value).encode("utf-8", "replace")


app = make_server(FakeService(), token=None, hosts=())


async def asked(scope: Any, receive: Any, send: Any) -> None:
    """The application, which is started once for all; schemathesis would start and stop it with every request."""
    if scope["type"] != "lifespan":
        await app(scope, receive, send)
        return
    for step in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{step}.complete"})


schema = schemathesis.openapi.from_asgi("/openapi.json", asked)


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[TestClient]:
    """Start the application."""
    with TestClient(app) as client:
        yield client


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_answers_conform(case: Any) -> None:
    case.call_and_validate(checks=CHECKS)


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/v1/jobs/{job_id}", "GET"),
        ("/v1/jobs/{job_id}/result", "GET"),
        ("/v1/jobs/{job_id}/events", "GET"),
        ("/v1/jobs/{job_id}/explanation", "GET"),
        ("/v1/jobs/{job_id}", "DELETE"),
    ],
)
def test_answers_about_a_job_conform(running: TestClient, path: str, method: str) -> None:
    body = {"items": [ITEM], "explain": True, "watch": True}
    job = running.post("/v1/jobs", json=body).json()["id"]
    assert events(running, job)[-1][0] == "done"
    case = schema[path][method].Case(path_parameters={"job_id": job})
    response = case.call()
    assert response.status_code < 300
    case.validate_response(response, checks=CHECKS[:-2])
