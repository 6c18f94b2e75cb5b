"""Parallel lists from a caller to examples, cleaned examples, and their distinct references."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from mars_score.errors import InputError
from mars_score.text.cleaning import clean
from mars_score.types import Example

_TOGETHER = 256
"""Rows that are cleaned together: contexts and references come again, mostly soon."""


def make_examples(
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]],
    contexts: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
) -> list[Example]:
    """Zip the lists; every complaint names the list and the item."""
    lists: dict[str, Sequence[object]] = {"candidates": candidates, "references": references}
    lists |= {name: values for name, values in (("contexts", contexts), ("ids", ids)) if values is not None}
    for name, values in lists.items():
        if isinstance(values, str | bytes) or not isinstance(values, Sequence):
            raise InputError(
                f"{name} must be a list of texts, not {type(values).__name__}", remedy=f"{name}=[...]"
            )
        if len(values) != len(candidates):
            raise InputError(
                f"{len(candidates)} candidates but {len(values)} {name}",
                remedy="give one entry for each candidate, in the same order",
            )
    names = [str(i + 1) for i in range(len(candidates))] if ids is None else _ids(ids)
    return [
        Example(
            id=names[i],
            candidate=_text(candidate, "candidates", i),
            references=_references(references[i], i),
            context=_text(contexts[i], "contexts", i) if contexts is not None else "",
        )
        for i, candidate in enumerate(candidates)
    ]


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
    number = [isinstance(value, int) and not isinstance(value, bool) for value in ids]
    names = [str(value) if number[i] else _text(value, "ids", i) for i, value in enumerate(ids)]
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"{count} of the ids are {name!r}", remedy="make ids unique, or give none")
    return names


def _references(value: object, index: int) -> tuple[str, ...]:
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not values:
        raise InputError(
            f"references[{index}] must be a text or a non-empty list of texts",
            remedy="give at least one reference, or leave the item out",
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
    return value


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
