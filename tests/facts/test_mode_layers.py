"""Which variable holds a model, and whether its mode matters."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import model_of
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.training.questions.known_models import is_about_another, module_of
from torchfix_codemods.rules.training.questions.mode_layers import (
    has_mode_layers,
    is_so_of_a_class,
    sets_modes,
)

HEAD = """
import torch
import torch.nn as nn
import torchvision
class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 2)
        print(range(3), torch.ones(2))
class Noisy(Plain):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()
class Asks(nn.Module):
    def forward(self, x):
        return x if self.training else 1
class Own(Base):
    pass
class Again(nn.Module):
    def __init__(self):
        self.inner = Again()
class Frozen(nn.Module):
    def train(self, mode=True):
        return self
class Holds(nn.Module):
    def __init__(self):
        self.inner = Frozen()
def make():
    return 1
class Calls(nn.Module):
    def __init__(self):
        self.n = make()
class Unsure(nn.Module):
    def __init__(self, n):
        self.n = n()
"""


def _looked_at(text: str) -> tuple[Facts, ast.expr]:
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts, max(looks, key=lambda c: c.lineno).args[0]


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("nn.Dropout()", True),
        ("nn.BatchNorm2d(3)", True),
        ("nn.Linear(2, 2)", False),
        ("nn.Sequential(nn.Linear(2, 2), nn.ReLU())", False),
        ("nn.Sequential(nn.Linear(2, 2), nn.Dropout())", True),
        ("nn.Unheard(2)", None),
        ("nn.LSTM(2, 3)", False),
        ("nn.LSTM(2, 3, dropout=0)", False),
        ("nn.LSTM(2, 3, dropout=0.5)", None),
        ("nn.LSTM(2, 3, **k)", None),
        ("nn.LSTM(2, 3, 1, True, False)", False),
        ("nn.LSTM(2, 3, 1, True, False, 0.5)", None),
        ("Plain()", False),
        ("Noisy()", True),
        ("Asks()", True),
        ("Own()", None),
        ("Again()", False),
        ("Calls()", False),
        ("Unsure()", None),
        ("unknown()", None),
        ("torchvision.models.resnet18()", True),
    ],
)
def test_whether_the_mode_matters(model: str, answer: bool | None) -> None:
    facts, node = _looked_at(f"look({model})")
    if "torchvision" in model:
        facts, node = _looked_at(f"look(nn.Sequential({model}))")
    assert has_mode_layers(facts, facts.value(node)) is answer


@pytest.mark.parametrize(
    ("model", "answer"),
    [("Plain()", False), ("Frozen()", True), ("Holds()", True), ("nn.Linear(1, 2)", False)],
)
def test_whether_a_class_sets_modes_itself(model: str, answer: bool) -> None:
    facts, node = _looked_at(f"look({model})")
    assert sets_modes(facts, facts.value(node)) is answer


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("m = Plain()\nlook(m)", "m"),
        ("m = Plain()\nm = m.cuda()\nlook(m)", "m"),
        ("m = Plain()\nlook(m.cuda())", "m"),
        ("m = nn.DataParallel(Plain())\nlook(m.module)", "m"),
        ("def f(n):\n    look(n)\nm = Plain()\nf(m)", "m"),
        ("def f(n):\n    look(n)", "n"),
        (
            "class T:\n    def __init__(self):\n        self.m = Plain()\n    def f(self):\n        look(self.m)",
            "m",
        ),
        ("def f(n):\n    look(n)\nm, k = Plain(), Plain()\nf(m)\nf(k)", None),
        ("m, k = load()\nlook(m)", None),
        ("for m in models:\n    look(m)", None),
        ("look(unknown)", None),
        ("look(unknown.m)", None),
        ("look(make())", None),
        ("m = Plain()\nlook(m.fc.eval)", None),
    ],
)
def test_variable_that_holds_a_model(text: str, name: str | None) -> None:
    facts, node = _looked_at(text)
    model = model_of(facts, node)
    assert (None if model is None else model[1]) == name


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("m = Plain()\nlook(m)", True),
        ("m = Plain()\ntorch.save(m, 'a')\nn = torch.load('a')\nlook(n)", True),
        ("m = Plain()\ntorch.save(m, 'a')\nn = torch.load('a')\nn = n.cuda()\nlook(n)", True),
        ("m = Plain()\ntorch.save(m, 'a')\nn = torch.load('b')\nlook(n)", False),
        ("torch.save(m, 'a')\nn = torch.load('a')\nlook(n)", False),
        ("n = load('a')\nlook(n)", False),
        ("n = 1\nlook(n)", False),
        ("look(n)", False),
    ],
)
def test_module_that_is_saved_and_loaded(text: str, is_known: bool) -> None:
    facts, node = _looked_at(text)
    assert isinstance(module_of(facts, node), Module) is is_known


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("m = Plain()\nn = Plain()\nn.eval()\nlook(m)", True),
        ("m = Plain()\nm.eval()\nlook(m)", False),
        ("m = Plain()\nn = m\nn.eval()\nlook(m)", False),
        ("n = Plain()\nm = nn.Sequential(n)\nn.eval()\nlook(m)", False),
        ("m = Plain()\nn = nn.Sequential(m)\nn.eval()\nlook(m)", False),
        ("m = Plain()\nn = load()\nn.eval()\nlook(m)", False),
        ("m = load()\nn = Plain()\nn.eval()\nlook(m)", False),
        ("m = Plain()\nunknown.eval()\nlook(m)", False),
    ],
)
def test_mode_of_another_model(text: str, answer: bool) -> None:
    facts, sample = _looked_at(text)
    model = model_of(facts, sample)
    assert model is not None
    (call,) = [
        n
        for n in ast.walk(facts.tree)
        if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "eval"
    ]
    assert is_about_another(facts, call, model, sample) is answer


def test_each_class_that_a_model_is_built_of_is_asked_once() -> None:
    facts, model = _looked_at("look(Noisy())\n")
    value = facts.value(model)
    asked = []

    def has_layer(there: Facts, cls: ast.ClassDef) -> bool:
        asked.append(cls.name)
        return cls.name == "Frozen"

    assert not is_so_of_a_class(facts, value, has_layer)
    assert asked == ["Noisy", "Plain"]
    assert not is_so_of_a_class(facts, value, has_layer)
    assert asked == ["Noisy", "Plain"]


def test_classes_are_built_of_others_at_any_depth() -> None:
    facts, model = _looked_at(
        "class Deep(nn.Module):\n    def __init__(self):\n        self.h = Holds()\nlook(Deep())\n"
    )
    assert is_so_of_a_class(facts, facts.value(model), lambda there, cls: cls.name == "Frozen")
    assert not is_so_of_a_class(facts, facts.value(model), lambda there, cls: cls.name == "Noisy")
