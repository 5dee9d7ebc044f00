"""Arrays that were made of one number, and lost their dimension with it."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP103",
    {
        "of a sum": (
            """
            import torch
            def f(x: torch.Tensor, n):
                total = x.sum().data.cpu().numpy()
                print(int(total[0]), total)
                best = x.max().numpy()
                if n:
                    best = x.min().numpy()
                return best[0]
            """,
            """
            import torch
            def f(x: torch.Tensor, n):
                total = x.sum().data.cpu().numpy()
                print(int(total.item()), total)
                best = x.max().numpy()
                if n:
                    best = x.min().numpy()
                return best.item()
            """,
        ),
        "the casts of a statement stay together, and go together": (
            """
            import torch
            def f(x: torch.Tensor):
                best, where = torch.max(x / torch.norm(x), 1)
                print(int(where.data.numpy()))
                return int(where.data.numpy()), float(best.data.numpy())
            def g(x: torch.Tensor):
                best, where = torch.max(torch.softmax(x.float(), 1), 1)
                return int(where.data.numpy()), float(best.data.numpy())
            """,
            """
            import torch
            def f(x: torch.Tensor):
                best, where = torch.max(x / torch.norm(x), 1)
                print(where.item())
                return int(where.item()), float(best.item())
            def g(x: torch.Tensor):
                best, where = torch.max(torch.softmax(x.float(), 1), 1)
                return where.item(), best.item()
            """,
        ),
        "of what is only known to be summed up": (
            """
            import torch
            def f(target):
                target = target.sum().data.cpu().numpy()
                return target[0]
            """,
            """
            import torch
            def f(target):
                target = target.sum().data.cpu().numpy()
                return target.item()
            """,
        ),
    },
)

test_keeps = keeps(
    "TP103",
    {
        "of a vector": """
            import torch
            def f(x: torch.Tensor):
                row = x.sum(1).data.cpu().numpy()
                return row[0]
            """,
        "a number already": """
            import torch
            def f(x: torch.Tensor):
                total = x.sum().data.tolist()
                return total[0]
            """,
        "a number made of an array": """
            import torch
            def f(x: torch.Tensor):
                total = x.sum().data.numpy().tolist()
                return total[0]
            """,
        "one number in a vector": """
            import torch
            def f(x: torch.Tensor):
                total = x.sum().view(1).data.numpy()
                return total[0]
            """,
        "of either": """
            import torch
            def f(x: torch.Tensor, n):
                total = x.sum().data.numpy()
                if n:
                    total = x.sum(0).data.numpy()
                return total[0]
            """,
        "one that gets a dimension": """
            import torch
            def f(x: torch.Tensor):
                total = x.sum().data.numpy().reshape(1)
                return total[0]
            """,
        "a list beside it": """
            import torch
            def f(x: torch.Tensor, n):
                total = x.sum().data.numpy()
                if n:
                    total = [1.0]
                return total[0]
            """,
        "what is stored into": """
            import torch
            def f(x: torch.Tensor):
                total = x.sum().data.numpy()
                total[0] = 1
            """,
    },
)


_LOSS = """
            import torch
            import torch.nn.functional as F
            def f(net: torch.nn.Module, x: torch.Tensor, y: torch.Tensor, best, loader):
                loss = F.mse_loss(net(x), y)
                loss.backward()
