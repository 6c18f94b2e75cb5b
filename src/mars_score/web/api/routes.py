"""The interface for programs: score, augment, and what there is to choose from."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from mars_score.io.writers import DelimitedTable, json_line
from mars_score.metrics.registry import METRICS
from mars_score.run.work import augmented_content
from mars_score.types import ResultRow
from mars_score.web.api.jobs import GoneError, ServerState, State, finished
from mars_score.web.api.queue import AugmentedRow
from mars_score.web.api.requests import examples_of, settings_of
from mars_score.web.api.schemas import (
    AugmentAnswer,
    AugmentRequest,
    Health,
    MetricDescription,
    MetricsAnswer,
    PresetDescription,
    PresetsAnswer,
    ScoreAnswer,
    ScoreRequest,
)
from mars_score.web.app import refusal

if TYPE_CHECKING:
    from mars_score.types import Example
    from mars_score.web.api.queue import RequestSettings, Ticket


FORMATS = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
}


def scores(ticket: Ticket) -> dict[str, Any]:
    """The answer to a request for scores."""
    content: dict[str, Any] = {
        "preset": ticket.settings.preset,
        "signatures": ticket.signatures,
        "results": [
            {"id": row.id, "scores": row.numbers(), "flags": list(row.flags)} for row in _result_rows(ticket)
        ],
    }
    if ticket.settings.explain:
        from mars_score.web.explain.data import as_dict

        content["explanations"] = [as_dict(item) for item in ticket.explained]
    return content


def augmentations(ticket: Ticket) -> dict[str, Any]:
    """The answer to a request for augmented references."""
    return {
        "preset": ticket.settings.preset,
        "signatures": ticket.signatures,
        "results": [
            {"id": row.id, "references": [augmented_content(*reference) for reference in row.found]}
            for row in ticket.rows
            if isinstance(row, AugmentedRow)
        ],
    }


def download(ticket: Ticket, form: str) -> Response:
    """The scores of a job as a file, the same to the byte as the command line writes."""
    if form == "json":
        return JSONResponse(scores(ticket))
    render = json_line if form == "jsonl" else DelimitedTable(",")
    text = "".join(render(row) for row in _result_rows(ticket))
    named = {"Content-Disposition": f'attachment; filename="scores.{form}"'}
    return Response(text, headers=named, media_type=FORMATS[form])


def _result_rows(ticket: Ticket) -> list[ResultRow]:
    return [row for row in ticket.rows if isinstance(row, ResultRow)]


CLIENT_GONE = 499
Responses = dict[int | str, dict[str, Any]]
BUSY: Responses = {
    429: refusal("Too many requests are waiting; the header Retry-After says when to try again.")
}


router = APIRouter()


@router.post("/v1/score", response_model=ScoreAnswer, responses=BUSY, tags=["scores"], summary="Score rows")
async def score(request: Request, body: ScoreRequest, state: State) -> Response:
    """Score every row with every metric that is named.

    Scores are the library's and the command line's to the last bit. For more rows than one answer should
    wait for, or to follow the progress, POST /v1/jobs.
    """
    settings = settings_of(state.service.presets, body.preset, body.metrics, explain=body.explain)
    most = state.limits.explained if body.explain else state.limits.rows
    return await _work(request, state, settings, examples_of(body.items, state.limits, most))


@router.post(
    "/v1/augment", response_model=AugmentAnswer, responses=BUSY, tags=["scores"], summary="Augment references"
)
async def augment(request: Request, body: AugmentRequest, state: State) -> Response:
    """Mask every reference at every ratio and fill the blanks in the light of its context."""
    settings = replace(settings_of(state.service.presets, body.preset), kind="augment")
    return await _work(request, state, settings, examples_of(body.items, state.limits, state.limits.rows))


@router.get("/v1/metrics", tags=["choices"], summary="List the metrics")
async def metrics() -> MetricsAnswer:
    """Name every metric, with what it reads and what it is made of."""
    return MetricsAnswer(
        metrics=[
            MetricDescription(
                name=name,
                summary=entry.summary,
                inputs=entry.inputs,
                models=", ".join(entry.models),
                higher_is_better=entry.higher_is_better,
            )
            for name, entry in METRICS.items()
        ]
    )


@router.get("/v1/presets", tags=["choices"], summary="List the presets")
async def presets(state: State) -> PresetsAnswer:
    """Name every preset that needs no other models than this server has."""
    return PresetsAnswer(
        presets=[
            PresetDescription(
                name=name,
                default=not number,
                ratios=list(config.masking.ratios),
                language_model=config.infilling.lm,
                encoder=config.scoring.encoder,
                q=config.scoring.q,
            )
            for number, (name, config) in enumerate(state.service.presets.items())
        ]
    )


@router.get(
    "/healthz",
    response_model=Health,
    responses={
        503: {"model": Health, "description": "The models are not loaded, or the server is stopping."}
    },
    tags=["server"],
    summary="Tell whether the server is ready",
)
async def health(state: State) -> Response:
    """Ready means that the models are loaded. Needs no token."""
    ready = state.worker.ready.is_set()
    content = Health(
        status="stopping" if state.stopping.begun else "ready" if ready else "loading",
        requests=state.queue.requests,
        rows=state.queue.rows,
        message=state.worker.problem,
    )
    code = HTTPStatus.OK if content.status == "ready" else HTTPStatus.SERVICE_UNAVAILABLE
    return JSONResponse(content.model_dump(), code)


async def _work(
    request: Request, state: ServerState, settings: RequestSettings, examples: list[Example]
) -> Response:
    ticket = state.ticket(settings, examples)
    try:
        await finished(request, ticket, state.queue)
    except GoneError:
        return Response(status_code=CLIENT_GONE)  # nobody reads it
    return JSONResponse(scores(ticket) if settings.kind == "score" else augmentations(ticket))
