"""Which of my systems is better? Scores of the same items, two systems at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io import delimited, json_rows
from mars_score.io.datasets.base import number
from mars_score.io.fields import RowLocation
from mars_score.io.output import INPUTS, format_of, read_signatures
from mars_score.io.source import DELIMITERS, check_readable, open_input, pieces
from mars_score.io.writers import unescape
from mars_score.stats.significance import compare_systems, holm

if TYPE_CHECKING:
    from mars_score.study.results import DatasetResult, Study


# Reading back what ``mars-score score`` wrote.

Scores = dict[str, dict[str, float | None]]
"""By id, then by metric."""

_REMEDY = "give a file that mars-score score wrote with -o: jsonl, csv or tsv"
_NOT_METRICS = ("id", "flags")


def read_scores(path: str | Path) -> Scores:
    """Return the scores of a file."""
    check_readable(path)
    name = str(path)
    kind = format_of(name, None, INPUTS)
    if kind not in ("jsonl", "csv", "tsv"):
        raise InputError("scores are read from jsonl, csv or tsv", path=name, remedy=_REMEDY)
    scores: Scores = {}
    for line, key, values in _json_rows(name) if kind == "jsonl" else _table_rows(name, kind):
        if key in scores:
            raise InputError(f"the id {key!r} is given twice", path=name, line=line, remedy="make ids unique")
        location = RowLocation(name, line, key)
        scores[key] = {metric: number(value, metric, location) for metric, value in values.items()}
    if not scores:
        raise InputError("the file has no scores", path=name, remedy=_REMEDY)
    return scores


def holds_scores(path: str | Path) -> bool:
    """Tell whether a file has scores; otherwise it has rows to score."""
    check_readable(path)
    name, kind = str(path), format_of(path, None, INPUTS)
    if kind not in ("jsonl", "csv", "tsv"):
        return False
    with open_input(name) as stream:
        if kind == "jsonl":
            first = next(json_rows.jsonl_rows(pieces(stream, name), name), None)
            return first is None or "scores" in first.values
        table = delimited.records(pieces(stream, name), name, DELIMITERS[kind])
        return "candidate" not in next(table, (1, []))[1]


def by_system(scores: ItemScores, path: str) -> dict[str, ItemScores]:
    """Part the scores of one file by system, for ids such as item/system."""
    systems: dict[str, ItemScores] = {}
    for key, score in scores.items():
        item, _, system = key.partition("/")
        systems.setdefault(system, {})[item] = score
    if len(systems) < 2 or "" in systems:
        raise ConfigError(
            f"name at least two systems, a file each; the ids of {path} alone do not, as item/system would"
        )
    return systems


def choose_metric(files: Mapping[str, Scores], wanted: str | None) -> str:
    """Return the metric to compare by: the one that is named, else the only one that all files have, else MARS."""
    each = [[metric for row in scores.values() for metric in row] for scores in files.values()]
    shared = [metric for metric in dict.fromkeys(each[0]) if all(metric in names for names in each)]
    return pick(shared, wanted, f"the scores of {', '.join(files)}")


def pick(shared: Sequence[str], wanted: str | None, where: str) -> str:
    """Return the wanted metric, which must be there; without a wish, the only one, or MARS."""
    if wanted is not None:
        if wanted not in shared:
            available = ", ".join(shared) or "none"
            raise ConfigError(
                f"{where} have no metric {wanted!r} in common; they have {available}.{did_you_mean(wanted, shared)}"
            )
        return wanted
    if not shared:
        raise ConfigError(f"{where} have no metric in common")
    if len(shared) > 1 and "mars" not in shared:
        raise ConfigError(f"{where} have several metrics; name one with --metric: {', '.join(shared)}")
    return "mars" if "mars" in shared else shared[0]


def _json_rows(path: str) -> Iterator[tuple[int, str, Mapping[str, object]]]:
    with open_input(path) as stream:
        for row in json_rows.jsonl_rows(pieces(stream, path), path):
            key, scores = row.values.get("id"), row.values.get("scores")
            if not isinstance(key, str) or not isinstance(scores, dict):
                raise InputError("a row has an id and scores", path=path, line=row.line, remedy=_REMEDY)
            yield row.line, key, scores


def _table_rows(path: str, kind: str) -> Iterator[tuple[int, str, Mapping[str, object]]]:
    with open_input(path) as stream:
        table = delimited.records(pieces(stream, path), path, DELIMITERS[kind])
        start, header = next(table, (1, []))
        if "id" not in header or not set(header) - set(_NOT_METRICS):
            raise InputError("the header has no id or no metric", path=path, line=start, remedy=_REMEDY)
        # Written with --no-escape, which the file beside it says, ids are as they are.
        escaped = (read_signatures(path) or {}).get("escaped", True)
        for line, cells in table:
            if len(cells) != len(header):
                raise InputError(
                    f"the row has {len(cells)} cells, but the header has {len(header)}", path=path, line=line,
                    remedy=_REMEDY,
                )  # fmt: skip
            row = dict(zip(header, cells, strict=True))
            key = unescape(row["id"]) if escaped else row["id"]
            yield line, key, {name: row[name] for name in header if name not in _NOT_METRICS}


LARGEST = 10
"""Items with the largest differences that are shown."""

ItemScores = dict[str, "float | None"]
"""A system's score of each item, by the item's id."""


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that two systems do differently well."""

    item: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Two systems, by one metric; differences are the first's score less the second's."""

    first: str
    second: str
    n: int
    """Items with both scores."""
    left_out: int
    mean_first: float | None
    mean_second: float | None
    difference: float | None
    low: float | None
    high: float | None
    """The 95% interval of the difference, by bootstrap over items."""
    p_bootstrap: float | None
    p_randomisation: float | None
    """Two-sided."""
    p_corrected: float | None
    """That of the randomisation, after Holm over all pairs of systems."""
    wins: int
    """Items that the first system does better, whichever way the metric goes."""
    ties: int
    losses: int
    largest: tuple[ItemDifference, ...]
    reason: str | None
    """Why there are no p-values."""


def compare_all(
    systems: Mapping[str, ItemScores], *, higher_is_better: bool = True, draws: int = 1000, seed: int = 0
) -> list[SystemComparison]:
    """Compare every two systems, in the order in which they are given."""
    if len(systems) < 2:
        raise ConfigError("nothing to compare; name at least two systems")
    pairs = list(combinations(systems, 2))
    comparisons = [_compare(first, second, systems, draws, seed) for first, second in pairs]
    corrected = holm([comparison.p_randomisation for comparison in comparisons])
    if not higher_is_better:
        comparisons = [
            replace(comparison, wins=comparison.losses, losses=comparison.wins) for comparison in comparisons
        ]
    return [replace(comparison, p_corrected=p) for comparison, p in zip(comparisons, corrected, strict=True)]


def _compare(
    first: str, second: str, systems: Mapping[str, ItemScores], draws: int, seed: int
) -> SystemComparison:
    a, b = systems[first], systems[second]
    items = list(dict.fromkeys([*a, *b]))
    x, y = [a.get(item) for item in items], [b.get(item) for item in items]
    result = compare_systems(x, y, draws=draws, seed=seed, largest=LARGEST)
    return SystemComparison(
        first, second, result.n, result.left_out, result.mean_a, result.mean_b, result.difference, result.low,
        result.high, result.p_bootstrap, result.p_randomisation, None, result.wins, result.ties, result.losses,
        tuple(ItemDifference(items[i], x[i] or 0.0, y[i] or 0.0) for i in result.largest), result.reason,
    )  # fmt: skip


def same_items(systems: Mapping[str, ItemScores]) -> None:
    """Refuse systems that were not scored on the same items: their means would say nothing."""
    (base, expected), *others = systems.items()
    for name, given in others:
        odd = next((item for item in given if item not in expected), None)
        absent = next((item for item in expected if item not in given), None)
        if odd is not None or absent is not None:
            without, item = (base, odd) if odd is not None else (name, absent)
            raise InputError(
                f"there is no item of id {item!r}",
                path=without,
                remedy="score both systems on the same items, with the same ids",
            )


def systems_of_study(
    study: Study, names: Sequence[str], metric: str, dataset: str | None
) -> dict[str, ItemScores]:
    """Return the scores of some systems of a study by item; of several rows of an item, their mean."""
    chosen = _dataset(study, dataset)
    for name in names:
        if name not in chosen.info.systems:
            available = ", ".join(chosen.info.systems)
            raise ConfigError(
                f"{chosen.name} has no system {name!r}; it has {available}.{did_you_mean(name, chosen.info.systems)}"
            )
    systems: dict[str, ItemScores] = {}
    for name in names:
        rows: dict[str, list[float]] = {}
        for row in chosen.rows:
            score = row.scores.get(metric)
            if row.system == name and score is not None:
                rows.setdefault(row.item, []).append(score)
        systems[name] = {item: sum(scores) / len(scores) for item, scores in rows.items()}
    return systems


def _dataset(study: Study, name: str | None) -> DatasetResult:
    datasets = {dataset.name: dataset for dataset in study.datasets}
    if name is None:
        if len(datasets) > 1:
            raise ConfigError(
                f"the study has several data sets; name one with --dataset: {', '.join(datasets)}"
            )
        return study.datasets[0]
    if name not in datasets:
        raise ConfigError(
            f"the study has no data set {name!r}; it has {', '.join(datasets)}.{did_you_mean(name, datasets)}"
        )
    return datasets[name]
