"""What a program gives to functions that change can be kept, and given to them again without it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

from tests.support.shared import shared
from torchfix_codemods.cli.commands import main

LIBRARY = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, width, scale=2.0):
        super(Net, self).__init__()
        self.linear = nn.Linear(3, width)
        self.scale = scale
        nn.init.constant_(self.linear.bias, 0.5)

    def forward(self, x):
        return self.linear(x) * self.scale


def loss_of(criterion, output, target):
    return criterion(output, target) + 1


def set_up(layer):
    if isinstance(layer, nn.Linear):
        nn.init.constant_(layer.weight, 0.25)


def joined(options, parts):
    return torch.cat(parts, dim=options["dim"])


def drawn(rows):
    return next(rows) * 2


def unused(x):
    return x.view(-1)


class Scale(object):
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def scaled(scale, x):
    return scale(x) - 1
"""

PROGRAM = """\
import torch
import torch.nn as nn

from library import Net, Scale, drawn, joined, loss_of, scaled, set_up

net = Net(4, scale=3.0)
net.apply(set_up)
for step in range(2):
    output = net(torch.randn(5, 3))
    loss_of(nn.MSELoss(reduction="sum"), output, torch.ones(5, 4)).backward()
    with torch.no_grad():
        net.linear.bias.add_(1)
net.eval()
print(joined({"dim": 1}, [torch.ones(2, 2), torch.zeros(2, 3)]).sum())
print(drawn(iter([torch.ones(2)])).sum())
print(scaled(Scale(0.5), torch.ones(2)).sum())
"""

#: What is changed, what to, and what is said of it with saved inputs.
EDITS = [
    ("nn.init.constant_(self.linear.bias, 0.5)", "self.linear.bias.data.fill_(0.5)", "equivalent"),
    ("self.linear(x) * self.scale", "self.linear(x).mul(self.scale)", "equivalent"),
    ("criterion(output, target) + 1", "1 + criterion(output, target)", "equivalent"),
    ("nn.init.constant_(layer.weight, 0.25)", "layer.weight.data.fill_(0.2)", "different"),
    ('torch.cat(parts, dim=options["dim"])', 'torch.cat(parts, options["dim"])', "equivalent"),
    ("next(rows) * 2", "2 * next(rows)", "not observed"),
    ("x.view(-1)", "x.reshape(-1)", "not observed"),
    ("return scale(x) - 1", "return scale(x) - 2", "different"),
]


def torchfix(*words: str) -> Result:
    return CliRunner().invoke(main, ["verify", *words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program before and after, and the inputs that were saved of it."""
    return shared(
        tmp_path_factory, "saved_inputs", lambda: _saved(tmp_path_factory.mktemp("saved"))
    )


def _saved(folder: Path) -> Path:
    after = LIBRARY
    for old, new, _ in EDITS:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    for name, text in (("before", LIBRARY), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "library.py").write_text(text)
        (folder / name / "main.py").write_text(PROGRAM)
    words = [f"--before={folder}/before", f"--after={folder}/after", "--device", "cpu"]
    words += ["--save-inputs", f"{folder}/inputs.pt", "--", sys.executable, "main.py"]
    result = torchfix(*words)
    assert f"--inputs {folder}/inputs.pt makes these calls again" in result.output
    assert (
        "the inputs of library.py:drawn were not saved: it is given a list_iterator"
        in result.output
    )
    # Without the program.
    (folder / "before" / "main.py").unlink()
    (folder / "after" / "main.py").unlink()
    return folder


@pytest.fixture(scope="module")
def rewrites(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[int, dict[str, object]]:
    """What is said with the saved inputs, by line of the file as it was."""
    return shared(tmp_path_factory, "rewrites", lambda: _rewrites(folder))


def _rewrites(folder: Path) -> dict[int, dict[str, object]]:
    words = [f"--before={folder}/before", f"--after={folder}/after", "--device", "cpu"]
    words += ["--inputs", f"{folder}/inputs.pt", "--report", f"{folder}/report.json"]
    result = torchfix(*words, "--", sys.executable)
    assert result.exit_code == 1, result.output
    report = json.loads((folder / "report.json").read_text())
    return {each["line"]: each for each in report["rewrites"]}


@pytest.mark.parametrize(("old", "verdict"), [(old, verdict) for old, _, verdict in EDITS])
def test_verdicts(rewrites: Mapping[int, dict[str, object]], old: str, verdict: str) -> None:
    line = next(n for n, text in enumerate(LIBRARY.splitlines(), 1) if old in text)
    assert rewrites[line]["verdict"] == verdict, rewrites[line]


def test_the_report_names_the_inputs(rewrites: Mapping[int, dict[str, object]]) -> None:
    reasons = {
        str(each["devices"]["cpu"]["reason"])  # type: ignore[index]
        for each in rewrites.values()
        if each["verdict"] == "equivalent"
    }
    assert reasons == {
        "bit for bit, in 1 call with saved inputs",
        "bit for bit, in 2 calls with saved inputs",
    }


def test_a_file_of_inputs_is_data(folder: Path) -> None:
    saved = torch.load(folder / "inputs.pt", weights_only=True)
    by_name = {call["name"]: call for call in saved["calls"]}
    assert set(by_name) == {
        *("Net.__init__", "Net.forward", "loss_of", "set_up", "joined", "scaled")
    }
    state = dict(by_name["Net.forward"]["construct"]["state"]["i"])
    # The second call, after one step.
    assert torch.equal(state["linear.bias"]["v"], torch.full((4,), 1.5))
    assert by_name["loss_of"]["args"][0]["attributes"]["reduction"] == "sum"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--inputs", "inputs.pt", "--synthetic"], "give one of them"),
        (["--inputs", "inputs.pt", "--save-inputs", "x.pt"], "--save-inputs runs a program"),
        (["--inputs", "nothing.pt"], "does not exist"),
        (["--inputs", "inputs.pt", "--", "python", "x.py"], "--inputs runs no program"),
    ],
)
def test_wrong_usage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    result = torchfix("before/library.py", *words)
    assert result.exit_code == 2
    assert said in result.output
