"""What is said of the layers of torch, held against the torch that is installed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import nn

from benchmarks import torch_table as generator
from torchfix_codemods.facts.libraries import torch_effects, torch_layers, torch_table

WORDS = ("maps", "takes", "weights", "lays", "channels")
LAYERS = sorted(torch_layers.that("maps") | torch_layers.that("takes"))


def _built(layer: str) -> Any:
    made = generator._layer(layer, getattr(nn, layer))
    assert made is not None
    return made[0]


@pytest.mark.parametrize("layer", sorted(torch_layers.that("maps")))
def test_layers_that_give_one_tensor_for_one(layer: str) -> None:
    forms = torch_table.forms_of(f"torch.nn.{layer}")
    assert forms and all(form.word == "tensor" for form in forms)
    needed = [[p.kind for p in form.parameters if p.default is None] for form in forms]
    assert all(kinds == ["T"] for kinds in needed)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_with_weights(layer: str) -> None:
    built = _built(layer)
    named = {name for name, _ in built.named_parameters()}
    if layer in torch_layers.that("weights"):
        assert named <= {"weight", "bias"} and hasattr(built, "weight")
    else:
        assert not named


@pytest.mark.parametrize("layer", sorted(torch_layers.that("lays")))
def test_what_layers_lay_down_is_their_own(layer: str) -> None:
    assert torch_effects.is_fresh(f"torch.nn.{layer}")


@pytest.mark.parametrize("layer", sorted(torch_layers.that("channels")))
def test_layers_whose_features_are_the_second_dimension(layer: str) -> None:
    is_norm, sizes = layer.startswith("BatchNorm"), [5] * int(layer[-2])
    built = getattr(nn, layer)(3) if is_norm else getattr(nn, layer)(4, 3, 1)
    assert built(torch.rand(2, 3 if is_norm else 4, *sizes)).shape == (2, 3, *sizes)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layer", LAYERS)
def test_layers_that_may_work_in_place(layer: str) -> None:
    takes_option = "inplace" in inspect.signature(getattr(nn, layer).__init__).parameters
    if torch_layers.may_work_in_place(layer):
        given = torch.rand(2, 3, 4)
        numbers = [1, 0.5] if layer == "Threshold" else []
        assert getattr(nn, layer)(*numbers, inplace=True)(given) is given
    else:
        # AlphaDropout takes it, and does nothing with it.
        assert not takes_option or layer == "AlphaDropout"


@pytest.mark.parametrize("layer", ["LSTM", "MSELoss", "Sequential", "linear", ""])
def test_nothing_is_said_of_others(layer: str) -> None:
    assert not any(layer in torch_layers.that(word) for word in WORDS)
    assert not torch_layers.may_work_in_place(layer)
