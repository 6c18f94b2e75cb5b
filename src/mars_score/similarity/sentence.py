"""Sentence encodings as Sentence-BERT defines them: a transformer, then the pooling that its files name.

Batches have fixed shapes: a text's batch is as long as the text's own length bucket and always as tall,
topped up with padding rows. So the arithmetic for a text is the same whatever stands beside it, and its
vector is the same to the last bit.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F

from mars_score.errors import ModelError
from mars_score.models.quiet import quiet
from mars_score.progress import Progress, silent
from mars_score.similarity.base import Encoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Padded lengths; a text uses the first that holds it."""
BATCH_TOKENS = 1024
"""Tokens in a full batch; the number of rows follows from the length."""
MIN_ROWS = 4
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
        self.max_length = min(_max_length(folder, self.tokenizer, self.model.config), LENGTHS[-1])

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode each text, equal texts once, in batches of like length."""
        unique = list(dict.fromkeys(texts))
        limit = self.max_length
        ids: list[list[int]] = (
            self.tokenizer(unique, truncation=True, max_length=limit).input_ids if unique else []
        )
        longer = self.tokenizer(unique, truncation=True, max_length=limit + 1).input_ids if unique else []
        buckets: dict[int, list[int]] = {}
        for index, tokens in enumerate(ids):
            buckets.setdefault(next(size for size in LENGTHS if size >= len(tokens)), []).append(index)
        found: dict[str, Encoding] = {}
        for size, members in sorted(buckets.items()):
            rows = max(MIN_ROWS, BATCH_TOKENS // size)
            for start in range(0, len(members), rows):
                batch = members[start : start + rows]
                vectors = self._vectors([ids[i] for i in batch], rows, size)
                for i, vector in zip(batch, vectors, strict=False):
                    text = unique[i]
                    blank = not text.strip()
                    found[text] = Encoding(np.zeros_like(vector) if blank else vector, len(longer[i]) > limit)
                progress(len(found), len(unique))
        return [found[text] for text in texts]

    def _vectors(self, rows: list[list[int]], height: int, width: int) -> np.ndarray[Any, Any]:
        """Encode token rows in one batch of exactly (height, width)."""
        padding = self.tokenizer.pad_token_id or 0
        ids = torch.full((height, width), padding)
        mask = torch.zeros((height, width), dtype=torch.long)
        mask[:, 0] = 1  # a row of nothing but padding would divide by 0
        for i, row in enumerate(rows):
            ids[i, : len(row)] = torch.tensor(row)
            mask[i, : len(row)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.no_grad():
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()  # (N, L, H)
        vectors: np.ndarray[Any, Any] = F.normalize(_pool(states, mask, self.pooling), dim=-1).cpu().numpy()
        return vectors


def _pool(states: Tensor, mask: Tensor, kind: str) -> Tensor:
    """(N, L, H) -> (N, H) over each row's own tokens."""
    if kind == "cls":
        return states[:, 0]
    own = mask[..., None].bool()
    if kind == "max":
        return states.masked_fill(~own, float("-inf")).amax(1)
    return (states * own).sum(1) / own.sum(1)


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
