"""Tiny random masked language models with tiny tokenizers, and the Naive method as plainly as it can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer
from tokenizers.processors import BertProcessing, RobertaProcessing
from transformers import AutoModelForMaskedLM as Models
from transformers import BertConfig, PreTrainedTokenizerFast, RobertaConfig

from mars_score.models.tokenizer import quiet

from .cases import REQUESTS

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.lm.masked import MaskedModel
    from mars_score.types import InfillingRequest, Template

VOCABULARY = 400
KINDS = ("bert", "roberta")
_SIZES = {
    "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
    "initializer_range": 0.4, "vocab_size": VOCABULARY, "hidden_act": "gelu",
}  # fmt: skip
ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;:!?'\"()-"


def _texts() -> list[str]:
    texts = [text for one in REQUESTS for text in (one.context, *(each.source for each in one.templates))]
    return [*texts * 3, " ".join(ALPHABET)]


def bert(folder: Path) -> None:
    """Lower case, word pieces that know no spaces, and some entries that stand for nothing."""
    special = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(
        _texts(), VOCABULARY, min_frequency=1, special_tokens=special, show_progress=False
    )
    end, start = (("[SEP]", special.index("[SEP]")), ("[CLS]", special.index("[CLS]")))
    trained._tokenizer.post_processor = BertProcessing(end, start)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    _save(folder, tokenizer, BertConfig(**_SIZES, max_position_embeddings=120))


def roberta(folder: Path) -> None:
    """Cased, pieces that know their spaces, and positions that start after the padding index."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        _texts(), VOCABULARY, min_frequency=2, special_tokens=special, show_progress=False
    )
    trained._tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>",
    )  # fmt: skip
    _save(folder, tokenizer, RobertaConfig(**_SIZES, max_position_embeddings=122, pad_token_id=1))


def _save(folder: Path, tokenizer: PreTrainedTokenizerFast, config: Any) -> None:
    torch.manual_seed(11)
    with quiet():
        Models.from_config(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def plain_fill(
    model: MaskedModel, network: Any, request: InfillingRequest, template: Template, order: str
) -> list[int]:
    """The pieces that are written into one template, by itself: no batch, every place read again and again.

    `network` is the model as the transformers library loads it. The context must fit.
    """
    tokenizer, vocabulary = model.tokenizer, model.vocabulary
    ids = tokenizer(request.context, add_special_tokens=False).input_ids
    masks: list[int] = []
    first: list[int] = []
    for number, block in enumerate(template.blocks):
        text = f" {block.text.lstrip()}" if ids and number == 0 else block.text
        pieces = tokenizer(text, add_special_tokens=False).input_ids
        if block.blank:
            glued = vocabulary.pieces[pieces[0]][:1].isalnum()
            masks += range(len(ids), len(ids) + len(pieces))
            first += [] if glued else [len(ids)]
        ids += [tokenizer.mask_token_id] * len(pieces) if block.blank else pieces
    left = list(masks)
    while left:
        with torch.no_grad():
            framed = [tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]
            p = network(torch.tensor([framed])).logits[0, 1:-1].double()
        guesses = {}
        for place in left:
            for i, piece in enumerate(vocabulary.pieces):
                special = i in tokenizer.all_special_ids or "unused" in piece
                unprintable = not piece.strip() or not piece.isprintable() or "\ufffd" in piece
                if special or unprintable or (place in first and piece[0].isalnum()):
                    p[place, i] = -torch.inf
            best, token = p[place].softmax(-1).max(-1)
            guesses[place] = (float(best), int(token))
        settled = left if order == "together" else [left[0]]
        if order == "confident":
            settled = [max(left, key=lambda place: guesses[place][0])]
        for place in settled:
            ids[place] = guesses[place][1]
        left = [place for place in left if place not in settled]
    return [ids[place] for place in masks]
