"""The Naive method: equal to a plain implementation, always of the masked length, in any company."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from transformers import AutoModelForMaskedLM

from mars_score.errors import ConfigError
from mars_score.infilling.naive import NaiveInfiller, Order, masked
from mars_score.lm.masked import MaskedModel
from mars_score.masking.templates import blocks
from mars_score.models.tokenizer import quiet
from mars_score.text.words import words
from mars_score.types import InfillingRequest, Template

from . import tiny_masked
from .cases import BAKERY, FERRY, REQUESTS, template

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from mars_score.infilling.naive import MaskedRow

ORDERS: tuple[Order, ...] = ("confident", "left", "together")


def _written(infiller: NaiveInfiller, request: InfillingRequest) -> list[list[int]]:
    """The pieces that are written into each template."""
    templates, _ = masked(infiller.model, request, infiller.max_context)
    written = infiller._write([row for one in templates for row in one.rows], lambda *_: None)
    return [[piece for row in one.rows for piece in written[row]] for one in templates]


@pytest.mark.numeric
@pytest.mark.parametrize("order", ORDERS)
def test_same_as_one_by_one(folder: Path, model: MaskedModel, order: Order) -> None:
    with quiet():
        network = AutoModelForMaskedLM.from_pretrained(folder).eval()
    infiller = NaiveInfiller(model, order=order)
    for request in REQUESTS:
        plain = [tiny_masked.plain_fill(model, network, request, one, order) for one in request.templates]
        assert _written(infiller, request) == plain


def test_orders_differ(model: MaskedModel) -> None:
    """Otherwise the test above would compare one thing three times."""
    found = [
        [one.text for each in NaiveInfiller(model, order=order).fill(REQUESTS) for one in each.augmented]
        for order in ORDERS
    ]
    assert found[0] != found[1] != found[2] != found[0]


@pytest.mark.numeric
@pytest.mark.parametrize("order", ORDERS)
def test_same_in_any_company(model: MaskedModel, order: Order) -> None:
    infiller = NaiveInfiller(model, order=order)
    together = infiller.fill(REQUESTS)
    assert [infiller.fill([request])[0] for request in REQUESTS] == together
    shuffled = random.Random(3).sample(range(len(REQUESTS)), len(REQUESTS))
    assert infiller.fill([REQUESTS[i] for i in shuffled]) == [together[i] for i in shuffled]


@pytest.mark.numeric
def test_guesses_are_the_same_to_the_last_bit(model: MaskedModel) -> None:
    """Not only the best piece: its probability too, for a row alone and one among many of its length."""
    infiller = NaiveInfiller(model)
    rows = [row for request in REQUESTS for one in masked(model, request, 99)[0] for row in one.rows]
    assert len({len(row.ids) for row in rows}) > 3
    for row in rows:
        others = [replace(row, ids=tuple(reversed(row.ids))), replace(row, masks=row.masks[:1])]
        alone = _sureness(infiller, [row], row)
        for company in ([*others, row], [others[0], row, others[1]]):
            assert torch.equal(alone, _sureness(infiller, company, row)), len(row.ids)


def _sureness(infiller: NaiveInfiller, rows: list[MaskedRow], wanted: MaskedRow) -> Tensor:
    """The log-probabilities of the first guesses at the masks of a row, in company."""
    seen: list[Tensor] = []
    plain = infiller._guess

    def spy(ids: Tensor, places: tuple[Tensor, ...], fresh: Tensor) -> tuple[Tensor, Tensor]:
        best, log_p = plain(ids, places, fresh)
        for i, row in enumerate(ids):
            own = log_p[places[0] == i]
            if tuple(row.tolist()) == wanted.ids and len(own) == len(wanted.masks):
                seen.append(own)
        return best, log_p

    infiller._guess = spy  # type: ignore[method-assign]
    infiller._write(list(rows), lambda *_: None)
    infiller._guess = plain  # type: ignore[method-assign]
    return seen[0]


def test_as_many_pieces_as_were_masked_and_what_is_kept_is_kept(model: MaskedModel) -> None:
    infiller = NaiveInfiller(model)
    for request, answer in zip(REQUESTS, infiller.fill(REQUESTS), strict=True):
        for one, pieces, own in zip(
            answer.augmented, _written(infiller, request), request.templates, strict=True
        ):
            blanks = [block for block in own.blocks if block.blank]
            first = own.blocks[0].text
            sizes = [len(model.encode(block.text).ids) for block in blanks]
            if own.blocks[0].blank and request.context:
                sizes[0] = len(model.encode(f" {first}").ids)
            assert len(pieces) == sum(sizes)
            assert len(one.fills) == len(blanks)
            assert [b.text for b in one.segments if not b.blank] == [
                b.text for b in own.blocks if not b.blank
            ]
            for fill in one.fills:
                assert fill.strip()
                assert fill.isprintable()
                assert not any(mark in fill for mark in ("[", "]", "<", ">", "unused"))


def test_fills_never_grow_the_word_before(model: MaskedModel) -> None:
    for order in ORDERS:
        for answer in NaiveInfiller(model, order=order).fill(REQUESTS):
            for one in answer.augmented:
                for before, fill in zip(one.segments, one.segments[1:], strict=False):
                    assert not (before.text[-1].isalnum() and fill.text[0].isalnum())


OWN_WORDS = [
    *dict.fromkeys(" ".join((FERRY, BAKERY, 'a pump, (three) bags - "flour" - who\'s well-to-do?')).split())
]


class Oracle:
    """Knows the reference."""

    def __init__(self, answer: list[int], size: int) -> None:
        self.answer, self.size, self.positions = torch.tensor(answer), size, 512

    def logits(self, ids: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        return torch.nn.functional.one_hot(self.answer[columns], self.size).float() * 9


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_who_knows_the_reference_writes_it_byte_for_byte(model: MaskedModel, data: st.DataObject) -> None:
    gap = st.sampled_from([" ", "  ", "\n", " \t"] if model.uncased else [" "])
    drawn = data.draw(st.lists(st.tuples(gap, st.sampled_from(OWN_WORDS)), min_size=1, max_size=9))
    text = "".join(gap + word for gap, word in drawn).lstrip()
    found = words(text)
    mask = data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    one = Template(0.4, blocks(text, found, mask))
    pieces = [piece for block in one.blocks for piece in model.encode(block.text).ids]
    assume(all(model.vocabulary.writable[piece] for piece in pieces))
    knowing = _with(model, Oracle([*model.before, *pieces, *model.after], model.network.size))
    (answer,) = NaiveInfiller(knowing).fill([InfillingRequest("", (one,))])
    assert answer.augmented[0].text == text


def _with(model: MaskedModel, network: Any) -> MaskedModel:
    """The same model with another network."""
    other = object.__new__(MaskedModel)
    other.__dict__ |= model.__dict__ | {"network": network}
    return other


def test_long_contexts_are_cut_at_the_tail_but_keep_the_question(model: MaskedModel) -> None:
    question, passage = "Who rang the bell?", "The ferry left the island late. " * 60
    one = template("The captain[ rang] the bell.")
    (place,), cut = masked(model, InfillingRequest(f"{passage}\n{question}", (one,), question), 40)
    own = model.encode(" The captain").ids
    ids = place.rows[0].ids[len(model.before) :]
    tail = model.encode(f"\n{question}").ids
    assert cut
    assert ids[: 40 - len(tail)] == model.encode(passage).ids[: 40 - len(tail)]
    assert ids[40 - len(tail) : 40] == tail
    assert ids[40 : 40 + len(own)] == own
    (short,), whole = masked(model, InfillingRequest("The ferry left.", (one,)), 40)
    assert not whole
    assert short.rows[0].ids[len(model.before) :][: len(own)] != own


def test_context_and_template_share_the_model(model: MaskedModel) -> None:
    one = template("The captain[ rang] the bell.")
    request = InfillingRequest("The ferry left the island late. " * 60, (one,))
    (place,), cut = masked(model, request, 5000)
    assert cut
    assert len(place.rows[0].ids) == model.room + len(model.before) + len(model.after)
    assert NaiveInfiller(model).fill([request])[0].context_truncated


def test_templates_beyond_the_model_are_read_in_parts(model: MaskedModel) -> None:
    longer = template("The captain[ rang] the bell of the ferry." * 30)
    (place,), cut = masked(model, InfillingRequest(FERRY, (longer,)), 5000)
    assert cut
    assert len(place.rows) > 1
    assert all(len(row.ids) <= model.room + 2 for row in place.rows)
    (answer,) = NaiveInfiller(model, order="together").fill([InfillingRequest(FERRY, (longer,))])
    assert len(answer.augmented[0].fills) == 30
    assert all(fill.strip() for fill in answer.augmented[0].fills)


def test_without_context_nothing_of_it_is_read(model: MaskedModel) -> None:
    one = template("The captain[ rang] the bell.")
    infiller = NaiveInfiller(model, context=False)
    with_context, without = infiller.fill([InfillingRequest(FERRY, (one,)), InfillingRequest("", (one,))])
    assert with_context == without
    assert not with_context.context_truncated
    read = NaiveInfiller(model)
    templates = tuple(t for request in REQUESTS for t in request.templates)
    assert read.fill([InfillingRequest(FERRY, templates)]) != infiller.fill(
        [InfillingRequest(FERRY, templates)]
    )


def test_no_blank_is_the_reference(model: MaskedModel) -> None:
    infiller = NaiveInfiller(model)
    (answer,) = infiller.fill([InfillingRequest(FERRY, (template("As it was."), template("As[ it] was.")))])
    assert answer.augmented[0].text == "As it was."
    assert answer.augmented[0].fills == ()
    assert len(answer.augmented[1].fills) == 1
    assert infiller.fill([]) == []


def test_what_the_tokenizer_drops_stays(tmp_path: Path) -> None:
    tiny_masked.bert(tmp_path)
    infiller = NaiveInfiller(MaskedModel(str(tmp_path)))
    one = template("The captain[ \x07] rang[ the] bell.")
    (answer,) = infiller.fill([InfillingRequest("", (one,))])
    assert answer.augmented[0].fills[0] == " \x07"
    assert answer.augmented[0].fills[1].strip()


def test_progress_ends_at_the_total(model: MaskedModel) -> None:
    told: list[tuple[int, int]] = []
    NaiveInfiller(model).fill([*REQUESTS, *REQUESTS], lambda *now: told.append(now))
    count = sum(len(request.templates) for request in REQUESTS)  # the same ones again cost nothing
    assert told[-1] == (count, count)
    assert sorted(told) == told


def test_settings_and_wrong_orders(model: MaskedModel) -> None:
    assert NaiveInfiller(model).settings == f"masked.confident.ctx-head{model.room}"
    assert NaiveInfiller(model, order="left", max_context=7).settings == "masked.left.ctx-head7"
    assert NaiveInfiller(model, context=False).settings == "masked.confident.ctx-none"
    with pytest.raises(ConfigError, match="confident, left, together"):
        NaiveInfiller(model, order="right")  # type: ignore[arg-type]
