"""Two Ray workers of one thread against one, and against one process of two threads: the same references augmented.

    python -m benchmarks.ray_scaling [REFERENCES]

ray_scaling       seconds of one worker / seconds of two, 64 references, as the command shares them out
ray_vs_threads    seconds of this process with two threads / seconds of two workers

Workers load their models and then wait for each other; the clock runs from the start of the first batch to the end
of the last. So Ray's own cost is in it, starting and loading is not. They take turns for three rounds. It needs
two cores that are free for it.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from benchmarks.texts import stories
from benchmarks.timing import ROUNDS, report
from mars_score.cli.running import CHUNK, Batches, chunk_size
from mars_score.progress import silent_stages
from mars_score.run.ray import RayEngine
from mars_score.run.work import AugmentWork, ScorerRecipe
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.progress import StageProgress
    from mars_score.run.base import Worker

REFERENCES = 64
WARM_UP = Example("warm-up", "", ("The rain had stopped by then.",), "Clouds hung over the town.")


@dataclass(frozen=True)
class Timed:
    """Augments batches; tells when each began and ended. A worker begins when all are ready."""

    work: AugmentWork
    workers: int
    folder: str

    def __call__(self, progress: StageProgress) -> Worker[Sequence[Example], tuple[float, float, str]]:
        """Load, warm up, wait for the others."""
        augment = self.work(progress)
        augment([WARM_UP])
        (Path(self.folder) / str(os.getpid())).touch()
        while len(list(Path(self.folder).iterdir())) < self.workers:
            time.sleep(0.01)

        def do(batch: Sequence[Example]) -> tuple[float, float, str]:
            # All workers are on this machine, so they have one clock.
            started = time.time()
            result = augment(batch).rows
            texts = "\n".join(term.text for _, augmentation in result for term in augmentation.augmented)
            return started, time.time(), texts

        return do


def seconds(workers: int, examples: list[Example]) -> tuple[float, str]:
    """Time one run, and return what it wrote."""
    from mars_score.mars.scorer import MarsScorer

    engine = RayEngine(workers=workers)
    size = min(chunk_size(engine, len(examples), CHUNK), len(examples) // 2)  # two must get something
    batches = Batches(examples, size, len(examples))
    with tempfile.TemporaryDirectory() as folder:
        work = Timed(AugmentWork(ScorerRecipe.of(MarsScorer(cache=None))), workers, folder)
        result = list(engine.run(work, batches, silent_stages))
    starts, ends, texts = zip(*result, strict=True)
    return max(ends) - min(starts), "\n".join(texts)


def seconds_of_threads(examples: list[Example]) -> tuple[float, str]:
    """Time the same in this process, and return what it wrote."""
    from mars_score.mars.scorer import MarsScorer

    with tempfile.TemporaryDirectory() as folder:
        work = Timed(AugmentWork(ScorerRecipe.of(MarsScorer(cache=None))), 1, folder)
        start, end, texts = work(silent_stages)(examples)
    return end - start, texts


def main(references: int = REFERENCES) -> None:
    """Print the ratio."""
    examples = [
        Example(str(i), "", (pair.reference,), pair.context) for i, pair in enumerate(stories(references))
    ]
    ways: dict[str, Callable[[], tuple[float, str]]] = {
        "one worker": lambda: seconds(1, examples),
        "two workers": lambda: seconds(2, examples),
        "threads": lambda: seconds_of_threads(examples),
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    texts = set()
    for _ in range(ROUNDS):
        for way, run in ways.items():
            taken, text = run()
            times[way].append(taken)
            texts.add(text)
    first, two, threads = (statistics.median(time) for time in times.values())
    report(
        "ray_scaling", first / two, at_least=1.8, references=references, one_worker=first, two_workers=two,
        same_texts=len(texts) == 1, cores=len(os.sched_getaffinity(0)),
    )  # fmt: skip
    report(
        "ray_vs_threads", threads / two, references=references, two_workers=two, threads=threads,
        threads_of_torch=torch.get_num_threads(),
    )  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
