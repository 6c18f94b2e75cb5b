"""``mars-score models``: look after the model store."""

from __future__ import annotations

import click

from mars_score.errors import IntegrityError
from mars_score.models.store import ModelStore, human_size

_STYLES = {"ready": "green", "absent": "dim", "damaged": "red"}


@click.group()
def models() -> None:
    """Fetch, check and remove the models that scores are made with."""


@models.command("list")
def list_models() -> None:
    """Show every model of the catalogue and whether it is here."""
    from rich.console import Console
    from rich.table import Table

    store = ModelStore()
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("name", "role", "download / disk", "licence", "default", "state"):
        # Names are there to be copied, so they are never cut; a narrow screen folds the licence.
        table.add_column(heading, no_wrap=heading != "licence", overflow="fold")
    for status in store.status():
        entry = status.entry
        sizes = f"{human_size(entry.download)} / {human_size(entry.disk)}"
        state = f"[{_STYLES[status.state]}]{status.state}"
        table.add_row(entry.name, entry.role, sizes, entry.licence, "yes" if entry.default else "", state)
    console = Console()
    console.print(table)
    console.print(f"store: {store.root}", soft_wrap=True, highlight=False)


@models.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--accept-terms", is_flag=True, help="Accept the terms of models that have terms of their own.")
def get(names: tuple[str, ...], accept_terms: bool) -> None:
    """Fetch models; without a name, those that the default settings need."""
    store = ModelStore()
    for name in names or [entry.name for entry in store.catalogue if entry.default]:
        click.echo(store.ensure(name, accept_terms=accept_terms))


@models.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def verify(names: tuple[str, ...]) -> None:
    """Hash every file of models again; without a name, of all that are here."""
    store = ModelStore()
    present = [status.entry.name for status in store.status() if status.state != "absent"]
    bad = []
    for name in names or present:
        problems = store.verify(name)
        click.echo(f"{name}: {'; '.join(problems) or 'ok'}")
        bad += [name] * bool(problems)
    if bad:
        raise IntegrityError(
            f"not as recorded: {', '.join(bad)}\n"
            f"  remedy: mars-score models remove {' '.join(bad)}, then fetch again with get"
        )


@models.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the folder of a model that is here."""
    click.echo(ModelStore().path(name))


@models.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def remove(names: tuple[str, ...]) -> None:
    """Delete models from the store."""
    store = ModelStore()
    for name in names:
        click.echo(f"{name}: {'removed' if store.remove(name) else 'was not here'}")
