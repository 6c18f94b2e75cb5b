"""Sentence encodings as Sentence-BERT defines them: a transformer, then the pooling that its files name.

A text's vector does not depend on the other texts of the call, to the last bit: :mod:`.batches` says how.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F

from mars_score.errors import ModelError
from mars_score.models.quiet import quiet
from mars_score.progress import Progress, silent
from mars_score.similarity.base import Encoding
from mars_score.similarity.batches import batches, topped_up
from mars_score.similarity.side_by_side import side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

LONGEST = 512
"""Tokens of the longest text, whatever the encoder can hold."""
BATCH_TOKENS = 192
"""Tokens in a batch on a CPU: enough for full speed, and few rows are repeated to fill the last of a length."""
BATCH_TOKENS_ELSEWHERE = 8192
"""Tokens in a batch on a device with a memory of its own."""
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}


class SentenceEncoder:
    """Any Hugging Face encoder; pooling and maximum length from the sentence-transformers files if there."""

    def __init__(self, location: str, *, device: str = "cpu", dtype: str = "float32") -> None:
        """Load weights (safetensors only) and tokenizer from a folder."""
        from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415  (heavy)

        folder = Path(location)
        self.device = torch.device(device)
        with quiet():
            self.tokenizer = AutoTokenizer.from_pretrained(location)
            model = AutoModel.from_pretrained(location, dtype=getattr(torch, dtype), use_safetensors=True)
        self.model: Any = model.eval().requires_grad_(requires_grad=False).to(self.device)
        self.pooling = _pooling(folder)
        self.max_length = min(_max_length(folder, self.tokenizer, self.model.config), LONGEST)
        self.batch_tokens = BATCH_TOKENS if self.device.type == "cpu" else BATCH_TOKENS_ELSEWHERE

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text, equal texts once, in batches of equal length."""
        unique = list(dict.fromkeys(texts))
        rows, cut = self._tokens(unique)
        together = list(batches([len(row) for row in rows], self.batch_tokens))
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
        """Encode rows of one length; repetitions fill the batch up to its full height."""
        if not rows[0]:
            # An empty text and a tokenizer that adds nothing to it.
            return [Encoding(np.zeros(self.model.config.hidden_size, np.float32)) for _ in rows]
        ids = torch.tensor(topped_up(rows, self.batch_tokens), device=self.device)  # (N, L)
        with torch.inference_mode():
            states = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            return [Encoding(vector) for vector in self._pooled(states)[: len(rows)]]

    def _pooled(self, states: Tensor) -> NDArray[np.float32]:
        """(N, L, H) -> (N, H) vectors of length 1."""
        pooled = F.normalize(_pool(states.float(), self.pooling), dim=-1)
        vectors: NDArray[np.float32] = pooled.cpu().numpy()
        return vectors


def _pool(states: Tensor, kind: str) -> Tensor:
    """(N, L, H) -> (N, H)."""
    if kind == "cls":
        return states[:, 0]
    return states.amax(1) if kind == "max" else states.mean(1)


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
