"""Going on with an output: what it must have in common with the run that goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from mars_score.files.finished import foreign
from mars_score.files.rows import Kept
from mars_score.files.sidecar import read_signatures, sidecar_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mars_score.cli.checking import Checked

Row = TypeVar("Row")
Expected = TypeVar("Expected")

restart_option = click.option(
    "--restart", is_flag=True, help="Begin anew where FILE of -o exists; by default the run goes on with it."
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What results come from. Two runs that have it in common write the same rows."""

    checked: Checked
    settings: str
    """The fingerprint of algorithms, settings and models, known before any model is loaded."""

    def facts(self, **more: object) -> dict[str, object]:
        """What the file beside the results says of it."""
        return {"input": self.checked.name, "digest": self.checked.digest, "settings": self.settings, **more}

    def known(self, output: str | None, left: Path) -> dict[str, str]:
        """Return the signatures of what is left of an earlier run; an output of other rows is refused."""
        beside = read_signatures(output) or {}
        signatures = beside.get("signatures")
        if not isinstance(signatures, dict) or "digest" not in beside:
            missing = sidecar_of(output)
            raise foreign(left, f"it exists, and no {missing} tells what it was made from")
        if beside["digest"] != self.checked.digest:
            was = beside.get("input")
            raise foreign(left, f"it was made from other rows ({was}) than {self.checked.name} has now")
        return signatures

    def same_settings(self, output: str | None) -> bool:
        """Whether an output was made by the same algorithms, with the same settings and models."""
        return (read_signatures(output) or {}).get("settings") == self.settings


def refuse_other_metrics(known: Mapping[str, str], wanted: Sequence[str], left: Path) -> None:
    """Refuse an output of other metrics, or in another order, which would be another table."""
    if list(known) != list(wanted):
        raise foreign(left, f"it has {', '.join(known)}; this run has {', '.join(wanted)}")


def refuse_other_signatures(known: Mapping[str, str], signatures: Mapping[str, str], left: Path) -> None:
    """Refuse an output that was made by other algorithms, or with other settings or models."""
    for name, signature in signatures.items():
        if known.get(name) != signature:
            raise foreign(
                left,
                f"{name} was computed otherwise\n  there: {known.get(name)}\n  now:   {signature}",
            )


def take_over(
    rows: Iterable[tuple[Row, int]],
    expected: Iterator[Expected],
    same: Callable[[Row, Expected], bool],
    left: Path,
) -> Kept:
    """Compare the rows that are left with what the input begins with, and return what can be kept: all of it.

    As many of the expected ones are consumed. Whoever wants the rows gets them while they are compared.
    """
    count = size = 0
    for row, end in rows:
        other = next(expected, None)
        if other is None:
            raise foreign(left, f"it has more rows than the input, which has {count}")
        if not same(row, other):
            raise foreign(left, f"its row {count + 1} does not belong to row {count + 1} of the input")
        count, size = count + 1, end
    return Kept(count, size) if count else Kept()
