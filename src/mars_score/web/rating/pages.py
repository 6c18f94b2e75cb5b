"""The pages of the form. They show a text and its context, and never a code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from mars_score.io.html import Assets, assets, environment
from mars_score.web.pages import page_response, policy
from mars_score.web.rating.questions import ASKED, LONGEST, POINTS, RULE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Environment
    from starlette.responses import Response

    from mars_score.web.rating.form import Progress
    from mars_score.web.rating.sheet import Text

HERE = "mars_score.web.rating"
_LONG = 600
"""Letters of a context that gets a box with a scroll bar on any screen."""
# Without a referrer browsers name no origin in a form either, and the server could not tell whose form it is.
_HEADERS = {"Referrer-Policy": "same-origin"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as a rater meets it."""

    number: int
    text: Text
    chosen: Mapping[str, int]
    progress: Progress
    sheet: str
    """Names the sheet, so that a page that was left open cannot answer for another one."""

    @property
    def next(self) -> str:
        """Where the next text is; after the last, the list of all."""
        rater, number = self.progress.rater, self.number
        return text_address(rater, number + 1) if number < self.progress.texts else list_address(rater)

    @property
    def back(self) -> str | None:
        """Where the text before this one is."""
        return text_address(self.progress.rater, self.number - 1) if self.number > 1 else None


def text_address(rater: str, number: int) -> str:
    """Return where a rater's text is."""
    return "/text?" + urlencode({"rater": rater, "n": number})


def list_address(rater: str) -> str:
    """Return where the list of a rater's texts is."""
    return "/texts?" + urlencode({"rater": rater})


def start_address(rater: str) -> str:
    """Return where the instructions are for a rater whom we know."""
    return "/?" + urlencode({"rater": rater})


def start_page(texts: int, known: Progress | None = None, refused: str | None = None) -> Response:
    """Ask for a name, or for a better one than the one that was refused; greet a rater who comes back."""
    status = HTTPStatus.OK if refused is None else HTTPStatus.UNPROCESSABLE_ENTITY
    return _page(
        "start.html.j2", status, texts=texts, known=known, refused=refused, rule=RULE, longest=LONGEST
    )


def text_page(shown: Shown, problem: str | None = None, status: int = HTTPStatus.OK) -> Response:
    """Show a text and the questions, with the answers given so far."""
    return _page(
        "text.html.j2",
        status,
        shown=shown,
        text=shown.text,
        progress=shown.progress,
        problem=problem,
        points=POINTS,
        long=len(shown.text.context) > _LONG,
    )


def list_page(progress: Progress, rated: Sequence[bool]) -> Response:
    """List all texts by number, and say what is left to do, or thank."""
    return _page("texts.html.j2", HTTPStatus.OK, progress=progress, rated=rated)


def _page(template: str, status: int, **values: object) -> Response:
    own = _assets()
    page = _environment().get_template(template)
    html = page.render(assets=own, policy=policy(own), asked=ASKED, **values)
    return page_response(html, own, status, _HEADERS)


@cache
def _assets() -> Assets:
    return assets(HERE, "rating.css", "rating.js")


@cache
def _environment() -> Environment:
    made = environment(HERE)
    made.globals.update(text_address=text_address, list_address=list_address, start_address=start_address)
    return made
