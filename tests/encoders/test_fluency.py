"""The fluency head: against a plain reference of its network, and on sentences whose words change places."""

from __future__ import annotations

import hashlib
import json
import math
import random
from typing import TYPE_CHECKING

import pytest
import torch

from mars_score.encoders import fluency
from mars_score.encoders.fluency import FluencyHead, fluency_hash, refuse_other
from mars_score.encoders.token_level import TokenLevelEncoder
from mars_score.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore

SENTENCES = [
    "The plumber came on Tuesday and found that the pipe behind the sink had burst.",
    "Nobody in the village remembered who had planted the two oak trees by the well.",
    "She put the letter back into the drawer without reading the last page.",
    "Because the train was late, we missed the beginning of the concert.",
    "The new rules for parking will take effect at the start of next year.",
    "He asked the waiter for a glass of water and a clean spoon.",
    "After the storm the children collected shells along the empty beach.",
    "The company sold fewer bicycles this summer than it did a year ago.",
    "My aunt keeps her best recipes in a tin box under the stairs.",
    "To open the valve, turn the handle slowly to the left.",
    "They painted the fence green, but the gate is still white.",
    "Only three of the nine members voted against the plan.",
]


@pytest.fixture(scope="module")
def reader(store: ModelStore) -> TokenLevelEncoder:
    return TokenLevelEncoder(str(store.ensure("minilm-l6")))


def values(reader: TokenLevelEncoder, texts: list[str]) -> list[float]:
    return [found.close.fluency for found in reader.encode(texts) if found.close is not None]


def shuffled(sentence: str, seed: int) -> str:
    words = sentence.split()
    return " ".join(random.Random(seed).sample(words, len(words)))


def test_the_network_is_a_layer_norm_a_hidden_layer_and_a_logit() -> None:
    draw = torch.Generator().manual_seed(3)
    trained = {
        "norm.weight": torch.rand(8, generator=draw) + 0.5, "norm.bias": torch.randn(8, generator=draw),
        "dense.weight": torch.randn(5, 8, generator=draw), "dense.bias": torch.randn(5, generator=draw),
        "out.weight": torch.randn(1, 5, generator=draw), "out.bias": torch.randn(1, generator=draw),
    }  # fmt: skip
    states = torch.randn(2, 3, 8, generator=draw)
    found = FluencyHead(torch.device("cpu"), trained).in_place(states)
    assert found.shape == (2, 3)
    for row in range(2):
        for column in range(3):
            state = states[row, column].double()
            state = (state - state.mean()) / (state.var(correction=0) + 1e-5).sqrt()
            state = state * trained["norm.weight"] + trained["norm.bias"]
            hidden = trained["dense.weight"].double() @ state + trained["dense.bias"]
            hidden = hidden * (1 + torch.erf(hidden / math.sqrt(2))) / 2
            logit = float(trained["out.weight"].double() @ hidden + trained["out.bias"])
            assert float(found[row, column]) == pytest.approx(-math.log1p(math.exp(logit)), abs=1e-5)


def test_a_text_has_the_mean_of_its_pieces(reader: TokenLevelEncoder) -> None:
    text = SENTENCES[0]
    assert reader.head
    ids = torch.tensor([reader.tokenizer(text).input_ids])
    with torch.inference_mode():
        layers = reader.model(input_ids=ids, output_hidden_states=True).hidden_states[1:]
        in_place = reader.head.in_place(torch.cat(layers, -1))[0, 1:-1]  # without [CLS] and [SEP]
    assert values(reader, [text]) == [pytest.approx(float(in_place.mean()), abs=1e-5)]


def test_sentences_beat_their_shuffled_forms(reader: TokenLevelEncoder) -> None:
    for sentence, value in zip(SENTENCES, values(reader, SENTENCES), strict=True):
        others = values(reader, [shuffled(sentence, seed) for seed in range(5)])
        assert value > max(others) + 0.1, sentence


def test_words_said_again_and_words_left_out_are_noticed(reader: TokenLevelEncoder) -> None:
    """On the mean of many sentences: a single one may be as good without a word, or with two alike."""
    words = [sentence.split() for sentence in SENTENCES]
    again = [" ".join([*one[:5], *one[2:5], *one[5:]]) for one in words]
    short = [" ".join(one[:3] + one[5:]) for one in words]
    whole = sum(values(reader, SENTENCES))
    assert sum(values(reader, again)) < whole
    assert sum(values(reader, short)) < whole


def test_sound_sentences_have_next_to_no_word_out_of_place(reader: TokenLevelEncoder) -> None:
    assert min(values(reader, SENTENCES)) > -0.3
    # So a blank text, which counts as -1, is never better than a sentence.
    assert max(values(reader, [shuffled(one, 1) for one in SENTENCES])) < -0.1


def test_the_hash_is_that_of_the_file() -> None:
    assert fluency_hash() == hashlib.sha256(fluency.FILE.read_bytes()).hexdigest()[:8]
    assert fluency.FILE.stat().st_size < 1_000_000


def test_the_card_belongs_to_the_head(store: ModelStore) -> None:
    card = json.loads((fluency.FOLDER / "card.json").read_text("utf-8"))
    assert card["head"]["sha256"] == hashlib.sha256(fluency.FILE.read_bytes()).hexdigest()
    weights = store.ensure("minilm-l6") / "model.safetensors"
    assert card["body"]["body_sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest()


def test_it_fits_the_encoder_that_it_was_trained_on_alone(store: ModelStore, tmp_path: Path) -> None:
    refuse_other(store.ensure("minilm-l6"))
    for other in (store.ensure("smollm2-135m"), tmp_path):
        with pytest.raises(ModelError, match="no fluency head was trained on this encoder"):
            refuse_other(other)


@pytest.mark.numeric
@pytest.mark.parametrize(("height", "length"), [(38, 5), (11, 17), (3, 63), (1, 190)])
def test_where_in_a_batch_a_text_stands_does_not_matter_to_the_last_bit(height: int, length: int) -> None:
    head = FluencyHead(torch.device("cpu"))
    draw = torch.Generator().manual_seed(height)
    size = head.tensors["norm.weight"].shape[0]
    text, batch = torch.randn(length, size, generator=draw), torch.randn(height, length, size, generator=draw)
    with torch.inference_mode():
        (first, *others) = [
            head.in_place(torch.cat([batch[:place], text[None], batch[place + 1 :]]))[place]
            for place in range(height)
        ]
    assert all(torch.equal(first, other) for other in others)
