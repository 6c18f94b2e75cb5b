"""``mars-score explain``: where scores come from, in the terminal or as a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mars_score import flags
from mars_score.cli.options import (
    input_options,
    read_files,
    scorer_options,
    signature_option,
    take_input,
    take_scorer,
)
from mars_score.cli.reporting import bars, shown_signature
from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.output import STDOUT, check_writable, replacing, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Example
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, ExplainedReference, Piece

LIMIT = 200
HUMAN = "human"


@click.command()
@input_options
@scorer_options
@click.option(
    "--id", "ids", multiple=True, metavar="ID",
    help="Which row; may be repeated. By default the first, and on a page all up to --limit.",
)  # fmt: skip
@click.option(
    "--html", metavar="PAGE", help="Write a page, one file to open in a browser; - is standard output."
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N",
    help=f"The most rows that a page takes, from the first on.  [default: {LIMIT}]",
)  # fmt: skip
@click.option(
    "--words", is_flag=True, help="Also list the words of the references, with what decided which are masked."
)
@signature_option
def explain(
    ids: tuple[str, ...],
    html: str | None,
    limit: int | None,
    words: bool,
    whole_signature: bool,
    **values: Any,
) -> None:
    """Show why a candidate has its score: its words, its neighbours, the parts of the score.

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
        shown = shown_signature(signature, whole=whole_signature)
        _print(scorer, list(rows.values()), examples, words=words, signature=shown)
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
    human = [
        theirs.strip()
        for ours, sign, theirs in (field.partition("=") for field in fields)
        if sign and ours.strip() == HUMAN
    ]
    kept = tuple(field for field in fields if field.partition("=")[0].strip() != HUMAN)
    return kept, human[-1] if human else None


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


def _print(
    scorer: MarsScorer, rows: Sequence[Example], examples: Sequence[Example], *, words: bool, signature: str
) -> None:
    from mars_score.web.explain.explanation import explain_examples

    console = Console(highlight=False)
    pairs = {example.pairs for example in examples}
    beside = [row for row in rows if row.pairs in pairs]  # what a score means is seen beside other candidates
    explained = {
        candidate.id: (item, index)
        for item in explain_examples(scorer, beside)
        for index, candidate in enumerate(item.candidates)
    }
    for example in examples:
        _show(console, example, *explained[example.id], words=words)
    console.print(f"signature: {signature}", style="dim", soft_wrap=True)


def _show(console: Console, example: Example, item: ExplainedItem, index: int, *, words: bool) -> None:
    candidate = item.candidates[index]
    score = f"{candidate.score:.4f}"
    shown = score if candidate.percent is None else f"{candidate.percent:.0f}% (raw score {score})"
    console.rule(Text(f"{candidate.id}: {shown}"), align="left")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("context", Text(example.context or "(none)"))
    table.add_row("candidate", _coloured(candidate) if candidate.text else Text("(empty)"))
    for reference in item.references:
        table.add_row("reference", Text(reference.text))
    for label, text in _reasons(item, index):
        table.add_row(label, Text(text))
    console.print(table, "")
    if words:
        for reference in item.references:
            _show_words(console, reference)
    _show_sum(console, item, candidate)
    for flag in candidate.flags:
        console.print(f"  {flag}: {flags.MEANING[flag]}", style="yellow")


STYLES = {
    "matched": "green",
    "unsupported": "bold yellow",
    "misplaced": "red underline",
    "copied": "blue italic",
}
LABELS = {"unsupported": "nobody says", "misplaced": "misplaced", "copied": "copied"}


def _coloured(candidate: ExplainedCandidate) -> Text:
    text = Text(candidate.text)
    for mark in sorted(candidate.marks, key=lambda span: list(STYLES).index(span.kind), reverse=True):
        text.stylize(STYLES[mark.kind], mark.start, mark.end)
    return text


