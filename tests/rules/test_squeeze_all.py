from __future__ import annotations

import pytest
import torch

from tests.support.rules import advice, keeps
from torchfix_codemods.engine.migrate import Options

_HEAD = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
fc, wide, pool = nn.Linear(4, 1), nn.Linear(4, 2), nn.AdaptiveAvgPool2d(1)
head = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1), nn.Sigmoid())
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, out_features=1)
    def forward(self, x):
        value = self.value(x)
        return torch.tanh(value)
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, 1)
    def forward(self, x):
        if self.training:
            return x
        return self.value(x)
critic, actor = Critic(), Actor()
h = torch.randn(2, 4)
"""

_FOUND = {
    "fc(h).squeeze()": "squeeze(-1)",
    "torch.squeeze(fc(h))": "squeeze(-1)",
    "head(h).squeeze()": "squeeze(-1)",
    "critic(h).squeeze()": "squeeze(-1)",
    "F.sigmoid(fc(h)).squeeze()": "squeeze(-1)",
    "fc(h).sigmoid().squeeze()": "squeeze(-1)",
    "fc(h).data.cpu().squeeze()": "squeeze(-1)",
    "out = fc(h)\nloss = out.squeeze().mean(0)": "squeeze(-1)",
    "out = fc(h)\nloss = (out.squeeze() - y).mean()": "squeeze(-1)",
    "out = fc(h)\nloss = out.squeeze().mul(y).mean()": "squeeze(-1)",
    "out = fc(h).squeeze()\nloss = out.mean() + f(out)": "squeeze(-1)",
    "i = mask.nonzero().squeeze()\nloss = h[:, i].mean()": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nloss = (h[i] - z).mean(1)": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nloss = torch.mm(h[i], z).mean()": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nz = h[i] - z": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nloss = h[i, j].mean()": "squeeze(1)",
    "total = h.new(2)\ntotal = total + fc(h).squeeze()": "squeeze(-1)",
    "unknown += fc(h).squeeze()": "squeeze(-1)",
    "i = (h > 0.5).nonzero().squeeze()\nj = i.sum(0)": "squeeze(1)",
    "i = (h > 0.5).nonzero().squeeze()\nj = h.dim()": "squeeze(1)",
    "i = (h > 0.5).nonzero().squeeze()\nj = i.shape == h.shape": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh.index_select(0, i), h[i]": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh.index_select(0, i), i.size(0)": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh.index_copy_(0, j, i)": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh.index_select(i, 0)": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nprint(i.numel())": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nindex_select(h, 0, i)": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh.gather(0, i)": "squeeze(1)",
    "i = j = mask.nonzero().squeeze()\nh.index_select(0, i), h[j]": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh[i] *= 1 - b": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh[j] = b[i]": "squeeze(1)",
    "i = mask.nonzero().squeeze()\nh[i] = b[i].mean(1)": "squeeze(1)",
    "i = torch.autograd.Variable(mask.nonzero().squeeze())\nh.index_select(0, i), f(i)": "squeeze(1)",
    "pool(x).squeeze()": "flatten(1)",
    "F.adaptive_avg_pool2d(x, (1, 1)).squeeze()": "flatten(1)",
    "(h > 0.5).nonzero().squeeze()": "squeeze(1)",
    "unknown.nonzero().squeeze()": "squeeze(1)",
    "torch.nonzero(mask).squeeze()": "squeeze(1)",
    "torch.bmm(states, query.unsqueeze(2)).squeeze()": "squeeze(-1)",
    "states.bmm(query.unsqueeze(-1)).squeeze()": "squeeze(-1)",
    "torch.bmm(query.unsqueeze(1), states).squeeze()": "squeeze(1)",
    "torch.bmm(query.unsqueeze(1), states.unsqueeze(2)).squeeze()": "squeeze(2).squeeze(1)",
    "q.unsqueeze(1).bmm(states).bmm(q.unsqueeze(2)).squeeze()": "squeeze(2).squeeze(1)",
    "q.unsqueeze(1).bmm(torch.bmm(states, q.unsqueeze(2))).squeeze()": "squeeze(2).squeeze(1)",
    "F.log_softmax(h, 1).gather(1, labels.unsqueeze(1)).squeeze()": "squeeze(1)",
    "torch.gather(h, 0, labels.unsqueeze(0)).neg().squeeze()": "squeeze(0)",
    "h.gather(-1, labels.unsqueeze(-1)).squeeze()": "squeeze(-1)",
}


@pytest.mark.parametrize("line", _FOUND)
def test_finds(line: str) -> None:
    (finding,) = advice("TP404", f"{_HEAD}{line}\n")
    told, _, written = finding.message.partition(": write ")
    of = "index" if "nonzero" in line else "sample"
    assert told == f"squeeze() drops every dimension of 1, also that of a single {of}"
    assert written.endswith(_FOUND[line])


@pytest.mark.parametrize(
    ("uses", "is_told"),
    [
        ("i[0], i[1] - 1", False),
        ("i[0] + i[2]", False),
        ("i[0]", True),
        ("i[0], i[1], i.sum()", True),
        ("i[0], i[j]", True),
        ("i[1:]", True),
        ("", True),
    ],
)
def test_the_coordinates_of_one_place_are_read_by_number(uses: str, is_told: bool) -> None:
    found = advice("TP404", f"{_HEAD}i = torch.nonzero(grid).squeeze()\n{uses}\n")
    assert bool(found) == is_told
    (found,) = advice("TP404", f"{_HEAD}i = fc(h).squeeze()\ni[0], i[1]\n")


def test_a_long_input_of_the_function_stays_its_input() -> None:
    long = "torch.nonzero(old_classes_indices_of_all_samples > indices_of_new_ones).long()"
    (found,) = advice("TP404", f"{_HEAD}i = torch.squeeze({long})\n")
    assert found.message.endswith(": write torch.squeeze(..., 1)")
    (found,) = advice("TP404", f"{_HEAD}i = {long}.squeeze()\n")
    assert found.message.endswith(": write squeeze(1)")


def test_what_is_squeezed_is_named() -> None:
    (finding,) = advice("TP404", f"{_HEAD}x = fc(h) + h; fc(h).squeeze() + h\n")
    assert finding.message.endswith(": write fc(h).squeeze(-1)")


_QUIET = {
    "named dimension": "fc(h).squeeze(-1); torch.squeeze(fc(h), 1); fc(h).squeeze(dim=1)",
    "unknown dimension": "h.squeeze(); torch.squeeze(h); F.relu(h).squeeze()",
    "added in place": "total = torch.zeros(2)\ntotal += fc(h).squeeze()\ntotal -= 2 * fc(h).squeeze()",
    "several outputs": "wide(h).squeeze()",
    "pooled to more": "nn.AdaptiveAvgPool2d(7)(h).squeeze(); F.adaptive_avg_pool2d(h, 2).squeeze()",
    "unknown": "out.squeeze(); model(h).squeeze()",
    "one of two": "out = fc(h) if flag else wide(h)\nout.squeeze()",
    "two assignments": "out = fc(h)\nif flag:\n    out = h\nout.squeeze()",
    "model with two ways out": "actor(h).squeeze()",
    "single number": "fc(h).squeeze().item(); fc(h).squeeze().backward()",
    "array": "np.ones((2, 1)).squeeze(); np.squeeze(fc(h).detach().numpy())",
    "layers of unknown kind": "nn.Sequential(nn.Linear(4, 1), unknown)(h).squeeze()",
    "star": "nn.Linear(*sizes)(h).squeeze()",
    "product of matrices": "torch.bmm(states, query).squeeze()",
    "product of a row that may be another dimension": (
        "torch.matmul(states.unsqueeze(1), query.unsqueeze(2)).squeeze()"
    ),
    "product with rows": "torch.bmm(states, query.unsqueeze(1)).squeeze()",
    "gather of several": "h.gather(1, labels).squeeze(); h.gather(1, x.unsqueeze(0)).squeeze()",
    "gather along what is not known": "h.gather(d, x.unsqueeze(d)).squeeze()",
    "gather of an array": "np.gather(h, 1, labels.unsqueeze(1)).squeeze()",
    "product of any dimensions": "torch.matmul(query.unsqueeze(1), states).squeeze()",
    "product with a sum": "torch.bmm(states, query.sum(2)).squeeze()",
    "asked for its dimensions": "i = (h > 0.5).nonzero().squeeze()\nj = i if i.dim() == 1 else i[:1]",
    "asked under another name": "i = (h > 0.5).nonzero().squeeze()\nk = i\nj = k if k.dim() == 1 else k[:1]",
    "asked as a part of two": "i, n = (h > 0.5).nonzero().squeeze(), 2\nif i.dim() == 0: i = i[None]",
    "asked as an attribute": "f.i = (h > 0.5).nonzero().squeeze()\nif f.i.dim() == 0: f.i = f.i[None]",
    "asked for its shape": "i = (h > 0.5).nonzero().squeeze()\nif len(i.shape) == 0: i = i[None]",
    "only an index": "i = mask.nonzero().squeeze()\nif i.numel(): h.index_select(0, i)",
    "a mean of all": "out = fc(h)\nloss = -out.squeeze().mean() * 2, torch.sum(fc(h).squeeze() * 2)",
    "a mean of the rows": "i = torch.nonzero(mask).squeeze().cpu().numpy()\n"
    "z = h[i, :]\nloss = (z - b).mul(z - b).mean()",
    "a sum of rows": "i = mask.nonzero().squeeze()\nloss = torch.sum(torch.mul(h[i], z))",
    "only an index of several": "i = mask.nonzero().squeeze()\n"
    "a = torch.index_select(h, 0, i) + h.index_copy_(0, i, -b).index_fill(0, index=i, value=3)",
    "an index of two names": "i = j = mask.nonzero().squeeze()\nh.index_select(0, i)",
    "an index that is moved": "i = mask.nonzero().squeeze()\nif cuda:\n    h, i = h.cuda(), i.cuda()\n"
    "h.index_copy_(0, torch.autograd.Variable(i), b)",
    "an index of what is stored": "i = mask.nonzero().squeeze()\nh[i] = b.expand(2, -1)",
    "an index of what is stored from there": "i = mask.nonzero().squeeze()\nh[i] = b[i]",
    "an index of what is stored without a name": "h[torch.nonzero(mask).squeeze()] = 1.0",
    "an index without a name": "h.index_add_(0, torch.nonzero(mask).squeeze(), b)",
    "suppressed": "fc(h).squeeze()  # noqa: TP404",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP404", f"{_HEAD}{_QUIET[name]}\n") == []


def test_is_quiet_on_a_nonzero_of_this_file() -> None:
    text = "class Mask:\n    def nonzero(self):\n        return self\nm.nonzero().squeeze()\n"
    assert advice("TP404", _HEAD + text) == []


test_keeps = keeps("TP404", {line: f"{_HEAD}{line}\n" for line in (*_QUIET.values(), *_FOUND)})


def test_another_file_may_use_indices_for_more() -> None:
    text = f"{_HEAD}i = mask.nonzero().squeeze()\nh.index_select(0, i)\n"
    assert advice("TP404", text) == []
    assert advice("TP404", text, options=Options(used_elsewhere=lambda name: name == "i"))


def test_one_index_is_like_a_list_of_one() -> None:
    rows, one, several = torch.arange(12.0).view(4, 3), torch.tensor(2), torch.tensor([2])
    for choose in (
        lambda i: rows.index_select(0, i),
        lambda i: rows.clone().index_copy_(0, i, torch.ones(1, 3)),
        lambda i: rows.clone().index_add_(0, i, torch.ones(1, 3)),
        lambda i: rows.clone().index_fill_(0, i, 7.0),
        lambda i: rows[:, 0].clone().index_copy_(0, i, torch.ones(1)),
        lambda i: rows[:, 0].index_select(0, i),
    ):
        assert torch.equal(choose(one), choose(several))


@pytest.mark.parametrize("other", [(1, 3), (3,), (4, 3), (2, 1, 3)])
def test_a_mean_of_rows_counts_no_dimension(other: tuple[int, ...]) -> None:
    rows, beside = torch.arange(12.0).view(4, 3), torch.ones(other)
    one, several = rows[torch.tensor(2), :], rows[torch.tensor([2]), :]
    assert torch.equal((one - beside).pow(2).mean(), (several - beside).pow(2).mean())
