"""TP104 beside `w.data = t`, which gives a parameter other memory and stays as it is."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_NET = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(2, 3), nn.Linear(3, 1)
        {0}
        {1}
"""


def _after(swap: str, line: str) -> tuple[str, str]:
    one, two = migrate(_NET.format(swap, line), "TP104").text.splitlines()[-2:]
    return one.strip(), two.strip()


@pytest.mark.parametrize(
    "swap",
    [
        "self.fc1.weight.data = fan_in(self.fc1.weight.data.size())",
        "self.fc1.weight.data = self.fc1.weight.data * mask",
        "self.fc1.weight.data[0] = 1",
    ],
)
@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("self.fc2.weight.data.uniform_(-1, 1)", "nn.init.uniform_(self.fc2.weight, -1, 1)"),
        ("nn.init.ones_(self.fc2.weight.data)", "nn.init.ones_(self.fc2.weight)"),
        # The same tensor would be written into in two ways.
        ("self.fc1.weight.data.uniform_(-1, 1)", "self.fc1.weight.data.uniform_(-1, 1)"),
        # Updates stay with what is written otherwise.
        ("self.fc2.weight.data.mul_(2)", "self.fc2.weight.data.mul_(2)"),
    ],
)
def test_weights_are_set_up_beside_others_that_get_other_memory(
    swap: str, line: str, after: str
) -> None:
    assert _after(swap, line)[1] == after


@pytest.mark.parametrize(
    ("swap", "after"),
    [
        (
            "self.fc1.weight.data = fan_in(self.fc1.weight.data.size())",
            "self.fc1.weight.data = fan_in(self.fc1.weight.size())",
        ),
        (
            "self.fc1.bias.data = torch.ones(self.fc1.bias.data.shape)",
            "self.fc1.bias.data = torch.ones(self.fc1.bias.shape)",
        ),
        (
            "self.fc1.bias.data = torch.zeros_like(self.fc1.bias.data)",
            "self.fc1.bias.data = torch.zeros_like(self.fc1.bias)",
        ),
        (
            "mask.data += torch.randn(self.fc1.bias.data.size()) * 0.1",
            "mask.data += torch.randn(self.fc1.bias.size()) * 0.1",
        ),
    ],
)
def test_the_size_is_asked_of_the_parameter_itself(swap: str, after: str) -> None:
    assert _after(swap, "self.mask = mask")[0] == after


@pytest.mark.parametrize(
    "swap",
    [
        "self.fc1.weight.data = self.fc1.weight.data * mask",
        "self.fc1.weight.data = fan_in(self.fc1.weight.data)",
        "self.fc1.weight.data = self.fc2.weight.data.t()",
        # What mask is is not known.
        "self.fc1.weight.data = torch.ones(mask.data.size())",
    ],
)
def test_numbers_that_are_stored_are_read_as_they_were(swap: str) -> None:
    assert _after(swap, "self.mask = mask")[0] == swap


@pytest.mark.parametrize(
    "other",
    [
        "mask.other.weight.data.uniform_(-1, 1)",
        "self.fc1.weight.data = fan_in(self.fc1.weight.data)",
    ],
)
def test_weights_stay_beside_others_that_are_set_up_in_another_way(other: str) -> None:
    line = "self.fc2.weight.data.uniform_(-1, 1)"
    assert _after(other, line) == (other, line)
