"""Is my judge any good? Scores from elsewhere beside the metrics: agreement, the share of length, and biases."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mars_score.errors import ConfigError, InputError
from mars_score.io import delimited, json_rows
from mars_score.io.output import INPUTS, format_of
from mars_score.io.saved import follow
from mars_score.io.source import DELIMITERS, check_readable, open_input, pieces
from mars_score.stats.bootstrap import interval, resampled_bias, resampled_partial
from mars_score.stats.correlation import correlation, partial_correlation, quantile_bins
from mars_score.stats.data import numbers, scored, take
from mars_score.stats.ratings import quadratic_kappa
from mars_score.study.results import Bias, JudgeResult, LengthBin, MetricInfo
from mars_score.study.store import StoredScore
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mars_score.io.datasets.base import Dataset
    from mars_score.stats.data import Floats
    from mars_score.study.scoring import DatasetScores

POSITION, JUDGE = "position", "judge"
"""Fields beside a score: where the text stood when it was judged, and the system that the judge belongs to."""
_NO_SCORES = frozenset({"id", "custom_id", POSITION, JUDGE, "created", "index"})
_REPLIES = ("response.body.choices.0.message.content", "choices.0.message.content")
_UNNAMED = frozenset({"score", "rating", "value", "grade", JUDGE})
"""A single column of such a name takes the name of its file."""
BINS = 5


@dataclass(frozen=True, slots=True)
class Judgement:
    """One score of one row."""

    score: float
    position: str = ""
    judge: str = ""


@dataclass(frozen=True, slots=True)
class ExternalScores:
    """Scores that come from elsewhere, by the ids of rows; a row may be judged once in each position."""

    name: str
    source: str
    judgements: Mapping[str, tuple[Judgement, ...]]
    dataset: str = ""
    """The only data set whose rows have these ids; empty for any."""

    def of(self, id: str) -> float | None:
        """The score of a row: the mean of its judgements."""
        given = self.judgements.get(id, ())
        return sum(judgement.score for judgement in given) / len(given) if given else None


# Reading scores: tables, JSON lines, and what language models answered.


def read_external(path: str | Path, only: str | None = None, own_system: str = "") -> list[ExternalScores]:
    """Return the columns of numbers in a file that names rows by id; or only one, of a file of rows.

    In JSON, numbers may be nested, and an answer of a language model may be JSON in a text.
    """
    columns: dict[str, dict[str, dict[str, Judgement]]] = {}
    texts: set[str] = set()
    for number, (line, record) in enumerate(_records(path), 1):
        id = str(record.get("id") or record.get("custom_id") or number)
        position, judge = (str(record.get(name) or "") for name in (POSITION, JUDGE))
        if isinstance(_inside(judge), float):
            judge = ""  # a column of that name that has the scores
        for name, value in _numbers(record if only is None else {only: record.get(only)}):
            if value is None:
                texts.add(name)
                continue
            given = columns.setdefault(name, {}).setdefault(id, {})
            if position in given:
                problem = f"the id {id!r} has two scores {name!r}"
                remedy = (
                    f"give one a row; or, where a row was judged in several places, name them in {POSITION!r}"
                )
                raise InputError(problem, path=path, line=line, remedy=remedy)
            given[position] = Judgement(value, position, own_system or judge)
    names = [name for name in columns if name not in texts]
    if not names:
        what = f"no numbers in {only!r}" if only else "no column of numbers"
        remedy = 'each row has an id and a score, as {"id": "bread/a", "score": 4}'
        raise InputError(what, path=path, remedy=remedy)
    alone = Path(path).stem if len(names) == 1 and only is None else None
    with open_input(path) as stream:
        source = f"{Path(path).name}|sha256:{hashlib.sha256(stream.read()).hexdigest()[:16]}"
    return [
        ExternalScores(
            alone if alone and name.rpartition(".")[2] in _UNNAMED else name,
            f"{source}|column:{name}",
            {id: tuple(given.values()) for id, given in columns[name].items()},
            Path(path).stem if only else "",
        )
        for name in names
    ]


def _records(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    check_readable(path)
    name, kind = str(path), format_of(path, None, INPUTS)
    if kind is None or kind == "parquet":
        raise InputError(
            "scores are read from jsonl, json, csv or tsv", path=name, remedy="save them as .jsonl"
        )
    with open_input(path) as stream:
        if kind in DELIMITERS:
            table = delimited.records(pieces(stream, name), name, DELIMITERS[kind])
            _, header = next(table, (1, []))
            for line, cells in table:
                yield line, dict(zip(header, cells, strict=False))
        else:
            for row in json_rows.json_rows(pieces(stream, name), name):
                yield row.line, row.values


def _numbers(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float | None]]:
    """Yield each number by its name, nested ones by their path; a text that holds none comes as None."""
    reply = next((text for path in _REPLIES if (text := follow(dict(record), path))), None)
    for key, raw in {"reply": reply}.items() if isinstance(reply, str) else record.items():
        name, value = f"{prefix}{key}", _inside(raw) if isinstance(raw, str) else raw
        scored = key == JUDGE and isinstance(value, int | float)
        if (key in _NO_SCORES and not scored) or value is None or value == "":
            continue
        if isinstance(value, Mapping):
            yield from _numbers(value, "" if isinstance(reply, str) else f"{name}." * (key != "scores"))
        elif isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value):
            yield ("score" if key == "reply" else name), float(value)
        else:
            yield name, None


def _inside(text: str) -> object:
    """Return the number that a text is, or the JSON object inside it, such as a fenced one."""
    try:
        return float(text)
    except ValueError:
        pass
    inside = re.search(r"\{.*\}", text, re.DOTALL)
    try:
        return json.loads(inside[0]) if inside else text
    except (ValueError, RecursionError):
        return text


# Beside the metrics.


def join(datasets: Sequence[DatasetScores], external: Sequence[ExternalScores]) -> list[DatasetScores]:
    """Add scores to those of the metrics, in each data set that has their rows; nothing attacks or times them."""
    ids = {scores.dataset.name: [row.id for row in scores.dataset] for scores in datasets}
    for column in external:
        if not any(
            id in column.judgements for name in ids for id in ids[name] if column.dataset in ("", name)
        ):
            problem = f"none of its ids, such as {next(iter(column.judgements))!r}, is in the data"
            raise InputError(
                problem, path=column.source.partition("|")[0], remedy="give the ids that the rows have"
            )
    return [_join(scores, ids[scores.dataset.name], external) for scores in datasets]


def _join(scores: DatasetScores, ids: Sequence[str], external: Sequence[ExternalScores]) -> DatasetScores:
    names = {metric.name for metric in scores.metrics}
    here = [column for column in external if column.dataset in ("", scores.dataset.name)]
    here = [column for column in here if any(id in column.judgements for id in ids)]
    for column in here:
        if column.name in names:
            raise ConfigError(
                f"two columns of scores are called {column.name!r}\n  remedy: rename that of {column.source}"
            )
        names.add(column.name)
    infos = [
        MetricInfo(column.name, "scores from elsewhere", True, f"external|{column.source}") for column in here
    ]
    rows = {column.name: tuple(StoredScore(column.of(id), (), 0.0) for id in ids) for column in here}
    return replace(
        scores, metrics=(*scores.metrics, *infos), rows={**scores.rows, **rows}, external=tuple(here)
    )


def judge_results(scores: DatasetScores, *, draws: int, seed: int) -> list[JudgeResult]:
    """Hold scores from elsewhere, and the metrics beside them, against people's ratings."""
    if not scores.external:
        return []
    external = {column.name: column for column in scores.external}
    length = np.array([len(words(row.example.candidate)) for row in scores.dataset], dtype=np.float64)
    made = []
    for metric in scores.metrics:
        given = external.get(metric.name)
        made.append(_judged(metric.name, scores.oriented(metric), scores.dataset, length, given, draws, seed))
    return made


