"""What is said of methods in place, held against the torch that is installed."""

from __future__ import annotations

import ast

import pytest
import torch

from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.libraries.in_place import may_write_graph, written_by

OWNER = "torch.Tensor."
METHODS = [n.removeprefix(OWNER) for n in torch_effects.lines() if n.startswith(OWNER)]
OF_OBJECTS = [name for name in METHODS if torch_effects.changes_object(name)]


@pytest.mark.parametrize("method", OF_OBJECTS)
def test_what_changes_the_object_leaves_its_numbers(method: str) -> None:
    tensor = torch.arange(6.0).view(2, 3 if method == "t_" else -1).clone()
    place = tensor.data_ptr()
    dims = (0, 1) if method in ("transpose_", "swapaxes_", "swapdims_") else ()
    dims = (0,) if method in ("squeeze_", "unsqueeze_") else dims
    result = getattr(tensor, method)(*dims)
    assert result is tensor and sorted(result.flatten().tolist()) == [*range(6)]
    assert method == "share_memory_" or result.data_ptr() == place


@pytest.mark.parametrize("method", ["add_", "resize_", "zero_", "t", "cuda", "detach", "set_"])
def test_others_change_more_or_less(method: str) -> None:
    assert method not in OF_OBJECTS and {"t_", "detach_", "requires_grad_"} <= {*OF_OBJECTS}


@pytest.mark.parametrize("method", [m for m in METHODS if m.endswith("_")])
def test_what_writes_numbers_brings_no_graph(method: str) -> None:
    if torch_effects.writes_only_numbers(method) and method != "requires_grad_":
        other = torch.ones(2, 2, requires_grad=True)
        for given in ((), (0,), (0.5, 1.0), (0, 1), (other,), (0, 1, 1.0), (2, 0, 1.0), ([2, 2],)):
            tensor = torch.full((2, 2), 0.5)
            try:
                getattr(tensor, method)(*given)
            except (TypeError, RuntimeError, IndexError):
                continue
            assert not tensor.requires_grad, given


def _method(text: str) -> ast.Attribute:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Attribute)
    return node


@pytest.mark.parametrize("text", ["x.add_", "x.copy_", "x.masked_fill_", "x.set_", "x.own_"])
def test_may_write_a_graph(text: str) -> None:
    assert may_write_graph(_method(text))


@pytest.mark.parametrize("text", ["x.zero_", "x.exp_", "x.fill_", "x.t_", "x.add", "x.__init__"])
def test_writes_no_graph(text: str) -> None:
    assert not may_write_graph(_method(text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x.scatter_(1, index, source)", ["source"]),
        ("x.masked_fill_(mask, value)", ["value"]),
        ("x.masked_fill_(mask=mask, value=value)", ["value"]),
        ("x.index_copy_(0, index, source)", ["source"]),
        ("x.add_(a, b)", ["a", "b"]),
        ("x.own_(a, index=b)", ["a", "b"]),
        ("x.scatter_(*a, b)", ["*a", "b"]),
    ],
)
def test_what_is_written(text: str, written: list[str]) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert [ast.unparse(value) for value in written_by(call)] == written


@pytest.mark.parametrize("method", [m for m in METHODS if torch_table.gives_dimensions(m)])
def test_what_gives_a_dimension_gives_it_to_what_has_none(method: str) -> None:
    number = torch.tensor(1.0)
    for given in ((), (1,), (-1,), (0,), (0, 1, 1), ((1,),), (torch.tensor(True),)):
        try:
            result = getattr(number.clone(), method)(*given)
        except (TypeError, RuntimeError, IndexError):
            continue
        results = result if isinstance(result, tuple) else (result,)
        assert all(r.ndim for r in results), given


@pytest.mark.parametrize("method", ["exp", "t", "sum", "squeeze", "narrow", "contiguous", "sort"])
def test_others_give_none(method: str) -> None:
    assert not torch_table.gives_dimensions(method)


def test_where_parameters_stand() -> None:
    assert torch_table.place_of("torch.Tensor.scatter_", "index") == 2
    assert torch_table.place_of("torch.Tensor.exp", "index") is None
    assert torch_table.place_of("torch.nowhere", "index") is None
    assert torch_table.methods_taking("mask") == {
        *("masked_fill", "masked_fill_", "masked_select", "masked_scatter", "masked_scatter_")
    }


@pytest.mark.parametrize("method", ["new", "new_zeros", "new_tensor"])
def test_what_makes_another_of_the_same_type(method: str) -> None:
    assert torch_effects.makes_alike(method)
    assert getattr(torch.ones(2).double(), method)([2]).dtype == torch.float64


@pytest.mark.parametrize("method", ["newest", "zeros_like", "clone", "zero_"])
def test_others_do_not(method: str) -> None:
    assert not torch_effects.makes_alike(method)
