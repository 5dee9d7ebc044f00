from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_HEAD = """import torch
import torch.nn as nn
x = torch.randn(2, 3)
loss = x.sum()
net = nn.Sequential(nn.Linear(3, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""

_FOUND = {
    "x.max.item() > 10": ("x.max", "x.max().item()"),
    "y = x.mean.detach().cpu()": ("x.mean", "x.mean().detach()"),
    "y = x.size[0]": ("x.size", "x.size()[0]"),
    "y = x.t.data": ("x.t", "x.t().data"),
    "total += loss.item": ("loss.item", "loss.item()"),
    "y = 2 * x.cpu": ("x.cpu", "x.cpu()"),
    "y = loss.item > 3": ("loss.item", "loss.item() > 3"),
    "print('loss', loss.item)": ("loss.item", "loss.item()"),
    "print('{}'.format(loss.item))": ("loss.item", "loss.item()"),
    "print('%f' % loss.item)": ("loss.item", "loss.item()"),
    "print(f'{loss.item}')": ("loss.item", "loss.item()"),
    "if (x > 0).any: pass": ("(x > 0).any", "(x > 0).any()"),
    "while loss.backward: pass": ("loss.backward", "loss.backward()"),
    "loss.backward": ("loss.backward", "loss.backward()"),
    "optimizer.step": ("optimizer.step", "optimizer.step()"),
    "net.eval": ("net.eval", "net.eval()"),
    "if net.train: pass": ("net.train", "net.training"),
    "if loss and not net.train: pass": ("net.train", "net.training"),
    "y = 1 if x.dim() > 1 and net.eval else 2": ("net.eval", "not net.training"),
    "while flag or (x.dim() and x.any): pass": ("x.any", "x.any()"),
    "if x.is_contiguous: pass": ("x.is_contiguous", "x.is_contiguous()"),
    "y = x.nonzero[0]": ("x.nonzero", "x.nonzero()[0]"),
    "print(x.sigmoid)": ("x.sigmoid", "x.sigmoid()"),
    "net.share_memory": ("net.share_memory", "net.share_memory()"),
}


@pytest.mark.parametrize("line", _FOUND)
def test_finds(line: str) -> None:
    method, instead = _FOUND[line]
    text = f"{_HEAD}{line}\n"
    assert [f.message for f in advice("TP412", text)] == [
        f"{method} is the method itself, which is not called: write {instead}"
    ]
    assert migrate(text, "TP412").text == text


_RAISING = [
    "x.max.item() > 10",
    "y = x.t.data",
    "y = x.size[0]",
    "y = -loss.item",
    "y = 2 * x.cpu",
    "y = loss.item % 2",
    "total += loss.item",
    "y = loss.item > 3",
    "y = 3 < loss.item",
    "print(f'{loss.item:.3f}')",
    "print(format(loss.item, '.3f'))",
    *(f"print({name}(loss.item))" for name in ("float", "int", "abs", "round", "len", "sum")),
    "y = float(net.eval)",
]


@pytest.mark.parametrize("line", _RAISING)
def test_what_certainly_fails_is_shown_by_migrate(line: str) -> None:
    with pytest.raises((TypeError, AttributeError)):
        exec(f"{_HEAD}total = 0\n{line}\n", {})
    (found,) = advice("TP412", f"{_HEAD}{line}\n")
    assert not found.is_quiet


@pytest.mark.parametrize(
    "line",
    [
        "print('loss', loss.item)",
        "print('{}'.format(loss.item))",
        "print('%s' % loss.item)",
        "print(f'{loss.item}', f'{loss.item!s:>9}')",
        "print(format(loss.item), str(loss.item), bool(loss.item))",
        "y = not loss.item",
        "y = loss.item.__class__",
        "if (x > 0).any: pass",
        "optimizer.step",
        "net.eval",
    ],
)
def test_what_may_not_fail_is_only_counted(line: str) -> None:
    exec(f"{_HEAD}{line}\n", {})
    found = advice("TP412", f"{_HEAD}{line}\n")
    assert found and all(f.is_quiet for f in found)


_QUIET = {
    "called": "x.max().item(); loss.item(); optimizer.step(); net.eval()",
    "passed on": "run(loss.backward); closure = optimizer.step; callbacks.append(net.eval)",
    "chosen": "step = flag and optimizer.step; mode = net.eval or net.train",
    "stored": "step = optimizer.step; item = loss.item",
    "name of a method": "print(x.max.__name__)",
    "compared with another": "same = x.max is y.max or x.max == y.max",
    "attributes": "x.grad; x.data; x.shape[0]; print(x.dtype, x.is_cuda)",
    "unknown receiver": "y = result.max.item(); meter.item; trainer.step; runner.eval",
    "array": "import numpy as np\ny = np.ones(2).max.real",
    "number": "y = loss.item(); y.real",
    "value of another name": "print(meter.sum, meter.std)",
    "function of torch": "f = torch.max; print(torch.sum)",
    "own print": "print = run\nprint(loss.item)",
    "format of something else": "table.format(loss.item)",
    "set": "x.max = 3",
    "what needs an argument": "print(x.mm, x.view); net.apply; net.type; x.expand_as",
    "array, or tensor": "print(y.is_contiguous, y.nonzero, y.sigmoid)",
    "looked for": "hasattr(x, 'max') and isinstance(x.max, type)",
    "suppressed": "print(loss.item)  # noqa: TP412",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP412", f"{_HEAD}{_QUIET[name]}\n") == []


_CLASS = """
    import torch.nn as nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.float = self.train = 3
    net = Net()
    {}
    """


def test_finds_the_modes_of_a_module_of_this_file() -> None:
    assert [f.line for f in advice("TP412", _CLASS.format("net.eval"))] == [7]


@pytest.mark.parametrize("line", ["print(net.float)", "net.train", "print(net.cuda)"])
def test_a_module_of_this_file_may_have_attributes_of_these_names(line: str) -> None:
    assert advice("TP412", _CLASS.format(line)) == []
