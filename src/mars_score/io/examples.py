"""Parallel lists from a caller to examples, cleaned examples, and their distinct references."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import islice
from numbers import Integral
from typing import Any

from mars_score.errors import InputError, did_you_mean
from mars_score.text.cleaning import clean
from mars_score.types import Example

Texts = Iterable[str]
References = Iterable[str | Iterable[str]]
_OTHER_NAMES = {
    "candidates": (
        "candidate", "cands", "cand", "predictions", "prediction", "preds", "pred", "hypotheses", "hypothesis", "hyps",
        "hyp", "outputs", "output", "responses", "generated", "sys", "mt",
    ),
    "references": (
        "reference", "refs", "ref", "targets", "target", "golds", "gold", "labels", "ground_truths", "answers",
        "expected",
    ),
    "contexts": (
        "context", "sources", "source", "srcs", "src", "documents", "articles", "passages", "inputs", "input",
        "prompts",
    ),
    "questions": ("question", "queries", "query"),
}  # fmt: skip
"""What other metrics call these arguments."""

_TOGETHER = 256
"""Rows that are cleaned together: contexts and references come again, mostly soon."""


def make_examples(
    candidates: Texts,
    references: References | None,
    contexts: Texts | None = None,
    ids: Iterable[str] | None = None,
    questions: Texts | None = None,
) -> list[Example]:
    """Zip the columns; every complaint names the column and the item.

    Without references (None), the rows have none: that is for metrics that read no reference. A question stands at
    the end of its context, where it is never cut.
    """
    arguments = {
        "candidates": candidates, "references": references, "contexts": contexts, "questions": questions, "ids": ids,
    }  # fmt: skip
    columns = {
        name: _column(values, name)
        for name, values in arguments.items()
        if values is not None or name == "candidates"
    }
    count = len(columns["candidates"])
    for name, values in columns.items():
        if len(values) != count:
            raise InputError(
                f"{count} candidates but {len(values)} {name}",
                remedy="give one entry for each candidate, in the same order",
            )
    names = _ids(columns["ids"]) if "ids" in columns else [str(i + 1) for i in range(count)]
    examples = []
    for i, candidate in enumerate(columns["candidates"]):
        texts = _references(columns["references"][i], i) if "references" in columns else ()
        context, question = (
            _text(columns[name][i], name, i) if name in columns else "" for name in ("contexts", "questions")
        )
        # A QA system is given context and question, so both are the context.
        whole = "\n".join(part for part in (context, question) if part)
        examples.append(Example(names[i], _text(candidate, "candidates", i), texts, whole, question))
    return examples


def check_arguments(wrong: Iterable[str], call: str) -> None:
    """Refuse arguments by the names that other tools have for ours."""
    for name in wrong:
        near = next((ours for ours, others in _OTHER_NAMES.items() if name in others), None)
        hint = f" Did you mean {near!r}?" if near else did_you_mean(name, (*_OTHER_NAMES, "ids", "progress"))
        raise TypeError(f"{call}() got an unexpected keyword argument {name!r}.{hint}")


def refuse_without_references(examples: Iterable[Example], metric: str) -> None:
    """Refuse rows that a metric of references cannot score."""
    for example in examples:
        if not example.references:
            raise InputError(
                f"item {example.id!r} has no reference, and {metric} compares with references",
                remedy="give it at least one, or score without references by the metric mars_context",
            )


def _column(values: object, name: str) -> list[Any]:
    """Any ordered column of values: a list, tuple, array, data frame's or data set's column, or a generator."""
    unordered = isinstance(values, str | bytes | Mapping | Set) or hasattr(values, "columns")
    if unordered or not isinstance(values, Iterable):
        raise InputError(
            f"{name} must be a list of texts, not {type(values).__name__}", remedy=f"{name}=[...]"
        )
    return list(values)


def clean_examples(examples: Sequence[Example]) -> list[Example]:
    """Apply the paper's pre-processing to every text of the examples."""
    tidy = cache(clean)  # contexts and references come again with every candidate
    return [
        Example(
            example.id,
            tidy(example.candidate),
            tuple(tidy(reference) for reference in example.references),
            tidy(example.context),
            tidy(example.question),
        )
        for example in examples
    ]


def _ids(ids: Sequence[object]) -> list[str]:
    # A number serves as well as its text, as in a file.
    number = [isinstance(value, Integral) and not isinstance(value, bool) for value in ids]
    names = [str(value) if number[i] else _text(value, "ids", i) for i, value in enumerate(ids)]
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"{count} of the ids are {name!r}", remedy="make ids unique, or give none")
    return names


def _references(value: object, index: int) -> tuple[str, ...]:
    several = isinstance(value, Iterable) and not isinstance(value, bytes | Mapping | Set)
    values = [value] if isinstance(value, str) else list(value) if several else []  # type: ignore[call-overload]
    if not values:
        raise InputError(
            f"references[{index}] must be a text or a non-empty list of texts",
            remedy="give at least one reference, leave the item out, or score without references by the metric "
            "mars_context",
        )
    texts = tuple(_text(text, "references", index) for text in values)
    if not all(text.strip() for text in texts):
        remedy = "a reference must have words; leave the item out"
        raise InputError(f"references[{index}] is blank", remedy=remedy)
    return texts


def _text(value: object, name: str, index: int) -> str:
    if not isinstance(value, str):
        raise InputError(
            f"{name}[{index}] must be a text, not {type(value).__name__}",
            remedy="give a text, or leave the item out",
        )
    return str(value)  # NumPy has a text type of its own


def distinct_references(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield each context with each of its references once, in the order of the rows.

    Each is an example without a candidate, cleaned, whose id is its number. Of those that have been, a hash is
    kept, which takes about 80 bytes.
    """
    seen: set[int] = set()
    rest = iter(examples)
    while batch := list(islice(rest, _TOGETHER)):
        for pair in dict.fromkeys(pair for example in clean_examples(batch) for pair in example.pairs):
            lengths = ",".join(str(len(text)) for text in pair)
            text = f"{lengths};{''.join(pair)}".encode("utf-8", "surrogatepass")
            key = int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "little")
            if key not in seen:
                seen.add(key)
                yield Example(str(len(seen)), "", (pair.reference,), pair.context, pair.question)
