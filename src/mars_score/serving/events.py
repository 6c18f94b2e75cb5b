"""Server-sent events: how far a job is, as it goes on."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from mars_score.http.errors import HttpError, unexpected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mars_score.serving.jobs import Job

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
