"""The first reading of an input: whether every row is good, how many there are, and what they say."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files.source import is_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mars_score.cli.options import Input
    from mars_score.types import Example


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
