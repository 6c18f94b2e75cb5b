"""How much faster the engine is than the same algorithm done one template at a time.

    python -m benchmarks.augment_speed

Prints {"name", "ratio", ...}: the sequential reference's time over the engine's, timed alternately in one
process, the median of three. Texts are the examples of this project.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.infilling.sequential import Sequential
from transformers import AutoModelForCausalLM

from mars_score.files import read_examples
from mars_score.infilling.base import Request
from mars_score.infilling.engine import Engine
from mars_score.masking.templates import make_templates
from mars_score.models.quiet import quiet
from mars_score.scorer import MarsScorer

if TYPE_CHECKING:
    from collections.abc import Callable

DEMO = Path(__file__).parents[1] / "examples" / "demo.jsonl"
REFERENCES = 4
REPEATS = 3


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the ratio."""
    scorer = MarsScorer()
    infiller, config = scorer.infiller, scorer.config
    pairs = list(dict.fromkeys(pair for example in read_examples(DEMO) for pair in example.pairs))[
        :REFERENCES
    ]
    jobs = []
    for pair in pairs:
        templates = make_templates(
            pair.context, pair.reference, config.masking, scorer.tagger, scorer.idf_for([])
        )
        context, _ = infiller._context(Request(pair.context, templates, pair.question))
        jobs += [infiller._job(context, template, 0) for template in templates if template.blanks]
    with quiet():
        plain = AutoModelForCausalLM.from_pretrained(scorer._lm.location)
    sequential = Sequential(plain, infiller.model.vocabulary, config.infilling)
    one_by_one, together = [], []
    for _ in range(REPEATS):
        together.append(timed(lambda: Engine(infiller.model, config.infilling).run(jobs)))
        one_by_one.append(timed(lambda: [sequential.fill(job) for job in jobs]))
    ratio = statistics.median(one_by_one) / statistics.median(together)
    print(
        json.dumps(
            {
                "name": "augment_vs_uncached_reference",
                "ratio": round(ratio, 2),
                "references": len(pairs),
                "templates": len(set(jobs)),
                "seconds_engine": round(statistics.median(together), 2),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
