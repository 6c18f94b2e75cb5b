"""The states of rows in company against those of the plain model, for networks of many makes, with random weights."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import torch
import transformers

from mars_score.encoders import products
from mars_score.encoders.network import FIXED, LARGEST, STEP, Network, first_position
from mars_score.encoders.products import freeze_linears

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from mars_score.encoders.network import Sizes

    Make = Callable[..., Any]

SMALL = {
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48,
    "max_position_embeddings": 700, "pad_token_id": 1,
}  # fmt: skip
PACKED: dict[str, Make] = {
    "Bert": lambda: transformers.BertModel(transformers.BertConfig(**SMALL)),
    "Roberta": lambda: transformers.RobertaModel(transformers.RobertaConfig(**SMALL)),
    "XLMRoberta": lambda: transformers.XLMRobertaModel(transformers.XLMRobertaConfig(**SMALL)),
    "Electra": lambda: transformers.ElectraModel(transformers.ElectraConfig(embedding_size=16, **SMALL)),
    "Albert": lambda: transformers.AlbertModel(transformers.AlbertConfig(embedding_size=16, **SMALL)),
    "ModernBert": lambda: transformers.ModernBertModel(
        transformers.ModernBertConfig(global_attn_every_n_layers=2, local_attention=8, **SMALL)
    ),
    "Gemma3Text": lambda: transformers.Gemma3TextModel(
        transformers.Gemma3TextConfig(
            use_bidirectional_attention=True,
            sliding_window=16,
            num_key_value_heads=1,
            head_dim=16,
            layer_types=["sliding_attention", "full_attention"],
            **SMALL,
        )
    ),
}
BATCHED: dict[str, Make] = {
    "MPNet": lambda: transformers.MPNetModel(transformers.MPNetConfig(**SMALL)),
    "DebertaV2": lambda: transformers.DebertaV2Model(
        transformers.DebertaV2Config(relative_attention=True, pos_att_type=["c2p", "p2c"], **SMALL)
    ),
    "T5": lambda: transformers.T5EncoderModel(
        transformers.T5Config(vocab_size=60, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2)
    ),
}


def made(make: Make) -> Network:
    torch.manual_seed(3)
    model = make().eval().requires_grad_(requires_grad=False)
    freeze_linears(model)
    return Network(model)


@pytest.fixture(scope="module")
def bert() -> Network:
    return made(PACKED["Bert"])


def rows_of(lengths: Sequence[int], seed: int = 0) -> list[list[int]]:
    draw = random.Random(seed)
    return [draw.choices(range(5, 60), k=length) for length in lengths]


def all_of(network: Network, rows: list[list[int]], *, all_layers: bool = False) -> list[Tensor]:
    """The states of each row: (layers, n, H)."""
    found: dict[int, Tensor] = {}
    for together in network.together([len(row) for row in rows]):
        states = network.read([rows[i] for i in together], all_layers=all_layers)
        layers = torch.stack(states.layers)  # (layers, T, H)
        for i, start in zip(together, states.starts, strict=True):
            found[i] = layers[:, start : start + len(rows[i])]
    return [found[i] for i in range(len(rows))]


@pytest.mark.numeric
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # by the import of DeBERTa
@pytest.mark.parametrize("name", [*PACKED, *BATCHED])
def test_states_are_those_of_the_plain_model(name: str) -> None:
    network = made(PACKED.get(name) or BATCHED[name])
    assert network.takes_packs == (name in PACKED)
    rows = rows_of([7, 3, 19, 3, 1, 40, 40, 11])
    torch.manual_seed(3)
    plain = (PACKED.get(name) or BATCHED[name])().eval()
    for row, found in zip(rows, all_of(network, rows), strict=True):
        with torch.inference_mode():
            expected = plain(input_ids=torch.tensor([row])).last_hidden_state
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_all_layers_are_told(bert: Network) -> None:
    (row,) = rows = rows_of([12])
    with torch.inference_mode():
        expected = bert.model(input_ids=torch.tensor([row]), output_hidden_states=True).hidden_states
    found = all_of(bert, rows, all_layers=True)[0]
    torch.testing.assert_close(found, torch.cat(expected), atol=1e-5, rtol=1e-4)


MIXED = [random.Random(1).randint(1, 30) for _ in range(150)] + [LARGEST, LARGEST + 9, 200, 191, 0, 1]


@pytest.mark.numeric
@pytest.mark.parametrize("sizes", ["as found", "one", "own"])
@pytest.mark.parametrize("name", ["Bert", "Roberta", "Gemma3Text"])
def test_packed_states_do_not_depend_on_company_to_the_last_bit(name: str, sizes: str) -> None:
    """With what was found to hold on this processor, and with what is more careful still."""
    network = made(PACKED[name])
    careful: tuple[Sizes, ...] = ("any", "one", "own")
    network.sizes = max(network.sizes, "any" if sizes == "as found" else sizes, key=careful.index)  # type: ignore[arg-type]
    assert_company_leaves_no_trace(network, rows_of(MIXED, seed=2))


@pytest.mark.numeric
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # by the import of DeBERTa
@pytest.mark.parametrize("name", BATCHED)
def test_batched_states_do_not_depend_on_company_to_the_last_bit(name: str) -> None:
    assert_company_leaves_no_trace(
        made(BATCHED[name]), rows_of([7, 3, 19, 3, 1, 23, 23, 23, 40, 40, 11, 23, 19, 19, 200], seed=2)
    )


def assert_company_leaves_no_trace(network: Network, rows: list[list[int]]) -> None:
    together = all_of(network, rows)
    for index in [0, 1, 2, 3, *range(len(rows) - 8, len(rows))]:
        assert torch.equal(all_of(network, [rows[index]])[0], together[index]), index
    order = random.Random(1).sample(range(len(rows)), len(rows))
    for index, found in zip(order, all_of(network, [rows[i] for i in order]), strict=True):
        assert torch.equal(found, together[index]), index


@pytest.mark.numeric
def test_where_sizes_matter_to_rounding_all_packs_have_one(
    bert: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil_products(monkeypatch, lambda rows: 1.0 * (len(rows) == 3 * STEP) + torch.zeros(len(rows), 1))
    assert bert._try_sizes(bert.heights.products) == "one"


@pytest.mark.numeric
def test_where_the_place_in_a_pack_matters_rows_go_alone(
    bert: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil_products(monkeypatch, lambda rows: 1.0 * (torch.arange(len(rows)) >= len(rows) - 8)[:, None])
    assert bert._try_sizes(bert.heights.products) == "own"


def spoil_products(monkeypatch: pytest.MonkeyPatch, where: Callable[[Tensor], Tensor]) -> None:
    """Round some rows of a product in another way than the others, as some libraries do."""
    whole = products.multiply
    monkeypatch.setattr(
        "mars_score.encoders.network.multiply",
        lambda rows, *rest: whole(rows, *rest) * (1 + 1e-6 * where(rows)),
    )


@pytest.mark.parametrize(
    ("sizes", "few", "many"), [("any", STEP, LARGEST), ("one", FIXED, FIXED), ("own", STEP, STEP)]
)
def test_sizes_of_packs(bert: Network, sizes: Sizes, few: int, many: int) -> None:
    seen: list[int] = []
    handle = bert.model.register_forward_pre_hook(
        lambda _, __, options: seen.append(options["input_ids"].shape[1]), with_kwargs=True
    )
    found, bert.sizes = bert.sizes, sizes
    all_of(bert, rows_of([5]))
    all_of(bert, rows_of([20] * 200))
    handle.remove()
    bert.sizes = found
    assert seen[0] == few
    assert set(seen[1:-1]) == {many}


def test_positions_begin_where_the_network_counts_from(bert: Network) -> None:
    assert first_position(bert.model) == 0
    assert first_position(PACKED["Roberta"]()) == 2


def test_blank_rows(bert: Network) -> None:
    assert [tuple(one.shape) for one in all_of(bert, [[], []])] == [(1, 0, 32)] * 2
