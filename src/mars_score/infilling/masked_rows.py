"""Templates as a masked language model reads them: context and kept words, and [MASK] for each masked piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mars_score.infilling.base import Request
    from mars_score.infilling.masked_model import MaskedModel, Pieces
    from mars_score.types import Template


@dataclass(frozen=True, slots=True)
class Row:
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
    rows: tuple[Row, ...]
    """One, where there is a blank; several where the template is longer than what the model can hold."""


def masked(model: MaskedModel, request: Request, max_context: int) -> tuple[list[MaskedTemplate], bool]:
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


def _context(model: MaskedModel, request: Request, room: int) -> tuple[tuple[int, ...], bool]:
    """As much of the context as there is room for: its head, and the question at its end."""
    ids = model.encode(request.context.strip()).ids
    if len(ids) <= room:
        return ids, False
    room = max(0, room)
    question = model.encode(f"\n{request.question}").ids if request.question else ()
    return (*ids[: max(0, room - len(question))], *question[:room]), True


def _rows(
    model: MaskedModel, template: Template, blocks: Sequence[Pieces], context: tuple[int, ...]
) -> Iterator[Row]:
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
            yield Row(
                (*head, *ids[part.start : part.stop], *model.after),
                tuple(place + shift for place in part if place in masks),
                tuple(place + shift for place in part if place in fresh),
            )
