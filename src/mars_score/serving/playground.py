"""The page at /: try a text, see how its score comes about, or score a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from starlette.responses import Response  # noqa: TC002  (FastAPI reads the annotations)

from mars_score.http.pages import page_response, policy
from mars_score.pages.page import HERE as COMMON
from mars_score.pages.page import Assets, colours, environment, template_text
from mars_score.serving.sample_texts import SAMPLES
from mars_score.version import __version__

if TYPE_CHECKING:
    from fastapi import FastAPI

    from mars_score.serving.room import Room

HERE = "mars_score.serving"
SCRIPTS = ("dom.js", "follow.js", "templates.js", "try.js", "upload.js")


def add_playground(app: FastAPI, room: Room) -> None:
    """Add the page."""

    @app.get("/", include_in_schema=False)
    async def playground() -> Response:
        own = page_assets()
        page = environment(HERE).get_template("playground.html.j2")
        return page_response(
            page.render(
                assets=own,
                policy=policy(own),
                version=__version__,
                presets=room.service.presets,
                limits=room.limits,
                samples=SAMPLES,
            ),
            own,
        )


@cache
def page_assets() -> Assets:
    """Our style and script, with those of the explanations."""
    from mars_score.explaining import page as explaining  # noqa: PLC0415  (loads scipy)

    styles = [name for name in explaining.FILES if name.endswith(".css")]
    scripts = [name for name in explaining.FILES if name.endswith(".js")]
    return Assets(
        "\n".join(
            [
                colours(),
                template_text(COMMON, "page.css"),
                *(template_text(explaining.HERE, name) for name in styles),
                template_text(HERE, "playground.css"),
            ]
        ),
        "\n".join(
            [
                *(template_text(explaining.HERE, name) for name in scripts),
                *(template_text(HERE, name) for name in SCRIPTS),
                template_text(COMMON, "theme.js"),
            ]
        ),
    )
