"""Does the engine write the very tokens that the row-by-row implementation writes?

    python -m benchmarks.same_tokens DATA.jsonl... [--each 50] [--part 1/4] [--ratios 0.4] [--search beam]

Takes references from files of rows ({"context", "references", ...} or {"context", "right_ending"}), fills
their templates row by row, and with the engine at 1, 7 and 32 rows in flight, in shuffled order. Prints one
JSON line: how many references differ anywhere (goal 0). Slow by nature: the row-by-row side takes seconds for
a template; `--part` splits the references over several processes. With `--search beam`, the row-by-row side is the
engine with one template alone, and all texts that were found are compared, not only the best: the plain form of the
search, whole forwards without a cache, takes ten minutes a reference, and is compared in the tests.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.jobs import jobs_of
from benchmarks.row_by_row import RowByRow
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.mars.scorer import MarsScorer
from mars_score.models.store import ModelStore
from mars_score.text.cleaning import clean
from mars_score.types import Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.decoder.state import Job

BATCHES = (1, 7, 32)


def pairs_of(path: Path, count: int) -> list[Pair]:
    """The first distinct (context, reference) pairs of a file."""
    results: dict[Pair, None] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            references = row.get("references") or [row["right_ending"]]
            results.setdefault(Pair(clean(row["context"]), clean(references[0])))
            if len(results) == count:
                break
    return list(results)


def differing(scorer: MarsScorer, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Compare all templates of these references."""
    engine = scorer.guided.engine
    jobs = {pair: jobs_of(scorer, [pair]) for pair in pairs}
    distinct = list(dict.fromkeys(job for each in jobs.values() for job in each))
    folder = ModelStore().ensure(scorer.config.infilling.lm)
    expected: dict[Job, Any]
    if engine.config.search == "beam":
        expected = {job: DecodingEngine(engine.model, engine.config).texts([job])[0] for job in distinct}
    else:
        plain = RowByRow(str(folder), engine.model.vocabulary, engine.config)
        expected = {job: [fills] for job, fills in zip(distinct, plain.run(distinct), strict=True)}
    result: dict[str, Any] = {"references": len(pairs), "templates": len(distinct)}
    for rows in BATCHES:
        shuffled = random.Random(rows).sample(distinct, len(distinct))
        run = DecodingEngine(engine.model, engine.config, max_rows=rows)
        ranked = dict(zip(shuffled, run.texts(shuffled), strict=True))
        wrong = [pair for pair, each in jobs.items() if any(ranked[job] != expected[job] for job in each)]
        result[f"differ_at_{rows}"] = len(wrong)
        result[f"near_ties_at_{rows}"] = run.counts.repeated
    return result


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--each", type=int, default=50, help="references from each file")
    parser.add_argument("--part", default="1/1", help="which of so many equal parts")
    parser.add_argument("--ratios", default="0.2,0.4,0.6", help="masking ratios")
    parser.add_argument("--search", choices=["greedy", "beam"], default="greedy")
    arguments = parser.parse_args()
    number, parts = map(int, arguments.part.split("/"))
    pairs = [pair for path in arguments.data for pair in pairs_of(path, arguments.each)]
    ratios = tuple(map(float, arguments.ratios.split(",")))
    scorer = MarsScorer(ratios=ratios, search=arguments.search)
    result = differing(scorer, pairs[number - 1 :: parts])
    facts = {
        "name": "same_tokens",
        "search": arguments.search,
        "part": arguments.part,
        "ratios": arguments.ratios,
        "goal": 0,
    }
    print(json.dumps(facts | result), flush=True)


if __name__ == "__main__":
    main()
