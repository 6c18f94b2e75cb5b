"""``mars-score cache``: look after augmented references that are kept between runs."""

from __future__ import annotations

from datetime import datetime

import click

from mars_score.errors import IntegrityError
from mars_score.models.store import human_size
from mars_score.storage import cache as storage
from mars_score.storage.cache import FOLDER, SIZE, AugmentationCache


@click.group()
def cache() -> None:
    """Look after augmented references that are kept between runs."""


@cache.command()
def info() -> None:
    """Show where the cache is, and what is in it."""
    here = AugmentationCache()
    contents = storage.info(here)
    click.echo(f"file: {here.database.path}")
    if not here.size:
        click.echo(f"the cache is switched off: {SIZE} is 0")
    click.echo(f"augmented references: {contents.rows}")
    click.echo(f"size: {human_size(contents.size)} of at most {human_size(here.size)} ({FOLDER}, {SIZE})")
    if contents.oldest is not None:
        click.echo(f"least recently used: {datetime.fromtimestamp(contents.oldest):%Y-%m-%d %H:%M}")
    for path in contents.set_aside:
        click.echo(f"set aside as damaged: {path}; mars-score cache clear removes it")


@cache.command()
def clear() -> None:
    """Remove all augmented references from the cache."""
    here = AugmentationCache()
    click.echo(f"{storage.clear(here)} augmented references removed from {here.database.path}")


@cache.command()
def verify() -> None:
    """Read every row of the cache again and check it."""
    here = AugmentationCache()
    problems = storage.problems(here)
    if problems:
        raise IntegrityError(
            f"{here.database.path}: {'; '.join(problems)}\n"
            "  remedy: none is needed, as damaged rows are never used and computed again; "
            "mars-score cache clear removes them now"
        )
    click.echo(f"ok: {storage.info(here).rows} augmented references in {here.database.path}")
