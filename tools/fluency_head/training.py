"""Training: the encoder stays as it is; a small network learns to tell words that are out of place."""

from __future__ import annotations

import random as rnd
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from fluency_head.spoiling import Spoilt, drop, leave, reorder, repeat, replacing, swap
from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

PIECES = 96
"""Of a text, [CLS] and [SEP] included."""
SORTED = 50
"""So many batches are made at a time, of texts of like length."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the result depends on beside the text."""

    texts: int = 48_000
    batch: int = 32
    width: int = 96
    """Of the hidden layer."""
    rate: float = 2e-3
    """The highest learning rate; it rises for 30% of the steps and falls for the rest."""
    weight_decay: float = 0.01
    seed: int = 0


class Body:
    """The encoder: words in, the states of every layer out."""

    def __init__(self, location: Path) -> None:
        """Load it."""
        with quiet():
            self.tokenizer = AutoTokenizer.from_pretrained(location)
            self.model: Any = AutoModel.from_pretrained(location, use_safetensors=True).eval()

    def read(self, batch: Sequence[Spoilt]) -> tuple[Tensor, Tensor, Tensor]:
        """Return states (N, L, layers H), which pieces are wrong (N, L), and which are of words at all (N, L)."""
        encoded = self.tokenizer(
            [text.words for text in batch],
            is_split_into_words=True, truncation=True, max_length=PIECES, padding=True, return_tensors="pt",
        )  # fmt: skip
        wrong = torch.zeros(encoded.input_ids.shape)
        real = torch.zeros(encoded.input_ids.shape)
        for row, text in enumerate(batch):
            for column, word in enumerate(encoded.word_ids(row)):
                if word is not None:
                    wrong[row, column], real[row, column] = float(text.wrong[word]), 1.0
        with torch.no_grad():
            layers = self.model(**encoded, output_hidden_states=True).hidden_states[1:]
        return torch.cat(layers, -1), wrong, real


class Head(nn.Module):  # type: ignore[misc]  # torch's types are not followed
    """A hidden layer on the states of all layers."""

    def __init__(self, states: int, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(states)
        self.dense = nn.Linear(states, width)
        self.out = nn.Linear(width, 1)

    def forward(self, states: Tensor) -> Tensor:
        """(..., layers H) -> (...) logits of being out of place."""
        logits: Tensor = self.out(F.gelu(self.dense(self.norm(states))))[..., 0]
        return logits

    def tensors(self) -> dict[str, Tensor]:
        """What was learnt, in half precision."""
        return {name: each.detach().half().contiguous() for name, each in self.state_dict().items()}


def train(
    body: Body, passages: list[list[str]], settings: Settings, report: Callable[[int, int, float], None]
) -> Head:
    """Learn from each text once."""
    torch.manual_seed(settings.seed)
    random = rnd.Random(settings.seed)
    spoil = ways(passages)
    batches = _batches(passages[: settings.texts], settings.batch, random)
    head = Head(body.model.config.hidden_size * body.model.config.num_hidden_layers, settings.width)
    optimizer = torch.optim.AdamW(head.parameters(), settings.rate, weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=len(batches))
    for step, batch in enumerate(batches, 1):
        states, wrong, real = body.read([random.choice(spoil)(words, random) for words in batch])
        loss = (
            F.binary_cross_entropy_with_logits(head(states), wrong, reduction="none") * real
        ).sum() / real.sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        report(step, len(batches), float(loss.detach()))
    head.eval()
    return head


def ways(passages: Sequence[list[str]]) -> list[Callable[[list[str], Random], Spoilt]]:
    """What may happen to a text, the likelier the more often it is in the list."""
    stock = [word for words in passages[:20_000] for word in words]
    return [*[leave] * 5, *[reorder] * 4, swap, drop, repeat, replacing(stock)]


def _batches(passages: list[list[str]], size: int, random: Random) -> list[list[list[str]]]:
    """Batches of texts of like length, in random order; each text is in one."""
    batches: list[list[list[str]]] = []
    for start in range(0, len(passages), size * SORTED):
        block = sorted(passages[start : start + size * SORTED], key=len)
        some = [block[first : first + size] for first in range(0, len(block), size)]
        random.shuffle(some)
        batches += some
    return batches
