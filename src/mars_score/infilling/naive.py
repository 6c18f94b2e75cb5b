"""The paper's Naive method: a masked language model fills as many pieces as were masked.

Every blank becomes a run of [MASK] pieces, as long as the masked text was; nothing plans, nothing judges, and
the length never changes. The context stands before the template, as one running text.

`order` says how the pieces of a template are settled:

    confident   one at a time, the surest first; the others are guessed again in its light (the default)
    left        one at a time, from left to right
    together    all at once, each blind to the others: one pass, and fills such as "the the"

A template's fills do not depend on the others of the call, to the last bit;
:mod:`mars_score.encoders.network` says how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import torch

from mars_score.encoders.network import Heights, batches, side_by_side, topped_up
from mars_score.errors import ConfigError
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference, Infilled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from torch import Tensor

    from mars_score.lm.masked import MaskedModel, Pieces
    from mars_score.types import InfillingRequest, Template

Order = Literal["confident", "left", "together"]
BATCH_TOKENS = 192
"""Pieces in a batch on a CPU, as for the sentence encoder."""
BATCH_TOKENS_ELSEWHERE = 4096
"""Pieces in a batch on a device with a memory of its own; each may have a row of the vocabulary's size."""
_APOSTROPHES = "'\u2019"
_CLOSING = frozenset(",.;:!?)]}%\u2026\u201d" + _APOSTROPHES)
_OPENING = frozenset("([{$\u00a3\u20ac#@\u201c\u2018")
_BINDING = frozenset("-/\u2010\u2011")
_AFTER_APOSTROPHE = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))
_SENTENCE_ENDS = tuple(mark + quote for mark in ".!?" for quote in ("", '"', "\u201d"))


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

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        """Fill every template of every request; identical rows are done once."""
        planned = [masked(self.model, request, self.max_context) for request in requests]
        rows = dict.fromkeys(
            row for templates, _ in planned for template in templates for row in template.rows
        )
        written = self._write(list(rows), progress)
        return [
            Infilled(
                tuple(self._augmented(template, written) for template in templates), context_truncated=cut
            )
            for templates, cut in planned
        ]

    def _write(self, rows: list[MaskedRow], progress: Progress) -> dict[MaskedRow, tuple[int, ...]]:
        """What the model writes at the masks of each row."""
        rows.sort(key=lambda row: len(row.masks))  # those of a batch are then done at about the same time
        lengths = [len(row.ids) for row in rows]
        together = list(batches(lengths, self.heights.of(lengths)))
        work = side_by_side(lambda batch: self._settle([rows[i] for i in batch]), together)
        written: dict[MaskedRow, tuple[int, ...]] = {}
        for batch, batch_ids in zip(together, work, strict=True):
            written |= {rows[i]: row_ids for i, row_ids in zip(batch, batch_ids, strict=True)}
            progress(len(written), len(rows))
        return written

    def _settle(self, rows: list[MaskedRow]) -> list[tuple[int, ...]]:
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
        return [tuple(row_ids[list(row.masks)].tolist()) for row, row_ids in zip(rows, ids, strict=False)]

    def _guess(self, ids: Tensor, places: tuple[Tensor, ...], fresh: Tensor) -> tuple[Tensor, Tensor]:
        """The best piece for each place among those that may stand there, and its log-probability."""
        vocabulary = self.model.vocabulary
        barred = ~vocabulary.writable | (vocabulary.opens_word & fresh[:, None])  # (n, V)
        logits = self.model.network.logits(ids, *places).masked_fill(barred, -torch.inf)
        log_p, best = logits.log_softmax(-1).max(-1)
        return best, log_p

    def _augmented(
        self, masked_template: MaskedTemplate, written: Mapping[MaskedRow, tuple[int, ...]]
    ) -> AugmentedReference:
        """Deal what was written out to the template's blanks, and make it text."""
        pieces = iter([piece for row in masked_template.rows for piece in written[row]])
        blocks = masked_template.template.blocks
        text, fills = "", []
        for i, (block, masked_pieces) in enumerate(zip(blocks, masked_template.blocks, strict=True)):
            new = block.text
            if block.blank:
                # What the tokenizer drops, such as a lone joiner, cannot be masked and stays.
                if masked_pieces.ids:
                    after = blocks[i + 1].text if i + 1 < len(blocks) else ""
                    new = joined(
                        self.model, masked_pieces, [next(pieces) for _ in masked_pieces.ids], text, after
                    )
                fills.append(new)
            text += new
        return AugmentedReference(masked_template.template, tuple(fills))


def _next(left: Tensor, places: tuple[Tensor, ...], sureness: Tensor, order: Order) -> Tensor:
    """Which of the masks that are left are settled now: (N, L) bool."""
    if order == "together":
        return left
    rank = sureness if order == "confident" else -places[1].float()
    ranks = torch.full(left.shape, -torch.inf, device=left.device).index_put(places, rank)
    return left & torch.zeros_like(left).scatter(1, ranks.argmax(1, keepdim=True), value=True)


@dataclass(frozen=True, slots=True)
class MaskedRow:
    """What the network reads."""

    ids: tuple[int, ...]
    masks: tuple[int, ...]
    """Columns of the pieces to be written."""
    fresh: tuple[int, ...]
    """Those of them that begin a blank and must not grow the word before it."""


