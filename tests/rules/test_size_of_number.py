"""TP430: the size of one number, which had a dimension until torch 0.3."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

#: ``volatile`` shows that the file is for torch 0.3.
_OLD = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd import Variable
v = Variable(torch.ones(3), volatile=True)
def f(self, x, given):
    x = torch.exp(x)
    loss = x.sum()
    """
_UNDATED = _OLD.replace("v = Variable(torch.ones(3), volatile=True)\n", "")


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_OLD}{before}\n", f"{_OLD}{after}\n"


test_rewrites = rewrites(
    "TP430",
    {
        "size of torch": _line(
            "assert loss.size() == torch.Size([1])", "assert loss.size() == torch.Size([])"
        ),
        "size of a tuple": _line(
            "assert loss.shape == torch.Size((1,)), 'one'",
            "assert loss.shape == torch.Size(()), 'one'",
        ),
        "tuple": _line("assert loss.size() == (1,)", "assert loss.size() == ()"),
        "tuple before": _line("assert given and (1,) == loss.size()", "assert given and () == loss.size()"),
        "as a tuple": _line("return tuple(loss.shape) == (1,)", "return tuple(loss.shape) == ()"),
        "as a list": _line("return list(loss.size()) != [1]", "return list(loss.size()) != []"),
        "counted": _line("if loss.dim() == 1: print(loss)", "if loss.dim() == 0: print(loss)"),
        "counted by its length": _line(
            "return len(loss.size()) == 1 or len(loss.shape) != 1",
            "return len(loss.size()) == 0 or len(loss.shape) != 0",
        ),
        "tested": _line(
            "self.assertEqual(loss.size(), (1,))\n    self.assertEquals(1, loss.ndimension(), 'n')",
            "self.assertEqual(loss.size(), ())\n    self.assertEquals(0, loss.ndimension(), 'n')",
        ),
        "measured": _line(
            "return loss.size(0), loss.size()[0], loss.shape[-1], F.mse_loss(x, x).size(-1)",
            "return loss.numel(), loss.numel(), loss.numel(), F.mse_loss(x, x).numel()",
        ),
        "handed to a meter": _line(
            "given.update(loss.data[0], loss.size(0))\n    given.add(n=loss.shape[0])",
            "given.update(loss.data[0], 1)\n    given.add(n=1)",
        ),
        "shown, tested or calculated with": _line(
            "print(loss.size(0))\n    self.assertEqual(loss.size(0), 1)\n    given.add(2 * loss.size(0))",
            "print(loss.numel())\n    self.assertEqual(loss.numel(), 1)\n    given.add(2 * loss.numel())",
        ),
        "measured in an assertion": _line("assert loss.size(0) == 1", "assert loss.numel() == 1"),
        "of its array": _line(
            "self.assertEqual(loss.data.numpy().shape, (1,))\n    return (1,) == loss.numpy().shape",
            "self.assertEqual(loss.data.numpy().shape, ())\n    return () == loss.numpy().shape",
        ),
        "dimensions of its array": _line(
            "assert loss.cpu().numpy().ndim == 1", "assert loss.cpu().numpy().ndim == 0"
        ),
        "an element": _line("w = v[0]\n    return w.size() == (1,)", "w = v[0]\n    return w.size() == ()"),
    },
)  # fmt: skip

_OPEN = """\
def g(self):
    loss = self.loss(v)
    {}
    return loss.data[0]
"""


def _open(before: str, after: str) -> tuple[str, str]:
    return _OLD.partition("def")[0] + _OPEN.format(before), _OLD.partition("def")[0] + _OPEN.format(
        after
    )


test_rewrites_what_is_read_as_number = rewrites(
    "TP430",
    {
        "a tuple": _open("assert loss.shape == (1,), 'one'", "assert loss.shape in ((), (1,)), 'one'"),
        "before": _open("assert (1,) == loss.size()", "assert loss.size() in ((), (1,))"),
        "of torch": _open(
            "assert loss.size() == torch.Size([1])",
            "assert loss.size() in (torch.Size([]), torch.Size([1]))",
        ),
        "a list": _open("assert v and list(loss.shape) == [1]", "assert v and list(loss.shape) in ([], [1])"),
    },
)  # fmt: skip


def _run(text: str, loss: Callable[[torch.Tensor], torch.Tensor]) -> object:
    own = SimpleNamespace(loss=loss)
    names: dict[str, Any] = {}
    exec(text.replace(", volatile=True", ""), names)
    return names["g"](own)


def test_what_is_asserted_holds_of_a_number_and_of_a_vector_of_one() -> None:
    text, _ = _open("assert loss.shape == (1,)", "")
    after = migrate(text, "TP430", "TP103").text
    with pytest.raises(AssertionError):
        _run(text, torch.sum)
    assert _run(after, torch.sum) == 3.0
    assert _run(after, lambda x: x[:1]) == 1.0
    for other in (lambda x: x, lambda x: x[:1].view(1, 1)):
        with pytest.raises(AssertionError):
            _run(after, other)


