"""What is said of draws whose first bound is above the second."""

from __future__ import annotations

import pytest

from tests.support.rules import advice

HEAD = """\
import torch
from torch import nn
from torch.nn import init
def draw(low, m: nn.Linear):
    x = torch.zeros(3)
    """


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("x.uniform_(1.0, 0.02)", "write .uniform_(0.02, 1.0), or .normal_(1.0, 0.02) if"),
        ("x.uniform_(1.0, to=0.5)", "write .uniform_(0.5, 1.0), or .normal_(1.0, 0.5) if"),
        ("low.uniform_(1.0, 0.5)", "write .uniform_(0.5, 1.0), or .normal_(1.0, 0.5) if"),
        ("x.data.uniform_(2)", "write .uniform_(1, 2), or .normal_(2, 1) if"),
        ("init.uniform_(x, b=-2)", "write torch.nn.init.uniform_(x, -2, 0.0)"),
        (
            "nn.init.uniform_(m.weight, 1, 0.02)",
            "write torch.nn.init.uniform_(m.weight, 0.02, 1),"
            " or torch.nn.init.normal_(m.weight, 1, 0.02) if 1 and 0.02 are a mean and a deviation",
        ),
    ],
)
def test_is_told(call: str, said: str) -> None:
    (found,) = advice("TP903", f"{HEAD}{call}\n")
    assert "raises since torch 1.2, as its first bound is above its second:" in found.message
    assert said in found.message


@pytest.mark.parametrize("call", ["x.uniform_(0.5, -0.5)", "init.uniform_(x, 1, -1)"])
def test_no_deviation_is_below_zero(call: str) -> None:
    (found,) = advice("TP903", f"{HEAD}{call}\n")
    assert "normal_" not in found.message


@pytest.mark.parametrize(
    "call",
    [
        "x.uniform_(0.02, 1.0)",
        "x.uniform_(1, 1)",
        "x.uniform_()",
        "x.uniform_(low, 0.5)",
        "x.uniform_(*low)",
        "x.uniform_(-1)",
        "init.uniform_(x, -0.5, 0.5)",
        "init.uniform_(x)",
        "init.normal_(x, 1.0, 0.02)",
        "x.normal_(1.0, 0.02)",
        "torch.rand(3) if low else x.uniform_(0, True)",
    ],
)
def test_is_not_told(call: str) -> None:
    assert not advice("TP903", f"{HEAD}{call}\n")


def test_is_not_told_of_other_libraries() -> None:
    assert not advice("TP903", "import numpy as np\nx = np.random.uniform(1.0, 0.02)\n")
    assert not advice("TP903", "import random\nx = random.uniform(1.0, 0.02)\n")


def test_is_not_told_where_the_file_asks_for_the_version() -> None:
    text = f"{HEAD}if torch.__version__ < '1.2':\n        x.uniform_(1.0, 0.02)\n"
    assert not advice("TP903", text)
