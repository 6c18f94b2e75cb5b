"""Bytes come back as what they were, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.storage.pack import CHECKSUM, DamagedRowError, decode, encode

from .samples import augmentation
from .toys import augmentations

if TYPE_CHECKING:
    from mars_score.types import Augmentation

KEY = b"k" * 32


@given(augmentations)
def test_nothing_is_lost(original: Augmentation) -> None:
    again = decode(KEY, encode(KEY, original))
    assert again == original
    assert repr(again) == repr(original)  # 0.0 and -0.0 are equal; so are 1 and True


@given(augmentations, st.data())
def test_any_change_is_noticed(original: Augmentation, data: st.DataObject) -> None:
    written = bytearray(encode(KEY, original))
    bit = data.draw(st.integers(0, len(written) * 8 - 1))
    written[bit // 8] ^= 1 << bit % 8
    with pytest.raises(DamagedRowError):
        decode(KEY, bytes(written))


def test_every_bit_and_every_length_counts() -> None:
    written = encode(KEY, augmentation(1))
    for bit in range(len(written) * 8):
        changed = bytearray(written)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DamagedRowError):
            decode(KEY, bytes(changed))
    for length in range(len(written)):
        with pytest.raises(DamagedRowError):
            decode(KEY, written[:length])


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_bytes_of_another_key_are_refused(mine: bytes, other: bytes) -> None:
    written = encode(mine, augmentation(1))
    if mine != other:
        with pytest.raises(DamagedRowError):
            decode(other, written)


@given(st.binary(max_size=200))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedRowError):
        decode(KEY, data)


def test_another_form_with_a_right_checksum_is_refused() -> None:
    import zlib

    from mars_score.storage.pack import _checksum

    for text in (b"[]", b"{}", b"[[], [], [[0.2, 3, [1], 't', []]]]", b"\xff", b"[[], ['a'], 5]"):
        packed = zlib.compress(text)
        with pytest.raises(DamagedRowError, match="another form"):
            decode(KEY, _checksum(KEY, packed) + packed)


def test_it_is_compact() -> None:
    original = augmentation(1, length=40)
    assert CHECKSUM < len(encode(KEY, original)) < len(repr(original)) / 2
