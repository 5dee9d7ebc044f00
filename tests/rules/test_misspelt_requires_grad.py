from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 2))
w = torch.ones(2)
"""

_FOUND = {
    "for p in net.parameters():\n    p.require_grad = False": (
        "p.require_grad is misspelt: write p.requires_grad = False"
    ),
    "w.requires_grads = flag": "w.requires_grads is misspelt: write w.requires_grad = flag",
    "model.fc.weight.required_grad = True": (
        "model.fc.weight.required_grad is misspelt: write model.fc.weight.requires_grad = True"
    ),
    "y = net(w)\ny.required_grad = False": (
        "y.required_grad is misspelt, and requires_grad = False raises for what is calculated with "
        "a graph: write y = y.detach() if no gradient is to go through it, else drop the line"
    ),
    "y = net.weight * 2\ny.required_grad = False": (
        "y.required_grad is misspelt: write y.requires_grad = False"
    ),
    "def f(p):\n    y = torch.exp(p)\n    y.require_grad = False": (
        "y.require_grad is misspelt, and requires_grad = False raises for what is calculated with "
        "a graph: write y = y.detach() if no gradient is to go through it, else drop the line"
    ),
    "w.require_grad = False": (
        "w.require_grad is misspelt, and w requires no gradient: drop the line"
    ),
    "if flag:\n    w.require_grad = False": (
        "w.require_grad is misspelt, and w requires no gradient: drop the if of line 5"
    ),
    "w.require_grad = False\nw.requires_grad_()": (
        "w.require_grad is misspelt: write w.requires_grad = False"
    ),
    "y = net(w)\ny.required_grad = True": (
        "y.required_grad is misspelt: write y.requires_grad = True"
    ),
    "p = net[0].weight\np.require_grad = False": (
        "p.require_grad is misspelt: write p.requires_grad = False"
    ),
    "p = thing()\np.require_grad = False": (
        "p.require_grad is misspelt: write p.requires_grad = False"
    ),
    "p = nn.Parameter(w)\np.require_grad = False": (
        "p.require_grad is misspelt: write p.requires_grad = False"
    ),
    "net.require_grad = False": "net.require_grad is misspelt: write net.requires_grad_(False)",
    "net.requires_grad = not freeze": (
        "a module has no requires_grad, which so changes no parameter: write "
        "net.requires_grad_(not freeze)"
    ),
    "net.requires_grad = True": (
        "a module has no requires_grad, which so unfreezes nothing: write net.requires_grad_(True)"
    ),
    "net.requires_grad = False\nprint(w.requires_grad)": (
        "a module has no requires_grad, which so freezes nothing: write net.requires_grad_(False)"
    ),
}

_DECIDE = (
    "a module has no requires_grad, which so freezes nothing: {}, or, to freeze {}, "
    "write m.requires_grad_(False), {}"
)
_OPEN = "where that leaves something to train"
_LOOP = "drop the loop of line 5"


@pytest.mark.parametrize(
    ("lines", "frozen", "dropped"),
    [
        (
            "if isinstance(m, nn.Conv2d):\n        m.requires_grad = False",
            "each nn.Conv2d that",
            _LOOP,
        ),
        ("m.requires_grad = False", "all that", _LOOP),
        ("if m.bias is None:\n        m.requires_grad = False", "those that", _LOOP),
        (
            "if isinstance(m, nn.Conv2d):\n        m.stride = 1\n        m.requires_grad = False",
            "each nn.Conv2d that",
            "drop the line",
        ),
        (
            "print(m)\n    if isinstance(m, nn.Conv2d):\n        m.requires_grad = False",
            "each nn.Conv2d that",
            "drop the if of line 7",
        ),
        ("if chosen(m):\n        m.requires_grad = False", "those that", "leave pass in its place"),
        (
            "if isinstance(m, nn.Conv2d):\n        pass\n    else:\n        m.requires_grad = False",
            "those that",
            "leave pass in its place",
        ),
    ],
)
def test_of_each_module_of_a_net_it_is_to_be_decided(lines: str, frozen: str, dropped: str) -> None:
    (found,) = advice("TP114", f"{_HEAD}for m in net.modules():\n    {lines}\n")
    where = "there" if dropped == _LOOP else "in line 5"
    assert found.message == _DECIDE.format(dropped, f"{frozen} net has {where}", _OPEN)


def test_a_loop_that_is_all_of_a_function_leaves_pass() -> None:
    loop = "def freeze(net=net):\n    for m in net.modules():\n        m.requires_grad = False\n"
    (found,) = advice("TP114", f"{_HEAD}net = nn.Linear(3, 2)\n{loop}")
    assert ": leave pass in its place, or" in found.message


_LATER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Conv2d(3, 2, 1)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                m.requires_grad = False
        {}
"""


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("self.fc = nn.Linear(3, 2)", "which leaves self.fc of line 13 to train"),
        ("self.fc = nn.Sequential(nn.Linear(3, 2))", "which leaves self.fc of line 13 to train"),
        ("self.fc = nn.ReLU()", _OPEN),
        ("self.fc = make()", _OPEN),
        ("other.fc = nn.Linear(3, 2)", _OPEN),
        ("self.base = self.base", _OPEN),
    ],
)
def test_what_is_made_behind_the_loop_is_left_to_train(line: str, left: str) -> None:
    (found,) = advice("TP114", f"{_HEAD}{_LATER.format(line)}")
    frozen = "each nn.Conv2d that self has there"
    assert found.message == _DECIDE.format("drop the loop of line 10", frozen, left)


