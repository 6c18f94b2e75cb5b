"""``mars-score explain``: where scores come from, in the terminal or as a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import input_options, read_files, scorer_options, take_input, take_scorer
from mars_score.cli.progress import bars
from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.output import STDOUT, check_writable, replacing, unwritable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Example

LIMIT = 200
HUMAN = "human"


@click.command()
@input_options
@scorer_options
@click.option(
    "--id",
    "ids",
    multiple=True,
    metavar="ID",
    help="Which row; may be repeated. By default the first, and on a page all up to --limit.",
)
@click.option(
    "--html", metavar="PAGE", help="Write a page, one file to open in a browser; - is standard output."
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N",
    help=f"The most rows that a page takes, from the first on.  [default: {LIMIT}]",
)  # fmt: skip
def explain(ids: tuple[str, ...], html: str | None, limit: int | None, **values: Any) -> None:
    """Show the template, the augmented references, the cosines and the weights behind a score.

    With --html, candidates of the same context and references stand side by side, and each score between those
    of unrelated texts and of people's own. People's ratings are in the field "human", where there are any;
    --field human=NAME names another.
    """
    values["fields"], human = _without_human(values["fields"])
    fields, form = values["fields"], values["input_format"]
    if limit is not None and (html is None or ids):
        raise ConfigError("--limit is for a page of all rows: give --html PAGE, and no --id")
    if human is not None and html is None:
        raise ConfigError("--field human=NAME is for a page: give --html PAGE")
    inputs = read_files(values)
    source, scorer = take_input(values), take_scorer(values)
    if html is not None:  # a page may have any suffix: no format is looked for
        check_writable(html, "jsonl", inputs=inputs, results=False)
    rows = {example.id: example for example in source.read()}
    taken = list(rows.values())[: (limit or LIMIT) if html else 1]
    examples = _find(rows, ids, source.name) if ids else taken
    if scorer.config.masking.idf == "corpus":
        scorer.corpus = list(rows.values())  # the score depends on every row of the file
    # This finds every model: a wrong name is known before anything is computed.
    signature = scorer.signature
    if html is None:
        _print(scorer, examples, signature)
        return
    ratings: Mapping[str, float] = {}
    if len(source.paths) == 1:
        from mars_score.web.explain.explanation import read_ratings

        names = {ours: theirs for ours, _, theirs in (field.partition("=") for field in fields)}
        ratings = read_ratings(source.paths[0], fields=names, format=form, human=human or HUMAN)
    left_out = 0 if ids else len(rows) - len(examples)
    _write(html, _page(scorer, examples, list(rows.values()), ratings, source.name, left_out))
    if left_out:
        click.echo(
            f"{left_out} of {len(rows)} rows are left out; --limit {len(rows)} takes all of them", err=True
        )
    click.echo(f"page: {'standard output' if html == STDOUT else html}", err=True)


def _without_human(fields: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """Take the name of the ratings' field out of those that say how rows are read."""
    human = [theirs.strip() for ours, sign, theirs in map(_parted, fields) if sign and ours.strip() == HUMAN]
    kept = tuple(field for field in fields if _parted(field)[0].strip() != HUMAN)
    return kept, human[-1] if human else None


def _parted(field: str) -> tuple[str, str, str]:
    return field.partition("=")


def _find(rows: Mapping[str, Example], ids: tuple[str, ...], name: str) -> list[Example]:
    """The asked-for rows, in the order asked for."""
    for wanted in ids:
        if wanted not in rows:
            listed = f"{', '.join(list(rows)[:10])}{', ...' if len(rows) > 10 else ''}"
            raise InputError(
                f"no row has the id {wanted!r}.{did_you_mean(wanted, rows)}",
                path=name,
                remedy=f"the ids are {listed}",
            )
    return [rows[wanted] for wanted in dict.fromkeys(ids)]


def _print(scorer: MarsScorer, examples: Sequence[Example], signature: str) -> None:
    from rich.console import Console

    from mars_score.web.explain.explanation import explain_examples
    from mars_score.web.explain.terminal import show

    console = Console(highlight=False)
    found = {
        candidate.id: (item, candidate)
        for item in explain_examples(scorer, examples)
        for candidate in item.candidates
    }
    for example in examples:
        show(console, example, *found[example.id])
    console.print(f"signature: {signature}", style="dim", soft_wrap=True)


def _page(
    scorer: MarsScorer,
    examples: Sequence[Example],
    rows: Sequence[Example],
    ratings: Mapping[str, float],
    name: str,
    left_out: int,
) -> str:
    from mars_score.web.explain.explanation import explain_examples
    from mars_score.web.explain.page import to_page
    from mars_score.web.explain.standing import find_standing

    with bars(len(examples)) as shown:
        items = scorer.score_examples(examples, progress=shown.stage).items
        shown.rows(len(examples))
        explained = explain_examples(scorer, examples, items, humans=ratings, progress=shown.stage)
        standing = find_standing(scorer, examples, items, others=rows, progress=shown.stage)
    return to_page(explained, standing, signature=scorer.signature, source=Path(name).name, left_out=left_out)


def _write(html: str, page: str) -> None:
    if html == STDOUT:
        sys.stdout.buffer.write(page.encode())
        return
    try:
        with replacing(Path(html)) as temporary:
            temporary.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(Path(html), error) from error
