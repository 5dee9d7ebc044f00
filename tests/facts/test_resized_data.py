"""What stays certain of a tensor where ``x.data = …``, ``x.grad`` and other classes come in."""

from __future__ import annotations

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Tensor

_STEP = "w = torch.tensor([1.0], requires_grad=True)\nfor x in y:\n    {line}\nlook({asked})"


def _tensor(text: str) -> Tensor:
    value = value_of(text)
    assert isinstance(value, Tensor)
    return value


@pytest.mark.parametrize("asked", ["w", "w.grad.data", "w * 2"])
@pytest.mark.parametrize(
    "line",
    ["w.data = w.data - 0.1 * w.grad.data", "w.data = torch.zeros(1) + w.data", "print(w.data)"],
)
def test_an_update_leaves_as_many_elements(line: str, asked: str) -> None:
    value = _tensor(_STEP.format(line=line, asked=asked))
    assert value.ndim == 1
    assert value.single


@pytest.mark.parametrize(
    "line",
    [
        "w.data = x",
        "w.data = w.data + x",
        "w.data = torch.zeros(2, 3)",
        "w.data += x\n    w.data, n = x",
        "w.data = w.data.repeat(2, 3)",
    ],
)
def test_what_else_it_gets_may_have_other_dimensions(line: str) -> None:
    value = _tensor(_STEP.format(line=line, asked="w"))
    assert value.ndim is None and not value.single


def test_several_elements_are_not_one() -> None:
    value = _tensor(_STEP.format(line="w.data = torch.zeros(3)", asked="w"))
    assert value.ndim == 1 and not value.single


_CLASSES = """
class Inner({inner}):
    {init}
    def forward(self, x):
        self.loss = F.mse_loss(x, x)
        look(self.loss)
class Outer({outer}):
    def __init__(self):
        self.inner = Inner()
    def forward(self, x):
        {store}
"""
_INIT = "def __init__(self):\n        super().__init__()"


def _is_number(
    inner: str = "nn.Module",
    init: str = _INIT,
    outer: str = "nn.Module",
    store: str = "self.loss, self.n = x",
    below: str = "",
) -> bool:
    text = _CLASSES.format(inner=inner, init=init, outer=outer, store=store)
    return _tensor(text + below).ndim == 0


def test_what_another_class_keeps_under_the_name_is_its_own() -> None:
    assert _is_number()
    assert _is_number(store="self.loss = x")
    assert _is_number(below="class Both(Inner):\n    pass\nclass Other(Outer):\n    pass\n")


@pytest.mark.parametrize(
    "change",
    [
        {"store": "self.inner.loss = x"},
        {"store": "x.loss = x"},
        {"store": "self = self.inner\n        self.inner.loss = x"},
        {"outer": "Inner"},
        {"init": "n = 1"},
        {"below": "class Both(Outer, Inner):\n    pass\n"},
    ],
)
def test_what_may_be_the_same_object_is_not(change: dict[str, str]) -> None:
    assert not _is_number(**change)


def test_a_function_of_the_module_may_be_called_forward() -> None:
    text = "def forward(x):\n    look(x)\n{}forward(torch.zeros(2))\n"
    assert _tensor(text.format("")).ndim == 1
    assert _tensor(text.format("forward(torch.zeros(2, 3))\n")).ndim is None
    method = "class A:\n    def forward(self, x):\n        look(x)\nA().forward(torch.zeros(2))\n"
    assert _tensor(method).ndim is None


def test_what_is_asked_to_keep_a_dimension_is_a_tensor() -> None:
    assert isinstance(value_of("def f(x):\n    look(x.mean(dim=0, keepdim=True))"), Tensor)
    assert isinstance(value_of("def f(x):\n    x.max(1, keepdim=True)\n    look(x)"), Tensor)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    look(x.mean(0, keepdims=True))",
        "def f(x):\n    look(x.mean(keepdim))",
        "class A:\n    def mean(self, keepdim):\n        pass\ndef f(x):\n"
        "    x.mean(keepdim=True)\n    look(x)",
    ],
)
def test_other_things_are_not_asked_so(text: str) -> None:
    assert not isinstance(value_of(text), Tensor)
