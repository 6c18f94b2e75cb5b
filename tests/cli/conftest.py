from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from mars_score.cli.main import run
from mars_score.encoders.base import Encoding
from mars_score.lm.likelihood import Reading
from mars_score.mars import models
from mars_score.mars.scorer import MarsScorer
from mars_score.models.resolve import ResolvedModel
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference, Infilled, InfillingRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.masking.tagging import Tag

WATCHED = """
import sys
from mars_score.cli.main import run
try:
    run()
finally:
    print("HEAVY:", *(name for name in ("torch", "transformers", "spacy") if name in sys.modules), file=sys.stderr)
"""


class Result(NamedTuple):
    """What a run of the command leaves."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class CommandLine:
    """Runs the command inside a folder of its own, and keeps that folder's files."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self.monkeypatch, self.capsys = folder, monkeypatch, capsys
        self.cost = ""
        """What the last run said that it took. No two runs take the same, so results are compared without it."""

    def __call__(self, *arguments: str, short: bool = False) -> Result:
        """Run in this process, with whole signatures unless they are to be short."""
        if arguments[:1] in (("score",), ("augment",), ("explain",)) and not short:
            arguments = (*arguments, "--signature")
        self.monkeypatch.setattr(sys, "argv", ["mars-score", *arguments])
        code: object = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code or 0
        finally:  # a command that was interrupted ends its process, so it leaves its handler there
            signal.signal(signal.SIGINT, signal.default_int_handler)
        out, err = self.capsys.readouterr()
        assert isinstance(code, int)
        assert "Traceback" not in out + err
        err, self.cost = _without_cost(err)
        return Result(code, out, err)

    def process(self, *arguments: str, code: str = WATCHED) -> Result:
        """Run in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            check=False, capture_output=True, cwd=self.folder, env=environment(), encoding="utf-8",
        )  # fmt: skip
        assert "Traceback" not in done.stdout + done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def put(self, name: str, content: str | bytes) -> None:
        """Write a file."""
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def put_rows(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        """Write JSON lines."""
        self.put(name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _without_cost(err: str) -> tuple[str, str]:
    """Take the line of costs away, which is the last one if it is there."""
    *lines, last = err.splitlines(keepends=True) or [""]
    return ("".join(lines), last) if last.startswith("cost: ") else (err, "")


def environment() -> dict[str, str]:
    """The environment of a process that finds what this one finds; one thread, lest parallel tests compete."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
    }


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    return CommandLine(tmp_path, monkeypatch, capsys)


class Nouns:
    """A tagger to whom every word is a noun."""

    name = "nouns"
    language = "en"

    def tags(self, words: Sequence[str]) -> list[Tag]:
        return ["noun" for _ in words]


class Dots:
    """An infiller that writes dots."""

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        progress(len(requests), len(requests))
        return [
            Infilled(
                tuple(
                    AugmentedReference(template, (" ...",) * template.blanks)
                    for template in request.templates
                )
            )
            for request in requests
        ]


class Letters:
    """An encoder that counts the letters of the alphabet."""

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        progress(len(texts), len(texts))
        counts = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        vectors = np.array(counts, dtype=np.float32)
        return [Encoding(vector / max(1.0, float(np.linalg.norm(vector)))) for vector in vectors]


class Even:
    """A language model to which all letters are equally probable."""

    def read(self, texts: Sequence[tuple[str, str]], progress: Progress = silent) -> list[Reading]:
        progress(len(texts), len(texts))
        return [Reading((-1.0,) * len(text)) for _, text in texts]


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real scorer with toys for models: whatever lies between input and output runs as it always does."""

    def found(name: str, role: str | tuple[str, ...], store: object) -> ResolvedModel:
        return ResolvedModel(
            name, "store", "nowhere", "01234567", None, role if isinstance(role, str) else role[0]
        )

    monkeypatch.setattr(models, "resolve", found)
    monkeypatch.setattr(MarsScorer, "tagger", Nouns())
    monkeypatch.setattr(MarsScorer, "infiller", Dots())
    monkeypatch.setattr(MarsScorer, "encoder", Letters())
    monkeypatch.setattr(MarsScorer, "_likelihood", Even())
