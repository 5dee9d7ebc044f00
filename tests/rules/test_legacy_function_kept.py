"""What ``forward`` of a legacy function keeps of what it returns, which holds its own graph."""

from __future__ import annotations

import gc
import textwrap
import weakref
from typing import Any

import pytest
import torch

from tests.support.rules import advice, migrate, rewrites

_HEAD = "from torch.autograd import Function\n"


def function(forward: str, backward: str = "return grad", constructor: str = "") -> str:
    """A legacy function with these bodies, and a call of it."""
    made = (
        f"    def __init__(self):\n{textwrap.indent(constructor, ' ' * 8)}\n" if constructor else ""
    )
    return (
        f"{_HEAD}class F(Function):\n{made}    def forward(self, x):\n"
        f"{textwrap.indent(forward, ' ' * 8)}\n    def backward(self, grad):\n"
        f"{textwrap.indent(backward, ' ' * 8)}\ny = F()(x)\n"
    )


def static(forward: str, backward: str = "return grad") -> str:
    """The same with static methods."""
    return (
        f"{_HEAD}class F(Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        f"{textwrap.indent(forward, ' ' * 8)}\n    @staticmethod\n    def backward(ctx, grad):\n"
        f"{textwrap.indent(backward, ' ' * 8)}\ny = F.apply(x)\n"
    )


_OUT = "out = x * 2\n"

test_rewrites = rewrites(
    "TP107",
    {
        "nothing reads it": (
            function(_OUT + "self.out = out\nreturn out", constructor="self.out = None"),
            static(_OUT + "return out"),
        ),
        "nothing reads it, in a branch": (
            function(_OUT + "if x.is_cuda:\n    self.n = 1\n    self.out = out\nreturn out"),
            static(_OUT + "if x.is_cuda:\n    ctx.n = 1\nreturn out"),
        ),
        "under another name, and a view": (
            function(
                _OUT + "o = out\nself.a = o\nv = out.view(-1)\nself.b = v\nreturn out.float()"
            ),
            static(_OUT + "o = out\nv = out.view(-1)\nreturn out.float()"),
        ),
        "what is changed in place": (
            function(_OUT + "self.out = out\nout += 1\nreturn out.add_(1)"),
            static(_OUT + "out += 1\nreturn out.add_(1)"),
        ),
        "one of several results": (
            function(_OUT + "self.out = out\nreturn (x + 1), [out]"),
            static(_OUT + "return (x + 1), [out]"),
        ),
        "backward reads it": (
            function(
                _OUT + "self.out = out\nreturn out",
                "'''Its derivative.'''\nreturn grad * self.out + (self.out)",
                "self.out = None",
            ),
            static(
                _OUT + "ctx.save_for_backward(out)\nreturn out",
                "'''Its derivative.'''\nout, = ctx.saved_tensors\nreturn grad * out + (out)",
            ),
        ),
        "backward reads it, and more": (
            function(
                _OUT + "self.out = out\nself.n = out.numel()\nreturn out, x + 1",
                "return grad * self.out / self.n",
            ),
            static(
                _OUT + "ctx.save_for_backward(out)\nctx.n = out.numel()\nreturn out, x + 1",
                "out, = ctx.saved_tensors\nreturn grad * out / ctx.n",
            ),
        ),
    },
)

_KEPT_AS_THEY_ARE = {
    "an input": ("self.a = x\nreturn x * 2", "return grad * self.a"),
    "an input that is returned": ("self.a = x\nreturn x", "return grad * self.a"),
    "another tensor": (_OUT + "self.a = out > 1\nreturn out", "return grad * self.a"),
    "what was returned before": (_OUT + "self.a = out\nout = out + 1\nreturn out", "return self.a"),
    "the whole of a view": ("o = x.exp()\nself.a = o\nreturn o[0]", "return self.a"),
    "sizes": (_OUT + "self.a, self.b = out.size(), out.shape\nreturn out", "return self.a, self.b"),
    "a number": (_OUT + "self.a = out.sum().item()\nreturn out", "return grad * self.a"),
    "without a graph": (_OUT + "self.a = out.detach()\nreturn out", "return grad * self.a"),
    "its data": (_OUT + "self.a = out.data.view(-1)\nreturn out", "return grad * self.a"),
    "the flag of a choice": ("self.a = True\nreturn x if self.a else x * 2", "return grad"),
    "of no gradient": (
        _OUT + "i = out.long()\nself.mark_non_differentiable(i)\nself.a = i\nreturn out, i",
        "return grad * self.a",
    ),
}


@pytest.mark.parametrize(
    ("forward", "backward"),
    [pytest.param(*bodies, id=name) for name, bodies in _KEPT_AS_THEY_ARE.items()],
)
def test_stays_where_it_holds_nothing(forward: str, backward: str) -> None:
    changed = static(forward.replace("self.", "ctx."), backward.replace("self.", "ctx."))
    assert migrate(function(forward, backward), "TP107").text == changed


