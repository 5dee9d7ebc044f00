"""Models whose results have another form in training than in evaluation."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.training.questions.mode_results import gives_by_mode

_TEXT = """
import torch, torch.nn as nn
from torchvision.models import googlenet
class Part(nn.Module):
    def forward(self, x):
{body}
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x):
        return self.part(x)
class Aided(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = googlenet()
look({model})
"""


def _gives(body: str, model: str = "Part()") -> bool:
    text = _TEXT.format(body=textwrap.indent(body, " " * 8), model=model)
    facts = WholeFacts(ast.parse(text), text)
    calls = (node for node in ast.walk(facts.tree) if isinstance(node, ast.Call))
    [look] = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "look"]
    return gives_by_mode(facts, facts.value(look.args[0]))


@pytest.mark.parametrize(
    "body",
    [
        "if self.training:\n    return x, x\nreturn x",
        "if not self.training:\n    return x\nreturn x, x",
        "if self.training:\n    return [x, x], x\nelse:\n    return x, x",
        "if self.training and self.aux:\n    return x, x\nreturn x",
        "if self.training:\n    return {'out': x, 'aux': x}\nreturn x",
        "return (x, x) if self.training else x",
        "if self.training:\n    with ready:\n        return x, x, x\nreturn x, x",
    ],
)
def test_of_another_form(body: str) -> None:
    assert _gives(body)
    assert _gives(body, "Whole()")


@pytest.mark.parametrize(
    "body",
    [
        "if self.training:\n    return x + torch.randn_like(x)\nreturn x",
        "if self.training:\n    return x + 1, x\nreturn x, x",
        "if self.training:\n    x = x + 1\nif x is None:\n    return x, x\nreturn x",
        "return x + 1 if self.training else x",
        "return torch.dropout(x, 0.5, self.training)",
        "if self.wide:\n    return x, x\nreturn x",
        "def more():\n    if self.training:\n        return 1, 2\n    return 3, 4\nreturn x",
    ],
)
def test_of_the_same_form(body: str) -> None:
    assert not _gives(body)


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("Aided()", True),
        ("nn.Linear(2, 2)", False),
        ("unknown()", False),
    ],
)
def test_models_of_libraries(model: str, answer: bool) -> None:
    assert _gives("return x", model) is answer
