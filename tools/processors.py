"""The numeric tests, `mars-score doctor` and scores again as on other processors, with one thread and with two.

python tools/processors.py [NAME ...]

The libraries below us choose their instructions when they are loaded, and every choice adds up in another order.
Environment variables make that choice for them: torch obeys ATEN_CPU_CAPABILITY, oneDNN ONEDNN_MAX_CPU_ISA, NumPy's
OpenBLAS OPENBLAS_CORETYPE, and MKL MKL_ENABLE_INSTRUCTIONS, but that on processors of Intel only. Elsewhere a
library of one line is loaded before it, which says yes when MKL asks whether this is one; a C compiler makes it.

What must hold is what the README promises:

- with one thread and with two, and with the rows in reverse order, the same texts, and scores to the last bit
  (likelihoods under a language model within LIKELIHOOD_BOUND);
- between processors the same texts, and scores within BOUND.

Exits with 1 and the reason where that does not hold, where a test fails, or where `doctor` finds fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parents[1]
BOUND = 1e-5
"""Scores of two processors differ by no more, as docs/reliability.md promises."""
LIKELIHOODS = ("perplexity", "lm_reference")
"""Passes of the language model are shared out among threads, so that the last bits of these are not promised."""
LIKELIHOOD_BOUND = 1e-4
"""So these differ by up to this share of them."""
METRICS = ("mars_paper", "naive", "bertscore", "moverscore", "context_cosine", "perplexity", "lm_reference")
"""What is compared beside the default score: something of every kind that computes with real models."""
STORIES = 6
"""Of `benchmarks.texts`, with two candidates each."""


@dataclass(frozen=True)
class Processor:
    """A kind of processor, as the libraries are to see it."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    intel: bool = False
    """Whether MKL must take it for one of Intel's."""


