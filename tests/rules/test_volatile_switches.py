"""A flag only ever switches gradients off: what a caller has under ``no_grad`` stays so."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """import torch
from torch.autograd import Variable


def predict(net, x, mean, {flag}):
    x = Variable(x, volatile={value})
    return net(x - mean)


def check(net, loader, flag):
    for x in loader:
        print(predict(net, x, 0, flag).sum())


"""
_GUARDED = "    with torch.set_grad_enabled(torch.is_grad_enabled() and {}):"
_PLAIN = "    with torch.set_grad_enabled({}):"


def _migrated(folder: Path, text: str, flag: str = "record=True", value: str = "not record") -> str:
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "run.py").write_text(_HEAD.format(flag=flag, value=value) + text)
    migrate_file(folder / "run.py", Settings(select=("TP102",)), write=True)
    return (folder / "run.py").read_text()


_INFERENCE = """def infer(net, x, mean):
    mean = Variable(mean, volatile=True)
    return predict(net, x, mean).data


infer(torch.nn.Linear(1, 1), torch.ones(1, 1), torch.ones(1, 1))
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_INFERENCE, id="a caller hands a volatile value"),
        pytest.param(
            "def infer(net, x):\n    with torch.no_grad():\n        return predict(net, x, 0)\n",
            id="a caller has no_grad",
        ),
        pytest.param(
            "def steps(net, x, mean):\n    return predict(net, x, mean)\n\n\n"
            "def infer(net, x, mean):\n    mean = Variable(mean, volatile=True)\n"
            "    return steps(net, x, mean).data\n",
            id="a caller of a caller does",
        ),
        pytest.param(
            "class Model:\n    def keep(self, mean):\n"
            "        self.mean = Variable(mean, volatile=True)\n\n"
            "    def infer(self, net, x):\n        return predict(net, x, self.mean)\n",
            id="an object keeps a volatile value",
        ),
        pytest.param("", id="a caller is called out of sight"),
    ],
)
def test_a_flag_under_a_caller_without_gradients_switches_none_on(
    tmp_path: Path, text: str
) -> None:
    assert _GUARDED.format("record") in _migrated(tmp_path, text)


_TRAINING = "check(torch.nn.Linear(1, 1), [torch.ones(1, 1)], False)\n"


def test_where_all_callers_record_the_flag_is_enough(tmp_path: Path) -> None:
    assert _PLAIN.format("record") in _migrated(tmp_path, _TRAINING)


def test_so_it_is_of_a_value_that_stays_in_another_function(tmp_path: Path) -> None:
    beside = "def other(net, x):\n    x = Variable(x, volatile=True)\n    return net(x).data\n\n\n"
    assert _PLAIN.format("record") in _migrated(tmp_path, beside + _TRAINING)


def test_the_mode_of_a_module_is_enough(tmp_path: Path) -> None:
    after = _migrated(tmp_path, _INFERENCE, value="not net.training")
    assert _PLAIN.format("net.training") in after


def test_what_trains_is_given_nothing_volatile(tmp_path: Path) -> None:
    text = (
        "def run(net, optimizer, x, train):\n    x = Variable(x, volatile=not train)\n"
        "    loss = net(x).sum()\n    if train:\n        loss.backward()\n"
        "        optimizer.step()\n    return loss.data\n"
    )
    assert _PLAIN.format("train") in _migrated(tmp_path, text)


@pytest.mark.parametrize(
    ("value", "condition"),
    [
        ("not (a or b)", "(a or b)"),
        ("not (a and b)", "a and b"),
        ("not (a if b else 0)", "(a if b else 0)"),
        ("a is None", "a is not None"),
    ],
)
def test_a_condition_stays_one_behind_and(tmp_path: Path, value: str, condition: str) -> None:
    after = _migrated(tmp_path, "", "a, b=1", value)
    assert _GUARDED.format(condition) in after
    again = tmp_path / "again"
    again.mkdir()
    (again / "run.py").write_text(after)
    migrate_file(again / "run.py", Settings(select=("TP102",)), write=True)
    assert (again / "run.py").read_text() == after


def test_no_graph_is_kept_of_what_a_volatile_value_goes_into(tmp_path: Path) -> None:
    made: dict[str, object] = {}
    text = _INFERENCE.replace(".data\n", "\n").replace("infer(torch", "result = infer(torch")
    exec(compile(_migrated(tmp_path, text), "run.py", "exec"), made)
    result, predict = made["result"], made["predict"]
    assert isinstance(result, torch.Tensor) and not result.requires_grad
    assert callable(predict)
    net, x = torch.nn.Linear(1, 1), torch.ones(1, 1)
    assert predict(net, x, 0).requires_grad
    assert not predict(net, x, 0, record=False).requires_grad


