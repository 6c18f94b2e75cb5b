"""What a user waits for: one row from the shell, and the page, beside what importing torch takes.

    python -m benchmarks.starting

warm_start    `mars-score score` of one row whose reference and readings were seen before / `python -c "import torch"`
cold_start    the same with a reference that is new / the same
serve_ready   the first answer of `mars-score serve` / the same

Each side is a process of its own, from its start to its end (of the server, to the first answer); they take turns.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from itertools import count
from pathlib import Path

from benchmarks.texts import candidates, stories
from benchmarks.timing import alternately, report

ROUNDS = 5
LIMIT = 300.0
"""Seconds that a server may take to answer."""


class Shell:
    """Commands with a cache of their own."""

    def __init__(self, folder: Path) -> None:
        """Write the row that is scored again and again."""
        self.folder, self.numbers = folder, count()
        self.environment = {**os.environ, "MARS_SCORE_CACHE": str(folder / "cache")}
        self.environment.pop("MARS_SCORE_CACHE_SIZE", None)  # which turns the caches of benchmarks off
        self.row = self.write("row", 0)

    def write(self, name: str, number: int) -> Path:
        """A file of one row."""
        pair = stories(number + 1)[number]
        row = {"context": pair.context, "references": [pair.reference], "candidate": candidates(pair, 1)[0]}
        path = self.folder / f"{name}.jsonl"
        path.write_text(json.dumps(row), "utf-8")
        return path

    def run(self, *arguments: str) -> None:
        """Run Python to its end."""
        subprocess.run([sys.executable, *arguments], check=True, env=self.environment, capture_output=True)

    def score(self, path: Path) -> None:
        """Score a file."""
        self.run("-m", "mars_score", "score", str(path))

    def score_new(self) -> None:
        """Score a reference that no round had before."""
        self.score(self.write("new", 1 + next(self.numbers)))

    def serve(self) -> None:
        """Start the server, and wait for its page."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "mars_score", "serve", "--port", str(port)]
        server = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            until = time.monotonic() + LIMIT
            while time.monotonic() < until and server.poll() is None:
                with (
                    suppress(OSError),
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=LIMIT) as page,
                ):
                    page.read()
                    return
                time.sleep(0.005)
            raise RuntimeError("the server gave no answer")
        finally:
            server.kill()
            server.wait()


def main() -> None:
    """Print the three ratios."""
    with tempfile.TemporaryDirectory() as name:
        shell = Shell(Path(name))
        seconds = alternately(
            {
                "torch": lambda: shell.run("-c", "import torch"),
                "warm_start": lambda: shell.score(shell.row),
                "cold_start": shell.score_new,
                "serve_ready": shell.serve,
            },
            rounds=ROUNDS,
        )
    for kind, goal in (("warm_start", 2.5), ("cold_start", 5), ("serve_ready", 2)):
        report(
            kind, seconds[kind] / seconds["torch"], at_most=goal, seconds=seconds[kind],
            seconds_torch=seconds["torch"],
        )  # fmt: skip


if __name__ == "__main__":
    main()
