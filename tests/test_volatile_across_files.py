"""Helpers with a volatile flag of another name, which other files call."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

UTILS = """from torch.autograd import Variable
def get_batch(source, i, args, seq_len=None, evaluation=False):
    data = Variable(source[i:i + seq_len], volatile=evaluation)
    target = Variable(source[i + 1:].view(-1))
    return data, target
"""
MAIN = """import torch
from utils import get_batch
def evaluate(model, criterion, source, args):
    total = 0
    for i in range(0, source.size(0) - 1, 5):
        data, targets = get_batch(source, i, args, 5, {flag})
        output, hidden = model(data)
        total += criterion(output, targets).item()
    return total
def train(model, criterion, source, args):
    data, targets = get_batch(source, 0, args)
    loss = criterion(model(data), targets)
    loss.backward()
"""


EVALUATED = """def evaluate(model, criterion, source, args):
    total = 0
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, 5):
            data, targets = get_batch(source, i, args, 5)
            output, hidden = model(data)
            total += criterion(output, targets).item()
    return total
"""


@pytest.mark.parametrize("flag", ["evaluation=True", "True"])
def test_a_flag_of_any_name_is_followed_to_other_files(flag: str, tmp_path: Path) -> None:
    utils, main = _migrated(tmp_path, UTILS, MAIN.format(flag=flag))
    before, trained = MAIN.split("def evaluate")[0], MAIN[MAIN.index("def train") :]
    assert main == before + EVALUATED + trained
    assert "volatile" not in utils and "evaluation" not in utils


_HIDDEN = """import torch
from torch.autograd import Variable
def cuda_variable(tensor, volatile=False):
    return Variable(tensor.cuda(), volatile=volatile)
def init_hidden(layers, size, volatile=False):
    return (
        cuda_variable(torch.randn(layers, size), volatile=volatile),
        cuda_variable(torch.randn(layers, size), volatile=volatile),
    )
"""
_RUN = """from utils import init_hidden
class Model(torch.nn.Module):
    def forward(self, x):
        return self.lstm(x, init_hidden(2, 3{given}))
"""


@pytest.mark.parametrize("given", ["", ", False", ", volatile=False"])
def test_a_flag_that_no_call_sets_is_not_passed_on(given: str, tmp_path: Path) -> None:
    utils, _ = _migrated(tmp_path, _HIDDEN, _RUN.format(given=given))
    assert "volatile=volatile" not in utils


@pytest.mark.parametrize(
    ("given", "block"),
    [
        (", True", "torch.no_grad()"),
        (", volatile=self.training", "torch.set_grad_enabled(not self.training)"),
    ],
)
def test_a_flag_that_a_call_sets_is_where_it_is_calculated_with(
    given: str, block: str, tmp_path: Path
) -> None:
    utils, run = _migrated(tmp_path, _HIDDEN, _RUN.format(given=given))
    assert "volatile=" not in utils
    assert f"        with {block}:\n            return self.lstm(x, init_hidden(2, 3))\n" in run


def test_a_flag_that_a_call_may_set_is_passed_on(tmp_path: Path) -> None:
    utils, _ = _migrated(tmp_path, _HIDDEN, _RUN.format(given=", **self.options"))
    assert utils.count("volatile=volatile") >= 2


def test_a_flag_of_a_function_that_others_may_call_is_passed_on(tmp_path: Path) -> None:
    utils, _ = _migrated(tmp_path, _HIDDEN, _RUN.format(given="").replace("init_hidden(", "run("))
    assert utils.count("volatile=volatile") >= 2


@pytest.mark.parametrize(
    ("utils", "main"),
    [
        # What needs a graph is not put under no_grad.
        (UTILS, MAIN.replace("targets).item()", "targets).backward()").format(flag="True")),
        # The flag does other things, too, or another function is called.
        (UTILS + "    print(evaluation)\n", MAIN.format(flag="True")),
        (UTILS, MAIN.replace("from utils", "from others").format(flag="True")),
        (UTILS.replace("def", "@wrapped\ndef"), MAIN.format(flag="True")),
        (UTILS, MAIN.replace("= get_batch", "= self.get_batch").format(flag="True")),
        (UTILS, MAIN.format(flag="*rest")),
    ],
)
def test_what_is_not_certain_stays(utils: str, main: str, tmp_path: Path) -> None:
    _, after = _migrated(tmp_path, utils, main)
    assert "no_grad" not in after


def test_a_call_that_leaves_the_flag_out_is_none_of_inference(tmp_path: Path) -> None:
    utils, main = _migrated(tmp_path, UTILS, MAIN.format(flag="evaluation=False"))
    assert "no_grad" not in main and "evaluation" not in utils + main


_REPACK = """import torch
from torch.autograd import Variable
def repack(h):
    if type(h) == Variable:
        return Variable(h.data, volatile=True)
    return tuple(repack(v) for v in h)
