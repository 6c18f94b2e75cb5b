"""Whatever the bytes: a reader gives examples or an ``InputError``, nothing else."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError
from mars_score.io.readers import read_examples, read_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mars_score.types import Example

    from .conftest import Folder

NAMES = ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv", "rows.parquet"]
TOKENS = [
    b'{"candidate": "c", "references": ["r"]}', b'{"candidate": "', b'"reference": ', b"candidate",
    b"references", b"reference_1", b"[", b"]", b"{", b"}", b",", b"\t", b":", b'"', b'""', b"\\", b"\\ud800",
    b"\\u00", b"\n", b"\r", b"\r\n", b"\0", b"NaN", b"null", b"tru", b"-Infinity", b"1e999", b" ",
    b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xa9",
]  # fmt: skip
BYTES = st.binary() | st.lists(st.sampled_from(TOKENS)).map(b"".join)


def outcome(read: Callable[[], Iterator[Example]]) -> InputError | None:
    """Check whatever is read, and return the error that ends it."""
    examples: list[Example] = []
    try:
        examples.extend(read())
    except InputError as error:
        return error
    assert len({item.id for item in examples}) == len(examples) > 0
    for item in examples:
        assert item.references
        assert all(reference.strip() for reference in item.references)
        assert all(
            text.encode() is not None for text in (item.id, item.candidate, item.context, *item.references)
        )
    return None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("start", [b"", b"candidate,references\n", b"candidate\treferences\n", b"["])
@settings(deadline=None)
@given(data=BYTES)
@example(data=b'{"candidate": "c", "references": ["r"]}')
def test_any_bytes(shared_folder: Folder, name: str, start: bytes, data: bytes) -> None:
    path = shared_folder.put(name, start + data)
    error = outcome(lambda: read_examples(path))
    if error is not None:
        assert str(error.path) == str(path)
        assert error.remedy
    if name == "rows.parquet":
        assert error is not None


@settings(deadline=None)
@given(candidates=BYTES, references=st.lists(BYTES, min_size=1, max_size=2), contexts=st.none() | BYTES)
def test_any_bytes_side_by_side(
    shared_folder: Folder, candidates: bytes, references: list[bytes], contexts: bytes | None
) -> None:
    error = outcome(
        lambda: read_parallel(
            candidates=shared_folder.put("c", candidates),
            references=[shared_folder.put(f"r{index}", data) for index, data in enumerate(references)],
            contexts=None if contexts is None else shared_folder.put("x", contexts),
        )
    )
    if error is not None:
        assert error.path
        assert error.remedy


@settings(deadline=None)
@given(data=st.data())
def test_a_damaged_table(shared_folder: Folder, data: st.DataObject) -> None:
    stream = io.BytesIO()
    columns = {"id": [1, 2], "candidate": ["one", "two"], "references": [["r", "s"], ["t"]]}
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    content = bytearray(stream.getvalue())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = shared_folder.put("damaged.parquet", bytes(content))
    error = outcome(lambda: read_examples(path))
    if error is not None:
        assert str(error.path) == str(path)
