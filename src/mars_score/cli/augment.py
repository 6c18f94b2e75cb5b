"""``mars-score augment``: the augmented references themselves, as JSON lines."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import input_options, scorer_options, take_input, take_scorer
from mars_score.cli.progress import bars
from mars_score.cli.score import CHUNK
from mars_score.errors import OutputError
from mars_score.files import check_writable, write_signature

if TYPE_CHECKING:
    from mars_score.metrics.mars import Pair
    from mars_score.types import Augmentation


@click.command()
@input_options
@scorer_options
@click.option("-o", "--output", required=True, metavar="FILE", help="A .jsonl file; - is standard output.")
def augment(output: str, **values: Any) -> None:
    """Write the augmented references of FILE, one JSON object for each context and reference.

    Candidates play no part: the result serves every system that is scored on the same references.
    """
    source, scorer = take_input(values), take_scorer(values)
    check_writable(output, "jsonl", inputs=[source.name])
    source, total = source.check()
    written: set[Pair] = set()
    rows = source.read()
    size = total if scorer.config.masking.idf == "corpus" else CHUNK
    with click.open_file(output, "w", encoding="utf-8") as file, bars(total) as show:
        while chunk := list(islice(rows, size)):
            for pair, found in scorer.augment_examples(chunk, progress=show.stage).items():
                if pair not in written:
                    written.add(pair)
                    _write(file, output, len(written), pair, found)
            show.rows(len(chunk))
    write_signature(output, scorer.signature, {"input": source.name, "references": len(written)})
    click.echo(f"{len(written)} references augmented", err=True)
    click.echo(f"signature: {scorer.signature}", err=True)


def _write(file: Any, output: str, number: int, pair: Pair, found: Augmentation) -> None:
    context, reference = pair
    row = {
        "context": context,
        "reference": reference,
        "augmented": [
            {"ratio": one.ratio, "template": str(one.template), "text": one.text} for one in found.augmented
        ],
        "flags": list(found.flags),
    }
    try:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        file.flush()
    except OSError as error:
        raise OutputError(
            f"{Path(output)}: cannot be written: {error.strerror}; {number - 1} references are saved there"
        ) from error
