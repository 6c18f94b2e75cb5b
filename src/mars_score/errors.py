"""The error tree. The library raises from here and never exits; only the command line exits.

MarsError
├── InputError      a file or row that cannot be scored; names the file, the line and the remedy
├── OutputError     a result that cannot be written; nothing already computed is lost
├── ConfigError     an unknown preset, model or option, or a value out of range
├── EngineError     workers that cannot be reached, or that die over their work
└── ModelError      a model that cannot be found, fetched, verified or loaded
    ├── FetchError      the download failed; says what to copy where by hand
    └── IntegrityError  a file differs from its recorded hash
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class MarsError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(MarsError):
    """A file or a row that cannot be scored."""

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        remedy: str | None = None,
    ) -> None:
        """Build the message ``path:line:column: problem. Remedy.``"""
        self.problem, self.path, self.line, self.column, self.remedy = problem, path, line, column, remedy
        where = ":".join(str(part) for part in (path, line, column) if part is not None)
        message = f"{where}: {problem}" if where else problem
        super().__init__(f"{message}\n  remedy: {remedy}" if remedy else message)


class OutputError(MarsError):
    """A result that cannot be written."""


class ConfigError(MarsError):
    """An unknown name, or a value out of range."""


class EngineError(MarsError):
    """Workers that cannot be reached, or that die over their work."""


class ModelError(MarsError):
    """A model that cannot be found, fetched, verified or loaded."""


class FetchError(ModelError):
    """A download that failed."""


class IntegrityError(ModelError):
    """A file that differs from its recorded hash."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest known name, or an empty string."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


EXTRAS = {
    "accelerate": "convert", "gguf": "convert", "sacrebleu": "baselines", "rouge_score": "baselines",
    "nltk": "baselines", "ot": "baselines", "scipy": "study", "jinja2": "pages", "markupsafe": "pages",
    "jieba": "languages", "MeCab": "languages", "ipadic": "languages", "pythainlp": "languages",
}  # fmt: skip
"""Modules that a plain install does not bring, and the extra that has them."""


def missing_extra(error: ModuleNotFoundError) -> ConfigError | ModuleNotFoundError:
    """Say what to install for a module that is not there; the error itself where no extra has it."""
    module = (error.name or "").partition(".")[0]
    if module not in EXTRAS:
        return error
    return ConfigError(
        f"this needs {module}, which is not installed\n  remedy: pip install 'mars-score[{EXTRAS[module]}]'"
    )
