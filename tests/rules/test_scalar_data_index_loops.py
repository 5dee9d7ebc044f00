"""TP103 where one number is gone through or counted, which has no dimension since torch 0.4."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_CERTAIN = """
import numpy as np
import torch
import torch.nn.functional as F
class Own:
    def mean(self):
        return [1, 2]
def f(x: torch.Tensor, y, n, own=Own()):
    loss = F.mse_loss(x, y)
    row = x.mean(0)
    {}
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("for v in loss.data.cpu().numpy(): print(v)", "go through since torch 0.4: write loss.v"),
        ("[v for v in loss]", "go through since torch 0.4: write loss.view(-1)"),
        ("{i: v for i, v in enumerate(zip(row, loss.tolist()))}", "write loss.view(-1)"),
        ("for v in list(torch.mean(x).numpy()): print(v)", "write torch.mean(x).view(-1)"),
        ("print(len(loss.data))", "no dimension to count since torch 0.4: write loss.view(-1)"),
        ("for v in y.mean().numpy(): print(v)", "write y.mean().view(-1)"),
        ("a = (x > 0).float().mean() * 100\n    for v in a.numpy(): print(v)", "a.view(-1)"),
    ],
)
def test_one_number_is_not_gone_through(code: str, said: str) -> None:
    (finding,) = advice("TP103", _CERTAIN.format(code))
    assert finding.message.startswith("what holds one number has no dimension to ")
    assert said in finding.message
    assert not finding.message.endswith("does")


@pytest.mark.parametrize(
    "code",
    [
        "for v in row.data.cpu().numpy(): print(v)",
        "for v in x: print(v)",
        "for v in loss.view(-1): print(v)",
        "for v in [loss]: print(v)",
        "for v in zip([loss], row): print(v)",
        "print(len([loss]), len(x), len(own.mean()))",
        "for v in own.mean(): print(v)",
        "for v in n.mean(): print(v)",
        "for v in y.mean(0).numpy(): print(v)",
        "for v in np.mean(n, 0): print(v)",
        "if loss.dim() > 0:\n        for v in loss: print(v)",
        "def len(x): return x\n    len(loss)",
        "for v in y.mean(0, keepdim=True): print(v)",
    ],
)
def test_several_numbers_are(code: str) -> None:
    assert not advice("TP103", _CERTAIN.format(code))


_SOLVER = """
import torch
class Solver:
    def accuracy(self, x, y, dataset, flag=None):
        if dataset == "CelebA":
            correct = (x == y).float()
            accuracy = torch.mean(correct, dim=0) * 100.0
        else:
            correct = (x.max(1)[1] == y).float()
            accuracy = torch.mean(correct) * 100.0
        return accuracy
    def print(self, i, x: torch.Tensor, y):
        if i % 100 == 0:
            accuracies = self.accuracy(x, y, {given})
            {test}print([a for a in accuracies.data.cpu().numpy()])
    def cut(self, n, x: torch.Tensor):
        either = x.mean() if n else x.mean(0)
        {other}
"""


def _said(given: str = "self.dataset", test: str = "", other: str = "") -> list[str]:
    text = _SOLVER.format(given=given, test=test, other=other)
    return [finding.message for finding in advice("TP103", text)]


@pytest.mark.parametrize("given", ["self.dataset", "'RaFD'", "dataset='RaFD'", "*n", "n, 3"])
def test_what_is_one_number_on_a_way_is_told(given: str) -> None:
    (message,) = _said(given)
    assert message.endswith("write accuracies.view(-1) where accuracies does")


@pytest.mark.parametrize(
    ("given", "test"),
    [
        ("'CelebA'", ""),
        ("dataset='CelebA'", ""),
        ("self.dataset", "if self.dataset == 'CelebA': "),
        ("self.dataset", "if accuracies.dim(): "),
        ("self.dataset", "if len(accuracies.size()): "),
    ],
)
def test_what_comes_by_another_way_is_not(given: str, test: str) -> None:
    assert not _said(given, test)


def test_a_file_for_today_knows_which_way_a_value_comes() -> None:
    text = _SOLVER.format(given="self.dataset", test="", other="") + "torch.bool\n"
    assert not advice("TP103", text)
    assert advice("TP103", text.replace("bool", "uint8"))


@pytest.mark.parametrize(
    ("other", "is_told"),
    [
        ("for v in either: print(v)", True),
        ("if x.is_cuda:\n            for v in either: print(v)", True),
        ("if not n:\n            for v in either: print(v)", False),
        ("if n:\n            return\n        for v in either: print(v)", False),
    ],
)
def test_a_value_of_two_ways(other: str, is_told: bool) -> None:
    assert [m.endswith("either does") for m in _said("'CelebA'", other=other)] == [True] * is_told


