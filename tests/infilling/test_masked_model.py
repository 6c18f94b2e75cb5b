"""Masked models: what may be written, where texts are cut, what is refused, and the head that ships with us."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModel, AutoModelForMaskedLM

from mars_score.errors import ModelError
from mars_score.infilling.naive import NaiveInfiller
from mars_score.lm import masked
from mars_score.lm.masked import HeadedEncoder, HubNetwork, MaskedModel
from mars_score.models.tokenizer import quiet

from . import tiny_masked
from .cases import REQUESTS

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore


@pytest.fixture(scope="module")
def shipped(store: ModelStore) -> MaskedModel:
    """The default encoder with our head."""
    return MaskedModel(str(store.ensure("minilm-l6")))


def test_what_may_be_written(model: MaskedModel) -> None:
    tokens = model.tokenizer.convert_ids_to_tokens(range(model.network.size))
    writable = [token for token, may in zip(tokens, model.vocabulary.writable, strict=True) if may]
    assert len(writable) > 100
    assert not set(writable) & {*model.tokenizer.all_special_tokens, "[unused0]", "[unused1]", "Ġ"}
    assert "captain" in writable if model.spaced else "Ġcaptain" in writable


@settings(max_examples=50, deadline=None)
@given(text=st.text(tiny_masked.ALPHABET + "éÅ\n\t", max_size=40))
def test_texts_of_pieces_join_to_the_text(model: MaskedModel, text: str) -> None:
    pieces = model.encode(text)
    assert len(pieces.ids) == len(pieces.texts)
    assert "".join(pieces.texts).rstrip() == (text.rstrip() if pieces.ids else "")


def test_frame_and_room(folder: Path, model: MaskedModel) -> None:
    tokenizer = model.tokenizer
    assert (model.before, model.after) == ((tokenizer.cls_token_id,), (tokenizer.sep_token_id,))
    # 120 positions; RoBERTa's 122 begin after the padding index, 1.
    assert model.network.positions == 120
    assert model.room == 118
    row = torch.zeros(1, 120, dtype=torch.long) + model.mask
    place = torch.tensor([0])
    assert model.network.logits(row, place, place).shape == (1, model.network.size)


def test_kinds_are_told_apart(folder: Path, model: MaskedModel) -> None:
    bert = folder.name.startswith("bert")
    assert (model.spaced, model.uncased) == (bert, bert)


def test_an_encoder_without_output_layer_is_refused(folder: Path, tmp_path: Path) -> None:
    with quiet():
        AutoModelForMaskedLM.from_pretrained(folder).base_model.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="no masked language model: its files lack"):
        HubNetwork(str(tmp_path), torch.device("cpu"), "float32")


def test_a_causal_model_is_refused(smollm: Path) -> None:
    with pytest.raises(ModelError, match="no mask token"):
        MaskedModel(str(smollm))


def _trained(body: Any, width: int, size: int) -> dict[str, torch.Tensor]:
    """Random numbers of the shapes that training writes."""
    torch.manual_seed(5)
    found = {"mask": torch.randn(width), "bias": torch.randn(size), "mask_id": torch.tensor(6)}
    for name, shape in (
        ("dense.weight", (width, width)),
        ("dense.bias", width),
        ("norm.weight", width),
        ("norm.bias", width),
    ):
        found[name] = torch.randn(shape)
    for name, layer in body.encoder.named_modules():
        if type(layer) is torch.nn.Linear:
            found[f"body.encoder.{name}.down"] = torch.randn(4, layer.in_features) / 5
            found[f"body.encoder.{name}.up"] = torch.randn(layer.out_features, 4) / 5
    return found


def test_the_head_on_a_tiny_body(tmp_path: Path) -> None:
    """Against the definition: low-rank products beside each layer, not in it, and one place at a time."""
    tiny_masked.bert(tmp_path)
    with quiet():
        body = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval().requires_grad_(False)
    words = body.get_input_embeddings().weight
    trained = _trained(body, 48, tiny_masked.VOCABULARY)
    network = HeadedEncoder(str(tmp_path), torch.device("cpu"), "float32", trained)
    for name, layer in body.encoder.named_modules():
        if type(layer) is torch.nn.Linear:
            up, down = trained[f"body.encoder.{name}.up"], trained[f"body.encoder.{name}.down"]
            layer.register_forward_hook(lambda _, x, y, up=up, down=down: y + x[0] @ down.T @ up.T)
    ids = torch.randint(7, tiny_masked.VOCABULARY, (3, 30))
    ids[:, ::3] = 6
    rows, columns = (ids == 6).nonzero(as_tuple=True)
    found = network.logits(ids, rows, columns)
    assert found.shape == (30, tiny_masked.VOCABULARY)
    for row, column, logits in zip(rows, columns, found, strict=True):
        inputs = torch.where((ids[row] == 6)[:, None], trained["mask"], words[ids[row]])
        state = body(inputs_embeds=inputs[None]).last_hidden_state[0, column]
        state = F.gelu(trained["dense.weight"] @ state + trained["dense.bias"])
        state = (state - state.mean()) / (state.var(correction=0) + 1e-5).sqrt()
        state = state * trained["norm.weight"] + trained["norm.bias"]
        torch.testing.assert_close(logits, words @ state + trained["bias"], rtol=1e-3, atol=1e-3)


def test_one_place_is_answered_as_among_many(shipped: MaskedModel) -> None:
    """The output layer takes places by the dozen: the last bit must not depend on which others are asked."""
    ids = torch.tensor(
        [[*shipped.before, *shipped.encode("The captain rang the bell .").ids, *shipped.after]] * 7
    )
    everywhere = (ids >= 0).nonzero(as_tuple=True)
    many = shipped.network.logits(ids, *everywhere)
    for place in (0, 9, 30):
        alone = shipped.network.logits(ids, *(each[place : place + 1] for each in everywhere))
        assert torch.equal(alone[0], many[place])


def test_the_card_belongs_to_the_head() -> None:
    card = json.loads((masked.FOLDER / "card.json").read_text("utf-8"))
    data = masked.FILE.read_bytes()
    assert card["head"]["sha256"] == hashlib.sha256(data).hexdigest()
    assert masked.head_hash() == card["head"]["sha256"][:8]
    assert len(data) < 4_000_000


CLOZE = [
    ("She opened the door and walked [MASK] the room.", {"into", "through", "across", "to", "in"}),
    ("He drank a cup of [MASK].", {"tea", "coffee", "water", "milk", "wine"}),
    ("They have lived in this town [MASK] ten years.", {"for", "about", "over", "nearly", "almost"}),
    ("The king and the [MASK] sat on their thrones.", {"queen", "prince", "king", "lord", "god"}),
    ("I do [MASK] know what you mean.", {"not"}),
    ("The ship sailed across the [MASK].", {"sea", "ocean", "water", "river", "bay"}),
    ("It was one of the [MASK] beautiful houses in the city.", {"most", "more"}),
    ("The war began in 1914 [MASK] ended in 1918.", {"and", "but", ","}),
]


def test_the_shipped_head_completes_sentences(shipped: MaskedModel) -> None:
    """Sentences of our own, with the words that fit; of the encoder alone, one at most is right."""
    assert isinstance(shipped.network, HeadedEncoder)
    right = 0
    for text, fitting in CLOZE:
        ids = torch.tensor([shipped.tokenizer(text).input_ids])
        logits = shipped.network.logits(ids, *(ids == shipped.mask).nonzero(as_tuple=True))
        best = {shipped.vocabulary.pieces[i].strip() for i in logits[0].topk(5).indices.tolist()}
        right += bool(best & fitting)
    assert right >= 6


def test_the_shipped_head_fills_as_one_by_one(shipped: MaskedModel) -> None:
    """The plain implementation with the same network, one template at a time."""

    class Plain:
        def __call__(self, ids: torch.Tensor) -> Any:
            columns = torch.arange(ids.shape[1])
            logits = shipped.network.logits(ids, torch.zeros_like(columns), columns)
            return type("Output", (), {"logits": logits[None]})

    for answer, request in zip(NaiveInfiller(shipped).fill(REQUESTS[:2]), REQUESTS, strict=False):
        for one, own in zip(answer.augmented, request.templates, strict=True):
            pieces = tiny_masked.plain_fill(shipped, Plain(), request, own, "confident")
            text = "".join(shipped.vocabulary.pieces[i] for i in pieces).replace(" ", "").lower()
            assert "".join(one.fills).replace(" ", "").lower() == text
