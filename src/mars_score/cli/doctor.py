"""``mars-score doctor``: does this installation compute the scores that it should?"""

from __future__ import annotations

import platform

import click

from mars_score.errors import MarsError
from mars_score.fingerprint import ALGORITHM, algorithm, made_with
from mars_score.mars import golden
from mars_score.models.store import ModelStore
from mars_score.version import __version__


@click.command()
def doctor() -> None:
    """Show versions, algorithms and models, then compute the golden scores again and compare."""
    from mars_score.mars.scorer import MarsScorer

    click.echo(f"mars-score {__version__}, Python {platform.python_version()}, {platform.platform()}")
    click.echo(
        ", ".join(f"{name} {version}" for name, version in made_with().items() if name != "mars-score")
    )
    click.echo(", ".join(f"algorithm {algorithm(stage)}" for stage in ALGORITHM))
    store = ModelStore()
    for status in store.status():
        if status.entry.default or status.state != "absent":
            click.echo(f"model {status.entry.name}: {status.state}")
    scorer = MarsScorer(store=store, cache=None)  # what is computed here and now
    if scorer.signature != golden.expected()["signature"]:
        raise MarsError(
            "the default signature differs from the recorded one, so scores cannot be compared\n"
            f"  recorded: {golden.expected()['signature']}\n  here:     {scorer.signature}\n"
            "  remedy: install the versions of requirements/constraints.txt"
        )
    verdicts = golden.examine(scorer)
    for verdict in verdicts:
        texts = "same augmented references" if verdict.same_texts else "OTHER AUGMENTED REFERENCES"
        click.echo(
            f"{'ok ' if verdict.agrees else 'BAD'} {verdict.id}: {verdict.actual:.6f}, "
            f"recorded {verdict.expected:.6f}, {texts}"
        )
    if not all(verdict.agrees for verdict in verdicts):
        raise MarsError(
            "this installation does not compute the recorded scores; do not compare its numbers with others'\n"
            "  remedy: mars-score models verify, and install the versions of requirements/constraints.txt"
        )
    click.echo("this installation agrees with the recorded scores")
