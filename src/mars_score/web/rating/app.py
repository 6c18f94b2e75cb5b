"""The form as an application: its pages, what they send, and what is done about it.

Pages show a text and its context, and never a code. Each is plain HTML: a form is posted, and the answer leads on to
the next page. A script sends each answer as soon as it is given, to /answer, and leads on by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from mars_score.io.html import Assets, assets, environment
from mars_score.web.app import make_app
from mars_score.web.errors import HttpError, log
from mars_score.web.pages import error_page, page_response, policy
from mars_score.web.rating.form import Form, Shown, list_address, start_address, text_address
from mars_score.web.rating.questions import ASKED, LONGEST, POINTS, RULE
from mars_score.web.rating.storage import NotSavedError, Progress, RatingStore

if TYPE_CHECKING:
    from fastapi import FastAPI
    from jinja2 import Environment
    from starlette.requests import Request

    from mars_score.web.rating.sheet import Sheet

HERE = "mars_score.web.rating"
_LONG = 600
"""Letters of a context that gets a box with a scroll bar on any screen."""
# Without a referrer browsers name no origin in a form either, and the server could not tell whose form it is.
_HEADERS = {"Referrer-Policy": "same-origin"}
LIMIT = 1 << 14
"""Bytes of a request; an answer has a few hundred."""
DESCRIPTION = "People rate texts in their contexts, each in an order of their own. Open / in a browser."
Fields = dict[str, str]


def make_rating_app(
    sheet: Sheet, store: RatingStore, *, token: str | None = None, hosts: tuple[str, ...] = ()
) -> FastAPI:
    """Return the application that collects ratings of a sheet in a store."""
    app = make_app("Rating texts", DESCRIPTION, token=token, hosts=hosts, limit=LIMIT)
    routes = _Routes(Form(sheet, store))
    for path, show in (("/", routes.start), ("/text", routes.text), ("/texts", routes.texts)):
        app.add_route(path, show, include_in_schema=False)
    for path, take in (
        ("/start", _shown(routes.begin)),
        ("/text", _shown(routes.submit)),
        ("/answer", routes.answer),
    ):
        app.add_route(path, _posted(take), methods=["POST"], include_in_schema=False)
    return app


class _Routes:
    """What each address does."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def start(self, request: Request) -> Response:
        """Show the instructions."""
        rater = self.form.known_rater(request.query_params.get("rater", ""))
        return start_page(len(self.form.sheet.texts), self.form.progress(rater) if rater else None)

    def begin(self, fields: Fields) -> Response:
        """Take a name, and lead to the first text that is open."""
        given = fields.get("rater", "")
        name = self.form.name(given)
        if name is None:
            return start_page(len(self.form.sheet.texts), refused=given)
        if self.form.has_answers(name) and "again" not in fields:
            return _to(start_address(name))  # the same person again, or another one of the same name?
        try:
            rater = self.form.store.add_rater(name)
        except NotSavedError as error:
            raise _failure(error) from error
        number = self.form.first_open(rater)
        return _to(list_address(rater) if number is None else text_address(rater, number))

    def text(self, request: Request) -> Response:
        """Show a text."""
        rater = self.form.known_rater(request.query_params.get("rater", ""))
        if rater is None:
            return _to("/")
        return text_page(self.form.shown(rater, request.query_params.get("n", "")))

    def texts(self, request: Request) -> Response:
        """Show the list of all texts."""
        rater = self.form.known_rater(request.query_params.get("rater", ""))
        if rater is None:
            return _to("/")
        return list_page(self.form.progress(rater), self.form.rated(rater))

    def answer(self, fields: Fields) -> Response:
        """Save one answer, and acknowledge it."""
        asked = {fields.get("question", ""): fields.get("rating", "")}
        try:
            self.form.save(fields, asked)
        except NotSavedError as error:
            raise _failure(error) from error
        return JSONResponse({"saved": asked})

    def submit(self, fields: Fields) -> Response:
        """Save the answers of a page, and lead to the next one."""
        given = {name: fields[name] for name in self.form.questions if name in fields}
        try:
            rater, number = self.form.save(fields, given)
        except NotSavedError as error:
            failure = _failure(error)
            chosen = {name: int(value) for name, value in given.items()}
            shown = self.form.shown(fields["rater"], fields["n"], chosen)
            return text_page(shown, f"Not saved. {failure.message}", failure.status)
        shown = self.form.shown(rater, str(number))
        if fields.get("go") == "back" and shown.back:
            return _to(shown.back)
        if len(shown.chosen) < len(self.form.questions):
            message = "Please answer all questions. What you have answered is saved."
            return text_page(shown, message, HTTPStatus.UNPROCESSABLE_ENTITY)
        return _to(shown.next)


def _shown(take: Callable[[Fields], Response]) -> Callable[[Fields], Response]:
    """Refuse a form with a page, as people read the answer."""

    def taken(fields: Fields) -> Response:
        try:
            return take(fields)
        except HttpError as error:
            page, assets = error_page(error.status, error.message, error.remedy)
            return page_response(page, assets, error.status, error.headers)

    return taken


def _posted(take: Callable[[Fields], Response]) -> Callable[[Request], Awaitable[Response]]:
    async def read(request: Request) -> Response:
        body = (await request.body()).decode(errors="replace")
        # Saving waits for the disk, so it is done where it holds nobody else up.
        return await run_in_threadpool(take, dict(parse_qsl(body, keep_blank_values=True)))

    return read


def _to(address: str) -> RedirectResponse:
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


def _failure(error: NotSavedError) -> HttpError:
    log.error("an answer was not saved: %s", error.__cause__ or error)
    status = HTTPStatus.INSUFFICIENT_STORAGE if error.full else HTTPStatus.SERVICE_UNAVAILABLE
    return HttpError(status, str(error))


def start_page(texts: int, returning: Progress | None = None, refused: str | None = None) -> Response:
    """Ask for a name, or for a better one than the one that was refused; greet a rater who comes back."""
    status = HTTPStatus.OK if refused is None else HTTPStatus.UNPROCESSABLE_ENTITY
    return _page(
        "start.html.j2", status, texts=texts, returning=returning, refused=refused, rule=RULE, longest=LONGEST
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
    assets = _assets()
    page = _environment().get_template(template)
    html = page.render(assets=assets, policy=policy(assets), asked=ASKED, **values)
    return page_response(html, assets, status, _HEADERS)


@cache
def _assets() -> Assets:
    return assets(HERE, "rating.css", "rating.js")


@cache
def _environment() -> Environment:
    made = environment(HERE)
    made.globals.update(text_address=text_address, list_address=list_address, start_address=start_address)
    return made