test_keeps_what_is_not_read_as_number = keeps(
    "TP430",
    {
        name: _OLD.partition("def")[0] + text
        for name, text in {
            "another is read": _OPEN.format("assert self.shape == (1,)"),
            "a part is read": _OPEN.format("assert loss.shape == (1,)").replace(
                "data[0]", "data[1]"
            ),
            "it is replaced": _OPEN.format("assert loss.shape == (1,)\n    loss = self.other(v)"),
            "nothing is asserted": _OPEN.format("print(loss.shape == (1,))"),
            "another size": _OPEN.format("assert loss.shape == (2,)"),
            "unequal": _OPEN.format("assert loss.shape != (1,)"),
            "counted": _OPEN.format("assert loss.dim() == 1"),
            "a vector": _OPEN.format("assert loss.shape == (1,)").replace("(v)", "(v).view(-1)"),
            "it has a dimension": _OPEN.format("assert loss.shape == (1,)").replace(
                "self.loss(v)", "v.mean(0, True)"
            ),
        }.items()
    },
)


def test_what_may_be_of_any_age_may_be_a_vector() -> None:
    text = _UNDATED.partition("def")[0].replace("v = ", "") + _OPEN.format(
        "assert loss.shape == (1,)"
    )
    assert not advice("TP430", text) and migrate(text, "TP430").text == text


_KEPT = {
    "of more dimensions": "assert v.size() == (1,) and v.dim() == 1\n    return v.size(0)",
    "kept dimension": "s = x.sum(0, keepdim=True)\n    assert s.size() == (1,)\n    return s.size(0)",
    "not known": "assert given.size() == (1,)\n    return given.size(0), given.shape[0]",
    "a dimension again": "s = loss.view(1)\n    assert s.size() == (1,)\n    return s.size(0)",
    "by one way only": "s = x if given else loss\n    assert s.size() == (1,)\n    return s.size(0)",
    "other sizes": "assert loss.size() == (2,) and loss.dim() == 2 and loss.size() == ()",
    "sizes that are never equal": "assert loss.size() == [1] or list(loss.size()) == (1,)",
    "two compared": "assert loss.size() == (1,) == given",
    "another order": "return loss.dim() > 1, loss.dim() >= 1",
    "true": "return loss.dim() == True",
    "array": "a = np.ones(3).sum()\n    assert a.shape == (1,)\n    return a.shape[0]",
    "another dimension": "return loss.size(1), loss.size(given), loss.shape[given]",
    "asked around": "return loss.size(0) if loss.dim() else 1",
    "asked above": "if not loss.dim(): return 1\n    return loss.size(0)",
    "another version": "if torch.__version__ < '0.4':\n        assert loss.size() == (1,)",
    "another older version": "if torch.__version__.startswith('0.3'):\n        assert loss.dim() == 1",
    "the size in an older version": "n = loss.size(0) if torch.__version__ < given else 1",
    "another size": "assert loss.size() == given.Size([1])",
    "an array of more": "assert v.numpy().shape == (1,) and given.numpy().shape == (1,)",
    "an array with a dimension": "assert loss.numpy().reshape(1).shape == (1,)",
    "an array by a call with arguments": "assert loss.numpy(given).shape == (1,)",
    "an array of it": "return loss.data.numpy().shape[0]",
    "another function": "given.check(loss.size(), (1,))",
    "another len": "len = given\n    return len(loss.size()) == 1",
}

test_keeps = keeps("TP430", {name: f"{_OLD}{code}\n" for name, code in _KEPT.items()})


@pytest.mark.parametrize("code", _KEPT.values(), ids=_KEPT)
def test_nothing_is_said_of_what_may_hold(code: str) -> None:
    assert not advice("TP430", f"{_UNDATED}{code}\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("assert loss.size() == (1,)", "so that this fails: write () for (1,)"),
        ("assert loss.size() == torch.Size([1])", "write torch.Size([]) for torch.Size([1])"),
        ("assert given and loss.dim() == 1", "write 0 for 1"),
        ("self.assertEqual([1], list(loss.size()))", "write [] for [1]"),
        ("return loss.size(0)", "and loss.size(0) raises: write loss.numel()"),
        ("return given(loss.data.shape[0])", "and loss.data.shape[0] raises: write loss.data.numel()"),
    ],
)  # fmt: skip
def test_in_a_file_of_any_age_what_fails_is_told(code: str, said: str) -> None:
    text = f"{_UNDATED}{code}\n"
    (finding,) = advice("TP430", text)
    assert finding.message.startswith("loss") and finding.message.endswith(said)
    assert migrate(text, "TP430").text == text


@pytest.mark.parametrize(
    "code",
    [
        "if loss.dim() == 1: print(loss)",
        "return loss.size() == (1,)",
        "assert loss.size() != (1,)",
        "assert given or loss.size() == (1,)",
    ],
)
def test_in_a_file_of_any_age_nothing_is_said_of_what_stops_nothing(code: str) -> None:
    assert not advice("TP430", f"{_UNDATED}{code}\n")


@pytest.mark.parametrize(
    ("code", "claim"),
    [
        ("assert loss.size() == (1,)", Numerics.RESTORED),
        ("self.assertEqual(loss.dim(), 1)", Numerics.RESTORED),
        ("return loss.size(0)", Numerics.RESTORED),
        ("return loss.size() == (1,)", Numerics.PINNED),
        ("if loss.dim() != 1: return", Numerics.PINNED),
    ],
)
def test_claims(code: str, claim: Numerics) -> None:
    (finding,) = migrate(f"{_OLD}{code}\n", "TP430").findings
    assert finding.numerics is claim
