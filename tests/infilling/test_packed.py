"""Packed linear layers compute what the plain ones do, and only what can be packed is touched."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from mars_score.encoders.products import Linear, can_pack, freeze_linears


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 64, 300])
def test_equals_the_plain_layer(bias: bool, rows: int) -> None:
    torch.manual_seed(rows)
    plain = nn.Linear(48, 80, bias=bias).requires_grad_(False)
    frozen = Linear(plain.weight, plain.bias)
    for shape in ((rows, 48), (1, rows, 48)):
        x = torch.randn(shape)
        for layer in (frozen, frozen.pack()):
            torch.testing.assert_close(layer(x), plain(x), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 64, 300])
def test_half_precision_is_multiplied_as_by_torch(bias: bool, rows: int) -> None:
    torch.manual_seed(rows)
    plain = nn.Linear(48, 80, bias=bias).to(torch.bfloat16).requires_grad_(False)
    frozen = Linear(plain.weight, plain.bias)
    x = torch.randn(rows, 48).to(torch.bfloat16)
    for layer in (frozen, frozen.pack()):
        assert torch.equal(layer(x), plain(x))


class Doubled(nn.Linear):  # type: ignore[misc]  # torch's types are not followed
    """A layer that is not what its base class is."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        doubled: torch.Tensor = 2 * super().forward(x)
        return doubled


def test_replaces_plain_layers_of_every_kind_and_no_others() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(8, 8), nn.Sequential(Conv1D(6, 8), nn.GELU()), Doubled(6, 4), nn.LayerNorm(4)
    )
    model.eval().requires_grad_(False)
    packed = copy.deepcopy(model)
    freeze_linears(packed, pack=True)
    assert [type(layer) for layer in (packed[0], packed[1][0], packed[2])] == [
        Linear,
        Linear,
        Doubled,
    ]
    weights = {name for name, _ in packed.named_parameters() if name.endswith("weight")}
    assert weights == {"2.weight", "3.weight"}  # the plain weights of the others are let go
    x = torch.randn(5, 8)
    torch.testing.assert_close(packed(x), model(x), atol=1e-5, rtol=1e-5)


def test_other_number_formats_stay_as_they_are() -> None:
    model = nn.Sequential(nn.Linear(8, 8).to(torch.float16)).requires_grad_(False)
    assert not can_pack(model[0].weight)
    freeze_linears(model)
    assert type(model[0]) is nn.Linear