PROCESSORS = (
    Processor("native"),
    Processor("intel-avx512", {"MKL_ENABLE_INSTRUCTIONS": "AVX512", "OPENBLAS_CORETYPE": "SkylakeX"}, intel=True),
    Processor(
        "intel-avx2",
        {
            "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
            "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        },
        intel=True,
    ),
    Processor(
        "sse4",
        {
            "ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem",
            "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        },
        intel=True,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What one processor did with one number of threads."""

    processor: str
    threads: int
    tests: str
    """The last line of pytest."""
    ok: bool
    """Whether all tests passed, and `doctor` agreed."""
    output: str
    """What was printed, for when something is wrong."""
    record: dict[str, Any] | None
    seconds: float

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.processor}, {self.threads} thread{'s' if self.threads > 1 else ''}"


def rows() -> list[Any]:
    """The demonstration, the examples of `doctor` and some stories: 36 rows, all written for this project."""
    from benchmarks.texts import candidates, stories

    from mars_score.io.readers import read_examples
    from mars_score.mars import golden
    from mars_score.types import Example

    told = [
        Example(f"story{number}/{index}", text, (pair[1],), pair[0])
        for number, pair in enumerate(stories(STORIES))
        for index, text in enumerate(candidates(pair, 2))
    ]
    return [*read_examples(ROOT / "examples" / "demo.jsonl"), *golden.EXAMPLES, *told]


def record(path: Path, *, reverse: bool) -> None:
    """Write what this process computes: texts and scores, by the id of a row; then run `doctor`."""
    import torch

    from mars_score.cli.doctor import doctor
    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.registry import make_metric

    examples = rows()[::-1] if reverse else rows()
    scorer = MarsScorer(cache=None)
    items = scorer.score_examples(examples)
    scores: dict[str, dict[str, float | None]] = {"mars": {item.id: item.score for item in items}}
    for name in METRICS:
        values = make_metric(name, scorer).score(examples)
        scores[name] = {row.id: value.score for row, value in zip(examples, values, strict=True)}
    draw = torch.Generator().manual_seed(0)
    product = torch.rand(192, 384, generator=draw) @ torch.rand(384, 1536, generator=draw)
    record = {
        "capability": torch.backends.cpu.get_cpu_capability(),
        "product": hashlib.sha256(product.numpy().tobytes()).hexdigest()[:6],
        "texts": {item.id: [term.text for term in item.augmented] for item in items},
        "scores": scores,
    }
    path.write_text(json.dumps(record), "utf-8")
    doctor(args=[], standalone_mode=False)


def intel_library(folder: Path) -> Path | None:
    """Build the library that makes MKL obey its variables on any processor; none without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source, library = folder / "intel.c", folder / "intel.so"
    source.write_text("int mkl_serv_intel_cpu_true(void) { return 1; }\n", "utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def run(processor: Processor, threads: int, library: Path | None, folder: Path) -> Run:
    """Run everything as on this processor."""
    start = time.monotonic()
    environment = os.environ | processor.variables
    environment |= {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    environment |= {"MARS_SCORE_CACHE_SIZE": "0", "MARS_SCORE_PROGRESS": "0"}
    environment |= {"OMP_WAIT_POLICY": "passive"}  # threads that wait leave the core to others
    if processor.intel and library is not None:
        environment["LD_PRELOAD"] = str(library)
    path = folder / f"{processor.name}-{threads}.json"
    # Goldens are left to `make test`: the records below compare as many texts and scores, between processors too.
    test = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "numeric",
        "-q",
        "-p",
        "no:cacheprovider",
        "--ignore",
        "tests/golden",
    ]
    recording = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--record",
        str(path),
        *["--reverse"] * (threads > 1),
    ]
    # `make test` runs the tests as this processor with one thread, so here it has two, and the others have one.
    tested = threads == (2 if processor is PROCESSORS[0] else 1)
    done = [
        subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        for command in ((test, recording) if tested else (recording,))
    ]
    said = [line for line in done[0].stdout.splitlines() if line.strip()] if tested else ["not run"]
    return Run(
        processor.name,
        threads,
        said[-1].strip("= ") if said else "pytest said nothing",
        not any(process.returncode for process in done),
        "\n".join(
            text for process in done if process.returncode for text in (process.stdout, process.stderr)
        ),
        json.loads(path.read_text("utf-8")) if path.is_file() else None,
        time.monotonic() - start,
    )


def gap(first: dict[str, Any], second: dict[str, Any], metrics: Iterable[str]) -> float:
    """The largest difference of two records; infinite where only one of them has a number."""
    largest = 0.0
    for metric in metrics:
        for row, a in first["scores"][metric].items():
            b = second["scores"][metric][row]
            if a is None or b is None:
                largest = largest if a is b else float("inf")
            else:
                largest = max(largest, abs(a - b) / max(1.0, abs(a)))
    return largest


def differing(first: dict[str, Any], second: dict[str, Any]) -> int:
    """How many augmented references differ."""
    pairs = ((texts, second["texts"][row]) for row, texts in first["texts"].items())
    return sum(a != b for mine, others in pairs for a, b in zip(mine, others, strict=True))


def faults(runs: Sequence[Run]) -> list[str]:
    """What does not hold, in words."""
    failures = [f"{run.name}: {run.tests}\n{run.output}" for run in runs if not run.ok]
    recorded = [run for run in runs if run.record is not None]
    first = {run.processor: run for run in reversed(recorded)}  # with the fewest threads
    for run in recorded:
        alone, base = first[run.processor], recorded[0]
        assert run.record
        assert base.record
        for metric in ("mars", *METRICS):
            loose = metric in LIKELIHOODS
            allowed = (
                (alone, LIKELIHOOD_BOUND if loose else 0.0),
                (base, LIKELIHOOD_BOUND if loose else BOUND),
            )
            for other, bound in allowed:
                assert other.record
                if (apart := gap(other.record, run.record, [metric])) > bound:
                    failures.append(
                        f"{run.name}: {metric} differs by {apart:.1e} from {other.name}, more than {bound}"
                    )
        if count := differing(base.record, run.record):
            failures.append(f"{run.name}: {count} augmented references differ from {base.name}")
    return failures


def table(runs: Sequence[Run]) -> str:
    """What was found, for people."""
    lines = [
        "processor      threads  torch    product  other texts  mars gap  other gap  seconds  tests and doctor"
    ]
    base = next((run.record for run in runs if run.record), None)
    for run in runs:
        numbers = " " * 47
        if base is not None and run.record is not None:
            texts = sum(map(len, run.record["texts"].values()))
            numbers = (
                f"{run.record['capability']:<8} {run.record['product']}  "
                f"{differing(base, run.record):>4} of {texts:<3}  {gap(base, run.record, ['mars']):8.1e}  "
                f"{gap(base, run.record, METRICS):9.1e}"
            )
        lines.append(
            f"{run.processor:<14} {run.threads:>7}  {numbers} {run.seconds:8.0f}  "
            f"{'ok' if run.ok else 'FAILED'}: {run.tests}"
        )
    return "\n".join(lines)


def main() -> int:
    """Run all processors, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=", ".join(processor.name for processor in PROCESSORS))
    parser.add_argument("--record", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--reverse", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record is not None:
        record(options.record, reverse=options.reverse)
        return 0
    unknown = set(options.names) - {processor.name for processor in PROCESSORS}
    if unknown:
        parser.error(f"no processor is called {', '.join(sorted(unknown))}")
    chosen = [processor for processor in PROCESSORS if not options.names or processor.name in options.names]
    if platform.machine().lower() not in ("x86_64", "amd64"):
        print(
            f"other processors can be told to libraries on x86 only, not on {platform.machine()}: native alone"
        )
        chosen = [PROCESSORS[0]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = intel_library(folder) if any(processor.intel for processor in chosen) else None
        if library is None and any(processor.intel for processor in chosen):
            print(
                "no C compiler: MKL obeys its variables on processors of Intel only, and stays as it is elsewhere"
            )
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # one process a core
            # The last one is the slowest, so it begins.
            runs = list(pool.map(lambda processor: run(processor, 1, library, folder), chosen[::-1]))[::-1]
        runs += [run(processor, 2, library, folder) for processor in chosen]
    wrong = faults(runs)
    print(*wrong, sep="\n")
    print(table(runs))
    print("FAILED" if wrong else f"{len(runs)} runs agree: the same texts, scores within {BOUND}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
