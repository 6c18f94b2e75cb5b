"""Token vectors against the plain model, one text at a time, and against themselves in other company."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.encoders.layers import TokenEncoder
from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore

TEXTS = [
    "The ferry was late again.",
    "Rain.",
    "Unputdownable, antidisestablishmentarian tales!",
    "🙂🙃 ok",
    "?!",
    "Он купил хлеб и молоко.",
    "Every lantern in the harbour went out, one after another, until only the moon was left.",
    "",
]


@pytest.fixture(scope="module")
def folder(store: ModelStore) -> Path:
    return store.ensure("minilm-l6")


@pytest.fixture(scope="module")
def encoder(folder: Path) -> TokenEncoder:
    return TokenEncoder(str(folder))


@pytest.mark.numeric
@pytest.mark.parametrize("layer", [0, 3, 6])
def test_vectors_are_those_of_the_plain_model(folder: Path, encoder: TokenEncoder, layer: int) -> None:
    found = TokenEncoder(str(folder), layer=layer).encode(TEXTS)
    for text, one in zip(TEXTS, found, strict=True):
        told = encoder.tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            states = encoder.model(**told, output_hidden_states=True).hidden_states[layer][0]
        assert list(one.tokens.ids) == told.input_ids[0].tolist()
        assert one.vectors.dtype == np.float32
        np.testing.assert_allclose(one.vectors, states.numpy(), atol=1e-5)


@pytest.mark.numeric
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_vectors_do_not_depend_on_company_to_the_last_bit(encoder: TokenEncoder, data: st.DataObject) -> None:
    drawn = data.draw(
        st.lists(st.one_of(st.sampled_from(TEXTS), st.text(max_size=12)), min_size=1, max_size=12)
    )
    together = encoder.encode(drawn)
    for text, one in zip(drawn, together, strict=True):
        (alone,) = encoder.encode([text])
        assert alone.tokens == one.tokens
        assert np.array_equal(alone.vectors, one.vectors), text


def test_places_of_tokens(encoder: TokenEncoder) -> None:
    text = "\n  Lantern-light, isn't it?  "
    (one,) = encoder.tokenize([text])
    own = [i for i, special in enumerate(one.special) if not special]
    assert [one.texts[i] for i in own] == [text[slice(*one.spans[i])].lower() for i in own]
    assert [one.texts[i] for i in (0, -1)] == ["[CLS]", "[SEP]"]
    assert [one.special[i] for i in (0, -1)] == [True, True]
    assert encoder.ends == {one.ids[0], one.ids[-1]}


def test_a_long_text_is_cut_and_says_so(encoder: TokenEncoder) -> None:
    just, longer = encoder.encode(["word " * 510, "word " * 600])
    assert (len(just.vectors), just.tokens.truncated) == (512, False)
    assert (len(longer.vectors), longer.tokens.truncated) == (512, True)
    assert longer.tokens.texts[-1] == "[SEP]"
    assert np.array_equal(just.vectors, longer.vectors)


def test_equal_texts_once_and_progress_to_the_end(encoder: TokenEncoder) -> None:
    told: list[tuple[int, int]] = []
    found = encoder.encode([*TEXTS, *TEXTS], lambda done, total: told.append((done, total)))
    assert found[: len(TEXTS)] == found[len(TEXTS) :]
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert encoder.encode([]) == []


def test_settings_and_layers(folder: Path, encoder: TokenEncoder) -> None:
    assert encoder.settings == "layer6.max512.float32"
    with pytest.raises(ConfigError, match="layers 0 to 6"):
        TokenEncoder(str(folder), layer=7)
