"""The options that commands share: where rows come from, how they are scored, and where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mars_score.config import PRESETS, MarsConfig, option_names, preset
from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.io.readers import read_examples, read_parallel
from mars_score.io.source import STDIN, shown
from mars_score.models.resolve import check_device
from mars_score.run.base import Engine, make_engine
from mars_score.storage.cache import bytes_of
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer


F = TypeVar("F", bound=Callable[..., Any])

restart_option = click.option(
    "--restart", is_flag=True, help="Start over even if FILE of -o exists; by default the run resumes it."
)
signature_option = click.option(
    "--signature", "whole_signature", is_flag=True,
    help="Print signatures whole; by default a hash of each, and the file beside the output has the whole.",
)  # fmt: skip
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be computed and how long it would take; compute nothing."
)


def _combined(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator for several options."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True, slots=True)
class Input:
    """Rows that can be read more than once: first to check them all, then to score them."""

    paths: tuple[str, ...]
    read: Callable[[], Iterator[Example]]
    again: Callable[[], Iterator[Example]]
    """Reads rows that have been checked before."""

    @property
    def name(self) -> str:
        """The file that names the rows in messages."""
        return shown(self.paths[0])


input_options = _combined(
    click.argument("file", required=False, metavar="[FILE]"),
    click.option("--candidates", metavar="FILE", help="Plain text, one candidate a line."),
    click.option("--references", multiple=True, metavar="FILE", help="Plain text; may be repeated."),
    click.option("--contexts", metavar="FILE", help="Plain text, one context a line."),
    click.option(
        "--field", "fields", multiple=True, metavar="OURS=THEIRS",
        help="The file's name for a field, e.g. candidate=prediction.",
    ),
    click.option("--input-format", metavar="FORMAT", help="jsonl, json, csv, tsv or parquet."),
)  # fmt: skip
"""Adds FILE, the parallel text files, and how to read them."""


scorer_options = _combined(
    click.option("--preset", default="general", show_default=True, help=f"One of {', '.join(PRESETS)}."),
    click.option("--lm", help="Language model: a name of the store, a hub id or a folder."),
    click.option("--encoder", help="Sentence encoder or word vectors, likewise."),
    click.option(
        "--set", "settings", multiple=True, metavar="OPTION=VALUE",
        help="Any setting of the metric, e.g. q=0.9, planner=off, ratios=0.2,0.4.",
    ),
    click.option("--device", default="cpu", show_default=True, help="cpu, cuda, mps, ..."),
    click.option("--dtype", help="float32, bfloat16 or float16, for both models."),
    click.option("--memory", default="2G", show_default=True, help="Memory for the decoder's caches."),
    click.option(
        "--pack", metavar="FILE",
        help="Augmented references, made by mars-score augment -o FILE.marspack: no language model is needed.",
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor fill the augmentation cache."),
    click.option("--verify", is_flag=True, help="Read models whole before they are loaded, even unchanged files."),
)  # fmt: skip
"""Adds the preset, the models, single settings, and the machine's limits."""


def read_files(values: Mapping[str, Any]) -> list[str]:
    """Return every file that a command will read; call it before the values are taken."""
    names = ("file", "candidates", "contexts", "pack")
    return [*values.get("references", ()), *(values[name] for name in names if values.get(name) is not None)]


