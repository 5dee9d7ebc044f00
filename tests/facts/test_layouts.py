"""What is calculated of parts, and of what was expanded, lies in one piece: held against torch."""

from __future__ import annotations

import functools
import operator as operators
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from torchfix_codemods.facts.evaluation.layouts import keeps_order, packs
from torchfix_codemods.facts.evaluation.operations import broadcast
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.values.lattice import Tensor, Value

_CUT: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "a part": lambda x: x[:, :2],
    "every second": lambda x: x[:, ::2, :3],
    "expanded": lambda x: x[:, :1].expand(3, 4, 5),
    "expanded in front": lambda x: x[0, 0].expand(3, 4, 5),
    "narrow": lambda x: x.narrow(2, 1, 3),
}

#: Arguments besides the tensor, of which some fit each operation.
_OTHERS: tuple[Callable[[torch.Tensor], tuple[object, ...]], ...] = (
    lambda x: (),
    lambda x: (0.5,),
    lambda x: (2,),
    lambda x: (x,),
    lambda x: (torch.ones(x.shape),),
    lambda x: (x > 0, x),
)


def _named(wanted: Callable[[str, torch_table.Result], bool]) -> list[str]:
    return sorted(
        name
        for name in torch_table.lines()
        if not name.startswith("torch.nn.")
        and any(
            wanted(name, result) for form in torch_table.forms_of(name) for result in form.results
        )
    )


def _results(name: str, tensor: torch.Tensor) -> list[torch.Tensor]:
    function = functools.reduce(getattr, name.split(".")[1:], torch)
    found = []
    for others in _OTHERS:
        try:
            made = function(tensor, *others(tensor))
        except (RuntimeError, TypeError, ValueError):
            continue
        found += made if isinstance(made, tuple) else [made]
    return [part for part in found if isinstance(part, torch.Tensor)]


@pytest.mark.parametrize("cut", _CUT)
@pytest.mark.filterwarnings("ignore")
def test_what_packs_gives_one_piece(cut: str) -> None:
    names = _named(lambda name, result: result.layout == "=" and packs(name, result))
    made = {
        name: _results(name, _CUT[cut](values))
        for values in (torch.rand(3, 4, 5), torch.ones(3, 4, 5, dtype=torch.long))
        for name in names
    }
    assert sum(map(bool, made.values())) > 150
    assert [name for name, found in made.items() if not all(r.is_contiguous() for r in found)] == []


@pytest.mark.parametrize("name", ["torch.slice_scatter", "torch.Tensor.float", "torch.relu_"])
def test_what_may_lie_as_the_part_does_not_pack(name: str) -> None:
    forms = torch_table.forms_of(name)
    assert not any(packs(name, result) for form in forms for result in form.results)


def test_what_keeps_the_order_of_dimensions() -> None:
    names = {name.rpartition(".")[2] for name in _named(keeps_order)}
    assert {"expand", "expand_as", "narrow", "chunk"} <= names
    assert names.isdisjoint({"diagonal", "unfold", "transpose", "as_strided", "meshgrid", "mul"})


@pytest.mark.parametrize(
    "operator", ["add", "sub", "mul", "truediv", "pow", "mod", "floordiv", "gt"]
)
def test_what_was_repeated_and_stands_first_rules_a_layout(operator: str) -> None:
    calculate = getattr(operators, operator)
    for sizes in ((3, 4), (1, 4), (3, 1), (2, 3, 4), (2, 1, 4)):
        first = torch.rand(()).repeat(sizes)
        moved = torch.rand(sizes[::-1]).permute(*reversed(range(len(sizes))))
        spread = torch.rand(sizes[-1:]).expand(sizes)
        for other in (moved, spread, moved[..., :1], moved[0]):
            assert calculate(first, other).is_contiguous()
    assert not calculate(torch.rand(3, 4).t(), torch.rand(4, 3)).is_contiguous()
    assert not calculate(torch.rand(1, 3), torch.rand(3, 4).t()).is_contiguous()


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("second", range(4))
def test_a_transposed_matrix_is_joined_to_what_lies_in_order(first: int, second: int) -> None:
    matrix = torch.rand(3, 4).t()
    images = matrix.unsqueeze(first).unsqueeze(second)
    for each in (matrix, matrix.unsqueeze(first), images):
        assert torch.cat([each, each], 1).is_contiguous()
        assert torch.stack([each, each]).is_contiguous()
    moved = torch.rand(2, 3, 4).transpose(1, 2).unsqueeze(2)
    assert not torch.cat([moved, moved], 1).is_contiguous()


_FULL = Tensor(ndim=2, contiguous=True, repeated=True)
_MOVED = Tensor(ndim=2, strided=True, moved=True)


@pytest.mark.parametrize(
    ("operands", "is_moved"),
    [
        ([_FULL, _MOVED], False),
        ([Tensor(), _FULL, _MOVED], False),
        ([_MOVED, _FULL], True),
        ([Tensor(ndim=2, contiguous=True), _MOVED], True),
        ([replace(_FULL, contiguous=False), _MOVED], True),
        ([_FULL, replace(_MOVED, ndim=3)], True),
        ([_FULL, replace(_MOVED, ndim=None)], True),
        ([replace(_FULL, ndim=None), _MOVED], True),
    ],
)
def test_what_may_be_moved_of_what_is_calculated(operands: list[Value], is_moved: bool) -> None:
    made = broadcast(operands)
    assert made.moved is made.strided is is_moved
    assert not made.contiguous


@pytest.mark.parametrize("layer", [torch.nn.Conv2d, torch.nn.ConvTranspose2d])
@pytest.mark.parametrize("size", [1, 3])
def test_images_of_one_channel_lie_in_order(layer: type[torch.nn.Module], size: int) -> None:
    ends = torch.rand(5, 6, 2, 8).permute(2, 3, 0, 1)
    for images in (ends, ends.to(memory_format=torch.channels_last), ends[:1], ends[0]):
        assert layer(8, 1, size)(images).is_contiguous()
        assert layer(8, 1, size).to(memory_format=torch.channels_last)(images).is_contiguous()