@dataclass(frozen=True, slots=True)
class MaskedTemplate:
    """A template in pieces."""

    template: Template
    blocks: tuple[Pieces, ...]
    rows: tuple[MaskedRow, ...]
    """One, where there is a blank; several where the template is longer than what the model can hold."""


def masked(
    model: MaskedModel, request: InfillingRequest, max_context: int
) -> tuple[list[MaskedTemplate], bool]:
    """The templates of a request, and whether its context was cut."""
    reads = bool(max_context and request.context.strip())
    split = [(template, _blocks(model, template, after_context=reads)) for template in request.templates]
    need = max((_size(blocks) for template, blocks in split if template.blanks), default=0)
    context, cut = _context(model, request, min(max_context, model.room - need)) if reads else ((), False)
    return [
        MaskedTemplate(template, blocks, tuple(_rows(model, template, blocks, context)))
        for template, blocks in split
    ], cut


def _blocks(model: MaskedModel, template: Template, *, after_context: bool) -> tuple[Pieces, ...]:
    """Split each block by itself, so that what is kept is never changed by what is filled in."""
    texts = [block.text for block in template.blocks]
    if after_context:
        texts[0] = f" {texts[0].lstrip()}"
    return tuple(map(model.encode, texts))


def _size(blocks: Sequence[Pieces]) -> int:
    return sum(len(block.ids) for block in blocks)


def _context(model: MaskedModel, request: InfillingRequest, room: int) -> tuple[tuple[int, ...], bool]:
    """As much of the context as there is room for: its head, and the question at its end."""
    ids = model.encode(request.context.strip()).ids
    if len(ids) <= room:
        return ids, False
    room = max(0, room)
    question = model.encode(f"\n{request.question}").ids if request.question else ()
    return (*ids[: max(0, room - len(question))], *question[:room]), True


def _rows(
    model: MaskedModel, template: Template, blocks: Sequence[Pieces], context: tuple[int, ...]
) -> Iterator[MaskedRow]:
    """Mask the blanks; parts without one are not read."""
    ids: list[int] = []
    masks: set[int] = set()
    fresh: set[int] = set()
    for block, pieces in zip(template.blocks, blocks, strict=True):
        if block.blank and pieces.ids:
            masks.update(range(len(ids), len(ids) + len(pieces.ids)))
            if not model.vocabulary.opens_word[pieces.ids[0]]:
                fresh.add(len(ids))
        ids += [model.mask] * len(pieces.ids) if block.blank else pieces.ids
    if len(ids) > model.room:
        context = ()  # no room for it beside the parts
    head = (*model.before, *context)
    for start in range(0, len(ids), model.room):
        part = range(start, min(start + model.room, len(ids)))
        shift = len(head) - start
        if masks.intersection(part):
            yield MaskedRow(
                (*head, *ids[part.start : part.stop], *model.after),
                tuple(index + shift for index in part if index in masks),
                tuple(index + shift for index in part if index in fresh),
            )


def joined(model: MaskedModel, blank: Pieces, ids: Sequence[int], before: str, after: str) -> str:
    """The text of `ids`, written in the place of `blank` between the texts `before` and `after`."""
    text, kept = before, True
    cased = any(map(str.isupper, (*before, *"".join(blank.texts), *after)))
    for old, old_text, new in zip(blank.ids, blank.texts, ids, strict=True):
        piece, same = model.vocabulary.pieces[new], new == old
        if same and kept:
            text += old_text
        else:
            space = old_text[: len(old_text) - len(old_text.lstrip())]
            word = old_text.lstrip() if same else piece.lstrip()
            if model.uncased and cased and not same and piece.startswith(" "):
                word = _capitalised(text, word)
            text += (_gap(text, piece, space, close=not (same or kept), spaced=model.spaced)) + word
        kept = same
    fill = text[len(before) :]
    if fill[-1:].isalnum() and after[:1].isalnum() and not blank.texts[-1][-1:].isalnum():
        fill += " "  # a mark stood there that kept two words apart
    return fill if before else fill.lstrip()


def _gap(text: str, piece: str, space: str, *, close: bool, spaced: bool) -> str:
    """What to put between the text so far and a piece.

    `space` stood before the piece that was masked; with `close`, both this piece and the one before it are
    new, so that it says little about them.
    """
    if not text or not piece.startswith(" "):
        return ""  # the piece goes on with a word, or stands close by its own choice
    if not spaced:
        return space or " "
    word, last = piece.strip(), text[-1]
    if word[0] in _CLOSING:
        return ""
    if space and not close:
        return space
    # A mark binds on its right only if it stands close on its left: well-known, but not "well - known".
    bound = word in _BINDING or (last in _BINDING and not text[-2:-1].isspace())
    if bound or last in _OPENING or (last in _APOSTROPHES and word in _AFTER_APOSTROPHE):
        return ""
    return space or (" " if last.isalnum() or last in _CLOSING else "")


def _capitalised(text: str, word: str) -> str:
    """A word of a model without capitals, as it is written after this text."""
    so_far = text.rstrip()
    begins = not so_far or so_far.endswith(_SENTENCE_ENDS)
    return word[:1].upper() + word[1:] if begins or word == "i" else word