"""
_REPACKING = """import torch
from torch.autograd import Variable
from utils import repack
def evaluate(model, loader, criterion):
    hidden = model.init_hidden(3)
    total = 0
    for x, y in loader:
        hidden = repack(hidden)
        out, hidden = model(Variable(x, volatile=True), hidden)
        total += criterion(out, Variable(y)).item()
    return total
"""


def test_what_evaluation_alone_is_given_back_loses_its_flag(tmp_path: Path) -> None:
    utils, main = _migrated(tmp_path, _REPACK, _REPACKING)
    assert "    with torch.no_grad():\n        for x, y in loader:\n" in main
    assert "        return h.detach()\n" in utils


@pytest.mark.parametrize(
    "more",
    [
        # Something else is calculated with it, or may be.
        "def run(model, x, hidden):\n    return model(x, repack(hidden))\n",
        "def run(model, x, h):\n    with torch.no_grad():\n        h = repack(h)\n    return h * 2\n",
        "def run(model, x, hidden):\n    return model(x, hidden, repack)\n",
    ],
)
def test_what_others_are_given_back_keeps_its_flag(more: str, tmp_path: Path) -> None:
    utils, _ = _migrated(tmp_path, _REPACK, _REPACKING + more)
    assert "volatile=True" in utils


_WRAP = """import torch
from torch.autograd import Variable
def variable(x, volatile={default}):
    if isinstance(x, list):
        return [variable(y, volatile=volatile) for y in x]
    return Variable(x, volatile=volatile).cuda()
def validate(model, loader):
    for x, y in loader:
        print((model(variable(x, volatile=True)) - variable(y)).sum().item())
"""
_WRAPPING = """import torch
from utils import variable
def predict(model, x):
    out = model(variable(x, volatile=True))
    return out.data.cpu().numpy()
"""


def _in_sight_of_notebook(folder: Path, default: str) -> tuple[str, str]:
    (folder / "show.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [],'
        ' "source": ["from utils import variable\\n", "variable(x, True)"]}],'
        ' "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    )
    return _migrated(folder, _WRAP.format(default=default), _WRAPPING)


def test_a_flag_that_a_notebook_may_pass_is_passed_by_no_other(tmp_path: Path) -> None:
    utils, main = _in_sight_of_notebook(tmp_path, "False")
    assert "def variable(x, volatile=False):\n" in utils and utils.count("volatile") == 1
    assert "volatile" not in main and "no_grad" in main and "no_grad" in utils


def test_a_flag_that_is_on_by_default_is_passed_on(tmp_path: Path) -> None:
    utils, main = _in_sight_of_notebook(tmp_path, "True")
    assert "volatile=True" in main and "variable(x, volatile=True)) - variable(y)" in utils


def _migrated(folder: Path, utils: str, main: str) -> tuple[str, str]:
    (folder / ".git").mkdir()
    (folder / "utils.py").write_text(utils)
    (folder / "main.py").write_text(main)
    files = [folder / "main.py", folder / "utils.py"]
    for _ in range(2):
        assert not any(
            r.errors for r in migrate_files(files, Settings(select=("TP1",)), write=True)
        )
    return (folder / "utils.py").read_text(), (folder / "main.py").read_text()