def take_input(values: dict[str, Any], *, needs_references: bool = True) -> Input:
    """Turn the values of `input_options` into rows."""
    file, candidates, references = values.pop("file"), values.pop("candidates"), values.pop("references")
    contexts, form = values.pop("contexts"), values.pop("input_format")
    fields = dict(pair(text, "--field") for text in values.pop("fields"))
    named = {"--candidates": candidates, "--references": references, "--contexts": contexts}
    named_options = [option for option, value in named.items() if value]
    if file and named_options:
        raise InputError(
            f"both FILE and {named_options[0]}",
            path=file,
            remedy="give FILE, or --candidates and --references text files, not both",
        )
    if file:
        read_file = partial(
            read_examples, file, fields=fields, format=form, needs_references=needs_references
        )
        return Input((file,), partial(read_file, tell=tell_mapping), partial(read_file, checked=True))
    if not (candidates and references):
        absent = "--references" if candidates else "--candidates"
        raise InputError(
            f"{named_options[0]} without {absent}" if named_options else "nothing to score",
            remedy="name a FILE (jsonl, json, csv, tsv, parquet, what another tool saved, - for standard input), "
            "or --candidates and --references text files",
        )
    paths = (candidates, *references, *([contexts] if contexts else []))
    if paths.count(STDIN) > 1:
        raise InputError(
            "standard input can be only one of the text files", remedy="save the others as files"
        )
    if fields or form:
        raise ConfigError("--field and --input-format are for a FILE of rows; a text file is one text a line")

    def read() -> Iterator[Example]:
        return read_parallel(candidates=candidates, references=list(references), contexts=contexts)

    return Input(paths, read, read)


def tell_mapping(text: str) -> None:
    """Say which fields of another tool's file became what; standard output is for results."""
    click.echo(text, err=True)


def take_scorer(values: dict[str, Any]) -> MarsScorer:
    """Turn the values of `scorer_options` into a scorer; no model is loaded yet."""
    from mars_score.mars.scorer import MarsScorer
    from mars_score.models.store import ModelStore

    config = preset(values.pop("preset"))
    options: dict[str, Any] = {}
    lm, encoder, dtype = values.pop("lm"), values.pop("encoder"), values.pop("dtype")
    options |= {"lm": lm} if lm else {}
    options |= {"encoder": encoder} if encoder else {}
    options |= {"infilling.dtype": dtype, "scoring.dtype": dtype} if dtype else {}
    for text in values.pop("settings"):
        name, value = pair(text, "--set")
        options[name] = setting_value(config, name, value)
    size = values.pop("memory")
    if not (memory := bytes_of(size)):
        raise ConfigError(f"--memory {size}: expected a size like 800M or 2G")
    return MarsScorer(
        config=config.with_options(**options),
        store=ModelStore(every_byte=values.pop("verify")),
        device=check_device(values.pop("device"), "--device"),
        memory=memory,
        pack=values.pop("pack"),
        cache=not values.pop("no_cache"),
    )


def pair(text: str, option: str, shape: str = "NAME=VALUE") -> tuple[str, str]:
    """Cut the value of an option at its first equals sign."""
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f"{option} takes {shape}, not {text!r}")
    return name.strip(), value.strip()


def setting_value(config: MarsConfig, name: str, text: str) -> Any:
    """Read a setting as the type that it has by default."""
    names = option_names()
    if name not in names:
        available = ", ".join(available for available in names if "." not in available)
        raise ConfigError(f"unknown setting {name!r}; there are {available}.{did_you_mean(name, names)}")
    current = getattr(getattr(config, names[name]), name.rsplit(".", maxsplit=1)[-1])
    try:
        if isinstance(current, bool):
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}[
                text.lower()
            ]
        if isinstance(current, tuple):
            return tuple(_number(item) for item in text.split(",")) if text else ()
        return _number(text) if isinstance(current, float) else type(current)(text)
    except (KeyError, ValueError) as error:
        example = ",".join(map(str, current)) if isinstance(current, tuple) else str(current).lower()
        raise ConfigError(f"--set {name}={text}: expected a value like {example}") from error


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


engine_options = _combined(
    click.option(
        "--engine", default="local", show_default=True, metavar="local|ray",
        help="Where work is done: in this process, or by workers of Ray.",
    ),
    click.option("--address", metavar="HOST:PORT", help="Of a running Ray; without it, one is started here."),
    click.option(
        "--workers", type=click.IntRange(min=1), metavar="N",
        help="Workers of Ray, each with one thread; by default one for each processor.",
    ),
)  # fmt: skip
"""Adds the engine and the settings of a cluster."""


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