"""

test_a_number_may_be_another_by_float = keeps(
    "TP103",
    {
        "what may be whole": _LOSS + "                return float(best.max().data)\n",
        "beside one of which the type is not known": _LOSS
        + "                return float(loss.data), float(best.max().data)\n",
        "by a function of the file": _LOSS.replace(
            "def f", "def float(x):\n                return x * 2\n            def f"
        )
        + "                return float(loss.data)\n",
    },
)

test_a_number_is_no_other_by_float = rewrites(
    "TP103",
    {
        "of a loss": (
            _LOSS + "                return float(loss.data[0]) / len(loader)\n",
            _LOSS + "                return loss.item() / len(loader)\n",
        ),
        "in parentheses, and of a whole number": (
            _LOSS + "                return (float(loss.data[0])), int(y.argmax().data[0])\n",
            _LOSS + "                return (loss.item()), y.argmax().item()\n",
        ),
        "of another type": (
            _LOSS + "                return int(loss.data[0]), float(loss.argmax().data[0])\n",
            _LOSS + "                return int(loss.item()), float(loss.argmax().item())\n",
        ),
        "beside one of which the type is not known": (
            _LOSS + "                return float(loss.data[0]), float(best.max().data[0])\n",
            _LOSS + "                return float(loss.item()), float(best.max().item())\n",
        ),
        "by a function of the file": (
            _LOSS.replace("def f", "def float(x):\n                return x * 2\n            def f")
            + "                return float(loss.data[0])\n",
            _LOSS.replace("def f", "def float(x):\n                return x * 2\n            def f")
            + "                return float(loss.item())\n",
        ),
        "without an index": (
            _LOSS + "                return float(loss.data)\n",
            _LOSS + "                return loss.item()\n",
        ),
        "of what the same call gives as is trained on": (
            """
            def train(loader, criterion, x, y):
                loss = criterion(x, y)
                loss.backward()
                return float(loss.data)
            def test(loader, criterion, x, y):
                loss = criterion(x, y)
                return float(loss.data) * len(y)
            def main(loader, criterion, x, y):
                train(loader, criterion, x, y)
                test(loader, criterion, x, y)
            """,
            """
            def train(loader, criterion, x, y):
                loss = criterion(x, y)
                loss.backward()
                return loss.item()
            def test(loader, criterion, x, y):
                loss = criterion(x, y)
                return loss.item() * len(y)
            def main(loader, criterion, x, y):
                train(loader, criterion, x, y)
                test(loader, criterion, x, y)
            """,
        ),
        "in a format": (
            _LOSS + "                return str(loss.data[0])\n",
            _LOSS + "                return str(loss.item())\n",
        ),
    },
)


_CALCULATED = """import torch.nn.functional as F
def f(net, x, y, opt, weights):
    loss = {loss}
    loss.backward()
    print({asked})
"""
_OLD = "print(F.mse_loss(x, y).data[0])\n"


@pytest.mark.parametrize(
    ("loss", "asked", "said"),
    [
        (
            "F.mse_loss(x, y)",
            "(loss.data.numpy() / 10)[0]",
            "[0] raises, as loss has no dimensions since torch 0.4: write loss.item() / 10",
        ),
        (
            "F.mse_loss(x, y)",
            "(2 * loss.cpu().detach().numpy() / opt['n'])[0]",
            "[0] raises, as loss has no dimensions since torch 0.4, unless opt['n'] has some: "
            "write 2 * loss.item() / opt['n']",
        ),
        (
            "net(x, y)",
            "(loss.cpu().data.numpy() / 10)[0]",
            "[0] raises where loss has no dimensions, as single numbers since torch 0.4: "
            "write loss.item() / 10",
        ),
    ],
)
def test_an_array_that_is_calculated_has_no_dimension_either(
    loss: str, asked: str, said: str
) -> None:
    text = _CALCULATED.format(loss=loss, asked=asked) + _OLD
    assert [found.message for found in advice("TP103", text)] == [said]


@pytest.mark.parametrize(
    ("loss", "asked", "more"),
    [
        # A file of today may have a tensor with a dimension.
        ("net(x, y)", "(loss.data.numpy() / 10)[0]", ""),
        ("F.mse_loss(x, y).view(1)", "(loss.data.numpy() / 10)[0]", _OLD),
        # An array has dimensions of its own.
        ("F.mse_loss(x, y)", "(loss.data.numpy() / [1, 2])[0]", _OLD),
        ("F.mse_loss(x, y)", "(loss.data.numpy() / x.data.numpy())[0]", _OLD),
        ("F.mse_loss(x, y)", "(loss.data.numpy() / 10)[1]", _OLD),
        ("F.mse_loss(x, y)", "(loss.data.numpy() @ weights)[0]", _OLD),
        ("F.mse_loss(x, y)", "(loss.data.numpy() / 10)[...]", _OLD),
    ],
)
def test_of_an_array_that_may_have_a_dimension_nothing_is_said(
    loss: str, asked: str, more: str
) -> None:
    assert not advice("TP103", _CALCULATED.format(loss=loss, asked=asked) + more)