def test_a_function_of_another_file_gives_one_number(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    metrics = """
        import torch
        def accuracy(x, y, mean=True):
            correct = (x == y).float()
            if mean:
                return torch.mean(correct)
            return correct
    """
    (tmp_path / "metrics.py").write_text(textwrap.dedent(metrics))
    train = """
        import torch
        from metrics import accuracy
        def train(x, y, mean):
            for a in accuracy(x, y, mean).numpy():
                print(a)
            for a in accuracy(x, y, False).numpy():
                print(a)
            for a in accuracy(x, y).numpy():
                print(a)
    """
    (tmp_path / "train.py").write_text(textwrap.dedent(train))
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP103",)), write=False)
    assert [(f.line, f.message.endswith("does")) for f in result.findings] == [
        (5, True),
        (9, False),
    ]


_ROUNDS = """
import torch
from torch.autograd import Variable
def validate(loader, net, loss):
    kept = []
    {before}
    for x in loader:
        {first}
        out = net(Variable(x, volatile=True))
        parts[0] = parts[0].data[0]
        kept.append(parts)
    return kept
"""


@pytest.mark.parametrize(
    ("before", "first", "count"),
    [
        ("pass", "parts = loss(x)", 1),
        ("pass", "if x: parts = loss(x)", 0),
        ("parts = loss(loader)", "pass", 0),
    ],
)
def test_what_a_list_held_before_is_no_part_of_what_it_gets(
    before: str, first: str, count: int
) -> None:
    assert len(advice("TP103", _ROUNDS.format(before=before, first=first))) == count


_RETURNED = """
import torch
from torch.autograd import Variable
old = Variable(x, volatile=True)
def forward(model, critic, x, counts=False):
    loss = critic(model(x))
    if counts:
        return loss.data[0], len(x)
    return loss
def validate(model, critic, x):
    loss, n = forward(model, critic, x, {flag})
    return float(loss) / n
def train(model, critic, x):
    loss = forward(model, critic, x, {other})
    return loss
"""


@pytest.mark.parametrize(
    ("flag", "other", "count"),
    [("counts=True", "False", 1), ("counts=given", "counts=False", 1), ("counts=True", "given", 0)],
)
def test_a_return_goes_to_the_calls_that_reach_it(flag: str, other: str, count: int) -> None:
    assert len(advice("TP103", _RETURNED.format(flag=flag, other=other))) == count


_CHECKED = """
import torch
from torch.autograd import Variable
def f(actions: Variable, y):
    if actions is not None and actions.dim() != 1:
        raise ValueError(y)
    for action in actions:
        y.append(action.data[0])
"""


def test_what_is_taken_out_of_what_was_tested_to_be_a_vector() -> None:
    assert migrate(_CHECKED, "TP103").text == _CHECKED.replace(".data[0]", ".item()")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!= 1", "!= 2"),
        ("!= 1", "< 1"),
        ("raise ValueError(y)", "print(y)"),
        ("actions is not None and ", "y and "),
        ("    for action in", "    actions = y[0](actions)\n    for action in"),
    ],
)
def test_what_the_test_does_not_show_to_be_a_vector(old: str, new: str) -> None:
    text = _CHECKED.replace(old, new)
    assert migrate(text, "TP103").text == text


_TASKS = """import torch
import torch.nn.functional as F
class Images(torch.nn.Module):
    def cost(self, x, y):
        cost = (x.sum() - torch.diag(y).sum()) / y.size(0) ** 2
        return cost
    def test_cost(self, *args):
        return self.cost(*args)
class Texts(torch.nn.Module):
    def cost(self, x, y):
        return {gives}
    def test_cost(self, *args):
        with testing(self):
            return self.cost(*args)
    def mean(self):
        return F.cross_entropy(self.x, self.y)
def validate(task, args, own):
    return [{loop}]
"""


@pytest.mark.parametrize(
    ("loop", "written"),
    [
        ("x.data.numpy() for x in task.test_cost(*args)", "task.test_cost(*args)"),
        ("x for x in task.cost(args, own)", "task.cost(args, own)"),
        ("x for x in task.test_cost(*args).data", "task.test_cost(*args)"),
        ("len(task.cost(args, own))", "task.cost(args, own)"),
    ],
)
def test_what_every_method_of_that_name_gives_is_not_gone_through(loop: str, written: str) -> None:
    (finding,) = advice("TP103", _TASKS.format(loop=loop, gives="F.cross_entropy(x, y)"))
    assert finding.message.endswith(f"since torch 0.4: write {written}.view(-1)")


@pytest.mark.parametrize(
    "gives",
    [
        "F.cross_entropy(x, y, reduction='none')",
        "(F.cross_entropy(x, y), y)",
        "x",
        "None",
        "[x.sum()]",
    ],
)
def test_what_another_method_of_that_name_may_give_is(gives: str) -> None:
    text = _TASKS.format(loop="x for x in task.test_cost(*args)", gives=gives)
    assert not advice("TP103", text)


@pytest.mark.parametrize(
    "loop",
    [
        "x for x in task.other_cost(*args)",
        "x for x in task.mean()",
        "x for x in [task.test_cost(*args)]",
        "x for x in task.test_cost",
        "x for x in task.costs.cost.other(own)",
    ],
)
def test_what_is_no_such_method_is(loop: str) -> None:
    assert not advice("TP103", _TASKS.format(loop=loop, gives="F.cross_entropy(x, y)"))