def _reasons(item: ExplainedItem, index: int) -> Iterator[tuple[str, str]]:
    """What there is to say of a candidate: its words by what they did, and its neighbours in the ranking."""
    from mars_score.web.explain.reasons import alone, lead, matched, neighbours, reason

    candidate = item.candidates[index]
    pairs = dict.fromkeys(
        match.text if match.text.lower() == match.partner.lower() else f"{match.text} (for {match.partner})"
        for match in matched(candidate)
    )
    if pairs:
        yield "matched", ", ".join(pairs)
    for kind, label in LABELS.items():
        texts = dict.fromkeys(mark.text for mark in candidate.marks if mark.kind == kind)
        if texts:
            yield label, ", ".join(texts)
    around = [neighbour for neighbour in neighbours(item) if index in (neighbour.higher, neighbour.lower)]
    for neighbour in around:
        higher, lower = (item.candidates[number].id for number in (neighbour.higher, neighbour.lower))
        why = reason(item, neighbour, lambda number: item.candidates[number].id)
        yield "why", f"{higher} is {lead(item, neighbour)} above {lower}: {why}"
    if not around:
        yield "why", alone(candidate)


def _show_words(console: Console, reference: ExplainedReference) -> None:
    words = Table(
        box=None, padding=(0, 2, 0, 0), title="words, first to be masked on top", title_justify="left"
    )
    for heading in ("word", "part of speech", "idf", "priority", "cost"):
        words.add_column(heading, justify="left" if heading in ("word", "part of speech") else "right")
    for word in reference.first_masked:
        cost = f"{word.cost}{' (in the context)' if word.shared else ''}"
        numbers = f"{word.idf:.2f}", f"{word.priority:.3f}", cost
        words.add_row(Text(word.text), word.part_of_speech, *numbers)
    console.print(Padding(words, (0, 0, 1, 2)))


def _show_sum(console: Console, item: ExplainedItem, candidate: ExplainedCandidate) -> None:
    from mars_score.web.explain.reasons import shares, words_weight
    from mars_score.web.explain.wording import shown_name

    parts = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("adds", "value", "usual"):
        parts.add_column(heading, justify="right")
    parts.add_column("part of the score")
    for share in shares(candidate, words_weight(item)):
        if round(share.amount, 4):
            usual = "" if share.usual is None else f"{share.usual:.4f}"
            name = Text(shown_name(share.name)) + Text(
                f"  {share.meaning}" if share.meaning else "", style="dim"
            )
            parts.add_row(f"{share.amount:+.4f}", f"{share.measured:.4f}", usual, name)
    total = "total" if candidate.percent is None else f"total, which is {candidate.percent:.0f}%"
    parts.add_row(f"{candidate.score:.4f}", "", "", Text(total, style="bold"))
    console.print(Padding(parts, (0, 0, 1, 2)))
    templates = {
        (number, variant.ratio): variant
        for number, reference in enumerate(item.references)
        for variant in reference.variants
    }
    terms = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("ratio", "cosine", "weight"):
        terms.add_column(heading, justify="right")
    terms.add_column("meaning, compared with (what the language model wrote is marked)")
    for term in candidate.terms:
        terms.add_row(f"{term.ratio:.0%}", f"{term.cosine:.4f}", f"{term.weight:.3f}", _marked(term.segments))
        variant = None if term.reference is None else templates.get((term.reference, term.ratio))
        if variant is not None and variant.blanks:
            terms.add_row("", "", "", Text(_blanked(variant.template), style="dim"))
    console.print(Padding(terms, (0, 0, 1, 2)))


def _marked(segments: Sequence[Piece]) -> Text:
    return Text.assemble(
        *((piece.text, "bold green underline" if piece.marked else "") for piece in segments)
    )


def _blanked(template: Sequence[Piece]) -> str:
    """Put an underscore for each piece between spaces that is masked."""
    return "".join(f"[{'_' * len(piece.text.split())}]" if piece.marked else piece.text for piece in template)


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
