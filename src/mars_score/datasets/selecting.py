"""A part of a data set: some of its systems, some of its tasks, some of its languages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection

    from mars_score.datasets.base import Dataset

PAPER_NEWSROOM = ("textrank", "abstractive", "pointer_n")
"""The systems of Newsroom that the paper evaluates; it calls the second one Seq2Seq."""


def select(
    dataset: Dataset,
    systems: Collection[str] | None = None,
    tasks: Collection[str] | None = None,
    langs: Collection[str] | None = None,
) -> Dataset:
    """Return the rows of these systems, tasks and languages, in their order; ``None`` stands for all."""
    rows = dataset.rows
    if systems is not None:
        wanted = _known("system", systems, {row.system for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.system in wanted)
    if tasks is not None:
        wanted = _known("task", tasks, {row.task for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.task in wanted)
    if langs is not None:
        wanted = _known("language", langs, {row.lang for row in rows}, dataset.name)
        rows = tuple(row for row in rows if row.lang in wanted)
    return replace(dataset, rows=rows)


def _known(kind: str, names: Collection[str], present: set[str], dataset: str) -> set[str]:
    """Return the names, all of which must be present: a misspelt one would silently leave its rows out."""
    wanted = {names} if isinstance(names, str) else set(names)
    listed = ", ".join(sorted(present - {""})) or "none"
    if not wanted:
        raise ConfigError(f"no {kind} is named; name one or more of {listed}")
    for name in sorted(wanted - present):
        raise ConfigError(f"{dataset} has no {kind} {name!r}; it has {listed}.{did_you_mean(name, present)}")
    return wanted
