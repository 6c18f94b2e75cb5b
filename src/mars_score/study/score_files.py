"""Reading back what ``mars-score score`` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.datasets.ratings import Place, number
from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.files import delimited, jsonl
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.render import unescape
from mars_score.files.sidecar import read_signatures
from mars_score.files.source import check_readable, open_input
from mars_score.files.text_lines import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

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
    found: Scores = {}
    for line, key, values in _json_rows(name) if kind == "jsonl" else _table_rows(name, kind):
        if key in found:
            raise InputError(f"the id {key!r} is given twice", path=name, line=line, remedy="make ids unique")
        place = Place(name, line, key)
        found[key] = {metric: number(value, metric, place) for metric, value in values.items()}
    if not found:
        raise InputError("the file has no scores", path=name, remedy=_REMEDY)
    return found


def choose_metric(files: Mapping[str, Scores], wanted: str | None) -> str:
    """Return the metric to compare by: the one that is named, else the only one that all files have, else MARS."""
    each = [[metric for row in scores.values() for metric in row] for scores in files.values()]
    shared = [metric for metric in dict.fromkeys(each[0]) if all(metric in one for one in each)]
    return pick(shared, wanted, f"the scores of {', '.join(files)}")


def pick(shared: Sequence[str], wanted: str | None, where: str) -> str:
    """Return the wanted metric, which must be there; without a wish, the only one, or MARS."""
    if wanted is not None:
        if wanted not in shared:
            known = ", ".join(shared) or "none"
            raise ConfigError(
                f"{where} have no metric {wanted!r} in common; they have {known}.{did_you_mean(wanted, shared)}"
            )
        return wanted
    if not shared:
        raise ConfigError(f"{where} have no metric in common")
    if len(shared) > 1 and "mars" not in shared:
        raise ConfigError(f"{where} have several metrics; name one with --metric: {', '.join(shared)}")
    return "mars" if "mars" in shared else shared[0]


def _json_rows(path: str) -> Iterator[tuple[int, str, Mapping[str, object]]]:
    with open_input(path) as stream:
        for row in jsonl.rows(pieces(stream, path), path):
            key, scores = row.values.get("id"), row.values.get("scores")
            if not isinstance(key, str) or not isinstance(scores, dict):
                raise InputError("a row has an id and scores", path=path, line=row.line, remedy=_REMEDY)
            yield row.line, key, scores


def _table_rows(path: str, kind: str) -> Iterator[tuple[int, str, Mapping[str, object]]]:
    with open_input(path) as stream:
        table = delimited.records(pieces(stream, path), path, delimited.DELIMITERS[kind])
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