_TWO = """import torch
import numpy as np
from torch.autograd import Variable
import pp
def move(x, volatile=False):
    x = torch.Tensor(x)
    x = Variable(x, volatile=volatile)
    return x
def infer(net, names, mean, scale, show):
    mean = move(mean, volatile=True)
    scale = move(scale, volatile=True)
    for name in names:
        x = pp.read(name)
        output = net(x, mean, scale)
        seen = output.data.cpu().numpy()
        pp.write(name, seen)
        if show:
            pp.show(np.log(np.abs(output)).T)
"""


def test_two_values_in_one_line_come_under_one_block(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.py").write_text(_TWO)
    migrate_file(tmp_path / "run.py", Settings(select=("TP102",)), write=True)
    after = (tmp_path / "run.py").read_text()
    made = "    mean = move(mean)\n    scale = move(scale)\n"
    inside = "        with torch.no_grad():\n            output = net(x, mean, scale)\n"
    assert made in after and inside in after
    assert after.count("no_grad") == 1


_BY_PHASE = """import torch
from torch.autograd import Variable


def run(net, fit, optimizer, loaders, phase):
    for x in loaders[phase]:
        x = Variable(x, volatile={0})
        if phase == "train":
            optimizer.zero_grad()
        loss = net(x).sum()
        if phase == "train":
            loss.backward()
        {1}
        if {2}:
            {3}
"""


def _behind_backward(text: str) -> str:
    after = migrate(text, "TP102").text
    assert migrate(after, "TP102").text == after
    assert 'with torch.set_grad_enabled(phase == "train"):' in after
    return after.partition("loss.backward()\n")[2]


@pytest.mark.parametrize("flag", ["phase != 'train'", "not phase == 'train'"])
@pytest.mark.parametrize("between", ["print(loss.data)", "n = len(x)", "pass"])
@pytest.mark.parametrize("step", ["optimizer.step()", "optimizer.step()\n            fit.step()"])
def test_a_block_by_phase_holds_neither_backward_nor_the_steps(
    flag: str, between: str, step: str
) -> None:
    text = _BY_PHASE.format(flag, between, 'phase == "train"', step)
    after = migrate(text, "TP102").text
    switch = '        with torch.set_grad_enabled(phase == "train"):\n    '
    line = "        loss = net(x).sum()\n"
    assert after == text.replace(f", volatile={flag}", "").replace(line, switch + line)


def test_a_block_by_phase_holds_backward_where_the_model_runs_again_below() -> None:
    again = "score = net(x + 1).sum()"
    text = _BY_PHASE.format("phase != 'train'", again, "n", "print(score.data)")
    after = migrate(text, "TP102").text
    assert f"                loss.backward()\n            {again}\n        if n:\n" in after


@pytest.mark.parametrize(
    ("between", "test", "step"),
    [
        ("print(loss.data)", 'phase == "val"', "optimizer.step()"),
        ("print(loss.data)", 'phase == "train"', "fit(net)"),
        (
            "print(loss.data)",
            'phase == "train"',
            "optimizer.step()\n        else:\n            fit()",
        ),
        ("fit(net).backward()", 'phase == "train"', "optimizer.step()"),
        ("yield loss.data", 'phase == "train"', "optimizer.step()"),
        ("phase = fit()", 'phase == "train"', "optimizer.step()"),
    ],
)
def test_a_block_by_phase_ends_where_what_follows_may_need_a_graph(
    between: str, test: str, step: str
) -> None:
    after = _behind_backward(_BY_PHASE.format("phase != 'train'", between, test, step))
    assert after.startswith(f"        {between}\n")


@pytest.mark.parametrize(
    ("flag", "test"),
    [
        ("phase != 'train'", "phase == 'train'"),
        ("phase == 'val'", "phase != 'val'"),
        ("phase == 0", "not (phase == 0)"),
        ("phase > 0", "not (phase > 0)"),
        ("a == phase == 'val'", "not (a == phase == 'val')"),
    ],
)
def test_equality_with_a_text_is_turned_around(flag: str, test: str) -> None:
    after = migrate(
        "import torch\nfrom torch.autograd import Variable\n"
        f"def run(net, x, phase, a):\n    return net(Variable(x, volatile={flag})).sum()\n",
        "TP102",
    ).text
    assert f"is_grad_enabled() and {test}):" in after
