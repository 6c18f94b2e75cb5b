"""Jobs over HTTP: start, follow, fetch, cancel."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from mars_score.web.api.requests import TYPES, examples_of, kind_of, read_upload, settings_of, shown_name
from mars_score.web.api.routes import BUSY, FORMATS, Responses, download
from mars_score.web.api.schemas import JobCreated, JobRequest, JobState, ScoreAnswer
from mars_score.web.app import refusal
from mars_score.web.errors import HttpError, unexpected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mars_score.types import Example
    from mars_score.web.api.jobs import Job
    from mars_score.web.api.queue import Settings
    from mars_score.web.api.state import ServerState


# Server-sent events: how far a job is, as it goes on.

SILENCE = 15.0
"""Seconds after which a sign of life is sent; so a client that has gone is noticed, too."""
APART = 0.05
"""Seconds between two looks: nobody reads faster."""


async def events(job: Job, after: int = 0) -> AsyncIterator[str]:
    """Yield events until the job is over. Those up to `after` have been received before a connection broke."""
    changed = asyncio.Event()
    job.watchers.add(changed)
    try:
        shown: dict[str, Any] = {}
        while True:
            changed.clear()
            # First the state, then what was told: whatever is told before the end is sent before the end.
            progress, over = job.progress(), job.ticket.over
            for event in job.ticket.told[after:]:
                after += 1
                yield _event(event["event"], event, after)
            if progress != shown:
                shown = progress
                yield _event("progress", progress)
            if over:
                yield _event(job.ticket.state, problem(job) if job.ticket.state == "failed" else progress)
                return
            await asyncio.sleep(APART)
            try:
                await asyncio.wait_for(changed.wait(), SILENCE)
            except asyncio.TimeoutError:
                yield ": still here\n\n"
    finally:
        job.watchers.discard(changed)


def failure(job: Job) -> HttpError:
    """Why a job failed."""
    return job.ticket.error if isinstance(job.ticket.error, HttpError) else unexpected()


def problem(job: Job) -> dict[str, str]:
    """Why a job failed, as data."""
    error = failure(job)
    return {"message": error.message, "remedy": error.remedy}


def _event(name: str, content: dict[str, Any], number: int | None = None) -> str:
    identity = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{identity}data: {json.dumps(content)}\n\n"


# Jobs over HTTP: start, follow, fetch, cancel.

JSON = "application/json"


def _schema() -> dict[str, Any]:
    """Describe the body; what is part of it, other routes describe."""
    schema = JobRequest.model_json_schema(ref_template="#/components/schemas/{model}")
    return {name: value for name, value in schema.items() if name != "$defs"}


UNKNOWN: Responses = {404: refusal("There is no such job, or not any more.")}
UNFINISHED: Responses = {409: refusal("The job is not finished.")}
FOREIGN: Responses = {415: refusal("The content type of the body is not one that the server reads.")}
EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["progress", "template", "filled", "done", "failed", "cancelled"]},
        "data": {"type": "string", "contentMediaType": JSON},
        "id": {"type": "string"},
    },
}
STREAM: Responses = {200: {"content": {"text/event-stream": {"schema": EVENT}}, "description": "Events."}}
FRAGMENT: Responses = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A piece of a page."}
}
SAMPLE = '{"candidate": "A tree fell.", "references": ["A storm broke the oak."], "context": "It blew all night."}\n'
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": _schema()},
            **{
                kind: {"schema": {"type": "string"}, **({"example": SAMPLE} if form == "jsonl" else {})}
                for kind, form in TYPES.items()
            },
        },
    }
}


def add_jobs(app: FastAPI, room: ServerState) -> None:
    """Add the routes."""

    @app.post(
        "/v1/jobs",
        status_code=201,
        response_model=JobCreated,
        responses={**BUSY, **FOREIGN},
        openapi_extra=BODY,
        tags=["jobs"],
        summary="Start a job",
    )
    async def start(
        request: Request,
        preset: Annotated[str | None, Query(description="For a file; JSON says it in the body.")] = None,
        metrics: Annotated[str, Query(description="For a file: names separated by commas.")] = "mars",
        name: Annotated[str, Query(description="The file's name, for messages only.")] = "",
    ) -> Response:
        """Score rows in the background: JSON as for /v1/score, or the bytes of a file of rows.

        A file has one row a line (JSON lines) or below a header (CSV, TSV), as for the command line: id, context,
        candidate, reference or references. A bad row is named by its line.
        """
        body, content_type = await request.body(), request.headers.get("content-type", "")
        settings: Settings
        if content_type.partition(";")[0].strip().lower() == JSON:
            name = ""
            settings, examples = _from_json(body, room)
        else:
            kind = kind_of(content_type)
            name = shown_name(name, kind)
            settings = settings_of(room.service.presets, preset, _names(metrics))
            # Off the loop: a large file takes a while to read.
            examples = await run_in_threadpool(read_upload, body, kind, name, room.limits)
        job = room.jobs.add(room.ticket(settings, examples), name)
        return JSONResponse({"id": job.id, "rows": job.rows}, 201)

    @app.get("/v1/jobs/{job_id}", responses=UNKNOWN, tags=["jobs"], summary="See how far a job is")
    async def state(job_id: str) -> JobState:
        """Numbers, and the first rows that are done."""
        return JobState(**room.jobs.find(job_id).state())

    @app.get(
        "/v1/jobs/{job_id}/events",
        response_class=StreamingResponse,
        responses={**UNKNOWN, **STREAM},
        tags=["jobs"],
        summary="Follow a job",
    )
    async def follow(
        job_id: str,
        last_event_id: Annotated[str, Header(description="The last event that was received.")] = "",
    ) -> Response:
        """Server-sent events: `progress` as in the job's state; with watch, `template` and `filled`.

        The last event is `done`, `failed` (with message and remedy) or `cancelled`.
        """
        job = room.jobs.find(job_id)
        after = int(last_event_id) if last_event_id.isascii() and last_event_id.isdecimal() else 0
        return StreamingResponse(events(job, after), media_type="text/event-stream")

    @app.get(
        "/v1/jobs/{job_id}/result",
        response_model=ScoreAnswer,
        responses={
            **UNKNOWN,
            **UNFINISHED,
            200: {
                "content": {
                    kind.partition(";")[0]: {"schema": {"type": "string"}}
                    for form, kind in FORMATS.items()
                    if form != "json"
                }
            },
        },
        tags=["jobs"],
        summary="Fetch the result",
    )
    async def result(
        job_id: str,
        format: Annotated[Literal["json", "jsonl", "csv"], Query(description="JSON, or a file.")] = "json",
    ) -> Response:
        """As /v1/score answers; or as the file that the command line would write."""
        job = _done(room.jobs.find(job_id))
        return await run_in_threadpool(download, job.ticket, format)

    @app.get(
        "/v1/jobs/{job_id}/explanation",
        response_class=Response,
        responses={**UNKNOWN, **UNFINISHED, **FRAGMENT},
        tags=["jobs"],
        summary="Fetch the explanation",
    )
    async def explanation(job_id: str) -> Response:
        """The piece of a page that the playground shows; every text in it is escaped."""
        from mars_score.web.explain.page import fragment

        job = _done(room.jobs.find(job_id))
        if not job.ticket.settings.explain:
            raise HttpError(
                409, "this job was not asked to explain its scores", "start it with explain: true"
            )
        return HTMLResponse(await run_in_threadpool(fragment, job.ticket.explained))

    @app.delete(
        "/v1/jobs/{job_id}",
        status_code=204,
        response_class=Response,
        responses=UNKNOWN,
        tags=["jobs"],
        summary="Cancel a job",
    )
    async def cancel(job_id: str) -> Response:
        """Rows that are not computed yet never will be; the result is forgotten."""
        room.jobs.remove(job_id)
        return Response(status_code=204)


def _from_json(body: bytes, room: ServerState) -> tuple[Settings, list[Example]]:
    limits = room.limits
    try:
        asked = JobRequest.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_context=False)) from error
    settings = settings_of(
        room.service.presets, asked.preset, asked.metrics, explain=asked.explain, watch=asked.watch
    )
    most = limits.explained if asked.explain or asked.watch else limits.job_rows
    return settings, examples_of(asked.items, limits, most)


def _names(metrics: str) -> list[str]:
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    if not names:
        raise HttpError(422, "metrics: no metric is named", "GET /v1/metrics lists them")
    return names


def _done(job: Job) -> Job:
    if job.ticket.state == "failed":
        raise failure(job)
    if job.ticket.state != "done":
        raise HttpError(
            409,
            f"the job is {job.ticket.state}: {len(job.ticket.rows)} of {job.rows} rows are done",
            f"follow it at /v1/jobs/{job.id}/events",
        )
    return job
