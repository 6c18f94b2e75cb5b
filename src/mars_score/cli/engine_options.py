"""The options that say where work is done: ``@engine_options`` on a command, `take_engine` in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mars_score.engines.choosing import make_engine
from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from mars_score.engines.base import Engine

F = TypeVar("F", bound=Callable[..., Any])


def engine_options(command: F) -> F:
    """Add the engine, and what a cluster needs to be told."""
    for option in reversed(
        [
            click.option(
                "--engine", default="local", show_default=True, metavar="local|ray",
                help="Where work is done: in this process, or by workers of Ray.",
            ),
            click.option("--address", metavar="HOST:PORT", help="Of a running Ray; without it, one is started here."),
            click.option(
                "--workers", type=click.IntRange(min=1), metavar="N",
                help="Workers of Ray, each with one thread; by default one for each processor.",
            ),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def take_engine(values: dict[str, Any]) -> Engine:
    """Turn the values of `engine_options` into an engine; call it before `take_scorer`, which takes the device."""
    name, address, workers = values.pop("engine"), values.pop("address"), values.pop("workers")
    if name == "local":
        for option, value in (("--address", address), ("--workers", workers)):
            if value is not None:
                raise ConfigError(f"{option} is for --engine ray")
        return make_engine(name)
    on_gpu = str(values.get("device", "cpu")).startswith("cuda")
    return make_engine(name, address=address, workers=workers, gpus=1 if on_gpu else 0)