def _judged(
    name: str, scores: Sequence[float | None], dataset: Dataset, length: Floats, given: ExternalScores | None,
    draws: int, seed: int,
) -> JudgeResult:  # fmt: skip
    metric, human = numbers(scores), np.array(dataset.human)
    rows = scored(metric, human, [row.item for row in dataset], [row.system for row in dataset])
    there = rows.usable
    partial = partial_correlation(metric, human, length)
    low = high = None
    if partial.value is not None:
        statistic = resampled_partial(take(rows, there), length[there])
        bounds = interval(statistic, len(rows.item_names), draws=draws, seed=seed)
        low, high = bounds.low, bounds.high
    bins = [np.flatnonzero(there)[chosen] for chosen in quantile_bins(length[there], BINS)]
    each = [correlation(metric[chosen], human[chosen]) for chosen in bins]
    defined = [(len(chosen), r.value) for chosen, r in zip(bins, each, strict=True) if r.value is not None]
    total = sum(count for count, _ in defined)
    kappa, people = _kappas(given, dataset) if given else (None, None)
    return JudgeResult(
        metric=name,
        external=given is not None,
        n=partial.n,
        pearson=correlation(metric, human).value,
        partial=partial.value,
        partial_low=low,
        partial_high=high,
        partial_spearman=partial_correlation(metric, human, length, "spearman").value,
        within_bins=sum(count * value for count, value in defined) / total if total else None,
        bins=tuple(
            LengthBin(int(length[chosen].min()), int(length[chosen].max()), len(chosen), r.value)
            for chosen, r in zip(bins, each, strict=True)
        ),
        with_length=correlation(metric, length).value,
        people_with_length=correlation(human, length).value,
        kappa=kappa,
        people_kappa=people,
        biases=tuple(_biases(given, dataset, draws, seed)) if given else (),
    )


