"""Jobs over HTTP: start, follow by server-sent events, fetch, cancel."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from mars_score.web.api.jobs import GoneError, ServerJob, ServerState, State, finished
from mars_score.web.api.requests import TYPES, examples_of, kind_of, read_upload, settings_of, shown_name
from mars_score.web.api.routes import BUSY, CLIENT_GONE, FORMATS, Responses, download
from mars_score.web.api.schemas import JobCreated, JobRequest, JobRows, JobState, ScoreAnswer
from mars_score.web.app import refusal
from mars_score.web.errors import HttpError, unexpected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mars_score.types import Example
    from mars_score.web.api.queue import RequestSettings

SILENCE = 15.0
"""Seconds after which a sign of life is sent; so a client that has gone is noticed, too."""
APART = 0.05
"""Seconds between two looks: nobody reads faster."""
JSON = "application/json"

UNKNOWN: Responses = {404: refusal("There is no such job, or not any more.")}
GONE: Responses = {410: refusal("The texts of the job are not kept any more.")}
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
FILE: Responses = {
    200: {
        "content": {
            kind.partition(";")[0]: {"schema": {"type": "string"}}
            for form, kind in FORMATS.items()
            if form != "json"
        }
    }
}
SAMPLE = '{"candidate": "A tree fell.", "references": ["A storm broke the oak."], "context": "It blew all night."}\n'


def _body() -> dict[str, Any]:
    """Describe the body of a new job; what is part of its JSON, other routes describe."""
    schema = JobRequest.model_json_schema(ref_template="#/components/schemas/{model}")
    content: dict[str, Any] = {kind: {"schema": {"type": "string"}} for kind in TYPES}
    content["application/x-ndjson"]["example"] = SAMPLE
    schema.pop("$defs")
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}, **content}}}


async def find_job(job_id: str, state: State) -> ServerJob:
    """Return the job that a path names."""
    return state.jobs.find(job_id)


FoundJob = Annotated[ServerJob, Depends(find_job)]


async def done_job(job: FoundJob) -> ServerJob:
    """Return the job that a path names, if it has a result."""
    if job.ticket.state == "failed":
        raise failure(job)
    if job.ticket.state != "done":
        raise HttpError(
            409,
            f"the job is {job.ticket.state}: {len(job.ticket.rows)} of {job.rows} rows are done",
            f"follow it at /v1/jobs/{job.id}/events",
        )
    return job


DoneJob = Annotated[ServerJob, Depends(done_job)]

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


@router.post(
    "",
    status_code=201,
    response_model=JobCreated,
    responses={**BUSY, **FOREIGN},
    openapi_extra=_body(),
    summary="Start a job",
)
async def start(
    request: Request,
    state: State,
    preset: Annotated[str | None, Query(description="For a file; JSON says it in the body.")] = None,
    metrics: Annotated[str, Query(description="For a file: names separated by commas.")] = "mars",
    name: Annotated[str, Query(description="The file's name, for messages only.")] = "",
) -> Response:
    """Score rows in the background: JSON as for /v1/score, or the bytes of a file of rows.

    A file has one row a line (JSON lines) or below a header (CSV, TSV), as for the command line: id, context,
    candidate, reference or references. A bad row is named by its line.
    """
    body, content_type = await request.body(), request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() == JSON:
        name = ""
        settings, examples = _from_json(body, state)
    else:
        kind = kind_of(content_type)
        name = shown_name(name, kind)
        names = [metric.strip() for metric in metrics.split(",") if metric.strip()]
        if not names:
            raise HttpError(422, "metrics: no metric is named", "GET /v1/metrics lists them")
        settings = settings_of(state.service.presets, preset, names)
        # Off the loop: a large file takes a while to read.
        examples = await run_in_threadpool(read_upload, body, kind, name, state.limits)
    job = state.jobs.add(state.ticket(settings, examples), name)
    return JSONResponse({"id": job.id, "rows": job.rows}, 201)


@router.get("/{job_id}", responses=UNKNOWN, summary="See how far a job is")
async def state(job: FoundJob) -> JobState:
    """Numbers only; the rows are at /v1/jobs/{job_id}/rows."""
    return JobState(**job.state())


@router.get(
    "/{job_id}/events",
    response_class=StreamingResponse,
    responses={**UNKNOWN, **STREAM},
    summary="Follow a job",
)
async def follow(
    job: FoundJob, last_event_id: Annotated[str, Header(description="The last event that was received.")] = ""
) -> Response:
    """Server-sent events: `progress` as in the job's state; with watch, `template` and `filled`.

    The last event is `done`, `failed` (with message and remedy) or `cancelled`.
    """
    after = int(last_event_id) if last_event_id.isascii() and last_event_id.isdecimal() else 0
    return StreamingResponse(events(job, after), media_type="text/event-stream")


@router.get(
    "/{job_id}/result",
    response_model=ScoreAnswer,
    responses={**UNKNOWN, **UNFINISHED, **FILE},
    summary="Fetch the result",
)
async def result(
    job: DoneJob,
    format: Annotated[Literal["json", "jsonl", "csv"], Query(description="JSON, or a file.")] = "json",
) -> Response:
    """As /v1/score answers; or as the file that the command line would write."""
    return await run_in_threadpool(download, job.ticket, format)


@router.get(
    "/{job_id}/explanation",
    response_class=Response,
    responses={**UNKNOWN, **UNFINISHED, **FRAGMENT},
    summary="Fetch the explanation",
)
async def explanation(job: DoneJob) -> Response:
    """The piece of a page that the playground shows; every text in it is escaped."""
    from mars_score.web.explain.page import fragment

    if not job.ticket.settings.explain:
        raise HttpError(409, "this job was not asked to explain its scores", "start it with explain: true")
    return HTMLResponse(await run_in_threadpool(fragment, job.ticket.explained))


@router.get("/{job_id}/rows", responses={**UNKNOWN, **GONE}, summary="List rows")
async def rows(
    job: FoundJob,
    sort: Annotated[str, Query(description="`id` or a metric; by default the order of the file.")] = "",
    descending: bool = False,
    search: Annotated[str, Query(description="Words that id or candidate must have.")] = "",
    flag: Annotated[str, Query(description="A flag that rows must have.")] = "",
    offset: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JobRows:
    """Rows from the moment that the file was read, with their scores as soon as they are known."""
    asked = {"sort": sort, "descending": descending, "search": search, "flag": flag}
    return JobRows(**await run_in_threadpool(job.list_rows, **asked, offset=offset, count=count))  # type: ignore[arg-type]


@router.get(
    "/{job_id}/rows/{number}/explanation",
    response_class=Response,
    responses={**UNKNOWN, **UNFINISHED, **GONE, **FRAGMENT, **BUSY},
    summary="Explain a row",
)
async def explain_row(request: Request, job: DoneJob, number: int, state: State) -> Response:
    """The row beside the other candidates of its context and references, as a piece of a page."""
    from mars_score.web.explain.page import fragment

    settings = job.ticket.settings
    if state.service.presets[settings.preset].masking.idf == "corpus":
        raise HttpError(
            409, "scores of this preset depend on all rows of a file", "start a job with explain: true"
        )
    metrics = tuple(dict.fromkeys(("mars", *settings.metrics)))
    examples = job.same_item(number, state.limits.explained)
    ticket = state.ticket(replace(settings, metrics=metrics, explain=True), examples)
    try:
        await finished(request, ticket, state.queue)
    except GoneError:
        return Response(status_code=CLIENT_GONE)  # nobody reads it
    return HTMLResponse(await run_in_threadpool(fragment, ticket.explained))


@router.delete(
    "/{job_id}", status_code=204, response_class=Response, responses=UNKNOWN, summary="Cancel a job"
)
async def cancel(job: FoundJob, state: State) -> Response:
    """Rows that are not computed yet never will be; the result is forgotten."""
    state.jobs.remove(job.id)
    return Response(status_code=204)


def _from_json(body: bytes, state: ServerState) -> tuple[RequestSettings, list[Example]]:
    try:
        asked = JobRequest.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_context=False)) from error
    settings = settings_of(
        state.service.presets, asked.preset, asked.metrics, explain=asked.explain, watch=asked.watch
    )
    most = state.limits.explained if asked.explain or asked.watch else state.limits.job_rows
    return settings, examples_of(asked.items, state.limits, most)


async def events(job: ServerJob, after: int = 0) -> AsyncIterator[str]:
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


def failure(job: ServerJob) -> HttpError:
    """Why a job failed."""
    return job.ticket.error if isinstance(job.ticket.error, HttpError) else unexpected()


def problem(job: ServerJob) -> dict[str, str]:
    """Why a job failed, as data."""
    error = failure(job)
    return {"message": error.message, "remedy": error.remedy}


def _event(name: str, content: dict[str, Any], number: int | None = None) -> str:
    identity = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{identity}data: {json.dumps(content)}\n\n"
