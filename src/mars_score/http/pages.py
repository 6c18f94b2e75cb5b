"""Pages that a server sends: their content policy travels as a header, too."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, Response

from mars_score.pages.page import Assets, assets, csp_hash, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment

HERE = "mars_score.http"


def policy(assets: Assets) -> str:
    """The content policy of a page: its own style and script, and requests to this server alone."""
    return (
        f"default-src 'none'; style-src '{csp_hash(assets.style)}'; script-src '{csp_hash(assets.script)}'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'"
    )


def page_response(
    page: str, assets: Assets, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """Send a page with its policy; only a header can forbid frames."""
    told = {"Content-Security-Policy": f"{policy(assets)}; frame-ancestors 'none'"}
    return HTMLResponse(page, status, {**told, **(headers or {})})


def error_page(status: int, message: str, remedy: str) -> tuple[str, Assets]:
    """Return the page of an error."""
    values = {"status": status, "phrase": HTTPStatus(status).phrase, "message": message, "remedy": remedy}
    own = own_assets()
    made = _environment().get_template("error.html.j2")
    return made.render(assets=own, policy=policy(own), **values), own


@cache
def own_assets() -> Assets:
    """The style and script of the pages of this folder."""
    return assets(HERE, "docs.css")


@cache
def _environment() -> Environment:
    return environment(HERE)
