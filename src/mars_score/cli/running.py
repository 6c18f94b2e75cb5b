"""A run from rows to outcomes: the first reading, what an earlier run left, and batches through an engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mars_score.cli.interrupts import explain_sudden_end
from mars_score.cli.reporting import CostReport, bars
from mars_score.errors import InputError
from mars_score.io.fields import Kept
from mars_score.io.output import read_signatures, sidecar_of
from mars_score.io.source import is_regular
from mars_score.io.writers import foreign
from mars_score.run.base import Engine, LocalEngine, Worker
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.cli.options import Input
    from mars_score.progress import StageProgress
    from mars_score.run.work import Outcome

CHUNK = 256
"""Rows that are scored together and then saved."""
SHARE = 32
"""The fewest that a worker of several gets at a time: with them the decoder is about as fast as it can be."""
PORTIONS = 64
"""In how many portions a small file is given to workers, so that none waits long for the last one."""

Row = TypeVar("Row")
Expected = TypeVar("Expected")


@dataclass(frozen=True, slots=True)
class Checked:
    """An input that has been read to its end once; from a regular file, its rows are not in memory."""

    source: Input
    rows: int
    digest: str
    """Of all texts of all rows: other rows have another one, whatever their file is called."""
    held: tuple[Example, ...] | None = None
    """What came through a pipe, which cannot be read again."""

    @property
    def name(self) -> str:
        """The file that names the rows in messages."""
        return self.source.name

    def read(self) -> Iterator[Example]:
        """Yield the rows again; if they are no longer those that were checked, the end is an error."""
        if self.held is not None:
            yield from self.held
            return
        digest = _Digest()
        # A file that has grown meanwhile is no reason to lose what can still be scored.
        yield from digest.of(islice(self.source.again(), self.rows))
        if digest.text != self.digest:
            raise InputError(
                "the file was changed during the run, so some rows of the output may be of its old content",
                path=self.name,
                remedy="leave the file alone, and run again with --restart",
            )


def check(source: Input) -> Checked:
    """Read everything, so that a bad row is found before anything is computed."""
    digest = _Digest()
    if not all(map(is_regular, source.paths)):  # standard input or another pipe: read only once
        held = tuple(digest.of(source.read()))
        return Checked(source, len(held), digest.text, held)
    return Checked(source, sum(1 for _ in digest.of(source.read())), digest.text)


class _Digest:
    """A hash of rows that grows with each."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def of(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Pass examples on, and take them into the hash."""
        for example in examples:
            texts = (example.id, example.candidate, example.context, example.question, *example.references)
            # Lengths first: they mark where one text ends and the next one starts.
            lengths = ",".join(str(len(text)) for text in texts)
            self._hash.update(f"{lengths};{''.join(texts)}".encode("utf-8", "surrogatepass"))
            yield example

    @property
    def text(self) -> str:
        """The hash of what has passed so far."""
        return self._hash.hexdigest()


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


def refuse_other_metrics(existing: Mapping[str, str], wanted: Sequence[str], left: Path) -> None:
    """Refuse an output of other metrics, or in another order, which would be another table."""
    if list(existing) != list(wanted):
        raise foreign(left, f"it has {', '.join(existing)}; this run has {', '.join(wanted)}")


def refuse_other_signatures(existing: Mapping[str, str], signatures: Mapping[str, str], left: Path) -> None:
    """Refuse an output that was made by other algorithms, or with other settings or models."""
    for name, signature in signatures.items():
        if existing.get(name) != signature:
            raise foreign(
                left,
                f"{name} was computed otherwise\n  there: {existing.get(name)}\n  now:   {signature}",
            )


def check_kept_rows(
    rows: Iterable[tuple[Row, int]],
    expected: Iterator[Expected],
    same: Callable[[Row, Expected], bool],
    left: Path,
) -> Kept:
    """Compare the rows that are left with what the input begins with, and return what can be kept: all of it.

    As many of the expected ones are consumed. The rows are yielded while they are compared.
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


@dataclass(frozen=True, slots=True)
class Batches:
    """Examples by the batch, taken as they are needed."""

    examples: Iterable[Example]
    size: int
    expected: int
    """About how many examples there are."""

    def __iter__(self) -> Iterator[list[Example]]:
        rest = iter(self.examples)
        while batch := list(islice(rest, self.size)):
            yield batch

    def __length_hint__(self) -> int:
        return -(-self.expected // self.size)


def chunk_size(engine: Engine, rows: int, most: int) -> int:
    """Rows that go together; where several workers share the work, fewer of a small file."""
    if isinstance(engine, LocalEngine):
        return most
    return min(most, max(SHARE, -(-rows // PORTIONS)))


def run(
    engine: Engine,
    make: Callable[[StageProgress], Worker[list[Example], Outcome[Row]]],
    batches: Batches,
    bill: CostReport,
    noun: str = "rows",
) -> Iterator[Row]:
    """Yield the row of each example in order, a batch at a time."""
    with (
        explain_sudden_end(engine),
        bars(batches.expected, noun) as show,
        # An engine that has started workers ends them when the block is left, not when memory is tidied.
        closing(engine.run(make, batches, show.stage)) as outcomes,
    ):
        for outcome in outcomes:
            bill.add(outcome)
            yield from outcome.rows
            show.rows(len(outcome.rows))
