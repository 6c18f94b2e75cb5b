"""``mars-score serve``: the playground, and scores over HTTP."""

from __future__ import annotations

from typing import Any

import click

from mars_score.cli.options import scorer_options, take_scorer
from mars_score.web.app import check_extra

TOKEN = "MARS_SCORE_TOKEN"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The port; 0 takes any free one.")
@click.option(
    "--token", envvar=TOKEN, metavar="TEXT",
    help=f"Whoever wants an answer must know it; needed where other machines can reach the address. Also ${TOKEN}.",
)  # fmt: skip
@scorer_options
def serve(host: str, port: int, token: str | None, **values: Any) -> None:
    """Open a playground in the browser, and answer programs over HTTP.

    The page is at /, and /docs says how programs ask. Ctrl-C stops: what has been started is finished first.
    """
    check_extra("serve")
    from mars_score.web.api.app import make_server
    from mars_score.web.api.scorers import Scorers, offered
    from mars_score.web.security import hosts_for
    from mars_score.web.server import check_address, serve

    check_address(host, token)
    scorer = take_scorer(dict(values))
    presets = offered(
        values["preset"],
        lambda name: take_scorer({**values, "preset": name, "pack": None, "no_cache": True}).config,
        packed=values["pack"] is not None,
    )
    _ = scorer.signature  # finds every model: a wrong name is known before anybody asks
    app = make_server(Scorers(scorer, presets), token=token, hosts=hosts_for(host))
    serve(app, host=host, port=port, token=token)
