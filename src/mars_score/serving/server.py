"""The server, put together."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mars_score.http.app import make_app
from mars_score.serving.api import add_api
from mars_score.serving.job_routes import add_jobs
from mars_score.serving.jobs import Jobs
from mars_score.serving.limits import Limits
from mars_score.serving.pace import Pace
from mars_score.serving.playground import add_playground
from mars_score.serving.queue import Queue
from mars_score.serving.room import Room
from mars_score.serving.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

    from mars_score.serving.scorers import Service

TITLE = "mars-score"
DESCRIPTION = """MARS says how good a generated text is in its context.
Texts go in, scores come out; what a score depends on is in its signature. Errors have a message and a remedy."""
LOOK = 0.05
LINGER = 2.0
"""Seconds in which whoever follows a job that was finished last can fetch its result."""
LAST_BATCH = 10.0


def make_server(
    service: Service, *, token: str | None, hosts: tuple[str, ...], limits: Limits | None = None
) -> FastAPI:
    """Return the application; the worker starts with it."""
    limits, pace = limits or Limits(), Pace()
    queue = Queue(limits, pace)
    worker, jobs = Worker(service, queue, pace), Jobs(limits, queue)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        worker.start()
        yield
        queue.abandon()
        await asyncio.to_thread(worker.join, LAST_BATCH)

    app = make_app(
        TITLE,
        DESCRIPTION,
        token=token,
        hosts=hosts,
        limit=limits.body,
        budget=limits.bodies,
        lifespan=lifespan,
    )
    room = Room(service, limits, queue, worker, jobs, app.state.stopping)
    app.state.room = room

    async def finish() -> None:
        followed = [job for job in jobs if job.ended is None and job.watchers]
        queue.close()
        while not worker.ended.is_set():
            await asyncio.sleep(LOOK)
        if any(job.ticket.state == "done" for job in followed):
            await asyncio.sleep(LINGER)

    app.state.stopping.before(finish)
    add_api(app, room)
    add_jobs(app, room)
    add_playground(app, room)
    return app
