"""What an engine is, the one that works in this process, and engines by name."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from importlib import import_module, util
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mars_score.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from mars_score.progress import StageProgress


Batch = TypeVar("Batch")
Result = TypeVar("Result")
Worker = Callable[[Batch], Result]
"""Does one batch. What it loads it keeps, so that the next batch finds it."""


class Engine(Protocol):
    """Runs batches and gives their results in order. It knows nothing of metrics or models."""

    def run(
        self,
        make: Callable[[StageProgress], Worker[Batch, Result]],
        batches: Iterable[Batch],
        progress: StageProgress,
    ) -> Generator[Result, None, None]:
        """Yield the result of each batch, in the order of the batches.

        `make` is called once for each worker and must survive pickling, as must batches and results. A result
        depends on its batch alone, so an engine may run a batch again on another worker. Batches are taken from
        the iterable as results are consumed: neither is ever held as a whole. Close what is returned to end early.
        """


class LocalEngine:
    """One worker: this process."""

    def run(
        self,
        make: Callable[[StageProgress], Worker[Batch, Result]],
        batches: Iterable[Batch],
        progress: StageProgress,
    ) -> Generator[Result, None, None]:
        """Do each batch when its result is asked for."""
        yield from map(make(progress), batches)


ENGINES = {
    "local": "mars_score.run.base:LocalEngine",
    "ray": "mars_score.run.ray:RayEngine",
}
EXTRAS = {"ray": "ray"}
"""The package that an engine needs, which is also the name of the extra that brings it."""


def make_engine(name: str, **options: Any) -> Engine:
    """Make an engine with options of its own."""
    if name not in ENGINES:
        raise ConfigError(
            f"unknown engine {name!r}; there are {', '.join(ENGINES)}.{did_you_mean(name, ENGINES)}"
        )
    extra = EXTRAS.get(name)
    if extra and util.find_spec(extra) is None:
        raise ConfigError(
            f"the engine {name!r} needs the package {extra}, which is not installed\n"
            f"  remedy: pip install 'mars-score[{extra}]'"
        )
    module, _, kind = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), kind)(**options)
    return engine
