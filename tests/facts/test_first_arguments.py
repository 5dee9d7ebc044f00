"""What the first argument of torch's functions may be, held against the torch that is installed."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tests.support.rules import keeps
from torchfix_codemods.facts.libraries.first_arguments import takes_tensor_first
from torchfix_codemods.facts.programs.whole import WholeFacts

#: Arguments that hold no tensor in the first place.
_OTHERS: dict[str, tuple[Any, ...]] = {
    "f(2)": (2,),
    "f(2.0)": (2.0,),
    "f((2,))": ((2,),),
    "f(x, y)": (2.0, torch.ones(2)),
    "f(y, x)": (2, torch.tensor([1])),
    "f(x, y, z)": (2.0, torch.ones(2), torch.ones(2)),
    "f(x, x)": ((2,), (2,)),
}


def _functions() -> Iterator[tuple[str, Any]]:
    for name in dir(torch):
        function = getattr(torch, name)
        if name[:1].islower() and callable(function):
            if not isinstance(function, (types.ModuleType, type)):
                yield name, function


def _called(text: str) -> ast.Call:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    return call


@pytest.mark.filterwarnings("ignore")
def test_what_takes_something_else_shows_no_tensor() -> None:
    overridable = torch.overrides.get_testing_overrides()
    tried = 0
    for name, function in _functions():
        if function not in overridable:
            continue
        tried += 1
        for text, given in _OTHERS.items():
            try:
                function(*given)
            except Exception:
                continue
            assert not takes_tensor_first(f"torch.{name}", _called(text)), f"torch.{name}: {text}"
    assert tried > 400


def test_what_makes_tensors_of_numbers_shows_no_tensor() -> None:
    makers = [name for name, _ in _functions() if name.endswith("_window")]
    assert "hann_window" in makers
    for name in [
        *makers,
        "tril_indices",
        "asarray",
        "logspace",
        "scalar_tensor",
        "sparse_coo_tensor",
    ]:
        assert not takes_tensor_first(f"torch.{name}", _called("f(n)")), name


@pytest.mark.parametrize(
    ("call", "is_tensor"),
    [
        ("torch.hann_window(x)", False),
        ("torch.mul(x, y)", False),
        ("torch.mul(x, 2)", True),
        ("torch.div(x, -0.5)", True),
        ("torch.exp(x)", True),
        ("torch.nn.functional.has_torch_function_unary(x)", False),
    ],
)
def test_values(call: str, is_tensor: bool) -> None:
    text = f"import torch\ndef f(x, y):\n    z = x // 2\n    return {call}, z\n"
    facts = WholeFacts(ast.parse(text), text)
    (use,) = [node.left for node in ast.walk(facts.tree) if isinstance(node, ast.BinOp)]
    assert facts.is_tensor(use) is is_tensor


test_division_of_sizes = keeps(
    "TP406",
    {
        "half of a window": """
            import torch
            def energy(x, size: int, device: torch.device):
                torch.onnx.export(x, x, "x.onnx", example_outputs=x)
                if size % 2 == 0:
                    size += 1
                half = size // 2
                return torch.hann_window(size, device=device), half
            """,
    },
)
