"""People's ratings of a file's rows, where it has any; rows without one are no error here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.datasets.ratings import Place, mean, number, number_list
from mars_score.datasets.rows import raw_rows
from mars_score.files.field_names import field_names
from mars_score.files.fields import to_example
from mars_score.files.formats import INPUTS, format_of
from mars_score.files.source import is_regular

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_ratings(
    path: str, *, fields: Mapping[str, str] | None = None, format: str | None = None, human: str = "human"
) -> dict[str, float]:
    """Return ratings by row id, from the field `human`, else the mean of ``ratings``.

    What can be read only once, as a pipe, and Parquet have none.
    """
    kind = format_of(path, format, INPUTS)
    if not is_regular(path) or kind in (None, "parquet"):
        return {}
    names, found = field_names(fields), {}
    for count, row in enumerate(raw_rows(path, str(kind), names), 1):
        identity = to_example(row, count, names, path).id
        place = Place(path, row.line, identity)
        rating = number(row.values.get(human), human, place)
        ratings = () if rating is not None else number_list(row.values.get("ratings"), "ratings", place)
        if rating is not None or ratings:
            found[identity] = mean(ratings) if rating is None else rating
    return found
