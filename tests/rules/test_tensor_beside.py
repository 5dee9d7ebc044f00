"""Beside which parameter a new tensor is made: one that lies where the weights of its module do."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import keeps, migrate

_HEAD = """\
import torch
import torch.nn as nn
"""

test_keeps = keeps(
    "TP201",
    {
        "lengths that another method hands on, of which Python takes the numbers": """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, config):
                    super().__init__()
                    self.config = config
                    self.conv = nn.Conv2d(1, 8, 3)
                def forward(self, x, lengths):
                    lengths = lengths.unsqueeze(0).expand(2, 3).contiguous().view(-1)
                    y = self.conv(x)
                    return torch.gather(y, 2, self.places(lengths, 4))
                def places(self, lengths, most):
                    def steps(length):
                        stride = 1.0 * most / length
                        return [int(i / stride) for i in range(most)]
                    index = []
                    for i in range(len(lengths)):
                        index.append(steps(lengths[i]))
                    index = torch.LongTensor(index)
                    if self.config.cuda:
                        index = index.cuda()
                    return index
            """,
        "lengths of slices, which are only compared with what is on the CPU": """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def forward(self, lengths):
                    lengths = lengths.view(-1)
                    mask = torch.arange(5) < lengths.view(-1, 1)
                    for i in range(3):
                        total = self.words[:lengths[i]]
                    if self.use_cuda:
                        out = torch.zeros(3).cuda()
                    return out, mask, total
            """,
    },
)


@pytest.mark.parametrize(
    ("body", "donor"),
    [
        # Numbers are read, but it is combined with what lies with the weights as well.
        (
            "def forward(self, x, lengths):\n"
            "    lengths = lengths.view(-1)\n"
            "    out = torch.zeros(int(lengths[0])).cuda()\n"
            "    return out, self.fc(x.view(2, 3)) / lengths\n",
            "lengths",
        ),
        # The one that is calculated with, rather than the one that the size is of.
        (
            "def forward(self, lengths, x):\n"
            "    out = torch.zeros(lengths.view(-1).size(0)).cuda()\n"
            "    return out + self.fc(x)\n",
            "x",
        ),
        # The only one, of which Python takes no numbers.
        (
            "def forward(self, x):\n"
            "    out = torch.zeros(x.view(-1).size(0)).cuda()\n"
            "    return out\n",
            "x",
        ),
        # A method of the module calculates.
        (
            "def forward(self, lengths, x):\n"
            "    out = torch.zeros(lengths.view(-1).size(0)).cuda()\n"
            "    return out + self.rest(x.unsqueeze(0))\n"
            "def rest(self, y):\n"
            "    return self.fc(y)\n",
            "x",
        ),
    ],
)
def test_the_parameter_lies_with_the_weights(body: str, donor: str) -> None:
    init = "def __init__(self):\n    super().__init__()\n    self.fc = nn.Linear(3, 3)\n"
    text = _HEAD + "class Net(nn.Module):\n" + textwrap.indent(init + body, "    ")
    assert f"device={donor}.device" in migrate(text, "TP201").text


_DECODER = """\
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, n, {}):
{}
"""


@pytest.mark.parametrize(
    ("given", "body"),
    [
        # What trains gets a mask, and what predicts does not.
        (
            "mask=None",
            "if n:\n    return n / mask[:, 0]\n"
            "ones = torch.ones(2)\nones = ones.cuda()\nreturn self.fc(ones)",
        ),
        (
            "h, mask=0",
            "ones = torch.ones(2).cuda()\nif n:\n    ones = ones * mask.view(-1)\nreturn h",
        ),
        # One of the calls gives it None.
        ("x", "h = torch.zeros(n).cuda()\nreturn self.fc(x.view(-1, 2)) + h if n else h"),
        # All that calculates with it asks for it first.
        (
            "h, mask=None",
            "ones = torch.ones(2).cuda()\nif mask is not None:\n"
            "    h = ones + mask.view(-1)\nreturn h",
        ),
        # A part of a choice, a lambda and what is repeated may not have run.
        (
            "h, mask=None",
            "size = mask.size(0) if n else 1\nlook = lambda: mask.view(-1)\n"
            "sizes = [mask.size(i) for i in n]\nreturn torch.zeros(size).cuda()",
        ),
    ],
)
def test_what_may_be_none_has_no_device(given: str, body: str) -> None:
    text = _HEAD + _DECODER.format(given, textwrap.indent(body, " " * 8))
    text += (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.decoder = Decoder()\n"
        "    def forward(self, x):\n"
        "        return self.decoder(1, x) + self.decoder(0, None)\n"
    )
    migrated = migrate(text, "TP201").text
    assert "mask.device" not in migrated
    assert "x.device" not in migrated
    assert ".cuda()" not in migrated


@pytest.mark.parametrize(
    "body",
    [
        "return torch.zeros(mask.size(0)).cuda() + self.fc(mask)",
        "size = mask.size(0)\nreturn torch.zeros(size).cuda() + self.fc(mask)",
        "for i in range(mask.size(0)):\n    y = torch.zeros(i).cuda()\nreturn self.fc(mask) + y",
    ],
)
def test_what_may_be_left_out_has_a_device_where_it_is_not(body: str) -> None:
    text = _HEAD + _DECODER.format("mask=None", textwrap.indent(body, " " * 8))
    assert "device=mask.device" in migrate(text, "TP201").text
