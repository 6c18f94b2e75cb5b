"""The paper's Naive method: a masked language model fills as many pieces as were masked.

Every blank becomes a run of [MASK] pieces, as long as the masked text was; nothing plans, nothing judges, and
the length never changes. The context stands before the template, as one running text.

`order` says how the pieces of a template are settled:

    confident   one at a time, the surest first; the others are guessed again in its light (the default)
    left        one at a time, from left to right
    together    all at once, each blind to the others: one pass, and fills such as "the the"

A template's fills do not depend on the others of the call, to the last bit;
:mod:`mars_score.similarity.batches` says how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import torch

from mars_score.errors import ConfigError
from mars_score.infilling.base import Infilled
from mars_score.infilling.joining import joined
from mars_score.infilling.masked_rows import masked
from mars_score.progress import Progress, silent
from mars_score.similarity.batches import Heights, batches, topped_up
from mars_score.similarity.side_by_side import side_by_side
from mars_score.types import AugmentedReference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

    from mars_score.infilling.base import Request
    from mars_score.infilling.masked_model import MaskedModel
    from mars_score.infilling.masked_rows import MaskedTemplate, Row

Order = Literal["confident", "left", "together"]
BATCH_TOKENS = 192
"""Pieces in a batch on a CPU, as for the sentence encoder."""
BATCH_TOKENS_ELSEWHERE = 4096
"""Pieces in a batch on a device with a memory of its own; each may have a row of the vocabulary's size."""


class NaiveInfiller:
    """Fills blanks with a masked language model."""

    def __init__(
        self, model: MaskedModel, *, context: bool = True, max_context: int = 1024, order: Order = "confident"
    ) -> None:
        """Read up to `max_context` pieces of the context, or as many as fit; none without `context`."""
        if order not in get_args(Order):
            raise ConfigError(f"order must be {', '.join(get_args(Order))}; not {order!r}")
        self.model, self.max_context, self.order = model, max_context if context else 0, order
        tokens = BATCH_TOKENS if model.device.type == "cpu" else BATCH_TOKENS_ELSEWHERE
        self.heights = Heights(model.products, tokens)

    @property
    def settings(self) -> str:
        """For signatures."""
        context = f"head{min(self.max_context, self.model.room)}" if self.max_context else "none"
        return f"masked.{self.order}.ctx-{context}"

    def fill(self, requests: Sequence[Request], progress: Progress = silent) -> list[Infilled]:
        """Fill every template of every request; identical rows are done once."""
        planned = [masked(self.model, request, self.max_context) for request in requests]
        rows = dict.fromkeys(row for templates, _ in planned for one in templates for row in one.rows)
        written = self._write(list(rows), progress)
        return [
            Infilled(tuple(self._augmented(one, written) for one in templates), context_truncated=cut)
            for templates, cut in planned
        ]

    def _write(self, rows: list[Row], progress: Progress) -> dict[Row, tuple[int, ...]]:
        """What the model writes at the masks of each row."""
        rows.sort(key=lambda row: len(row.masks))  # those of a batch are then done at about the same time
        lengths = [len(row.ids) for row in rows]
        together = list(batches(lengths, self.heights.of(lengths)))
        work = side_by_side(lambda batch: self._settle([rows[i] for i in batch]), together)
        written: dict[Row, tuple[int, ...]] = {}
        for batch, found in zip(together, work, strict=True):
            written |= {rows[i]: own for i, own in zip(batch, found, strict=True)}
            progress(len(written), len(rows))
        return written

    def _settle(self, rows: list[Row]) -> list[tuple[int, ...]]:
        """Replace the masks of rows of one length, step by step."""
        full = topped_up([row.ids for row in rows], self.heights)
        ids = torch.tensor(full, device=self.model.device)  # (N, L)
        left = torch.zeros_like(ids, dtype=torch.bool)  # which masks are left
        fresh = torch.zeros_like(left)
        for i, row in enumerate(rows):  # the repetitions below them have nothing left from the start
            left[i, list(row.masks)] = True
            fresh[i, list(row.fresh)] = True
        with torch.inference_mode():
            while left.any():
                places = left.nonzero(as_tuple=True)
                best, sureness = self._guess(ids, places, fresh[places])
                chosen = _next(left, places, sureness, self.order)
                ids = torch.where(chosen, ids.index_put(places, best), ids)
                left = left & ~chosen
        return [tuple(own[list(row.masks)].tolist()) for row, own in zip(rows, ids, strict=False)]

    def _guess(self, ids: Tensor, places: tuple[Tensor, ...], fresh: Tensor) -> tuple[Tensor, Tensor]:
        """The best piece for each place among those that may stand there, and its log-probability."""
        vocabulary = self.model.vocabulary
        barred = ~vocabulary.writable | (vocabulary.opens_word & fresh[:, None])  # (n, V)
        logits = self.model.network.logits(ids, *places).masked_fill(barred, -torch.inf)
        log_p, best = logits.log_softmax(-1).max(-1)
        return best, log_p

    def _augmented(self, one: MaskedTemplate, written: Mapping[Row, tuple[int, ...]]) -> AugmentedReference:
        """Deal what was written out to the template's blanks, and make it text."""
        pieces = iter([piece for row in one.rows for piece in written[row]])
        blocks = one.template.blocks
        text, fills = "", []
        for i, (block, own) in enumerate(zip(blocks, one.blocks, strict=True)):
            new = block.text
            if block.blank:
                if own.ids:  # what the tokenizer drops, such as a lone joiner, cannot be masked and stays
                    after = blocks[i + 1].text if i + 1 < len(blocks) else ""
                    new = joined(self.model, own, [next(pieces) for _ in own.ids], text, after)
                fills.append(new)
            text += new
        return AugmentedReference(one.template, tuple(fills))


def _next(left: Tensor, places: tuple[Tensor, ...], sureness: Tensor, order: Order) -> Tensor:
    """Which of the masks that are left are settled now: (N, L) bool."""
    if order == "together":
        return left
    rank = sureness if order == "confident" else -places[1].float()
    ranks = torch.full(left.shape, -torch.inf, device=left.device).index_put(places, rank)
    return left & torch.zeros_like(left).scatter(1, ranks.argmax(1, keepdim=True), value=True)
