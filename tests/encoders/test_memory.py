"""What is kept of encodings: up to a size, the most recently used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders.base import Encoding, EncodingMemory

if TYPE_CHECKING:
    from collections.abc import Sequence


def encoding(text: str) -> Encoding:
    return Encoding(np.full(8, ord(text[0]), np.float32), truncated=text.isupper())


def one_entry() -> int:
    memory = EncodingMemory()
    memory.keep("a", encoding("a"))
    return memory.size


@given(
    room=st.integers(0, 6),
    steps=st.lists(st.tuples(st.sampled_from(["keep", "get"]), st.sampled_from("abcdefghABC")), max_size=60),
)
def test_like_a_list_in_order_of_use(room: int, steps: Sequence[tuple[str, str]]) -> None:
    memory = EncodingMemory(limit=room * one_entry())
    used: list[str] = []
    for step, text in steps:
        found = memory.get(text)
        assert (found is not None) == (text in used)
        if found is not None:
            assert np.array_equal(found.vector, encoding(text).vector)
            assert found.truncated == encoding(text).truncated
            used.remove(text)
            used.append(text)
        if step == "keep":
            memory.keep(text, encoding(text))
            used = [*(each for each in used if each != text), text][-room:] if room else []
        assert len(memory) == len(used)
        assert memory.size == len(used) * one_entry()


def test_a_kept_vector_does_not_hold_its_batch() -> None:
    batch = np.ones((1000, 8), np.float32)
    memory = EncodingMemory()
    memory.keep("a", Encoding(batch[3]))
    found = memory.get("a")
    assert found is not None
    assert found.vector.base is None


def test_one_that_is_too_large_is_not_kept() -> None:
    memory = EncodingMemory(limit=one_entry())
    memory.keep("a" * 10_000, encoding("a"))
    assert len(memory) == memory.size == 0


def test_candidates_do_not_drive_out_references() -> None:
    memory = EncodingMemory(limit=32 * one_entry())
    memory.keep("a", encoding("a"))
    for text in "bcdefgh":
        memory.keep_for_now(text, encoding(text))
    assert [text for text in "abcdefgh" if memory.get(text) is not None] == ["a", "g", "h"]
    assert len(memory) == 3
    assert memory.size == 3 * one_entry()
