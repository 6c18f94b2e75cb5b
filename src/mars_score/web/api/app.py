"""The server, put together; and the page at /, with examples to click."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

from starlette.responses import Response  # noqa: TC002  (FastAPI reads the annotations)

from mars_score.io.html import HERE as COMMON
from mars_score.io.html import Assets, colours, environment, template_text
from mars_score.version import __version__
from mars_score.web.api.job_routes import add_jobs
from mars_score.web.api.jobs import Jobs
from mars_score.web.api.queue import Limits, Pace, Queue
from mars_score.web.api.routes import add_api
from mars_score.web.api.state import ServerState
from mars_score.web.api.worker import Worker
from mars_score.web.app import make_app
from mars_score.web.pages import page_response, policy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

    from mars_score.web.api.scorers import Service


# Examples to click in the playground.


@dataclass(frozen=True, slots=True)
class Sample:
    """A context with references, and candidates from good to bad."""

    title: str
    preset: str
    context: str
    references: tuple[str, ...]
    candidates: tuple[str, ...]

    @property
    def data(self) -> str:
        """As the page's script reads it."""
        return json.dumps(asdict(self))


SAMPLES = (
    Sample(
        "End a story",
        "story",
        "Noor had promised her little brother a kite for his birthday. All week she glued paper and split bamboo in "
        "the shed. On the morning of the party the sky was blue, and not a leaf moved.",
        ("So they tied the kite to her bicycle, and it rose behind her as she pedalled down the lane.",),
        (
            "She pulled the kite behind her bike, and her brother cheered as it climbed into the still air.",
            "They waited on the hill until a breeze came up in the afternoon.",
            "The kite is a bird of prey with a forked tail.",
            "still air the climbed behind kite cheered her She brother bike pulled and it as into her the",
        ),
    ),
    Sample(
        "Answer a question",
        "qa",
        "The ferry to the island leaves at eight and at noon. In winter the noon boat only sails on weekends. Jonas "
        "arrived at the pier on a Wednesday in January, at half past ten.\n"
        "When can Jonas take the next ferry?",
        (
            "He has to wait until eight o'clock the next morning.",
            "Not before Thursday at eight, as the noon boat does not sail on a winter weekday.",
        ),
        (
            "At eight on Thursday morning.",
            "He can take the boat at noon.",
            "The ferry goes to the island.",
        ),
    ),
    Sample(
        "Sum up a report",
        "summary",
        "The council voted on Monday to close the riverside road to cars for a trial year. Shop owners had feared "
        "for their trade, but a survey among visitors showed that two in three come by tram or on foot. Delivery "
        "vans may still use the road before ten. Counters at both ends will record how many people pass, and the "
        "council wants to see the numbers before it decides for good.",
        (
            "The riverside road will be closed to cars for one year as a trial, and the council will decide about "
            "its future once it has counted visitors.",
        ),
        (
            "Cars are banned from the riverside road for a year, after which the council will decide on the basis of "
            "visitor numbers.",
            "Delivery vans may still use the road before ten.",
            "The council voted to widen the riverside road so that more cars can pass.",
        ),
    ),
)


# The page at /: try a text, see how its score comes about, or score a file.

HERE = "mars_score.web.api"
SCRIPTS = ("dom.js", "follow.js", "templates.js", "try.js", "upload.js")


def add_playground(app: FastAPI, room: ServerState) -> None:
    """Add the page."""

    @app.get("/", include_in_schema=False)
    async def playground() -> Response:
        own = page_assets()
        page = environment(HERE).get_template("playground.html.j2")
        return page_response(
            page.render(
                assets=own,
                policy=policy(own),
                version=__version__,
                presets=room.service.presets,
                limits=room.limits,
                samples=SAMPLES,
            ),
            own,
        )


@cache
def page_assets() -> Assets:
    """Our style and script, with those of the explanations."""
    from mars_score.web.explain import page as explaining

    styles = [name for name in explaining.FILES if name.endswith(".css")]
    scripts = [name for name in explaining.FILES if name.endswith(".js")]
    return Assets(
        "\n".join(
            [
                colours(),
                template_text(COMMON, "page.css"),
                *(template_text(explaining.HERE, name) for name in styles),
                template_text(HERE, "playground.css"),
            ]
        ),
        "\n".join(
            [
                *(template_text(explaining.HERE, name) for name in scripts),
                *(template_text(HERE, name) for name in SCRIPTS),
                template_text(COMMON, "theme.js"),
            ]
        ),
    )


# The server, put together.

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
    room = ServerState(service, limits, queue, worker, jobs, app.state.stopping)
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
