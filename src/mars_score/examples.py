"""Parallel lists from a caller to examples, checked as strictly as a file is."""

from __future__ import annotations

from collections.abc import Sequence

from mars_score.errors import InputError
from mars_score.types import Example


def make_examples(
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]],
    contexts: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
) -> list[Example]:
    """Zip the lists; every complaint names the list and the item."""
    lists: dict[str, Sequence[object] | None] = {
        "candidates": candidates,
        "references": references,
        "contexts": contexts,
        "ids": ids,
    }
    for name, values in lists.items():
        if isinstance(values, str | bytes) or (values is not None and not isinstance(values, Sequence)):
            raise InputError(f"{name} must be a list of texts, not {type(values).__name__}", remedy=f"{name}=[...]")
        if values is not None and len(values) != len(candidates):
            raise InputError(
                f"{len(candidates)} candidates but {len(values)} {name}",
                remedy="give one entry for each candidate, in the same order",
            )
    return [
        Example(
            id=str(ids[i]) if ids is not None else str(i + 1),
            candidate=_text(candidate, "candidates", i),
            references=_references(references[i], i),
            context=_text(contexts[i], "contexts", i) if contexts is not None else "",
        )
        for i, candidate in enumerate(candidates)
    ]


def _references(value: object, index: int) -> tuple[str, ...]:
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, Sequence) or not found:
        raise InputError(f"references[{index}] must be a text or a non-empty list of texts")
    texts = tuple(_text(text, "references", index) for text in found)
    if not all(text.strip() for text in texts):
        raise InputError(f"references[{index}] is blank", remedy="a reference must have words; leave the item out")
    return texts


def _text(value: object, name: str, index: int) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}[{index}] must be a text, not {type(value).__name__}")
    return value
