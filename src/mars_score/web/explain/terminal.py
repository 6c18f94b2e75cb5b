"""An explanation in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score import flags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

    from mars_score.types import Example
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedItem, ExplainedReference, Piece


def show(console: Console, example: Example, item: ExplainedItem, candidate: ExplainedCandidate) -> None:
    """Print one candidate of an item, as the file has it, and the sum that is its score."""
    from rich.text import Text

    console.rule(Text(f"{candidate.id}: {candidate.score:.4f}"), align="left")
    for label, text in (
        ("context", example.context or "(none)"),
        ("candidate", example.candidate or "(empty)"),
    ):
        console.print(Text(f"{label:>9}  ", style="bold") + Text(text))
    for reference in item.references:
        _show_words(console, reference)
    _show_sum(console, item, candidate)
    for flag in candidate.flags:
        console.print(f"  {flag}: {flags.MEANING[flag]}", style="yellow")


def _show_words(console: Console, reference: ExplainedReference) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console.print(Text("reference  ", style="bold") + Text(reference.text))
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
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    templates = {
        (number, variant.ratio): variant
        for number, reference in enumerate(item.references)
        for variant in reference.variants
    }
    terms = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("ratio", "cosine", "weight", "term"):
        terms.add_column(heading, justify="right")
    terms.add_column("augmented reference (what the language model wrote is marked)")
    for term in candidate.terms:
        numbers = (f"{term.cosine:.4f}", f"{term.weight:.3f}", f"{term.contribution:.4f}")
        terms.add_row(f"{term.ratio:.0%}", *numbers, _marked(term.segments))
        variant = None if term.reference is None else templates.get((term.reference, term.ratio))
        if variant is not None and variant.blanks:
            terms.add_row("", "", "", "", Text(_blanked(variant.template), style="dim"))
    for one in candidate.adjustments:
        told = f"{one.name}: {one.meaning} (measured {one.measured:.4f}, usual {one.usual:.4f})"
        terms.add_row("", "", "", f"{one.amount:+.4f}", Text(told))
    if candidate.rest:
        terms.add_row("", "", "", f"{candidate.rest:+.4f}", Text("what else the formula does"))
    terms.add_row("", "", "", f"{candidate.score:.4f}", Text("total", style="bold"))
    console.print(Padding(terms, (0, 0, 1, 2)))


def _marked(segments: Sequence[Piece]) -> Text:
    from rich.text import Text

    text = Text()
    for piece in segments:
        text.append(piece.text, style="bold green underline" if piece.marked else "")
    return text


def _blanked(template: Sequence[Piece]) -> str:
    """Put an underscore for each piece between spaces that is masked."""
    shown = (f"[{'_' * len(piece.text.split())}]" if piece.marked else piece.text for piece in template)
    return "".join(shown)