@pytest.mark.parametrize(
    "text",
    [
        "for m in net.modules():\n    m.requires_grad = True",
        "for m in [net[0]]:\n    m.requires_grad = False",
        "m = net[0]\nm.requires_grad = False",
    ],
)
def test_what_is_one_module_or_to_be_trained_is_written(text: str) -> None:
    (found,) = advice("TP114", f"{_HEAD}{text}\n")
    value = "True" if "True" in text else "False"
    assert found.message.endswith(f"s nothing: write m.requires_grad_({value})")


@pytest.mark.parametrize("line", _FOUND)
def test_finds(line: str) -> None:
    text = f"{_HEAD}{line}\n"
    assert [f.message for f in advice("TP114", text)] == [_FOUND[line]]


_QUIET = {
    "parameters": "for p in net.parameters():\n    p.requires_grad = False",
    "tensor": "w.requires_grad = True",
    "unknown": "thing.requires_grad = False",
    "method": "net.requires_grad_(False)",
    "misspelt name that is read": "cfg.require_grad = False\nif cfg.require_grad: pass",
    "misspelt name that is looked up": "cfg.require_grad = 1\nx = getattr(cfg, 'require_grad')",
    "name of its own": "require_grad = False",
    "several values": "w.require_grad = False, True",
    "flag that is read of a module": "net.requires_grad = False\nif net.requires_grad: pass",
    "flag that is read of something": "net.requires_grad = False\nif thing.requires_grad: pass",
    "object of this file": (
        "class Config:\n    pass\nconfig = Config()\nconfig.require_grad = False"
    ),
    "module of this file about itself": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.requires_grad = True"
    ),
    "suppressed": "w.require_grad = True  # noqa: TP114",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP114", f"{_HEAD}{_QUIET[name]}\n") == []


def test_is_quiet_where_another_file_reads_the_name() -> None:
    options = Options(attribute_read=lambda name: name == "require_grad")
    text = f"{_HEAD}thing.require_grad = False\n"
    assert not migrate(text, "TP114", options=options).findings


@pytest.mark.parametrize(
    ("other", "count"),
    [
        ("# the require_grad of a\ndef g(require_grad): pass", 2),
        ("import a\na.w.require_grad = True", 2),
        ("g(require_grad=True)", 2),
        ("import a\nprint(a.w.require_grad)", 0),
        ("getattr(a, 'require_grad')", 0),
        ("print 'require_grad'", 0),
    ],
)
def test_only_what_reads_the_attribute_counts_as_a_use(
    other: str, count: int, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "b.py").write_text(f"{other}\n", "utf-8")
    path = tmp_path / "a.py"
    path.write_text(
        f"{_HEAD}w.require_grad = False\ndef f(flag):\n"
        "    for param in net.parameters():\n        param.require_grad = flag\n",
        "utf-8",
    )
    result = migrate_file(path, Settings(select=("TP114",)), write=False)
    assert len(result.findings) == count


test_keeps = keeps("TP114", {line: f"{_HEAD}{line}\n" for line in (*_QUIET.values(), *_FOUND)})
