"""``mars-score explain``: where a score comes from, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mars_score import flags
from mars_score.cli.options import input_options, scorer_options, take_input, take_scorer
from mars_score.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from rich.console import Console

    from mars_score.scorer import MarsScorer
    from mars_score.types import AugmentedReference, Example, ItemScore


@click.command()
@input_options
@scorer_options
@click.option(
    "--id", "ids", multiple=True, metavar="ID", help="Which row; may be repeated. The first by default."
)
def explain(ids: tuple[str, ...], **values: Any) -> None:
    """Show the template, the augmented references, the cosines and the weights behind a score."""
    from rich.console import Console  # noqa: PLC0415

    source, scorer = take_input(values), take_scorer(values)
    rows = {example.id: example for example in source.read()}
    examples = _find(rows, ids, source.name)
    if scorer.config.masking.idf == "corpus":
        scorer.corpus = list(rows.values())  # the score depends on every row of the file
    # This finds every model: a wrong name is known before anything is computed.
    signature = scorer.signature
    console = Console(highlight=False)
    for example, item in zip(examples, scorer.score_examples(examples), strict=True):
        _show(console, scorer, example, item)
    console.print(f"signature: {signature}", style="dim", soft_wrap=True)


def _find(rows: dict[str, Example], ids: tuple[str, ...], name: str) -> list[Example]:
    """The asked-for rows, in the order asked for."""
    if not ids:
        return [next(iter(rows.values()))]
    for wanted in ids:
        if wanted not in rows:
            listed = f"{', '.join(list(rows)[:10])}{', ...' if len(rows) > 10 else ''}"
            raise InputError(
                f"no row has the id {wanted!r}.{did_you_mean(wanted, rows)}",
                path=name,
                remedy=f"the ids are {listed}",
            )
    return [rows[wanted] for wanted in ids]


def _show(console: Console, scorer: MarsScorer, example: Example, item: ItemScore) -> None:
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console.rule(Text(f"{example.id}: {item.score:.4f}"), align="left")
    for label, text in (
        ("context", example.context or "(none)"),
        ("candidate", example.candidate or "(empty)"),
    ):
        console.print(Text(f"{label:>9}  ", style="bold") + Text(text))
    for reference, plans in scorer.explain_words(example).items():
        console.print(Text("reference  ", style="bold") + Text(reference))
        words = Table(
            box=None,
            padding=(0, 2, 0, 0),
            title="words, first to be masked on top",
            title_justify="left",
        )
        for heading in ("word", "part of speech", "idf", "priority", "cost"):
            words.add_column(heading, justify="left" if heading in ("word", "part of speech") else "right")
        for plan in sorted(plans, key=lambda plan: (plan.cost, -plan.priority)):
            cost = f"{plan.cost}{' (in the context)' if plan.cost > 1 else ''}"
            words.add_row(Text(plan.word.text), plan.tag, f"{plan.idf:.2f}", f"{plan.priority:.3f}", cost)
        console.print(Padding(words, (0, 0, 1, 2)))
    terms = Table(box=None, padding=(0, 2, 0, 0))
    for heading in (
        "ratio",
        "cosine",
        "weight",
        "term",
        "augmented reference (what the language model wrote is marked)",
    ):
        terms.add_column(heading, justify="left" if heading.startswith("aug") else "right")
    for term in item.augmented:
        numbers = (f"{term.cosine:.4f}", f"{term.weight:.3f}", f"{term.cosine * term.weight:.4f}")
        terms.add_row(f"{term.ratio:.0%}", *numbers, _marked(term.augmented))
        if term.template.blanks:
            terms.add_row("", "", "", "", Text(str(term.template), style="dim"))
    terms.add_row("", "", "", f"{item.score:.4f}", Text("total", style="bold"))
    console.print(Padding(terms, (0, 0, 1, 2)))
    for flag in item.flags:
        console.print(f"  {flag}: {flags.MEANING[flag]}", style="yellow")


def _marked(augmented: AugmentedReference) -> Any:
    """The augmented reference with its fills marked."""
    from rich.text import Text  # noqa: PLC0415

    text = Text()
    for block in augmented.segments:
        gap = len(block.text) - len(block.text.lstrip())
        text.append(block.text[:gap])
        text.append(block.text[gap:], style="bold green underline" if block.blank else "")
    return text
