"""A batch has an index 0: nothing is said of ``images.data[0]``."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice

_HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.models as models
from torch.autograd import Variable
from torch.utils.data import DataLoader
"""


def _messages(text: str) -> list[str]:
    return [found.message for found in advice("TP103", _HEAD + textwrap.dedent(text))]


@pytest.mark.parametrize(
    "made",
    [
        "y = nn.Upsample(scale_factor=2)(x)",
        "y = F.relu(F.conv2d(x, w)).clamp(0, 1)",
        "y = Variable(torch.stack([x, w])).cuda()",
        "y = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Dropout())(x)",
        "y = x - x.mean(3).view(1, -1, 1, 1).expand_as(x)",
        "net = models.vgg16(True).eval(); y = net(x)",
        "y = centred(x)",
        "y = Net()(x)",
    ],
)
def test_what_has_a_dimension_has_an_index_0(made: str) -> None:
    text = f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)
            def forward(self, x):
                x = torch.sigmoid(self.conv(x))
                if self.training:
                    return x, x
                return x * 2 + 1
        def centred(x):
            mean = x.new([1, 2]).view(1, -1, 1, 1)
            return (x - mean) / 2
        def show(x, w, write):
            {made}
            write(y.data[0])
    """
    assert _messages(text) == []


@pytest.mark.parametrize(
    ("options", "use", "count"),
    [
        ("", "write(x.data[0])", 0),
        ("", "print('%.2f' % x.data[0])", 0),
        (", collate_fn=data.join", "write(x.data[0])", 0),
        (", collate_fn=data.join", "print('%.2f' % x.data[0])", 1),
    ],
)
def test_what_a_loader_stacks_has_an_index_0(options: str, use: str, count: int) -> None:
    text = f"""
        def show(data, write, net):
            for i, (x, _) in enumerate(DataLoader(data, 4{options})):
                x = x.cuda()
                x = Variable(x)
                {use}
    """
    assert len(_messages(text)) == count


@pytest.mark.parametrize(
    "made",
    [
        "y = net(x)",
        "y = nn.Softmax(dim=0)(x)",
        "y = F.relu(x)",
        "y = x * 2 + w",
        "y = nn.Sequential(nn.Linear(2, 2), net)(x)",
        "y = nn.Sequential(nn.ReLU())(x)",
        "y = total(x, w)",
        "y = F.conv2d(x, w) if w else x",
    ],
)
def test_what_goes_as_a_number_is_told(made: str) -> None:
    text = f"""
        def total(x, w):
            if w is None:
                return x
            return F.linear(x, w)
        def show(x, w, net, write):
            {made}
            print("%.2f" % y.data[0])
    """
    assert len(_messages(text)) == 1


@pytest.mark.parametrize(
    "use",
    [
        "write(y.data[0])",
        "write.image('mean', y.data[0])",
        "z = y.data[0]; z = z.cpu()",
        "z = y.data[0].clone()",
        "for row in y.data[0]: print(row)",
        "a, b = y.data[0]",
        "print(y.data[0] * 2, y.data[1])",
        "best = y.data[0]\n    for i in range(w): print(best < y.data[i])",
        "show_all(y.data[0])",
        "return [y.data[0]]",
    ],
)
def test_what_may_be_a_row_is_not_told(use: str) -> None:
    text = """
        def show_all(row):
            print(row[0], row[1])
        def show(x, w, net, write):
            y = net(x)
            USE
    """
    text = textwrap.dedent(text).replace("USE", use)
    assert _messages(text) == []


@pytest.mark.parametrize(
    "use",
    [
        "total = 0.0; total += y.data[0]; print(total / w)",
        "count(y.data[0])",
        "best = y.data[0] if y.data[0] > 0.5 else 0; print(best)",
        "return float(y.data[0])",
        "print('{:.3f}'.format(y.data[0]))",
        "print(words[y.data[0]])",
    ],
)
def test_what_could_be_a_number_all_the_way_is_told(use: str) -> None:
    text = f"""
        words = ["a", "b"]
        def count(n):
            print("%d" % (n + 1))
        def show(x, w, net, write):
            y = net(x)
            {use}
    """
    assert _messages(text) != []


@pytest.mark.parametrize(
    ("trained", "count"),
    [
        ("loss = criterion(x, w)", 1),
        ("loss = criterion(x, w)\n    if w: loss = loss * 2", 1),
        ("loss = criterion(x, w) if w else criterion(x, x)", 0),
        ("loss = other(x, w)", 0),
        ("loss = criterion(x, w)\n    loss = loss.mean()", 0),
    ],
)
def test_what_the_same_function_gives_to_backward_is_a_loss(trained: str, count: int) -> None:
    text = f"""
def evaluate(criterion, x, w, keep):
    loss = criterion(x, w)
    keep(loss.data[0])
def train(criterion, other, x, w):
    {trained}
    loss.backward()
"""
    assert len(_messages(text)) == count
