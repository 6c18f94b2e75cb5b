"""The page of explanations: one file that asks nobody for anything; or the items alone."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.explaining import wording
from mars_score.explaining.standing import band
from mars_score.explaining.strip import make_strip
from mars_score.explaining.view import item_view
from mars_score.pages.page import assets, environment
from mars_score.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
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
    return (
        _environment()
        .get_template("explain.html.j2")
        .render(
            items=[item_view(item, standing) for item in explained],
            standing=standing,
            strip=make_strip(standing) if standing else None,
            overlap=_overlap(standing) if standing else False,
            flags=sorted(Counter(flag for item in explained for flag in item.flags).items()),
            rows=sum(len(item.candidates) for item in explained),
            ratios=wording.listed([wording.percent(ratio) for ratio in _ratios(explained)]),
            rated=any(one.disagreement is not None for item in explained for one in item.candidates),
            signature=signature,
            source=source,
            left_out=left_out,
            version=__version__,
            assets=assets(HERE, *FILES, "explain.css", "explain.js"),
        )
    )


def fragment(explained: Sequence[ExplainedItem], standing: Standing | None = None) -> Markup:
    """Return the items alone, to be put inside another page that has the `FILES`."""
    from markupsafe import Markup  # noqa: PLC0415  (only pages need it)

    items = [item_view(item, standing) for item in explained]
    return Markup(_environment().get_template("fragment.html.j2").render(items=items))


def _overlap(standing: Standing) -> bool:
    floor, ceiling = band(standing.floor), band(standing.ceiling)
    return bool(floor and ceiling and ceiling.middle <= floor.high)


def _ratios(explained: Sequence[ExplainedItem]) -> list[float]:
    every = (one.ratio for item in explained for reference in item.references for one in reference.variants)
    return sorted({ratio for ratio in every if ratio})


@cache
def _environment() -> Environment:
    made = environment(HERE)
    made.filters.update(
        number=wording.number,
        percent=wording.percent,
        counted=wording.counted,
        variant_name=wording.variant_name,
        word_tip=wording.word_tip,
        band=band,
        meaning=lambda flag: flags.MEANING.get(flag, flag),
        plain=lambda name: name.replace("_", " "),
    )
    return made
