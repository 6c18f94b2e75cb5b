"""Token and word vectors of a transformer encoder, at any of its layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mars_score.encoders.network import Network, first_position, side_by_side
from mars_score.errors import ConfigError, ModelError
from mars_score.models.tokenizer import quiet
from mars_score.progress import Progress, silent
from mars_score.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    pass


# Contextual token vectors of a transformer encoder, at any of its layers.

LONGEST = 512
"""Tokens of the longest text for an encoder whose files name no limit."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text as its encoder reads it."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    """As in the vocabulary: lower-cased, with marks of word pieces, as the encoder has it."""
    spans: tuple[tuple[int, int], ...]
    """Start and end of each token in the text; empty for tokens that the tokenizer added."""
    special: tuple[bool, ...]
    """Which tokens the tokenizer added, such as [CLS] and [SEP]."""
    truncated: bool
    """Whether the text's tail did not fit."""


@dataclass(frozen=True, slots=True)
class TokenEncoding:
    """A text's tokens and their vectors."""

    tokens: Tokens
    vectors: NDArray[np.float32]
    """(n, H), as the encoder gives them: not normalised."""


class TokenEncoder:
    """Any Hugging Face encoder, or the encoder half of an encoder-decoder."""

    def __init__(
        self, location: str, *, layer: int | None = None, prefix_space: bool = False,
        device: str = "cpu", dtype: str = "float32",
    ) -> None:  # fmt: skip
        """Load weights (safetensors only) and tokenizer from a folder.

        `layer` counts from 0, the embeddings, to the last one, the default. Layers above it are not loaded.
        `prefix_space` reads the first word as if a space stood before it, which matters to RoBERTa and its
        like: the published BERTScore numbers of RoBERTa were made so.
        """
        from transformers import AutoConfig, AutoModel, AutoTokenizer

        options: dict[str, Any] = {"add_prefix_space": True} if prefix_space else {}
        with quiet():
            depth = int(AutoConfig.from_pretrained(location, trust_remote_code=False).num_hidden_layers)
            self.layer, self.dtype, self.prefix_space = depth if layer is None else layer, dtype, prefix_space
            if not 0 <= self.layer <= depth:
                raise ConfigError(f"layer {layer} is out of range: {location} has layers 0 to {depth}")
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False, **options)
            model = AutoModel.from_pretrained(
                location, dtype=getattr(torch, dtype), use_safetensors=True, trust_remote_code=False,
                num_hidden_layers=self.layer,
            )  # fmt: skip
        if not self.tokenizer.is_fast:
            raise ModelError(f"{location}: its tokenizer cannot tell where in a text a token stands")
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        self.device = torch.device(device)
        self.model: Any = model.eval().requires_grad_(requires_grad=False).to(self.device)
        self.max_length = _max_length(self.tokenizer, self.model)
        self.network = Network(self.model)
        ends = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        self.ends = frozenset(int(end) for end in ends if end is not None)
        """Ids of the tokens that stand for a text's start and end."""

    @property
    def settings(self) -> str:
        """For signatures: layer, longest text in tokens, number format."""
        space = ".prefix" if self.prefix_space else ""
        return f"layer{self.layer}.max{self.max_length}.{self.dtype}{space}"

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Split each text, white space at its ends apart, into the tokens that the encoder takes."""
        if not texts:
            return []
        tokenized = self.tokenizer(
            [text.strip() for text in texts], truncation=True, max_length=self.max_length, verbose=False
        )
        return [_tokens(text, encoding) for text, encoding in zip(texts, tokenized.encodings, strict=True)]

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[TokenEncoding]:
        """Encode each text, equal texts once, many in one pass through the network."""
        unique = list(dict.fromkeys(texts))
        rows = self.tokenize(unique)
        together = self.network.together([len(row.ids) for row in rows])
        encodings: dict[str, TokenEncoding] = {}
        work = side_by_side(lambda batch: self._vectors([rows[i].ids for i in batch]), together)
        for batch, vectors in zip(together, work, strict=True):
            for i, text_vectors in zip(batch, vectors, strict=True):
                # A view would keep all of them alive.
                encodings[unique[i]] = TokenEncoding(rows[i], text_vectors.copy())
            progress(len(encodings), len(unique))
        return [encodings[text] for text in texts]

    def _vectors(self, rows: list[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """Encode rows that go through the network together: (n, H) for each."""
        states = self.network.read(rows)
        vectors: NDArray[np.float32] = states.layers[-1].float().cpu().numpy()  # (T, H)
        return [vectors[start : start + len(row)] for start, row in zip(states.starts, rows, strict=True)]


def _tokens(text: str, encoding: Any) -> Tokens:
    """What the tokenizer found in the stripped text, with places in the text itself."""
    shift = len(text) - len(text.lstrip())
    special = tuple(bool(mark) for mark in encoding.special_tokens_mask)
    spans = tuple(
        (0, 0) if added else (start + shift, end + shift)
        for (start, end), added in zip(encoding.offsets, special, strict=True)
    )
    return Tokens(
        tuple(encoding.ids), tuple(encoding.tokens), spans, special, truncated=bool(encoding.overflowing)
    )


def _max_length(tokenizer: Any, model: Any) -> int:
    """The longest text that both the tokenizer's and the model's files allow."""
    positions = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    positions -= first_position(model)
    return min(int(tokenizer.model_max_length), positions if positions > 0 else LONGEST)


# Words from word pieces: a word's vector is the mean of the vectors of the tokens that it was split into.


def word_means(text: str, encoding: TokenEncoding) -> tuple[list[str], NDArray[np.float64]]:
    """The words of a text that have a token, and their vectors (n, H); what was cut off has none.

    A token that reaches over several words, as some vocabularies have them, counts for each of them.
    """
    text_words = words(text)
    at: list[int | None] = [None] * len(text)  # the word that a character is in
    for index, word in enumerate(text_words):
        at[word.start : word.end] = [index] * (word.end - word.start)
    pieces: dict[int, list[int]] = {}
    for token, (start, end) in enumerate(encoding.tokens.spans):
        for index in {index for index in at[start:end] if index is not None}:
            pieces.setdefault(index, []).append(token)
    kept = sorted(pieces)
    exact = encoding.vectors.astype(np.float64)  # (tokens, H)
    means = [exact[pieces[index]].mean(0) for index in kept]
    return [text_words[index].text for index in kept], np.stack(means) if means else exact[:0]
