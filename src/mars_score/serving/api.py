"""The interface for programs: score, augment, and what there is to choose from."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Body, FastAPI, Request
from starlette.responses import JSONResponse, Response

from mars_score.http.app import refusal
from mars_score.metrics.registry import METRICS
from mars_score.serving import answers
from mars_score.serving.items import examples_of, settings_of
from mars_score.serving.schemas import (
    AugmentAnswer,
    AugmentRequest,
    Health,
    MetricInfo,
    MetricsAnswer,
    PresetInfo,
    PresetsAnswer,
    ScoreAnswer,
    ScoreRequest,
)
from mars_score.serving.waiting import GoneError, finished

if TYPE_CHECKING:
    from mars_score.serving.room import Room
    from mars_score.serving.settings import Settings
    from mars_score.types import Example

CLIENT_GONE = 499
Responses = dict[int | str, dict[str, Any]]
BUSY: Responses = {
    429: refusal("Too many requests are waiting; the header Retry-After says when to try again.")
}


def add_api(app: FastAPI, room: Room) -> None:
    """Add the routes."""
    limits = room.limits

    async def work(request: Request, settings: Settings, examples: list[Example], kind: str) -> Response:
        ticket = room.ticket(settings, examples)
        try:
            await finished(request, ticket, room.queue)
        except GoneError:
            return Response(status_code=CLIENT_GONE)  # nobody reads it
        return JSONResponse(answers.scores(ticket) if kind == "score" else answers.augmentations(ticket))

    @app.post("/v1/score", response_model=ScoreAnswer, responses=BUSY, tags=["scores"], summary="Score rows")
    async def score(request: Request, body: Annotated[ScoreRequest, Body()]) -> Response:
        """Score every row with every metric that is named.

        Scores are the library's and the command line's to the last bit. For more rows than one answer should
        wait for, or to follow the progress, POST /v1/jobs.
        """
        settings = settings_of(room.service.presets, body.preset, body.metrics, explain=body.explain)
        most = limits.explained if body.explain else limits.rows
        return await work(request, settings, examples_of(body.items, limits, most), "score")

    @app.post(
        "/v1/augment",
        response_model=AugmentAnswer,
        responses=BUSY,
        tags=["scores"],
        summary="Augment references",
    )
    async def augment(request: Request, body: Annotated[AugmentRequest, Body()]) -> Response:
        """Mask every reference at every ratio and fill the blanks in the light of its context."""
        settings = replace(settings_of(room.service.presets, body.preset), kind="augment")
        return await work(request, settings, examples_of(body.items, limits, limits.rows), "augment")

    @app.get("/v1/metrics", tags=["choices"], summary="List the metrics")
    async def metrics() -> MetricsAnswer:
        """Name every metric, with what it reads and what it is made of."""
        return MetricsAnswer(
            metrics=[
                MetricInfo(
                    name=name,
                    summary=entry.summary,
                    inputs=entry.inputs,
                    models=entry.models,
                    higher_is_better=entry.higher_is_better,
                )
                for name, entry in METRICS.items()
            ]
        )

    @app.get("/v1/presets", tags=["choices"], summary="List the presets")
    async def presets() -> PresetsAnswer:
        """Name every preset that needs no other models than this server has."""
        return PresetsAnswer(
            presets=[
                PresetInfo(
                    name=name,
                    default=not place,
                    ratios=list(config.masking.ratios),
                    language_model=config.infilling.lm,
                    encoder=config.scoring.encoder,
                    q=config.scoring.q,
                )
                for place, (name, config) in enumerate(room.service.presets.items())
            ]
        )

    @app.get(
        "/healthz",
        response_model=Health,
        responses={
            503: {"model": Health, "description": "The models are not loaded, or the server is stopping."}
        },
        tags=["server"],
        summary="Tell whether the server is ready",
    )
    async def health() -> Response:
        """Ready means that the models are loaded. Needs no token."""
        ready = room.worker.ready.is_set()
        content = Health(
            status="stopping" if room.stopping.begun else "ready" if ready else "loading",
            requests=room.queue.requests,
            rows=room.queue.rows,
            message=room.worker.trouble,
        )
        code = HTTPStatus.OK if content.status == "ready" else HTTPStatus.SERVICE_UNAVAILABLE
        return JSONResponse(content.model_dump(), code)
