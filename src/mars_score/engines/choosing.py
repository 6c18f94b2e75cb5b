"""Engines by name. Each is imported when it is asked for, since it may need an extra."""

from __future__ import annotations

from importlib import import_module, util
from typing import TYPE_CHECKING, Any

from mars_score.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from mars_score.engines.base import Engine

ENGINES = {
    "local": "mars_score.engines.local:LocalEngine",
    "ray": "mars_score.engines.ray:RayEngine",
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
