"""``mars-score rate``: people rate the texts of a sheet in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mars_score.errors import ConfigError, InputError

if TYPE_CHECKING:
    from mars_score.web.rating.sheet import Sheet

SUFFIX = ".ratings.sqlite"


@click.command()
@click.argument("sheet", metavar="SHEET")
@click.option("--serve", "serving", is_flag=True, help="Show the form, and collect ratings until Ctrl-C.")
@click.option("--status", is_flag=True, help="Tell how far each rater is.")
@click.option(
    "--export", "output", metavar="FILE.csv", help="Write the ratings for mars-score study --ratings."
)
@click.option(
    "--ratings-db",
    "database",
    metavar="FILE",
    help=f"Where ratings are kept; by default beside the sheet, with the suffix {SUFFIX}.",
)
@click.option(
    "--key", metavar="FILE", help="With --export: the key of the sheet, if it is not SHEET.key.csv beside it."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="With --serve: the address to listen on."
)
@click.option(
    "--port", default=8001, show_default=True, type=click.IntRange(0, 65535), help="0 is any free one."
)
@click.option(
    "--token",
    envvar="MARS_SCORE_TOKEN",
    show_envvar=True,
    help="With --serve: raters need this; open the form as http://HOST:PORT/?token=TOKEN.",
)
def rate(
    sheet: str, serving: bool, status: bool, output: str | None, database: str | None, key: str | None,
    host: str, port: int, token: str | None,
) -> None:  # fmt: skip
    """Let people rate the texts of SHEET, which mars-score rating-sheet made, from 1 to 7.

    Raters see a text and its context, in an order of their own, and never which text is which. Every answer is on
    disk before it is acknowledged. Stop and start the form at will: raters continue where they were.
    """  # fmt: skip
    if sum((serving, status, output is not None)) != 1:
        raise ConfigError(
            "tell what to do with the sheet: one of --serve, --status and --export FILE.csv\n"
            f"  remedy: mars-score rate {sheet} --serve"
        )
    if key is not None and output is None:
        raise ConfigError("--key is for --export: the form must not know which text is which")
    if serving:
        _serve(sheet, database, host, port, token)
    elif output is not None:
        _export(sheet, database, Path(output), key)
    else:
        _status(sheet, database)


def _serve(path: str, database: str | None, host: str, port: int, token: str | None) -> None:
    from mars_score.web.app import check_extra
    from mars_score.web.rating.sheet import read_sheet

    check_extra("rate --serve")
    from mars_score.web.rating.app import make_rating_app
    from mars_score.web.rating.storage import RatingStore
    from mars_score.web.security import hosts_for
    from mars_score.web.server import check_address, serve

    check_address(host, token)
    sheet = read_sheet(path)
    with RatingStore(_database(sheet, database), sheet, make=True) as store:
        click.echo(f"{len(sheet.texts)} texts of {sheet.path}; ratings are kept in {store.path}", err=True)
        serve(
            make_rating_app(sheet, store, token=token, hosts=hosts_for(host)),
            host=host,
            port=port,
            token=token,
        )


def _export(path: str, database: str | None, output: Path, key: str | None) -> None:
    from mars_score.study.augmentation_ratings import key_path
    from mars_score.web.rating.sheet import check_new, ratings_text, read_key, read_sheet, write_ratings
    from mars_score.web.rating.storage import RatingStore, progress_of

    if output.suffix.lower() != ".csv":
        raise ConfigError(f"--export {output}: ratings are written to a .csv file")
    check_new(output)
    sheet = read_sheet(path)
    meanings = read_key(Path(key) if key is not None else key_path(path), sheet)
    with RatingStore(_database(sheet, database), sheet, make=False) as store:
        answers = store.answers()
        progress = [progress_of(sheet, store, name) for name in store.raters()]
    if not answers:
        raise InputError(
            "nobody has rated anything yet", path=store.path, remedy="collect ratings with --serve"
        )
    write_ratings(output, ratings_text(answers, meanings))
    raters = len({answer.rater for answer in answers})
    click.echo(f"{len(answers)} ratings of {raters} rater{'s' * (raters != 1)}: {output}", err=True)
    for rater in progress:
        if not rater.complete:
            click.echo(f"not complete: {rater.rater}, {rater.rated} of {rater.texts} texts", err=True)


def _status(path: str, database: str | None) -> None:
    from mars_score.web.rating.sheet import read_sheet
    from mars_score.web.rating.storage import RatingStore, progress_of

    sheet = read_sheet(path)
    with RatingStore(_database(sheet, database), sheet, make=False) as store:
        progress = [progress_of(sheet, store, name) for name in store.raters()]
    if not progress:
        click.echo("no rater yet")
        return
    width = max(len(rater.rater) for rater in progress)
    for rater in progress:
        state = "complete" if rater.complete else "not complete"
        click.echo(
            f"{rater.rater:{width}}  {rater.rated} of {rater.texts} texts, {rater.answers} answers, {state}"
        )


def _database(sheet: Sheet, given: str | None) -> Path:
    return Path(given) if given is not None else sheet.path.with_name(f"{sheet.path.stem}{SUFFIX}")
