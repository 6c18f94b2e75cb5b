"""Under which names a file keeps its fields, and what was probably meant where one is missing."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FIELDS = ("candidate", "references", "reference", "context", "question", "id")
ALIASES = {
    "candidate": (
        "prediction", "predictions", "predicted", "pred", "hypothesis", "hypotheses", "hyp", "hypo", "cand",
        "output", "system_output", "model_output", "generated", "generated_text", "generation", "response",
        "completion", "decoded",
    ),
    "references": (
        "refs", "ref", "target", "targets", "tgt", "gold", "golds", "label", "labels", "ground_truth",
        "reference_text", "reference_summary", "expected", "expected_output", "highlights",
    ),
    "context": (
        "source", "src", "article", "document", "doc", "passage", "prompt", "input", "premise",
    ),
}  # fmt: skip
"""What other tools call these fields. Never used silently: an error names the way to map them."""

_REFERENCES = ("references", "reference")
_NUMBERED = re.compile(r"reference_([0-9]{1,6})")
_COMPARED, _SHOWN = 1_000, 100
"""Names that a misspelling is looked for among, and characters of a name in a message: a row may have a million."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The name of each field in a file. A field without a name here is not looked for."""

    names: Mapping[str, str]
    mapped: frozenset[str]
    """The fields that the caller named; a row without one of them is an error, never a silent blank."""

    def numbered(self, present: Collection[str]) -> list[str]:
        """Return the names ``reference_1``, ``reference_2``, ... among those present, by number."""
        if self.mapped.intersection(_REFERENCES):
            return []
        found = [match for name in present if (match := _NUMBERED.fullmatch(name))]
        return [match[0] for match in sorted(found, key=lambda match: int(match[1]))]

    def has(self, field: str, present: Collection[str]) -> bool:
        """Tell whether a field is among the names of a row."""
        if field != "references":
            return self.names[field] in present
        return any(self.names.get(f) in present for f in _REFERENCES) or bool(self.numbered(present))

    def missing(self, present: Collection[str]) -> str | None:
        """Return the first field that a row needs and has not, if any."""
        needed = ["candidate", "references", *sorted(self.mapped.difference(_REFERENCES))]
        return next((field for field in needed if not self.has(field, present)), None)

    def describe(self, field: str) -> str:
        """Return a field's name in the file, quoted, with its role where the caller named it."""
        roles = [role for role in (_REFERENCES if field == "references" else (field,)) if role in self.names]
        return " or ".join(
            f"{self.names[role]!r} (mapped as {role})" if role in self.mapped else repr(role)
            for role in roles
        )

    def remedy(self, present: Collection[str]) -> str:
        """Say which of the present names were probably meant for the missing fields, and how to map them."""
        free = [name for name in present if name not in self.names.values() and len(name) <= _SHOWN]
        del free[_COMPARED:]
        guesses: dict[str, str] = {}
        for field in ("candidate", "references", "context"):
            # Often all three have foreign names; to name them at once saves an attempt for each.
            near = None if self.has(field, present) else self._nearest(field, free)
            if near is not None:
                free.remove(near)
                guesses[field] = near
        if not guesses:
            listed = ", ".join(repr(name[:_SHOWN]) for name in islice(present, 20)) or "no names at all"
            return f"there is {listed}; say which one it is: --field {self.missing(present)}=NAME"
        meant = ", ".join(f"{name!r} as {field!r}" for field, name in guesses.items())
        options = " ".join(f"--field {field}={name}" for field, name in guesses.items())
        return f"Did you mean {meant}? Rename it, or map it: {options} (in Python: fields={guesses!r})"

    def _nearest(self, field: str, names: Collection[str]) -> str | None:
        """Return the name that is spelled nearly as the field's or is a known alias of it."""
        folded = {name.casefold(): name for name in names}
        wanted = self.names.get(field, field).casefold()
        spelled = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)
        aliases = [alias for alias in ALIASES[field] if alias in folded]
        # A mapped name is the caller's own, so its misspelling is likelier than an alias.
        best = spelled + aliases if field in self.mapped else aliases + spelled
        return folded[best[0]] if best else None


def field_names(overrides: Mapping[str, str] | None = None) -> FieldNames:
    """Return the names of a file's fields; overrides map a field to the name that the file has for it."""
    overrides = overrides or {}
    for field in overrides:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise ConfigError(f"unknown field {field!r}; there are {known}.{did_you_mean(field, FIELDS)}")
    names = {field: field for field in FIELDS} | dict(overrides)
    if overrides.keys() & set(_REFERENCES):
        # Where the caller says what the references are, a column that happens to be called so is not one.
        for field in set(_REFERENCES) - overrides.keys():
            del names[field]
    return FieldNames(names, frozenset(overrides))
