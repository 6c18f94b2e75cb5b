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

# Dataclasses as JSON and back, by their annotations alone: a new field needs no code here.

T = TypeVar("T")


def to_json(value: object, where: str = "value") -> Any:
    """Return what JSON can hold; a number that is not finite is an error that names its place."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            item.name: to_json(getattr(value, item.name), f"{where}.{item.name}") for item in fields(value)
        }
    if isinstance(value, dict):
        return {str(key): to_json(one, f"{where}.{key}") for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one, f"{where}[{index}]") for index, one in enumerate(value)]
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
    found: T = _typed(kind, value, where)
    return found


def _typed(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if value is None and NoneType in parts:
            return None
        (other,) = (part for part in parts if part is not NoneType)
        return _typed(other, value, where)
    if origin is tuple:
        return _tuple(parts, value, where)
    if origin is dict:
        _expect(isinstance(value, dict), "an object", value, where)
        return {key: _typed(parts[1], one, f"{where}.{key}") for key, one in value.items()}
    return _scalar(kind, value, where)


def _scalar(kind: type, value: Any, where: str) -> Any:
    if kind is float:
        _expect(isinstance(value, int | float) and not isinstance(value, bool), "a number", value, where)
        _expect(math.isfinite(value), "a finite number", value, where)
        return float(value)
    if kind is int:
        _expect(isinstance(value, int) and not isinstance(value, bool), "a whole number", value, where)
    elif kind is bool:
        _expect(isinstance(value, bool), "true or false", value, where)
    else:
        _expect(isinstance(value, str), "a text", value, where)
    return value


def _tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    _expect(isinstance(value, list), "a list", value, where)
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(_typed(parts[0], one, f"{where}[{index}]") for index, one in enumerate(value))
    _expect(len(value) == len(parts), f"a list of {len(parts)}", value, where)
    return tuple(
        _typed(part, one, f"{where}[{index}]")
        for index, (part, one) in enumerate(zip(parts, value, strict=True))
    )


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _expect(isinstance(value, dict), "an object", value, where)
    given = {}
    for name, (annotation, required) in _fields(kind).items():
        if name in value:
            given[name] = _typed(annotation, value[name], f"{where}.{name}")
        elif required:
            raise InputError(f"{where} has no {name!r}")
    return kind(**given)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Each field's annotation, and whether it must be there."""
    hints = get_type_hints(kind)
    return {
        item.name: (hints[item.name], item.default is MISSING and item.default_factory is MISSING)
        for item in fields(kind)
    }


def _expect(holds: bool, what: str, value: object, where: str) -> None:
    if not holds:
        raise InputError(f"{where} must be {what}, not {str(value)[:40]!r}")


# ``results.json``: the whole study in one file.

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
