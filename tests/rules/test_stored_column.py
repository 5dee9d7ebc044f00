"""TP432: a column of one in a slice of one dimension."""

from __future__ import annotations

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """\
import numpy as np
import torch
import torch.nn as nn
fc = nn.Linear(8, 1)
net = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1))
wide = nn.Linear(8, 4)
h = torch.zeros(4, 8)
def f(given, other):
    out, i = torch.zeros(4, 3), len(given)
    """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP432",
    {
        "of a layer": _line("out[:, i] = fc(h)", "out[:, i] = fc(h).squeeze(1)"),
        "data of some layers": _line(
            "out[:, 0] = net(h).data.cpu()", "out[:, 0] = net(h).data.cpu().squeeze(1)"
        ),
        "in a row": _line("out[i] = torch.rand(3).view(3, 1)", "out[i] = torch.rand(3).view(3, 1).squeeze(1)"),
        "kept by a mean": _line(
            "out[:, i] = h.mean(1, keepdim=True)", "out[:, i] = h.mean(1, keepdim=True).squeeze(1)"
        ),
        "chosen by a column": _line(
            "j = torch.zeros(3).long().view(3, 1)\n    out[i] = torch.gather(h, 1, j)",
            "j = torch.zeros(3).long().view(3, 1)\n    out[i] = torch.gather(h, 1, j).squeeze(1)",
        ),
        "made by unsqueeze": _line("out[:, i] = h.sum(1).unsqueeze(1)", "out[:, i] = h.sum(1)"),
        "a plane of images": _line(
            "big = torch.zeros(2, 3, 5, 5)\n    big[:, 0, i:4, 1:4] = torch.ones(2, 1, 4, 3).fill_(i).cpu()",
            "big = torch.zeros(2, 3, 5, 5)\n    big[:, 0, i:4, 1:4] = torch.ones(2, 1, 4, 3).fill_(i).cpu().squeeze(1)",
        ),
        "a plane made by unsqueeze": _line(
            "big = torch.zeros(2, 3, 5)\n    big[:, 0] = torch.ones(2, 5).unsqueeze(1)",
            "big = torch.zeros(2, 3, 5)\n    big[:, 0] = torch.ones(2, 5)",
        ),
        "made by a function": _line(
            "out[:, i] = torch.unsqueeze(h.sum(1), 1)",
            "out[:, i] = torch.unsqueeze(h.sum(1), 1).squeeze(1)",
        ),
        "by its name": _line(
            "y = fc(h)\n    out[:, i] = y  # one\n    return y",
            "y = fc(h)\n    out[:, i] = y.squeeze(1)  # one\n    return y",
        ),
    },
)  # fmt: skip

test_keeps = keeps(
    "TP432",
    {
        name: f"{_HEAD}{code}\n"
        for name, code in {
            "a vector": "out[:, i] = fc(h).squeeze(1)\n    out[:, i] = h.sum(1)",
            "a row": "out[i] = h[:, :3].sum(0, keepdim=True)\n    out[i] = torch.rand(3).view(1, 3)",
            "several columns": "out[:, i] = wide(h)",
            "chosen by a row": "out[i] = h.gather(1, torch.zeros(3).long().view(1, 3))",
            "chosen of a column": "out[i] = fc(h).gather(0, torch.zeros(6).long().view(3, 2))",
            "a slice of columns": "out[:, 0:1] = fc(h)\n    out[:, [0]] = fc(h)",
            "the whole": "out[:] = fc(h)",
            "a slice of more dimensions": "big = torch.zeros(2, 4, 1)\n    big[i] = fc(h)",
            "an index that is not known": "out[:, other] = fc(h)",
            "a plane of one": "big = torch.zeros(2, 3, 5)\n    big[:, 0:1] = torch.ones(2, 1, 5)",
            "planes": "big = torch.zeros(2, 3, 5)\n    big[:, 0] = torch.ones(1, 2, 5)",
            "a plane that is not known": "big = torch.zeros(2, 3, 5)\n    big[:, 0] = torch.ones(2, i, 5)",
            "a dimension that may be another": (
                "big = torch.zeros(2, 4, 3, 1)\n    big[:, 0] = torch.ones(2, i, 3).unsqueeze(3)"
            ),
            "of more dimensions": "out[:, i] = torch.rand(4, 2).unsqueeze(1)",
            "a slice that is not known": "given[:, i] = fc(h)",
            "what is not known": "out[:, i] = given(h)\n    out[:, i] = given",
            "an array": "a = np.zeros((4, 3))\n    a[:, i] = fc(h)",
            "a list": "rows = [0, 0]\n    rows[i] = fc(h)",
            "a name": "y = fc(h)",
            "two targets": "out[:, 0] = y = fc(h)",
            "added": "out[:, 0] += fc(h)",
        }.items()
    },
)


_UNKNOWN = """\
import torch
def f(image, n, i):
    image[{places}] = torch.zeros(n, 1, 4, 4).fill_(2)
"""


