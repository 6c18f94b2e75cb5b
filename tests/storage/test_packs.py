"""Packs: whole and unchanged, or refused with the reason."""

from __future__ import annotations

import os
import pickle
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mars_score.errors import InputError, OutputError
from mars_score.storage.pack import END, MAGIC, START, Header, Names, Pack, PackWriter, pack_writer
from mars_score.types import Augmentation, Pair

from .samples import augmentation
from .toys import augmentations

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header(
    Names("lm@01", "tagger@02", "idf-table"), {"mars": "v1", "lm": "lm@01", "mask": "tagger@02.idf-table"}
)
CONTENT = {Pair(f"Context {i}.", f"Reference {i}.", "Why?" * (i % 2)): augmentation(i) for i in range(30)}


def written(path: Path, content: dict[Pair, Augmentation] = CONTENT) -> bytes:
    with pack_writer(path, HEADER) as pack:
        for pair, augmentation in content.items():
            pack.add(pair, augmentation)
    return path.read_bytes()


def refusal(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    pack = Pack(path)
    with pytest.raises(InputError) as caught:
        pack.find(next(iter(CONTENT)))
    assert str(caught.value).startswith(f"{path}: ")
    assert caught.value.remedy
    return caught.value.problem


def test_what_was_packed_is_found(tmp_path: Path) -> None:
    written(tmp_path / "refs.marspack")
    pack = Pack(tmp_path / "refs.marspack")
    assert pack.header == HEADER
    assert len(pack) == len(CONTENT)
    assert {pair: pack.find(pair) for pair in CONTENT} == CONTENT
    assert pack.find(Pair("Context 1.", "Reference 2.")) is None
    assert pickle.loads(pickle.dumps(pack)).find(next(iter(CONTENT))) == augmentation(0)
    assert os.listdir(tmp_path) == ["refs.marspack"]


def test_a_pack_of_nothing(tmp_path: Path) -> None:
    written(tmp_path / "refs.marspack", {})
    assert len(Pack(tmp_path / "refs.marspack")) == 0
    assert Pack(tmp_path / "refs.marspack").find(next(iter(CONTENT))) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.builds(Pair, st.text(), st.text(), st.text()), augmentations, max_size=5))
def test_any_content(tmp_path: Path, content: dict[Pair, Augmentation]) -> None:
    written(tmp_path / "any.marspack", content)
    pack = Pack(tmp_path / "any.marspack")
    assert {pair: pack.find(pair) for pair in content} == content


def test_equal_rows_make_equal_bytes(tmp_path: Path) -> None:
    once = written(tmp_path / "one.marspack")
    with pack_writer(tmp_path / "two.marspack", HEADER) as pack:
        for pair, augmentation in [*CONTENT.items(), *CONTENT.items()]:
            pack.add(pair, augmentation)
        assert len(pack) == len(CONTENT)
    assert (tmp_path / "two.marspack").read_bytes() == once


def test_every_flipped_bit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "refs.marspack"
    whole = written(path, dict(list(CONTENT.items())[:1]))
    for bit in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        assert refusal(path, bytes(changed))


def test_every_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "refs.marspack"
    whole = written(path, dict(list(CONTENT.items())[:1]))
    for length in range(1, len(whole)):
        assert refusal(path, whole[:length]) == "the pack is cut off: its end is missing"


def test_reasons(tmp_path: Path) -> None:
    path = tmp_path / "refs.marspack"
    whole = written(path)
    assert "not a pack" in refusal(path, b"")
    assert "not a pack" in refusal(path, b'{"context": ""}\n' * 50)
    assert "not a pack" in refusal(path, whole.replace(b"\r\n", b"\n", 1))  # copied as text
    assert "cut off" in refusal(path, whole + b"\n")
    assert "changed after it was made" in refusal(path, whole.replace(b"idf-table", b"idf-other", 1))
    newer = START.pack(MAGIC, 9, *START.unpack(whole[: START.size])[2:]) + whole[START.size :]
    assert "has format 9; this version reads format 1" in refusal(path, newer)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        len(Pack(path))
    with pytest.raises(InputError, match="directory"):
        len(Pack(tmp_path))


def test_numbers_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """Even with a right hash: whoever edits a pack may know how to make one."""
    import hashlib

    path = tmp_path / "refs.marspack"
    whole = written(path)
    position, count, _, magic = END.unpack(whole[-END.size :])
    for numbers in ((position, count + 1), (position - 1, count), (1 << 60, 1 << 60)):
        body = whole[: -END.size] + struct.pack("<QQ", *numbers)
        assert "contradicts itself" in refusal(path, body + hashlib.sha256(body).digest() + magic)


def test_a_pack_that_changes_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "refs.marspack"
    whole = bytearray(written(path))
    pack = Pack(path)
    assert len(pack) == len(CONTENT)
    path.write_bytes(bytes(byte ^ 1 for byte in whole))
    with pytest.raises(InputError, match="has changed since it was opened"):
        pack.find(next(iter(CONTENT)))
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        pack.find(next(iter(CONTENT)))


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "refs.marspack"
    before = written(path)

    def stopped() -> None:
        with pack_writer(path, HEADER) as pack:
            pack.add(*next(iter(CONTENT.items())))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["refs.marspack"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match=r"there is no folder(.|\n)*mkdir -p"),
        pack_writer(tmp_path / "absent" / "refs.marspack", HEADER),
    ):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk(tmp_path: Path) -> None:
    with (
        open("/dev/full", "r+b", buffering=0) as stream,
        pytest.raises(OutputError, match=r"No space left on device(.|\n)*run the same command again"),
    ):
        PackWriter(stream, HEADER, tmp_path / "refs.marspack")
