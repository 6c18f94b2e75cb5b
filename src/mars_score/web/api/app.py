"""The server, put together; and the playground at /, with examples to click."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response  # noqa: TC002  (FastAPI reads the annotations)

from mars_score.io.html import HERE as COMMON
from mars_score.io.html import Assets, colours, environment, template_text
from mars_score.metrics.registry import METRICS
from mars_score.version import __version__
from mars_score.web.api import job_routes, routes
from mars_score.web.api.jobs import Jobs, ServerState, State
from mars_score.web.api.queue import Pace, Queue, ServerLimits
from mars_score.web.api.scorers import Worker
from mars_score.web.app import make_app
from mars_score.web.explain import page as explaining
from mars_score.web.explain.wording import listed
from mars_score.web.pages import page_response, policy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

    from mars_score.config import MarsConfig
    from mars_score.web.api.scorers import Service

HERE = "mars_score.web.api"
FILES = ("playground.css", "dom.js", "follow.js", "templates.js", "try.js", "upload.js")
BESIDE = {"bertscore": "", "rougeL": "rouge_score", "chrf": "sacrebleu", "bleu4": "sacrebleu"}
"""Metrics that can stand beside MARS on the page, and the package that each needs beyond those of MARS."""
ADDED = {
    "relevance": "closeness to the context", "fluency": "words out of place", "copying": "copies of the context",
    "echo": "repeating the context", "likelihood": "how expected the text is",
    "unlikely": "words nobody expects, or copied",
    "facts": "facts that nothing bears out",
}  # fmt: skip
TITLE = "mars-score"
DESCRIPTION = """MARS says how good a generated text is in its context.
Texts go in, scores come out; what a score depends on is in its signature. Errors have a message and a remedy."""
LOOK = 0.05
LINGER = 2.0
"""Seconds in which whoever follows a job that was finished last can fetch its result."""
LAST_BATCH = 10.0


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


SAMPLES = tuple(Sample(**sample) for sample in json.loads(template_text(HERE, "samples.json")))

playground = APIRouter(include_in_schema=False)


@playground.get("/")
async def show_playground(state: State) -> Response:
    """Show the page: try a text, see how its score comes about, or score a file."""
    assets = page_assets()
    html = (
        environment(HERE)
        .get_template("playground.html.j2")
        .render(
            assets=assets,
            policy=policy(assets),
            version=__version__,
            presets={name: describe(config) for name, config in state.service.presets.items()},
            beside={name: METRICS[name].summary for name, needed in BESIDE.items() if _installed(needed)},
            limits=state.limits,
            samples=SAMPLES,
        )
    )
    return page_response(html, assets)


def _installed(package: str) -> bool:
    return not package or find_spec(package) is not None


def describe(config: MarsConfig) -> str:
    """Say in a sentence what a preset compares and adds, from its settings."""
    ratios, scoring = [ratio for ratio in config.masking.ratios if ratio], config.scoring
    variants = f"the reference and its variants at {', '.join(f'{ratio:.0%}' for ratio in ratios)}"
    compared = variants if ratios else "the reference"
    words = f", and for {scoring.words:.0%} the match of single words" if scoring.words else ""
    added = [told for name, told in ADDED.items() if getattr(scoring, name, 0)]
    rest = f" Then it counts {listed(added)}." if added else " Nothing else counts: the paper's formula."
    return f"Compares the meaning with {compared}{words}.{rest}"


@cache
def page_assets() -> Assets:
    """Our style and script, with those of the explanations."""
    names = [(explaining.HERE, name) for name in explaining.FILES] + [(HERE, name) for name in FILES]
    styles = [template_text(*name) for name in names if name[1].endswith(".css")]
    scripts = [template_text(*name) for name in names if name[1].endswith(".js")]
    return Assets(
        "\n".join([colours(), template_text(COMMON, "page.css"), *styles]),
        "\n".join([*scripts, template_text(COMMON, "theme.js")]),
    )


def make_server(
    service: Service, *, token: str | None, hosts: tuple[str, ...], limits: ServerLimits | None = None
) -> FastAPI:
    """Return the application; the worker starts with it."""
    limits, pace = limits or ServerLimits(), Pace()
    queue = Queue(limits, pace)
    worker, jobs = Worker(service, queue, pace), Jobs(limits, queue)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        worker.start()
        yield
        queue.abandon()
        await asyncio.to_thread(worker.join, LAST_BATCH)

    async def finish() -> None:
        followed = [job for job in jobs if job.ended is None and job.watchers]
        queue.close()
        while not worker.ended.is_set():
            await asyncio.sleep(LOOK)
        if any(job.ticket.state == "done" for job in followed):
            await asyncio.sleep(LINGER)

    app = make_app(
        TITLE,
        DESCRIPTION,
        token=token,
        hosts=hosts,
        limit=limits.body,
        budget=limits.bodies,
        lifespan=lifespan,
    )
    app.state.stopping.before(finish)
    app.state.server = ServerState(service, limits, queue, worker, jobs, app.state.stopping)
    for router in (routes.router, job_routes.router, playground):
        app.include_router(router)
    return app
