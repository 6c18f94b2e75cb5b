from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from mars_score.web.api.app import make_server
from mars_score.web.api.queue import ServerLimits
from tests.web.api.fake import FakeService

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

SMALL = ServerLimits(
    body=20_000,
    text=500,
    references=3,
    rows=20,
    job_rows=50,
    explained=5,
    queue_rows=60,
    queue_requests=4,
    jobs=3,
)


@pytest.fixture
def service() -> Iterator[FakeService]:
    service = FakeService()
    yield service
    service.open.set()


@pytest.fixture
def app(service: FakeService) -> FastAPI:
    return make_server(service, token=None, hosts=("testserver", "127.0.0.1"), limits=SMALL)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client