def _kappas(given: ExternalScores, dataset: Dataset) -> tuple[float | None, float | None]:
    """A judge's agreement with single raters (else with the one rating of a row), and that of two raters of a row."""
    pairs = [
        (judgement.score, rating)
        for row in dataset
        for judgement in given.judgements.get(row.id, ())
        for rating in row.ratings or (row.human,)
    ]
    raters = [pair for row in dataset for two in combinations(row.ratings, 2) for pair in (two, two[::-1])]
    judge = quadratic_kappa([score for score, _ in pairs], [rating for _, rating in pairs])
    people = quadratic_kappa([first for first, _ in raters], [second for _, second in raters])
    return judge.value, people.value


def _biases(given: ExternalScores, dataset: Dataset, draws: int, seed: int) -> Iterable[Bias]:
    """What a judge gives for standing in a position, and for being of its own system, beyond what people give."""
    entries = [(row, judgement) for row in dataset for judgement in given.judgements.get(row.id, ())]
    human = [row.human for row, _ in entries]
    rows = scored(
        [judgement.score for _, judgement in entries],
        human,
        [row.item for row, _ in entries],
        [row.system for row, _ in entries],
    )
    marks = {
        (POSITION, name): [float(judgement.position == name) for _, judgement in entries]
        for name in sorted({judgement.position for _, judgement in entries} - {""})
    }
    marks |= {
        ("self-preference", name): [
            float(row.system == name and judgement.judge == name) for row, judgement in entries
        ]
        for name in sorted({judgement.judge for _, judgement in entries} - {""})
    }
    for (kind, name), marked in marks.items():
        if 0 < sum(marked) < len(marked):
            effect = interval(
                resampled_bias(rows, np.array(marked)), len(rows.item_names), draws=draws, seed=seed
            )
            yield Bias(kind, name, int(sum(marked)), len(marked), effect.value, effect.low, effect.high)
