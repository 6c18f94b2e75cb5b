"""The options that commands share: where rows come from, and how they are scored."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mars_score.config import PRESETS, MarsConfig, option_names, preset
from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.files import read_examples, read_parallel
from mars_score.files.source import STDIN

if TYPE_CHECKING:
    from mars_score.scorer import MarsScorer
    from mars_score.types import Example

F = TypeVar("F", bound=Callable[..., Any])
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Input:
    """Rows that can be read more than once: first to check them all, then to score them."""

    name: str
    read: Callable[[], Iterator[Example]]

    def check(self) -> tuple[Input, int]:
        """Read everything, so that a bad row is found before anything is computed; return the row count."""
        if self.name == STDIN:  # can be read only once
            rows = list(self.read())
            return Input(self.name, lambda: iter(rows)), len(rows)
        return self, sum(1 for _ in self.read())


def input_options(command: F) -> F:
    """Add FILE, the parallel text files, and how to read them."""
    for option in reversed(
        [
            click.argument("file", required=False, metavar="[FILE]"),
            click.option("--candidates", metavar="FILE", help="Plain text, one candidate a line."),
            click.option("--references", multiple=True, metavar="FILE", help="Plain text; may be repeated."),
            click.option("--contexts", metavar="FILE", help="Plain text, one context a line."),
            click.option(
                "--field", "fields", multiple=True, metavar="OURS=THEIRS",
                help="The file's name for a field, e.g. candidate=prediction.",
            ),
            click.option("--input-format", metavar="FORMAT", help="jsonl, json, csv, tsv or parquet."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def scorer_options(command: F) -> F:
    """Add the preset, the models, single settings, and the machine's limits."""
    for option in reversed(
        [
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
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def take_input(values: dict[str, Any]) -> Input:
    """Turn the values of `input_options` into rows."""
    file, candidates, references = values.pop("file"), values.pop("candidates"), values.pop("references")
    contexts, form = values.pop("contexts"), values.pop("input_format")
    fields = dict(_pair(text, "--field") for text in values.pop("fields"))
    if file and (candidates or references or contexts):
        raise InputError("give FILE, or --candidates and --references, not both")
    if file:
        return Input(file, lambda: read_examples(file, fields=fields, format=form))
    if not (candidates and references):
        raise InputError(
            "nothing to score",
            remedy="name a FILE (jsonl, csv, tsv, parquet, - for standard input), "
            "or --candidates and --references text files",
        )
    return Input(
        candidates,
        lambda: read_parallel(candidates=candidates, references=list(references), contexts=contexts),
    )


def take_scorer(values: dict[str, Any]) -> MarsScorer:
    """Turn the values of `scorer_options` into a scorer; no model is loaded yet."""
    from mars_score.scorer import MarsScorer  # noqa: PLC0415

    config = preset(values.pop("preset"))
    options: dict[str, Any] = {}
    lm, encoder, dtype = values.pop("lm"), values.pop("encoder"), values.pop("dtype")
    options |= {"lm": lm} if lm else {}
    options |= {"encoder": encoder} if encoder else {}
    options |= {"infilling.dtype": dtype, "scoring.dtype": dtype} if dtype else {}
    for text in values.pop("settings"):
        name, value = _pair(text, "--set")
        options[name] = _value(config, name, value)
    return MarsScorer(
        config=config.with_options(**options), device=values.pop("device"), memory=_bytes(values.pop("memory"))
    )


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f"{option} takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def _value(config: MarsConfig, name: str, text: str) -> Any:
    """Read a setting as the type that it has by default."""
    names = option_names()
    if name not in names:
        raise ConfigError(f"unknown setting {name!r}.{did_you_mean(name, names)}")
    current = getattr(getattr(config, names[name]), name.split(".")[-1])
    try:
        if isinstance(current, bool):
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}[text.lower()]
        if isinstance(current, tuple):
            value = ast.literal_eval(f"({text},)") if text else ()
            return tuple(float(item) for item in value)
        return type(current)(text)
    except (KeyError, ValueError, TypeError, SyntaxError) as error:
        raise ConfigError(f"{name}={text}: expected a value like {current!r}") from error


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise ConfigError(f"--memory {text}: expected a size like 800M or 2G")
    return int(float(match[1]) * UNITS[match[2].upper()])