@pytest.mark.parametrize("above", ["", "    image = image.unsqueeze(i)\n"])
@pytest.mark.parametrize("places", [":, 0, n:4, :n", "0, :, :, :", ":, :, :, -1"])
def test_a_slice_of_what_is_not_known_is_told_of(places: str, above: str) -> None:
    text = _UNKNOWN.format(places=places).replace("    image[", f"{above}    image[")
    (finding,) = advice("TP432", text)
    assert finding.message == (
        "where image has 4 dimensions, this slice has 3: since torch 0.4 a tensor of shape "
        "(n, 1, …) raises there unless n is 1: append `.squeeze(1)`"
    )
    assert migrate(text, "TP432").text == text
    image, planes = torch.ones(2, 4, 4, 4), torch.zeros(2, 1, 4, 4)
    with pytest.raises(RuntimeError, match=r"must be greater"):
        image[:, 0] = planes
    image[:, 0] = planes.squeeze(1)


@pytest.mark.parametrize(
    "places", [":, 0:1, n:4, :n", ":, 0", ":, i, :, :", "0, 0, :, :", ":, None, :, :", "0"]
)
def test_nothing_is_said_of_other_slices_of_what_is_not_known(places: str) -> None:
    assert not advice("TP432", _UNKNOWN.format(places=places))


def test_nothing_is_said_of_slices_in_code_for_newer_torch() -> None:
    text = _UNKNOWN.format(places=":, 0, n:4, :n")
    assert not advice("TP432", text + "    return torch.tensor(1.0)\n")
    assert not advice("TP432", text.replace("zeros(n, 1", "zeros(n, i"))
    five = "    image = torch.zeros(2, 3, 4, 4, 1)\n    image["
    assert not advice("TP432", text.replace("    image[", five))


_VALUES = """\
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, {n})
    def forward(self, x):
        return self.fc(x.view(x.size(0), -1))
def learn(net, states, rows, cuda):
    mask = torch.ByteTensor(tuple(map(lambda s: s is not None, states)))
    values = torch.zeros(rows, 1)
    if cuda:
        values = values.cuda()
    {line}
    return values
{call}
"""
_LEARN = "learn(Net(), [], 4, False)"
_MAXIMUM = "values[mask] = net(torch.stack(states)).max(1)[0]"


def _stored(line: str, call: str = _LEARN) -> str:
    return _VALUES.format(n=2, line=line, call=call)


@pytest.mark.parametrize("line", [_MAXIMUM, "values[mask] = torch.ones(9, 4).sum(1).mul(2)"])
def test_a_vector_is_made_a_column_where_a_mask_stores_it_into_one(line: str) -> None:
    assert migrate(_stored(line), "TP432").text == _stored(f"{line}.unsqueeze(1)")


@pytest.mark.parametrize(
    "line",
    [
        "values[mask] = net(torch.stack(states)).max(1)[0].view(-1, 1)",
        "values[mask] = net(torch.stack(states)).max(1, keepdim=True)[0]",
        "values[mask] = torch.ones(1)",
        "values[mask] = 0",
        "values[:, 0][mask] = torch.ones(9, 4).sum(1)",
        "values[mask.view(-1, 1)] = torch.ones(9, 4).sum(1)",
        "values = torch.zeros(rows, 4)\n    values[mask] = torch.ones(9, 4).sum(0)",
        "values = torch.zeros(rows)\n    values[mask] = torch.ones(9, 4).sum(1)",
        "values[[0, 1]] = torch.ones(9, 4).sum(1)",
    ],
)
def test_what_fits_the_column_stays(line: str) -> None:
    migration = migrate(_stored(line), "TP432")
    assert migration.text == _stored(line) and not migration.findings


def test_a_maximum_of_what_is_not_known_is_told() -> None:
    text = _stored(_MAXIMUM, call="")
    (found,) = advice("TP432", text)
    assert found.message == (
        "where net(torch.stack(states)).max(1)[0] is a vector, it does not fit values[mask], which "
        "has the shape (n, 1), since torch 0.4: append `.unsqueeze(1)`"
    )


def test_today_no_vector_fits_a_part_of_a_column() -> None:
    values, mask = torch.zeros(3, 1), torch.tensor([True, True, False])
    with pytest.raises(RuntimeError, match=r"shape mismatch|cannot be broadcast"):
        values[mask] = torch.ones(2)
    values[mask] = torch.tensor([1.0, 2.0]).unsqueeze(1)
    assert values.tolist() == [[1], [2], [0]]


def test_one_message_tells_of_all_slices_that_are_filled_alike() -> None:
    line = "    image[:, {}, a:b, c:d] = torch.zeros(n, 1, 8, 8).fill_(0.{}).cuda()\n"
    text = "import torch\ndef f(image, n, a, b, c, d):\n" + line.format(0, 1) + line.format(1, 2)
    found = advice("TP432", text)
    assert [(each.line, each.message.partition(": append ")[2]) for each in found] == [
        (3, "`.squeeze(1)`, here and in line 4")
    ]
    other = text.replace("image[:, 1", "other[:, 1")
    assert [each.line for each in advice("TP432", other)] == [3, 4]
