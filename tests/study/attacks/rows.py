"""Rows of our own writing, and rows that nobody wrote."""

from __future__ import annotations

from hypothesis import strategies as st

from mars_score.io.datasets.base import Dataset, Rated
from mars_score.text.words import without_spaces
from mars_score.types import Example

CONTEXT = (
    "Wendy drove to Bergen on 12 May with her brother Tom. The engine of the old Volvo made a noise. "
    "She stopped after two hours and looked under the car."
)


def example(
    candidate: str, context: str = CONTEXT, reference: str = "She called for help.", question: str = ""
) -> Example:
    return Example("row", candidate, (reference,), "\n".join(filter(None, [context, question])), question)


WORDS = [
    "the",
    "Tom",
    "was",
    "not",
    "didn't",
    "walked",
    "she",
    "two",
    "1984",
    "yes",
    "home.",
    "Bergen",
    "fish,",
    "…",
    "café",
]
sentences = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=12).map(" ".join)


@st.composite
def examples(draw: st.DrawFn, number: int = 0) -> Example:
    """An example whose texts are partly English and partly anything."""
    reference = draw(sentences.filter(lambda text: bool(text.strip())))
    question = draw(st.just("") | sentences)
    context = "\n".join(filter(None, [draw(sentences), question]))
    return Example(str(number), draw(sentences), (reference,), context, question)


def spaced_examples() -> st.SearchStrategy[Example]:
    """Examples whose candidates are written with spaces, so that tokens are what stands between them."""
    return examples().filter(lambda row: not without_spaces(row.candidate))


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """A few rows of two systems."""
    rows = [
        Rated(draw(examples(number)), float(draw(st.integers(1, 5))), draw(st.sampled_from("ab")))
        for number in range(draw(st.integers(1, 6)))
    ]
    return Dataset("any", tuple(rows))
