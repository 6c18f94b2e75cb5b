"""How much a server takes on. Beyond it a request is refused, and the answer says what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """All bounds in one place."""

    body: int = 16 << 20
    """Bytes of a request."""
    bodies: int = 64 << 20
    """Bytes of all requests that are in memory; small ones are taken all the same."""
    text: int = 100_000
    """Characters of one text."""
    references: int = 32
    """References of one row."""
    rows: int = 1_000
    """Rows of a request that waits for its answer."""
    job_rows: int = 20_000
    """Rows of a job."""
    explained: int = 50
    """Rows of a request that wants explanations."""
    queue_rows: int = 40_000
    """Rows that wait."""
    queue_requests: int = 128
    """Requests that wait, or are being worked on."""
    jobs: int = 64
    """Jobs that are kept, finished ones included."""
    kept_rows: int = 200_000
    """Rows of all jobs that are kept: some hundred megabytes at most."""
    job_age: float = 3600.0
    """Seconds that a finished job is kept."""
