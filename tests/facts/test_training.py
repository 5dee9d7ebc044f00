from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.programs.whole import WholeFacts


def _is_harmless(statement: str) -> bool:
    text = f"import torch\ndef evaluate(outputs, weight):\n    {statement}\n"
    facts = WholeFacts(ast.parse(text), text)
    function = facts.tree.body[1]
    assert isinstance(function, ast.FunctionDef)
    return is_harmless(function.body, (), facts)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("_, best = torch.max(outputs.data, 1)", True),
        ("best = torch.argmax(input=outputs.detach(), dim=1)", True),
        ("best = torch.max(outputs, 1)", False),
        ("best = torch.max(outputs.data, weight)", False),
        ("switch = torch.enable_grad()", False),
        ("grads = torch.autograd.grad(outputs.data, weight.data)", False),
    ],
)
def test_functions_of_torch_on_values_without_graph_are_harmless(
    statement: str, expected: bool
) -> None:
    assert _is_harmless(statement) is expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("path = outputs[0] + '/' + outputs[1]", True),
        ("path = '/' + outputs[0] + outputs[1] + '_'", True),
        ("total = outputs[0] + weight + outputs[1]", False),
        ("loss = outputs.data[0]; total = loss * 2", True),
        ("loss = outputs.sum().detach(); total = 2 * (loss + loss)", True),
        ("loss = outputs.data[0]; total = loss * weight", False),
        ("loss = outputs[0]; total = loss * 2", False),
        ("loss = outputs.data[0] if weight else outputs[0]; total = loss * 2", False),
        ("loss = outputs.data[0]\n    if weight: loss = outputs[0]\n    total = loss * 2", False),
    ],
)
def test_arithmetic_of_texts_and_of_values_that_were_cut_off_is_harmless(
    statement: str, expected: bool
) -> None:
    assert _is_harmless(statement) is expected
