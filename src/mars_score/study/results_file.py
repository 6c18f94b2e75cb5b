"""``results.json``: dataclasses as JSON and back, by their annotations alone."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from mars_score.errors import InputError, OutputError
from mars_score.io.output import replacing, unwritable
from mars_score.io.source import open_input
from mars_score.study.results import SCHEMA, Study

T = TypeVar("T")


def to_json(value: object, where: str = "value") -> Any:
    """Return what JSON can hold; a number that is not finite is an error that names its place."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            item.name: to_json(getattr(value, item.name), f"{where}.{item.name}") for item in fields(value)
        }
    if isinstance(value, dict):
        return {str(key): to_json(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise OutputError(f"{where} is {value}: results hold finite numbers, and null for what is undefined")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise OutputError(f"{where} is of type {type(value).__name__}, which results cannot hold")


def from_json(kind: type[T], value: object, where: str = "value") -> T:
    """Return JSON as a dataclass; what does not fit its annotations is an ``InputError`` that names the place.

    Fields that the class does not have are passed over, and absent ones take their default: so a file of an
    older or a newer version with the same schema can be read.
    """
    typed: T = _typed(kind, value, where)
    return typed


_SCALARS = {int: "a whole number", bool: "true or false", str: "a text"}


def _typed(kind: Any, value: Any, where: str) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        _expect(isinstance(value, dict), "an object", value, where)
        make: Any = kind
        annotations, required = _fields(make)
        if absent := next((name for name in required if name not in value), None):
            raise InputError(f"{where} has no {absent!r}")
        return make(**{n: _typed(a, value[n], f"{where}.{n}") for n, a in annotations.items() if n in value})
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (other,) = (part for part in parts if part is not NoneType)
        return None if value is None else _typed(other, value, where)
    if origin is dict:
        _expect(isinstance(value, dict), "an object", value, where)
        return {key: _typed(parts[1], item, f"{where}.{key}") for key, item in value.items()}
    if origin is tuple:
        _expect(isinstance(value, list), "a list", value, where)
        if parts[-1] is Ellipsis:
            parts = parts[:1] * len(value)
        _expect(len(value) == len(parts), f"a list of {len(parts)}", value, where)
        pairs = zip(parts, value, strict=True)
        return tuple(_typed(part, item, f"{where}[{index}]") for index, (part, item) in enumerate(pairs))
    if kind is float:
        _expect(type(value) in (int, float), "a number", value, where)
        _expect(math.isfinite(value), "a finite number", value, where)
        return float(value)
    kind = kind if kind in _SCALARS else str  # a literal is a text
    _expect(type(value) is kind, _SCALARS[kind], value, where)
    return value


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Each field's annotation, and the fields that must be there."""
    hints = get_type_hints(kind)
    required = (item.name for item in fields(kind) if item.default is item.default_factory is MISSING)
    return {item.name: hints[item.name] for item in fields(kind)}, tuple(required)


def _expect(holds: bool, what: str, value: object, where: str) -> None:
    if not holds:
        raise InputError(f"{where} must be {what}, not {str(value)[:40]!r}")


RESULTS = "results.json"
"""The file's name in the folder of a study."""

_AGAIN = "run mars-score study again with this folder: what is in its scores.sqlite is not computed again"


def write_results(study: Study, path: str | Path) -> None:
    """Write a study; the file appears whole or not at all, and equal studies make equal files."""
    text = json.dumps(to_json(study, "study"), ensure_ascii=False, indent=1, allow_nan=False)
    path = Path(path)
    try:
        with replacing(path) as temporary:
            temporary.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from error


def read_results(path: str | Path) -> Study:
    """Read a study from its file, or from the folder that holds it."""
    path = Path(path)
    path = path / RESULTS if path.is_dir() else path
    with open_input(path) as stream:
        raw = stream.read()
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not whole JSON: {error}", path=path, remedy=_AGAIN) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if not isinstance(schema, int):
        raise InputError("these are no results of a study: there is no schema", path=path, remedy=_AGAIN)
    if schema != SCHEMA:
        newer = "upgrade mars-score" if schema > SCHEMA else _AGAIN
        raise InputError(
            f"results of schema {schema}, but this version reads schema {SCHEMA}", path=path, remedy=newer
        )
    try:
        return from_json(Study, value, "study")
    except InputError as error:
        raise InputError(f"damaged results: {error.problem}", path=path, remedy=_AGAIN) from error