_LEFT = {
    "a list": (_OUT + "self.a = [x, out]\nreturn out", "return grad * self.a[1]"),
    "put into a list": (_OUT + "self.a = []\nself.a.append(out)\nreturn out", "return grad"),
    "put at a place": (
        _OUT + "self.a = {}\nself.a[0] = out\nreturn out",
        "return grad * self.a[0]",
    ),
    "with another": (_OUT + "self.a, self.b = x, out\nreturn out", "return grad * self.b"),
    "a view": (_OUT + "self.a = out.view(-1)\nreturn out", "return grad * self.a.view(2)"),
    "maybe a view": (_OUT + "self.a = flat(out)\nreturn out", "return grad * self.a"),
    "with a name": (_OUT.replace("out", "self.a = out") + "return out", "return grad * self.a"),
    "the attribute": ("self.a = x * 2\nreturn self.a", "return grad * self.a"),
    "the attribute that nothing else reads": ("self.a = x * 2\nreturn self.a", "return grad"),
    "a function": (_OUT + "self.a = lambda: out\nreturn out", "return grad * self.a()"),
    "not always": (_OUT + "if x.is_cuda:\n    self.a = out\nreturn out", "return grad * self.a"),
    "returned before": (
        "if x.is_cuda:\n    return x\n" + _OUT + "self.a = out\nreturn out",
        "return self.a",
    ),
    "returned in another way": (
        _OUT + "self.a = out\nif x.is_cuda:\n    return x + 1\nreturn out",
        "return self.a",
    ),
    "two of them": (
        _OUT + "v = out + 1\nself.a = out\nself.b = v\nreturn out, v",
        "return self.a + self.b",
    ),
    "another is saved": (
        _OUT + "self.save_for_backward(x)\nself.a = out\nreturn out",
        "x, = self.saved_tensors\nreturn grad * self.a * x",
    ),
    "a name of backward": (_OUT + "self.a = out\nreturn out", "a = 3\nreturn grad * self.a * a"),
    "backward changes it": (_OUT + "self.a = out\nreturn out", "return self.a.mul_(grad)"),
    "backward sets it": (
        _OUT + "self.a = out\nreturn out",
        "a, self.a = self.a, None\nreturn grad",
    ),
    "all there is in a branch": (
        _OUT + "if x.is_cuda:\n    self.a = out\nelse:\n    pass\nreturn out",
        "return grad",
    ),
    "a comment": (_OUT + "self.a = out  # why\nreturn out", "return grad"),
    "on two lines": (_OUT + "self.a = (\n    out)\nreturn out", "return grad"),
    "beside another": (_OUT + "n = 1; self.a = out\nreturn out", "return grad"),
    "a comment above": (_OUT + "# why\nself.a = out\nreturn out", "return grad"),
    "what else is written": (_OUT + "self.a = look(out)\nreturn out", "return grad"),
    "an input that is changed": (
        "self.mark_dirty(x)\nself.a = x\nreturn x.mul_(2)",
        "return grad * self.a.sum()",
    ),
}


@pytest.mark.parametrize(
    ("forward", "backward"), [pytest.param(*bodies, id=name) for name, bodies in _LEFT.items()]
)
def test_says_so_where_it_cannot_be_saved(forward: str, backward: str) -> None:
    text = function(forward, backward)
    assert migrate(text, "TP107").text == text
    (finding,) = advice("TP107", text)
    assert "; keep " in finding.message and "by ctx.save_for_backward(...): " in finding.message


def test_what_is_asked_of_the_graph_stays() -> None:
    text = function(_OUT + "self.out = out\nreturn out") + "print(y.grad_fn.out)\n"
    assert migrate(text, "TP107").text == text
    other = text.replace("y.grad_fn.out", "net.out")
    assert migrate(other, "TP107").text != other


def _results(text: str) -> Any:
    """A weak reference to what a program's ``y`` is, which is gone by then."""
    space: dict[str, Any] = {"x": torch.ones(2, requires_grad=True)}
    exec(text, space)
    return weakref.ref(space.pop("y"))


@pytest.mark.parametrize("backward", ["return grad * 2", "return grad * self.out"])
def test_what_is_returned_is_freed_at_once(backward: str) -> None:
    text = function(_OUT + "self.out = out\nreturn out", backward)
    kept = static(_OUT + "ctx.out = out\nreturn out", backward.replace("self", "ctx"))
    gc.collect()
    gc.disable()
    try:
        assert _results(kept)() is not None
        assert _results(migrate(text, "TP107").text)() is None
    finally:
        gc.enable()
