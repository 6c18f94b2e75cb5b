"""``mars-score augment``: the augmented references themselves, as JSON lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import input_options, scorer_options, take_input, take_scorer
from mars_score.cli.progress import bars
from mars_score.cli.score import CHUNK
from mars_score.errors import OutputError
from mars_score.files import check_writable, write_signatures
from mars_score.files.formats import OUTPUTS, format_of
from mars_score.files.line_writer import open_lines
from mars_score.files.output_path import output_file

if TYPE_CHECKING:
    from mars_score.types import Augmentation, Pair


@click.command()
@input_options
@scorer_options
@click.option("-o", "--output", required=True, metavar="FILE", help="A .jsonl file; - is standard output.")
def augment(output: str, **values: Any) -> None:
    """Write the augmented references of FILE, one JSON object for each context and reference.

    Candidates play no part: the result serves every system that is scored on the same references.
    """
    source, scorer = take_input(values), take_scorer(values)
    if (form := format_of(output, None, OUTPUTS)) not in (None, "jsonl"):
        raise OutputError(f"{output}: augmented references are no {form}\n  remedy: name a .jsonl file, or -")
    check_writable(output, "jsonl", inputs=source.paths)
    source, total = source.check()
    # This finds every model: a wrong name is known before anything is computed.
    signatures = {"mars": scorer.signature}
    written: set[Pair] = set()
    rows = source.read()
    size = total if scorer.config.masking.idf == "corpus" else CHUNK
    # Now too, so that the rows of a run that stops half-way have it.
    write_signatures(output, signatures, {"input": source.name})
    with open_lines(output_file(output), _json) as writer, bars(total) as show:
        while chunk := list(islice(rows, size)):
            for pair, found in scorer.augment_examples(chunk, progress=show.stage).items():
                if pair not in written:
                    written.add(pair)
                    writer.write(_Row(f"reference {len(written)}", pair, found))
            show.rows(len(chunk))
    write_signatures(output, signatures, {"input": source.name, "references": len(written)})
    click.echo(f"{len(written)} references augmented", err=True)
    click.echo(f"signature: {signatures['mars']}", err=True)


@dataclass(frozen=True, slots=True)
class _Row:
    """The augmented references of one context and reference."""

    id: str
    pair: Pair
    found: Augmentation


def _json(row: _Row) -> str:
    content = {
        "context": row.pair.context,
        "reference": row.pair.reference,
        "augmented": [
            {"ratio": one.ratio, "template": str(one.template), "text": one.text}
            for one in row.found.augmented
        ],
        "flags": list(row.found.flags),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"
