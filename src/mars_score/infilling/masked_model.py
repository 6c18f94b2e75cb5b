"""A masked language model as the Naive infiller sees it: word pieces, what may be written, and its guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from mars_score.errors import ModelError
from mars_score.infilling.headed_encoder import HeadedEncoder, fits
from mars_score.infilling.language_model import Vocabulary
from mars_score.models.quiet import quiet

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 512
"""Pieces of the longest text for a model whose files name no limit."""
_PLACEHOLDER = re.compile(r"\[unused\d+\]|madeupword\d+|<unused\d+>")
"""Entries that fill up a vocabulary and stand for nothing."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as the model reads it."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    """The characters behind each piece and all that stands before them; white space at the end is left out."""


class Network(Protocol):
    """What a masked model is besides its vocabulary."""

    size: int
    """Entries of the output."""
    positions: int
    """Pieces of the longest row."""

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read rows of pieces (N, L); what stands at the places (n,), (n,): (n, V) in float32.

        The answer for a row depends on that row and on N and L alone, to the last bit.
        """


class MaskedModel:
    """A masked LM of Hugging Face, or the default encoder with the head that ships with this package."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load weights (safetensors only) and tokenizer from a folder."""
        from transformers import AutoTokenizer  # noqa: PLC0415  (heavy)

        self.device = torch.device(device)
        with quiet():
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
        if self.tokenizer.mask_token_id is None or not self.tokenizer.is_fast:
            raise ModelError(f"{location}: its tokenizer has no mask token; name a masked language model")
        self.network: Network
        if fits(Path(location)):
            self.network = HeadedEncoder(location, self.device, dtype)
        else:
            self.network = HubNetwork(location, self.device, dtype)
        self.mask = int(self.tokenizer.mask_token_id)
        self.before, self.after = self._frame()
        limit = min(int(self.tokenizer.model_max_length), self.network.positions)
        self.room = limit - len(self.before) - len(self.after)
        """Pieces of text that a row can hold."""

    def _frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pieces that the tokenizer puts before and after a text."""
        bare = self.encode("a").ids
        framed = tuple(self.tokenizer("a").input_ids)
        start = next(i for i in range(len(framed)) if framed[i : i + len(bare)] == bare)
        return framed[:start], framed[start + len(bare) :]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary as text."""
        known = Vocabulary.of(self.tokenizer, self.network.size, set())
        empty = [bool(_PLACEHOLDER.fullmatch(piece.strip())) for piece in known.pieces]
        return replace(known, writable=known.writable & ~torch.tensor(empty)).to(self.device)

    @cached_property
    def spaced(self) -> bool:
        """Whether the vocabulary does not know spaces (WordPiece): words and most marks then begin with one."""
        return self.vocabulary.pieces[self.encode("a)").ids[-1]].startswith(" ")

    @cached_property
    def uncased(self) -> bool:
        """Whether capitals are lost."""
        return self.encode("Was").ids == self.encode("was").ids

    def encode(self, text: str) -> Pieces:
        """The pieces of a part of a text, as it stands."""
        found = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ends = [0, *(end for _, end in found.offset_mapping)]
        texts = tuple(text[start:end] for start, end in pairwise(ends))
        return Pieces(tuple(found.input_ids), texts)


class HubNetwork:
    """Any masked language model that the transformers library knows."""

    def __init__(self, location: str, device: torch.device, dtype: str) -> None:
        """Load the network; one whose output layer is not in its files is refused."""
        from transformers import AutoModelForMaskedLM  # noqa: PLC0415  (heavy)

        try:
            with quiet():
                model, report = AutoModelForMaskedLM.from_pretrained(
                    location, dtype=getattr(torch, dtype), use_safetensors=True, trust_remote_code=False,
                    output_loading_info=True,
                )  # fmt: skip
        except ValueError as error:
            raise ModelError(f"{location} is not a masked language model ({error})") from error
        if report["missing_keys"]:
            raise ModelError(
                f"{location} is no masked language model: its files lack {sorted(report['missing_keys'])[0]}\n"
                "  remedy: name a model that was saved with its masked-LM head"
            )
        self.model: Any = model.eval().requires_grad_(requires_grad=False).to(device)
        self.size = int(self.model.get_output_embeddings().weight.shape[0])
        self.positions = _positions(self.model)

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read every place, so that the shape is that of the rows, and pick the ones asked for."""
        found = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits  # (N, L, V)
        logits: Tensor = found[rows, columns].float()
        return logits


def _positions(model: Any) -> int:
    """The longest row that the network has positions for."""
    positions = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    for name, module in model.named_modules():
        # RoBERTa and its like start counting positions after the padding index.
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions -= int(module.padding_idx) + 1
    return positions if positions > 0 else LONGEST
