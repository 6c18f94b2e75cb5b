"""Masked language models: word pieces, what may be written, and the network's guesses at masked places.

Two kinds of network: any masked LM of Hugging Face, and the default sentence encoder made one by what ships in
`masked_head/`. No package registry carries a masked language model, so one was trained (tools/train_masked_head.py)
on top of the encoder: low-rank changes to its linear layers, which had forgotten single words in favour of whole
sentences, a vector of its own for [MASK], and an output layer tied to the encoder's word embeddings.
`masked_head/card.json` tells how, on what, and how well it does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.nn.functional as F

from mars_score.encoders.network import single_threaded_torch
from mars_score.encoders.products import freeze_linears, multiply, place_is_free, products_of
from mars_score.errors import ModelError
from mars_score.lm.causal import Vocabulary
from mars_score.models.manifest import sha256_of, sha256_once
from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from mars_score.encoders.products import Product

LONGEST = 512
"""Pieces of the longest text for a model whose files name no limit."""
_PLACEHOLDER = re.compile(r"\[unused\d+\]|madeupword\d+|<unused\d+>")
"""Entries that fill up a vocabulary and stand for nothing."""
FOLDER = Path(__file__).with_name("masked_head")
FILE = FOLDER / "head.safetensors"
PLACES = 16
"""Places that the output layer answers at once: always as many, so that the arithmetic is always the same.
One at a time where a library's arithmetic depends on which of them it is."""
_LAYER = re.compile(r"body\.encoder\.layer\.(\d+)\.")
_FACTOR = re.compile(r"body\.(.+)\.down")


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as the model reads it."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    """The characters behind each piece and all that stands before them; white space at the end is left out."""


class MaskedNetwork(Protocol):
    """What a masked model is besides its vocabulary."""

    size: int
    """Entries of the output."""
    positions: int
    """Pieces of the longest row."""

    products: list[Product]
    """One of each shape among those that read rows."""

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read rows of pieces (N, L); what stands at the places (n,), (n,): (n, V) in float32.

        The answer for a row depends on that row, on N and L and, as far as it shows in `products`, on the row's
        place alone, to the last bit.
        """


class MaskedModel:
    """A masked LM of Hugging Face, or the default encoder with the head that ships with this package."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load weights (safetensors only) and tokenizer from a folder."""
        from transformers import AutoTokenizer

        self.device = torch.device(device)
        with quiet():
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
        if self.tokenizer.mask_token_id is None or not self.tokenizer.is_fast:
            raise ModelError(f"{location}: its tokenizer has no mask token; name a masked language model")
        self.network: MaskedNetwork
        if fits(Path(location)):
            self.network = HeadedEncoder(location, self.device, dtype)
        else:
            self.network = HubNetwork(location, self.device, dtype)
        self.products = self.network.products
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
        vocabulary = Vocabulary.of(self.tokenizer, self.network.size, set())
        empty = [bool(_PLACEHOLDER.fullmatch(piece.strip())) for piece in vocabulary.pieces]
        return replace(vocabulary, writable=vocabulary.writable & ~torch.tensor(empty)).to(self.device)

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
        encoding = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ends = [0, *(end for _, end in encoding.offset_mapping)]
        texts = tuple(text[start:end] for start, end in pairwise(ends))
        return Pieces(tuple(encoding.input_ids), texts)


class HubNetwork:
    """Any masked language model that the transformers library knows."""

    def __init__(self, location: str, device: torch.device, dtype: str) -> None:
        """Load the network; one whose output layer is not in its files is refused."""
        from transformers import AutoModelForMaskedLM

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
        freeze_linears(self.model)
        self.products = products_of(self.model)
        self.size = int(self.model.get_output_embeddings().weight.shape[0])
        self.positions = _positions(self.model)

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read every place, so that the shape is that of the rows, and pick the ones asked for."""
        all_logits = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits  # (N, L, V)
        logits: Tensor = all_logits[rows, columns].float()
        return logits


def _positions(model: Any) -> int:
    """The longest row that the network has positions for."""
    positions = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    for name, module in model.named_modules():
        # RoBERTa and its like start counting positions after the padding index.
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions -= int(module.padding_idx) + 1
    return positions if positions > 0 else LONGEST


def fits(folder: Path) -> bool:
    """Whether a folder holds the very encoder that the head was trained on."""
    weights = folder / "model.safetensors"
    return FILE.is_file() and weights.is_file() and sha256_once(weights) == _recorded()["body_sha256"]


def head_hash() -> str:
    """8 hex digits that change with the head, for signatures."""
    return sha256_of(FILE)[:8]


@cache
def _recorded() -> dict[str, str]:
    """What the head's file says of itself."""
    from safetensors import safe_open

    with safe_open(FILE, "pt") as file:
        recorded: dict[str, str] = file.metadata()
    return recorded


class HeadedEncoder:
    """The encoder's body with the trained changes, and the output layer."""

    def __init__(
        self, location: str, device: torch.device, dtype: str, tensors: Mapping[str, Tensor] | None = None
    ) -> None:
        """Load the body and change it for good; `tensors` take the place of the shipped ones."""
        from safetensors.torch import load_file
        from transformers import AutoModel

        kind = getattr(torch, dtype)
        trained = {name: tensor.float() for name, tensor in (tensors or load_file(FILE)).items()}
        depth = 1 + max(int(match[1]) for match in map(_LAYER.match, trained) if match)
        with quiet():
            body = AutoModel.from_pretrained(
                location, use_safetensors=True, trust_remote_code=False, add_pooling_layer=False,
                num_hidden_layers=depth,
            )  # fmt: skip
        body = body.eval().requires_grad_(requires_grad=False)
        _merge(body, trained)
        words = body.get_input_embeddings().weight
        self.output = words.to(device, kind, copy=True)  # before [MASK] gets its own vector
        words[int(trained["mask_id"])] = trained["mask"]
        self.body: Any = body.to(device, kind)
        self.trained = {
            name: tensor.to(device, kind) for name, tensor in trained.items() if "body" not in name
        }
        freeze_linears(self.body)
        self.products = products_of(self.body)
        head = self.trained
        output = [(head["dense.weight"], head["dense.bias"]), (self.output, head["bias"])]
        with single_threaded_torch():
            self.places = PLACES if all(place_is_free(product, PLACES, 1) for product in output) else 1
        self.size = int(words.shape[0])
        self.positions = int(body.config.max_position_embeddings)

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Read the rows, then ask the output layer for the places alone."""
        states = self.body(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        masked_states = states[rows, columns]  # (n, H)
        short = -len(masked_states) % self.places
        padded = torch.cat([masked_states, masked_states[:1].expand(short, -1)])
        logits = [self._output(part) for part in padded.split(self.places)]
        return torch.cat(logits)[: len(masked_states)].float()

    def _output(self, states: Tensor) -> Tensor:
        """(n, H) -> (n, V)."""
        head = self.trained
        states = F.gelu(multiply(states, head["dense.weight"], head["dense.bias"]))
        states = F.layer_norm(states, states.shape[-1:], head["norm.weight"], head["norm.bias"])
        return multiply(states, self.output, head["bias"])


def _merge(body: Any, trained: Mapping[str, Tensor]) -> None:
    """Add the low-rank products to the weights: W + up down."""
    for name, down in trained.items():
        if match := _FACTOR.fullmatch(name):
            layer = body.get_submodule(match[1])
            layer.weight += trained[f"body.{match[1]}.up"] @ down
