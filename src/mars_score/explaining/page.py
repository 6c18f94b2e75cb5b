"""The page of explanations: one file that asks nobody for anything; or the items alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from mars_score.explaining.explained import ExplainedItem
    from mars_score.explaining.standing import Standing

HERE = "mars_score.explaining"
FILES: tuple[str, ...] = ("explained.css", "explained.js")
"""The files under `templates/` that a page needs to show a fragment; scripts listen on the whole document."""


def to_page(
    explained: Sequence[ExplainedItem],
    standing: Standing | None,
    *,
    signature: str,
    source: str,
    left_out: int = 0,
) -> str:
    """Return the whole page; `left_out` is how many rows of the source are not on it."""
    raise NotImplementedError


def fragment(explained: Sequence[ExplainedItem], standing: Standing | None = None) -> Markup:
    """Return the items alone, to be put inside another page that has the `FILES`."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup("")
