"""The server under load, from another process, with every reference augmented before.

    python -m benchmarks.serving [SECONDS]

serving_64_clients     rows a second of the server / of a loop that calls the library, one row a request
serving_errors         answers other than 200 in all of that
serving_200_clients    memory of the server after a crowd / before; everybody is answered with 200 or 429

Server and library take turns, three rounds of a third of the SECONDS each (60 by default). The crowd comes for a
sixth of that; whoever is refused comes back when the answer says. No candidate comes twice, as those that were
scored last are remembered.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.texts import candidates, stories
from benchmarks.timing import ROUNDS, report
from mars_score.mars.scorer import MarsScorer
from mars_score.storage.pack import pack_writer
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 60.0
CLIENTS, CROWD = 64, 200
REFERENCES, SYSTEMS = 8, 8
GOAL, MEMORY = 2.0, 1.25


@dataclass
class Load:
    """What clients met."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def percentile(self, share: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(seconds: float = SECONDS) -> None:
    """Print the ratios."""
    rows = [
        Example(f"{number}.{system}", text, (pair.reference,), pair.context)
        for number, pair in enumerate(stories(REFERENCES))
        for system, text in enumerate(candidates(pair, SYSTEMS))
    ]
    fresh = unseen(rows)
    with tempfile.TemporaryDirectory() as folder:
        scorer = MarsScorer()
        scorer.score_examples(rows)
        pack = os.path.join(folder, "references.marspack")
        with pack_writer(pack, scorer.pack_header) as writer:
            for pair, augmentation in scorer.augment_examples(rows).items():
                writer.add(pair, augmentation)
        with server("--pack", pack) as (port, pid):
            asyncio.run(load(port, fresh, CLIENTS, 2.0))
            total, alone = Load(), []
            for _ in range(ROUNDS):
                alone.append(_loop(scorer, fresh, seconds / ROUNDS))
                part = asyncio.run(load(port, fresh, CLIENTS, seconds / ROUNDS))
                total.seconds += part.seconds
                total.latencies += part.latencies
                total.statuses += part.statuses
            rate, library = total.statuses[200] / total.seconds, statistics.median(alone)
            report(
                "serving_64_clients",
                rate / library,
                at_least=GOAL,
                rows_a_second=rate,
                library_rows_a_second=library,
                p50_ms=total.percentile(0.5),
                p99_ms=total.percentile(0.99),
                requests=total.statuses.total(),
            )
            report("serving_errors", total.statuses.total() - total.statuses[200], at_most=0)
            before = memory(pid)
            crowd = asyncio.run(load(port, fresh, CROWD, seconds / 6))
            after = memory(pid)
            other = crowd.statuses.total() - crowd.statuses[200] - crowd.statuses[429]
            report(
                "serving_200_clients",
                after / before if not other else float("inf"),
                at_most=MEMORY,
                answered=crowd.statuses[200],
                refused=crowd.statuses[429],
                other=other,
                p99_ms=crowd.percentile(0.99),
                megabytes=after / 2**20,
            )


def unseen(rows: list[Example]) -> Iterator[Example]:
    """The rows, over and over, each time with candidates that did not come before."""
    for day in itertools.count(1):
        for row in rows:
            yield replace(row, candidate=f"On day {day}, {row.candidate}")


def _loop(scorer: MarsScorer, unseen: Iterator[Example], seconds: float) -> float:
    """Rows a second of the library, one row a call."""
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        scorer.score_examples([next(unseen)])
        done += 1
    return done / (time.perf_counter() - begun)


async def load(port: int, rows: Iterator[Example], clients: int, seconds: float) -> Load:
    """Let clients ask one after the other, each as soon as it has its answer."""
    load, begun = Load(), time.perf_counter()
    end = begun + seconds

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            started = time.perf_counter()
            writer.write(_request(next(rows)))
            status, wait = await _answer(reader)
            load.statuses[status] += 1
            if status == 200:
                load.latencies.append(time.perf_counter() - started)
            else:
                # A server need not keep a connection on which nothing happens.
                writer.close()
                await asyncio.sleep(min(wait, max(0.0, end - time.perf_counter())))
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    load.seconds = time.perf_counter() - begun
    return load


async def _answer(reader: asyncio.StreamReader) -> tuple[int, float]:
    """Read an answer: its status, and how long to wait before the next try."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = re.search(r"\r\ncontent-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)
    wait = re.search(r"\r\nretry-after: (\d+)", head)
    return int(head.split(" ", 2)[1]), float(wait[1]) if wait else 1.0


def _request(row: Example) -> bytes:
    item = {"id": row.id, "context": row.context, "references": row.references, "candidate": row.candidate}
    body = json.dumps({"items": [item]}).encode()
    head = "POST /v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body


@contextmanager
def server(*options: str, cache: Path | None = None) -> Iterator[tuple[int, int]]:
    """Start a server, with a cache of its own if there is a folder for it; yield its port and its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mars_score", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | ({"MARS_SCORE_CACHE": str(cache)} if cache else {}),
    )
    try:
        assert process.stderr is not None
        result = next(filter(None, (re.search(r"127\.0\.0\.1:(\d+)", line) for line in process.stderr)))
        yield int(result[1]), process.pid
    finally:
        process.terminate()
        process.wait()


def memory(pid: int) -> int:
    """Bytes that a process has in memory."""
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
