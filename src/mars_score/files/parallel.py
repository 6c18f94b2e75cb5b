"""Plain text files side by side: line n of each file belongs to item n."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import InputError
from mars_score.files.source import check_readable, is_regular, open_input, shown
from mars_score.files.text_lines import lines, pieces
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def read_parallel(
    *,
    candidates: str | Path,
    references: str | Path | Sequence[str | Path],
    contexts: str | Path | None = None,
) -> Iterator[Example]:
    """Yield one item for each line of the files.

    Several files of references give an item several references; a blank line in the second or a later
    one means that this item has fewer. Files that cannot be read, and files of different lengths as far as
    that can be known (a pipe is not read twice), are refused in this call.
    """
    if isinstance(references, (str, Path)):
        references = [references]
    if not references:
        raise InputError("no file of references", remedy="give one or more files, one reference a line")
    paths = [candidates, *references, *([] if contexts is None else [contexts])]
    for path in paths:
        check_readable(path)
    _check_lengths([(path, _count(path)) for path in paths if is_regular(path)])
    return _examples(paths, len(references))


def _examples(paths: Sequence[str | Path], width: int) -> Iterator[Example]:
    with ExitStack() as stack:
        texts = [lines(pieces(stack.enter_context(open_input(path)), shown(path))) for path in paths]
        number = 0
        for number, row in enumerate(zip_longest(*texts), 1):
            if None in row:
                _check_lengths(
                    [
                        (path, number - (line is None) + sum(1 for _ in text))
                        for path, line, text in zip(paths, row, texts, strict=True)
                    ]
                )
            items = [line[1] for line in row]
            first, *more = items[1 : 1 + width]
            if not first.strip():
                raise InputError(
                    f"item '{number}': the reference is blank",
                    path=shown(paths[1]),
                    line=number,
                    remedy="give a reference; only a second or later file of references may have blank lines",
                )
            context = items[1 + width] if len(items) > 1 + width else ""
            yield Example(str(number), items[0], (first, *(text for text in more if text.strip())), context)
    if not number:
        raise InputError(
            "the file has no rows", path=shown(paths[0]), remedy="give at least one line to score"
        )


def _count(path: str | Path) -> int:
    with open_input(path) as stream:
        return sum(1 for _ in stream)


def _check_lengths(counts: Sequence[tuple[str | Path, int]]) -> None:
    for path, count in counts[1:]:
        first, expected = counts[0]
        if count != expected:
            raise InputError(
                f"{shown(first)} has {expected} lines, but {shown(path)} has {count}",
                path=shown(path),
                line=min(count, expected) + 1,
                remedy="line n of each file must belong to item n; an empty text is a blank line",
            )
