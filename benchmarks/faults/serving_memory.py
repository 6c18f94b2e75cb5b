"""The memory of a server with its models over minutes of load, from another process.

    python -m benchmarks.faults.serving_memory [MINUTES]

serving_memory_minute    what a minute of load left: bytes in memory, threads, answers by kind
serving_memory           memory in the last quarter of the time / in the second quarter

Three kinds of clients at once: 32 that score one row a request, no candidate twice; one that asks about references
that nobody has augmented before, so that the language model works too; one that uploads a file of 200 rows, fetches
the scores and deletes the job. In the first ten seconds of each minute 200 more come. 10 minutes by default.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from benchmarks.serving import load, memory, server, unseen
from benchmarks.texts import candidates, stories
from benchmarks.timing import report
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator

MINUTES = 10.0
CLIENTS, CROWD, CROWD_SECONDS = 32, 200, 10.0
KNOWN, SYSTEMS = 8, 8
UPLOADED = 200
GOAL = 1.05
WAIT = 600.0
"""Seconds that a client waits for an answer: new references take long where a machine has much else to do."""


def main(minutes: float = MINUTES) -> None:
    """Print a line for each minute, and the ratio."""
    pairs = stories(KNOWN)
    rows = [
        Example(f"{number}.{system}", text, (pair.reference,), pair.context)
        for number, pair in enumerate(pairs)
        for system, text in enumerate(candidates(pair, SYSTEMS))
    ]
    endless = unseen(rows)
    with tempfile.TemporaryDirectory() as folder, server(cache=Path(folder)) as (port, pid):
        ended = threading.Event()
        others = Counter[str]()
        threads = [
            threading.Thread(target=work, args=(port, ended, others), daemon=True)
            for work in (_new_references, _uploads)
        ]
        samples: list[int] = []
        sampler = threading.Thread(target=_sample, args=(pid, ended, samples), daemon=True)
        sampler.start()
        asyncio.run(load(port, unseen(rows), 1, 20.0))  # the first requests augment the references
        for thread in threads:
            thread.start()
        samples.clear()
        by_minute: list[list[int]] = []
        for minute in range(1, round(minutes) + 1):
            begun = len(samples)
            crowd = asyncio.run(load(port, endless, CLIENTS + CROWD, CROWD_SECONDS))
            usual = asyncio.run(load(port, endless, CLIENTS, max(0.0, 60.0 - crowd.seconds)))
            statuses = crowd.statuses + usual.statuses
            by_minute.append(samples[begun:])
            now = by_minute[-1]
            report(
                "serving_memory_minute",
                statistics.median(now) / statistics.median(by_minute[0]),
                minute=minute,
                median_mb=statistics.median(now) / 2**20,
                peak_mb=max(now) / 2**20,
                threads=len(list(Path(f"/proc/{pid}/task").iterdir())),
                answered=statuses[200],
                refused=statuses[429],
                other=statuses.total() - statuses[200] - statuses[429],
                new_references=others["references"],
                uploads=others["uploads"],
                failures=others["failures"],
            )
        ended.set()
        for thread in [*threads, sampler]:
            thread.join(60)
        if not (others["references"] and others["uploads"]):
            sys.exit("a client was never answered, so this was not the load that was to be measured")
        quarter = max(1, len(by_minute) // 4)
        early = list(itertools.chain(*by_minute[quarter : 2 * quarter] or by_minute[:1]))
        late = list(itertools.chain(*by_minute[-quarter:]))
        report(
            "serving_memory",
            statistics.median(late) / statistics.median(early),
            at_most=GOAL,
            early_mb=statistics.median(early) / 2**20,
            late_mb=statistics.median(late) / 2**20,
            peak_mb=max(samples) / 2**20,
            minutes=len(by_minute),
        )


def _sample(pid: int, ended: threading.Event, samples: list[int]) -> None:
    while not ended.wait(1.0):
        samples.append(memory(pid))


def _new_references(port: int, ended: threading.Event, counts: Counter[str]) -> None:
    """Ask about references that were never seen."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=WAIT, trust_env=False) as client:
        for number in itertools.count(1):
            for pair in stories(KNOWN):
                if ended.is_set():
                    return
                item = {
                    "context": pair.context, "references": [f"In year {number}, {pair.reference}"],
                    "candidate": candidates(pair, 1)[0],
                }  # fmt: skip
                answer = client.post("/v1/score", json={"items": [item]})
                counts["references"] += answer.status_code == 200
                counts["failures"] += answer.status_code not in (200, 429)
                ended.wait(2.0)


def _uploads(port: int, ended: threading.Event, counts: Counter[str]) -> None:
    """Upload a file, wait for its scores, fetch them, forget them."""
    rows = _numbered()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=WAIT, trust_env=False) as client:
        while not ended.is_set():
            body = "".join(
                json.dumps({"candidate": row.candidate, "references": row.references, "context": row.context})
                + "\n"
                for row in itertools.islice(rows, UPLOADED)
            )
            kind = {"Content-Type": "application/x-ndjson"}
            made = client.post("/v1/jobs", content=body.encode(), headers=kind)
            if made.status_code == 201:
                job = made.json()["id"]
                while not ended.is_set() and client.get(f"/v1/jobs/{job}").json()["state"] not in (
                    "done",
                    "failed",
                ):
                    time.sleep(0.5)
                if not ended.is_set():
                    fetched = client.get(f"/v1/jobs/{job}/result", params={"format": "csv"})
                    counts["uploads"] += fetched.status_code == 200
                    counts["failures"] += fetched.status_code != 200
                    client.delete(f"/v1/jobs/{job}")
            else:
                counts["failures"] += made.status_code != 429
            ended.wait(5.0)


def _numbered() -> Iterator[Example]:
    pairs = stories(KNOWN)
    for day in itertools.count(1):
        for number, pair in enumerate(pairs):
            for system, text in enumerate(candidates(pair, SYSTEMS)):
                row = Example(f"{day}.{number}.{system}", text, (pair.reference,), pair.context)
                yield replace(row, candidate=f"On evening {day}, {row.candidate}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
