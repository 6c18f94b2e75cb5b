"""Sentence encodings as Sentence-BERT defines them: a transformer, then the pooling that its files name.

A text's vector does not depend on the other texts of the call, to the last bit: :mod:`.network` says how.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from mars_score.encoders.base import Encoding
from mars_score.encoders.bert import Bert
from mars_score.encoders.network import Network, side_by_side
from mars_score.encoders.products import freeze_linears
from mars_score.errors import ModelError
from mars_score.models.report import quiet
from mars_score.models.tokenizer import load_tokenizer
from mars_score.progress import Progress, silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

LONGEST = 512
"""Tokens of the longest text, whatever the encoder can hold."""
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}


class SentenceEncoder:
    """Any Hugging Face encoder; pooling and maximum length from the sentence-transformers files if there."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load weights (safetensors only) and tokenizer from a folder."""
        folder = Path(location)
        self.device = torch.device(device)
        self.tokenizer = load_tokenizer(folder)
        own = Bert.load(folder, device=self.device, dtype=dtype)
        self.model: Any = load_from_hub(location, self.device, dtype) if own is None else own
        self.pooling = _pooling(folder)
        self.max_length = min(_max_length(folder, self.tokenizer, self.model.config), LONGEST)
        self.network = self._network()

    def _network(self) -> Network:
        return Network(self.model)

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text, equal texts once, many in one pass through the network."""
        unique = list(dict.fromkeys(texts))
        rows, cut = self._tokens(unique)
        together = self.network.together([len(row) for row in rows])
        found: dict[str, Encoding] = {}
        work = side_by_side(lambda batch: self._read([rows[i] for i in batch]), together)
        for batch, encodings in zip(together, work, strict=True):
            for i, encoding in zip(batch, encodings, strict=True):
                blank = not unique[i].strip()
                found[unique[i]] = (
                    Encoding(encoding.vector * 0, cut[i]) if blank else replace(encoding, truncated=cut[i])
                )
            progress(len(found), len(unique))
        return [found[text] for text in texts]

    def _tokens(self, texts: list[str]) -> tuple[list[list[int]], list[bool]]:
        """The tokens of each text that the encoder takes, and whether some were cut off."""
        if not texts:
            return [], []
        found: list[list[int]] = self.tokenizer(texts, verbose=False).input_ids
        cut = [len(row) > self.max_length for row in found]
        for i in (i for i, longer in enumerate(cut) if longer):
            # The tokenizer knows which tokens must stay at the end.
            found[i] = self.tokenizer(texts[i], truncation=True, max_length=self.max_length).input_ids
        return found, cut

    def _read(self, rows: list[list[int]]) -> list[Encoding]:
        """Encode rows that go through the network together."""
        states = self.network.read(rows)
        return [Encoding(vector) for vector in self._pooled(states.layers[-1], states.starts, rows)]

    def _pooled(
        self, states: Tensor, starts: Sequence[int], rows: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float32]]:
        """(T, H) -> for each row a vector (H,) of length 1; zeros for one without a token."""
        with torch.inference_mode():
            pooled = torch.stack(
                [
                    _pool(states[start : start + len(row)].float(), self.pooling)
                    for start, row in zip(starts, rows, strict=True)
                ]
            )  # (N, H)
            return list(F.normalize(pooled, dim=-1).cpu().numpy())


def load_from_hub(location: str, device: torch.device, dtype: str) -> Any:
    """Load an encoder of any make that transformers knows."""
    from transformers import AutoModel

    with quiet():
        model = AutoModel.from_pretrained(
            location, dtype=getattr(torch, dtype), use_safetensors=True, trust_remote_code=False
        )
    model = model.eval().requires_grad_(requires_grad=False).to(device)
    freeze_linears(model)
    return model


def _pool(states: Tensor, kind: str) -> Tensor:
    """(L, H) -> (H,)."""
    if not len(states):
        return states.new_zeros(states.shape[1])
    if kind == "cls":
        return states[0]
    return states.amax(0) if kind == "max" else states.mean(0)


def _pooling(folder: Path) -> str:
    """The pooling that the model's files name; the mean where they name none (as the paper)."""
    path = folder / "1_Pooling" / "config.json"
    if not path.is_file():
        return "mean"
    chosen = [mode for mode, on in json.loads(path.read_text("utf-8")).items() if on is True]
    known = [POOLINGS[mode] for mode in chosen if mode in POOLINGS]
    if len(known) != 1 or len([mode for mode in chosen if mode.startswith("pooling_mode")]) != 1:
        raise ModelError(
            f"{path}: pooling {chosen} is not supported; use an encoder with {', '.join(POOLINGS)}"
        )
    return known[0]


def _max_length(folder: Path, tokenizer: Any, config: Any) -> int:
    """The longest text that the encoder was made for."""
    path = folder / "sentence_bert_config.json"
    if path.is_file():
        length = json.loads(path.read_text("utf-8")).get("max_seq_length")
        if length:
            return int(length)
    # RoBERTa-like models start counting positions after the padding index.
    positions = int(getattr(config, "max_position_embeddings", 512)) - 2
    return min(int(tokenizer.model_max_length), positions)
