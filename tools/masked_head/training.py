"""Training: the encoder's weights stay, low-rank changes to them and the output layer are learnt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoModel

from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from masked_head.masking import Masked, Masker, Rows


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the result depends on beside the text."""

    rank: int = 16
    steps: int = 3600
    rows: int = 16
    """Rows in a step."""
    length: int = 64
    """Pieces in a row, [CLS] and [SEP] included."""
    share: float = 0.3
    """Of the words that are hidden."""
    body_rate: float = 2e-3
    """Highest learning rates, of the low-rank factors and of the output layer."""
    head_rate: float = 1e-3
    warm_up: float = 0.04
    """The rates rise for this share of the steps and then fall as a cosine."""
    weight_decay: float = 0.01
    seed: int = 0


class LowRank(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """A frozen linear layer and a low-rank change: x (W + up down)^T + b."""

    def __init__(self, layer: Any, rank: int) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) / math.sqrt(layer.in_features))
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Multiply (..., in) to (..., out)."""
        y: Tensor = self.layer(x) + F.linear(F.linear(x, self.down), self.up)
        return y


class Trainable(nn.Module):  # type: ignore[misc]
    """The network of mars_score.lm.masked, before its parts are merged."""

    def __init__(self, location: str, mask: int, counts: Tensor, rank: int) -> None:
        """Begin with the words' frequencies (V,), so that the first steps need not learn them."""
        super().__init__()
        with quiet():
            body = AutoModel.from_pretrained(location, use_safetensors=True, add_pooling_layer=False)
        self.body: Any = body.eval().requires_grad_(requires_grad=False)
        self.words = body.get_input_embeddings().weight
        self.names = [name for name, layer in body.encoder.named_modules() if type(layer) is nn.Linear]
        for name in self.names:
            body.encoder.set_submodule(name, LowRank(body.encoder.get_submodule(name), rank))
        width = self.words.shape[1]
        self.mask_id = mask
        self.mask = nn.Parameter(self.words[mask].clone())
        self.dense = nn.Linear(width, width)
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)
        self.norm = nn.LayerNorm(width)
        nn.init.constant_(self.norm.weight, 0.5 / float(self.words.norm(dim=1).mean()))
        self.bias = nn.Parameter(torch.log((counts + 0.1) / (counts + 0.1).sum()))

    def forward(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """(N, L), (N, L) -> (n, V)."""
        words = torch.where((ids == self.mask_id)[..., None], self.mask, F.embedding(ids, self.words))
        states = self.body(inputs_embeds=words).last_hidden_state[hidden]
        logits: Tensor = F.linear(self.norm(F.gelu(self.dense(states))), self.words, self.bias)
        return logits

    def tensors(self) -> dict[str, Tensor]:
        """What was learnt, as the package reads it: half precision."""
        results = {
            "mask": self.mask, "bias": self.bias,
            "dense.weight": self.dense.weight, "dense.bias": self.dense.bias,
            "norm.weight": self.norm.weight, "norm.bias": self.norm.bias,
        }  # fmt: skip
        for name in self.names:
            layer = self.body.encoder.get_submodule(name)
            results |= {f"body.encoder.{name}.down": layer.down, f"body.encoder.{name}.up": layer.up}
        learnt = {name: each.detach().half().contiguous() for name, each in results.items()}
        return learnt | {"mask_id": torch.tensor(self.mask_id)}


def train(
    location: str, masker: Masker, rows: Rows, settings: Settings, report: Callable[[int, float], None]
) -> dict[str, Tensor]:
    """Learn from the rows in a shuffled order; `report` hears of steps and their loss."""
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    tokenizer = masker.tokenizer
    counts = torch.from_numpy(np.bincount(rows.ravel(), minlength=len(tokenizer))).float()
    network = Trainable(location, tokenizer.mask_token_id, counts, settings.rank)
    body = [each for name, each in network.named_parameters() if name.endswith((".down", ".up"))]
    head = [each for name, each in network.named_parameters() if not name.startswith("body.")]
    groups = [{"params": body, "lr": settings.body_rate}, {"params": head, "lr": settings.head_rate}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, settings))
    order = _shuffled(len(rows), settings.rows, random)
    for step in range(settings.steps):
        masked = masker.hide(rows[next(order)], settings.share, random)
        loss = _loss(network, masked)
        loss.backward()
        nn.utils.clip_grad_norm_([*body, *head], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        report(step + 1, float(loss.detach()))
    return network.tensors()


def _loss(network: Trainable, masked: Masked) -> Tensor:
    logits = network(torch.from_numpy(masked.ids), torch.from_numpy(masked.hidden))
    return F.cross_entropy(logits, torch.from_numpy(masked.answers))


def _rate(step: int, settings: Settings) -> float:
    """The learning rates' share of their highest value."""
    done = step / settings.steps
    rising = (step + 1) / (settings.warm_up * settings.steps)
    return min(1.0, rising) * 0.5 * (1 + math.cos(math.pi * done))


def _shuffled(count: int, size: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Indices of rows, `size` at a time, without end; every row once before any comes again."""
    while True:
        order = random.permutation(count)
        for start in range(0, count - size + 1, size):
            yield order[start : start + size]
