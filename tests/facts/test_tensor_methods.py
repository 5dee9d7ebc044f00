"""What is said of the methods of tensors that others have as well, held against these others."""

from __future__ import annotations

import ast
import collections
import decimal
import io
import logging
import math
import pathlib
import socket
import threading
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from torchfix_codemods.facts.evidence.proofs import proves_tensor
from torchfix_codemods.facts.libraries import tensor_methods, torch_effects
from torchfix_codemods.facts.programs.whole import WholeFacts

ROWS = tensor_methods._rows()
PLAIN = (
    *(list, dict, set, tuple, str, bytes, int, float, complex, collections.deque),
    *(pathlib.Path, threading.Thread, nn.Module, torch.optim.Optimizer, torch.device, torch.dtype),
    *(torch.Generator, torch.utils.data.DataLoader, nn.ModuleList, nn.ParameterList),
)
OTHERS: dict[str, tuple[Any, ...]] = {
    "array": (np.ndarray,),
    "numpy": (np.ndarray, np.float32, np, np.random.RandomState),
    "number": (decimal.Decimal, math),
    "storage": (torch.TypedStorage, torch.UntypedStorage),
    "size": (torch.Size,),
    "distribution": (torch.distributions.Normal,),
    "packed": (nn.utils.rnn.PackedSequence,),
    "communicator": (torch.distributed,),
    "file": (io.TextIOWrapper, socket.socket),
    "logger": (logging, math),
}
#: Of whom there is no one such object: their own classes, layers and transforms.
NOBODY = {"users", "module", "function"}
IN_PLACE = [
    name
    for line in torch_effects.lines()
    if line.startswith("torch.Tensor.")
    and (name := line.removeprefix("torch.Tensor.")).endswith("_")
    and name not in ROWS
]


@pytest.mark.parametrize("method", ROWS)
def test_rows_are_methods_that_others_have(method: str) -> None:
    gone = ("fft", "ifft", "rfft", "irfft")
    assert hasattr(torch.Tensor, method) or method in gone
    others = ROWS[method][1].split()
    assert set(others) <= OTHERS.keys() | NOBODY
    for other in set(others) - NOBODY:
        assert any(hasattr(one, method) for one in OTHERS[other]), other


@pytest.mark.parametrize("method", [*ROWS, *IN_PLACE])
def test_nobody_else_has_what_any_call_shows(method: str) -> None:
    if tensor_methods.shown_by(method) == "call":
        others = ROWS.get(method, ("", ""))[1].split()
        known = (kind for other, kinds in OTHERS.items() if other not in others for kind in kinds)
        assert [kind for kind in (*PLAIN, *known) if hasattr(kind, method)] == []


@pytest.mark.parametrize("method", ["requires_grad_", "share_memory_", "apply_", "map_", "detach_"])
def test_in_place_methods_of_others_show_nothing(method: str) -> None:
    assert tensor_methods.shown_by(method) == "never"


def test_what_certainly_is_a_tensor_is_refused_as_anything_else() -> None:
    x = torch.ones(2, 2)
    given: dict[str, tuple[Any, ...]] = {
        "mm": (3,),
        "masked_fill": (3, 0.0),
        "index_add_": (0, 3, 3),
        "lerp_": (3, 0.5),
        "resize_as_": (3,),
        "type_as": (3,),
    }
    for method, arguments in given.items():
        assert tensor_methods.tensors_given(method)
        with pytest.raises((TypeError, RuntimeError)):
            getattr(x, method)(*arguments)


@pytest.mark.parametrize("method", ["add_", "mul_", "clamp_", "copy_", "gather", "append", "size"])
def test_what_may_be_a_number_is_no_tensor(method: str) -> None:
    assert tensor_methods.tensors_given(method) == frozenset()


def _proven(text: str) -> bool:
    facts = WholeFacts(ast.parse(text), text)
    reads = [n for n in facts.names.nodes[ast.Name] if isinstance(n, ast.Name) and n.id == "x"]
    return proves_tensor(facts.names, reads[-1])


@pytest.mark.parametrize(
    "text",
    [
        "x.lerp_(y, 0.5)",
        "x.masked_scatter_(mask, y)",
        "x.erf_()",
        "x.swapaxes_(0, 1)",
        "y.atan2_(x)",
        "y.index_copy_(0, x, z)",
        "y.index_copy_(0, i, x)",
        "x.sqrt()",
        "x.gather(1, i)",
        "x.view(b, c, h / s)",
        "x.view(b, s, s, -1)",
    ],
)
def test_shows(text: str) -> None:
    assert _proven(text)


@pytest.mark.parametrize(
    "text",
    [
        "x.requires_grad_(False)",
        "x.apply_(f)",
        "x.put_(1)",
        "x.resize_(0)",
        "x.set_(3)",
        "x.sqrt(3)",
        "x.gather(y)",
        "x.scatter(0, i, 1.0)",
        "x.numel()",
        "x.view(b, c)",
        "x.view(b, c, [h, w])",
        "x.view(a, *sizes, b)",
        "x.view(a, b, c, size=d)",
        "class A:\n    def view(self, *args): pass\nx.view(b, c, h)",
        "y.add_(x)",
        "y.addbmm_(x, z)",
        "y.addr(x, 2, z, z)",
        "y.copy_(x)",
        "y.index_copy_(*a, x)",
        "y.extend_(x)",
        "class A:\n    def erf_(self): pass\nx.erf_()",
        "class A:\n    def lerp_(self, a, b): pass\ny.lerp_(x, 0.5)",
    ],
)
def test_shows_nothing(text: str) -> None:
    assert not _proven(text)
