"""A table small enough to check by eye, and studies with little or strange in them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mars_score.study.report.table import Column, Table, TableCell
from mars_score.study.results import SCHEMA, DatasetInfo, DatasetResult, MetricInfo, Study

if TYPE_CHECKING:
    from collections.abc import Callable

Thing = TypeVar("Thing")

TABLE = Table(
    name="small",
    title="A & B_1",
    caption="50% of <all> rows.",
    columns=(
        Column("metric"),
        Column("r", "number", 3, "news", "explained"),
        Column("share", "percent", 0, "news"),
        Column("p", "p"),
    ),
    rows=(
        (
            TableCell("mars|x", note="a note"),
            TableCell(value=0.4234, low=-0.1, high=0.5, cluster=1, best=True, note="n = 9"),
            TableCell(value=0.5),
            TableCell(value=0.0000123),
        ),
        (TableCell("b*c"), TableCell(reason="all equal"), TableCell(), TableCell(value=0.04)),
        (
            TableCell("up"),
            TableCell(value=-0.0001, mark="\N{BLACK UP-POINTING TRIANGLE}"),
            TableCell(value=1.0),
            TableCell(value=0.5),
        ),
    ),
)

INFO = DatasetInfo(
    rows=4,
    items=2,
    systems=("a", "b"),
    references_left_out=0,
    content_hash="sha256:0",
    context_length=10.0,
    reference_length=5.0,
    omega=2.0,
    ratings=8,
    raters=(2, 2),
    alpha_interval=None,
    alpha_ordinal=0.5,
    alpha_reason="constant",
    mean=3.0,
    deviation=1.0,
    histogram_edges=(1.0, 3.0, 5.0),
    histogram_counts=(1, 3),
)
MARS = MetricInfo("mars", "augmented references", True, "mars|v:1")
RIVAL = MetricInfo("bertscore", "token matches", True, "bertscore|v:1")
LENGTH = MetricInfo("candidate_length", "sentinel: words, counted", True, "candidate_length|v:1")


def small_study(dataset: DatasetResult, *metrics: MetricInfo) -> Study:
    """Return a study of one data set."""
    return Study(SCHEMA, "1.0", 0, 100, metrics or (MARS, RIVAL, LENGTH), (dataset,))


def with_texts(thing: Thing, change: Callable[[str], str], keep: frozenset[str]) -> Thing:
    """Return a copy of nested data in which every string, but for some, is changed."""
    return _changed(thing, change, keep)  # type: ignore[no-any-return]


def _changed(thing: Any, change: Callable[[str], str], keep: frozenset[str]) -> Any:
    if isinstance(thing, str):
        return thing if thing in keep else change(thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return replace(
            thing,
            **{field.name: _changed(getattr(thing, field.name), change, keep) for field in fields(thing)},
        )
    if isinstance(thing, tuple):
        return tuple(_changed(part, change, keep) for part in thing)
    if isinstance(thing, dict):
        return {_changed(key, change, keep): _changed(part, change, keep) for key, part in thing.items()}
    return thing


RESERVED = frozenset(
    [
        *("", "human", "rating", "pooled", "system", "item", "system_means"),
        *("pearson", "spearman", "kendall", "accuracy", "perm-both", "williams"),
        *(
            "metric_constant",
            "human_constant",
            "relevance",
            "readability",
            "overall",
            "original",
            "naive",
            "mars",
        ),
    ]
)
"""Words of the schema; every other string of a study may come from a stranger."""
