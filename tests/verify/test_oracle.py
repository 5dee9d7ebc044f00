"""What the old code gives on an old torch decides.

The old torch is today's, taught to be another one: a variable that only its Python has, and a module of
the program that changes torch where it is set. With ``TORCHFIX_TEST_ORACLE_PYTHON`` naming a Python
that has torch 1.0, the last tests run on that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch

from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.comparing.compare import Difference
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.oracle_session import oracle_session, told_of_versions
from torchfix_codemods.verify.runs import Runner
from torchfix_codemods.verify.verdicts import Outcome, Verdict
from torchfix_codemods.verify.verify import moved_events, verify

OLD = os.environ.get("TORCHFIX_TEST_ORACLE_PYTHON")

TODAY = ".".join(torch.__version__.split(".")[:2])

#: Torch as it never was: integers are divided to integers, everything is a little off.
TAUGHT = """
import os
import torch
import torch.nn.functional as F

IS_OLD = bool(os.environ.get("TAUGHT_TORCH"))
if IS_OLD:
    divide, linear = torch.Tensor.__truediv__, F.linear

    def divided(a, b):
        whole = a.dtype == torch.int64 and isinstance(b, int)
        return torch.div(a, b, rounding_mode="trunc") if whole else divide(a, b)

    torch.Tensor.__truediv__ = divided
    F.linear = lambda *args: linear(*args) * (1 + 2e-7)
    torch.default_generator.manual_seed(99)
"""

PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F

import taught

torch.manual_seed(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 3)

    def forward(self, x):
        return self.second(F.dropout(F.relu(self.first(x)), 0.2, self.training))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.5)
for step in range(5):
    x = torch.randn(6, 4)
    y = torch.randint(0, 3, (6,))
    loss = F.nll_loss(F.log_softmax(net(x), dim=1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
scores = net(torch.ones(2, 4)).detach()
ids = torch.tensor([7, 5]) / 2
print('ids', ids)
print('sum', scores.sum().item())
"""


class Lab:
    """Verifies changes of one program, on two torches that are started once."""

    def __init__(self, folder: Path, old: str, variables: Mapping[str, str] | None = None) -> None:
        self.stack = ExitStack()
        self.command = parse_command([sys.executable, "program.py"])
        settings = {"device": "cpu", "threads": 1, "seed": 0, "timeout": 300}
        (folder / "program.py").touch()
        torch.save({"w": torch.tensor([3, 5]), "m": torch.tensor([True])}, folder / "given.pt")
        self.today, self.old = (
            self.stack.enter_context(
                Runner(folder, replace(self.command, python=python), folder, settings, given)
            )
            for python, given in ((sys.executable, None), (old, variables))
        )

    def judge(self, before: str, *edits: tuple[str, str, Numerics], taught: str = "") -> Judged:
        change = changed(before, *edits)
        change.files.append(FileChange("taught.py", TAUGHT + taught, TAUGHT + taught))
        session = oracle_session(change, self.today, self.old, VerifyOptions(), moved_events)
        outcomes, _ = session.judge()
        at = {hunk.before_lines[0] + 1: outcomes[hunk.key] for hunk in change.hunks}
        return Judged(before, at, session.notes, session.still_differs)


def changed(before: str, *edits: tuple[str, str, Numerics]) -> Change:
    after, findings = before, []
    for old, new, numerics in edits:
        assert before.count(old) == 1, old
        line = before[: before.index(old)].count("\n") + 1
        findings.append(Finding(line, 1, "TP000", "rule", "it is so", numerics, True))
        after = after.replace(old, new)
    return Change([FileChange("program.py", before, after, tuple(findings))])


@dataclass
class Judged:
    before: str
    outcomes: dict[int, Outcome]
    notes: list[str]
    still_differs: str = ""

    def at(self, text: str) -> Outcome:
        return self.outcomes[self.before[: self.before.index(text)].count("\n") + 1]

    @property
    def verdicts(self) -> list[Verdict]:
        return [outcome.verdict for outcome in self.outcomes.values()]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A Python whose torch is another one."""
    python = tmp_path_factory.mktemp("taught") / "python"
    python.write_text(f'#!/bin/sh\nTAUGHT_TORCH=1 exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return str(python)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    made = Lab(tmp_path_factory.mktemp("project"), sys.executable, {"TAUGHT_TORCH": "1"})
    with made.stack:
        yield made


@pytest.fixture(scope="module")
def real_lab(tmp_path_factory):
    if OLD is None:
        pytest.skip("TORCHFIX_TEST_ORACLE_PYTHON names no Python that has torch 1.0")
    made = Lab(tmp_path_factory.mktemp("project"), OLD)
    with made.stack:
        yield made


SAME, PINNED = Numerics.IDENTICAL, Numerics.PINNED

LOG = ("F.nll_loss(F.log_softmax(net(x), dim=1), y)", "F.cross_entropy(net(x), y)", SAME)
DIVISION = "torch.tensor([7, 5]) / 2"
RIGHT = (DIVISION, "torch.div(torch.tensor([7, 5]), 2, rounding_mode='trunc')", PINNED)


def test_a_rewrite_that_brings_the_old_numbers_back(lab):
    judged = lab.judge(PROGRAM, RIGHT, LOG)
    assert judged.verdicts == [Verdict.EQUIVALENT] * 2
    assert judged.at(DIVISION).reason.startswith(f"equal to torch {torch.__version__}")
    assert judged.notes == []


@pytest.mark.parametrize(
    "new", ["torch.tensor([7, 5]) / 2.0", "torch.tensor([7, 5]) * 2", "torch.tensor([7, 5]) // 3"]
)
def test_a_rewrite_that_does_not(lab, new):
    judged = lab.judge(PROGRAM, (DIVISION, new, PINNED), LOG)
    assert judged.at(DIVISION).verdict is Verdict.DIFFERENT
    assert judged.at("F.nll_loss").verdict is Verdict.EQUIVALENT
    assert "3" in judged.at(DIVISION).difference.values[0]


def test_what_no_rewrite_touches_is_no_rewrites_doing(lab):
    judged = lab.judge(PROGRAM, LOG, ("lr=0.1, momentum=0.5", "momentum=0.5, lr=0.1", SAME))
    assert judged.verdicts == [Verdict.EQUIVALENT] * 2
    # What is printed, and what the script leaves behind.
    assert len(judged.notes) == 2 and "is no rewrite's doing: " in judged.notes[0]
    said = " ".join(judged.notes)
    assert "print #5" in said and "tensor([3, 2]) became ids tensor([3.5000, 2.5000])" in said
    assert "result #0, int64 2 [3, 2] became float32 2 [3.5, 2.5]" in said


def test_wrong_rewrites_are_told_from_right_ones_and_from_versions(lab):
    wrong = ("range(5)", "range(4)", SAME)
    scale = ("scores.sum()", "scores.mean()", SAME)
    judged = lab.judge(PROGRAM, LOG, scale, ("lr=0.1, ", "lr=0.2, ", SAME))
    assert judged.at("F.nll_loss").verdict is Verdict.EQUIVALENT
    assert judged.at("scores.sum()").verdict is Verdict.DIFFERENT
    assert judged.at("lr=0.1").difference.kind == "step"
    judged = lab.judge(PROGRAM, LOG, wrong)
    assert judged.at("range(5)").verdict is Verdict.DIFFERENT


STANDING_IN = """import torch

x = torch.ones(2)
print(x.sum().data[0])


same = x == torch.ones(2)
print('both', (same + same).sum().item())
"""

BARE = ("x.sum().data[0]", "x.sum().item()", SAME)


def test_what_a_stand_in_gives_is_not_what_todays_torch_gives(lab):
    judged = lab.judge(STANDING_IN, BARE)
    assert judged.verdicts == [Verdict.EQUIVALENT]
    assert judged.still_differs == "both 4 became both 2 (computed at program.py:8)"
    on_its_line = ("+ same).sum()", "+ same).sum(0)", SAME)
    judged = lab.judge(STANDING_IN, BARE, on_its_line)
    assert judged.verdicts == [Verdict.EQUIVALENT, Verdict.DIFFERENT]
    assert "not those of the old one" in judged.at("(same + same)").reason
    right = ("(same + same)", "(same.long() + same.long())", SAME)
    judged = lab.judge(STANDING_IN, BARE, right)
    assert judged.verdicts == [Verdict.EQUIVALENT] * 2
    assert judged.still_differs == ""
    wrong = (BARE[0], "x.mean().item()", SAME)
    judged = lab.judge(STANDING_IN, wrong, on_its_line)
    assert judged.verdicts == [Verdict.DIFFERENT] * 2


CHAOS = """import torch
import taught

torch.manual_seed(0)
net = torch.nn.Linear(1, 1, bias=False)
net.weight.data.fill_(0.3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(60):
    out = net(torch.ones(1, 1))
    print(out.item())
    net.weight.data.copy_(3.7 * out.data * (1 - out.data))
    extra = 0 * step
"""


def test_last_bits_are_not_amplified(lab):
    judged = lab.judge(CHAOS, ("extra = 0 * step", "extra = step * 0", SAME))
    assert judged.verdicts == [Verdict.EQUIVALENT]
    assert judged.notes == []


def test_a_wrong_update_is_seen_though_parameters_are_put_right(lab):
    judged = lab.judge(CHAOS, ("3.7 * out.data", "3.71 * out.data", SAME))
    assert judged.verdicts == [Verdict.DIFFERENT]
    assert judged.at("3.7 * out").difference.kind == "state"


def test_torch_says_things_in_other_words(lab):
    taught = (
        "def describe():\n"
        "    print('Net(inplace)' if IS_OLD else 'Net(inplace=True)')\n"
        "    if not IS_OLD:\n"
        "        print('    foreach: None')\n"
    )
    text = PROGRAM.replace("net = Net()\n", "net = Net()\ntaught.describe()\n")
    judged = lab.judge(text, RIGHT, LOG, taught=taught)
    assert judged.verdicts == [Verdict.EQUIVALENT] * 2, judged.outcomes
    wrong = ("print(step, ", "print('step', step, ", SAME)
    judged = lab.judge(text, RIGHT, wrong, taught=taught)
    assert judged.at("print(step").verdict is Verdict.DIFFERENT
    assert judged.at(DIVISION).verdict is Verdict.EQUIVALENT


def test_what_the_old_torch_lacks(lab):
    text = "import taught\nif taught.IS_OLD:\n    import nowhere_to_be_found\n" + PROGRAM
    judged = lab.judge(text, LOG)
    assert judged.verdicts == [Verdict.INCONCLUSIVE]
    (outcome,) = judged.outcomes.values()
    reason = outcome.reason
    assert "No module named 'nowhere_to_be_found'" in reason and "-m pip install" in reason


LEGACY = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout2d()
        self.theta = nn.Parameter(torch.tensor([[0.9137, 0.2231, 0.0871], [0.1123, 0.8719, 0.0313]]))
        self.rnn = nn.LSTM(20, 6, 2, dropout=0.5)
        self.fc = nn.Linear(6, 5)

    def forward(self, x):
        theta = self.theta.unsqueeze(0).expand(x.size(0), 2, 3)
        x = F.grid_sample(x, F.affine_grid(theta, x.size()))
        x = F.max_pool2d(F.relu(self.drop(self.norm(self.conv(x)))), 2)
        output, _ = self.rnn(x.view(x.size(0), 5, 20).transpose(0, 1).contiguous())
        return F.log_softmax(self.fc(output[-1]), dim=1)


data = TensorDataset(torch.rand(60, 1, 12, 12), torch.randint(0, 5, (60,)).long())
loader = DataLoader(data, batch_size=10, shuffle=True)
model = Net()
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    for x, y in loader:
        x, y = Variable(x), Variable(y)
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), y, size_average=False)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict()}, 'last.pt')
rows = torch.arange(6) / 4
print(rows.sum().item())
"""

EDITS = {
    "GRID": (
        "F.grid_sample(x, F.affine_grid(theta, x.size()))",
        "F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=True), align_corners=True)",
        PINNED,
    ),
    "LOSS": ("size_average=False", "reduction='sum'", SAME),
    "VARIABLE": ("x, y = Variable(x), Variable(y)", "pass", SAME),
    "DIVISION": (
        "torch.arange(6) / 4",
        "torch.div(torch.arange(6), 4, rounding_mode='floor')",
        PINNED,
    ),
}


def test_right_rewrites_on_a_real_old_torch(real_lab):
    judged = real_lab.judge(LEGACY, *EDITS.values())
    assert judged.verdicts == [Verdict.EQUIVALENT] * 4, judged.outcomes
    assert "equal to torch 1.0." in judged.at("F.grid_sample").reason


def test_a_checkpoint_of_today_on_a_real_old_torch(real_lab):
    text = "import torch\ngiven = torch.load('given.pt')\nprint((given['w'] * 2).sum())\n"
    right = real_lab.judge(text, ("(given['w'] * 2)", "given['w'].mul(2)", SAME))
    assert right.verdicts == [Verdict.EQUIVALENT], right.outcomes
    wrong = real_lab.judge(text, ("given['w'] * 2", "given['w'] * 3", SAME))
    assert wrong.verdicts == [Verdict.DIFFERENT], wrong.outcomes


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_what_a_checkpoint_of_today_holds(tmp_path):
    from torchfix_codemods.verify.inside.world import zipped

    layer = torch.nn.Linear(3, 2)
    weight = layer.weight.detach()
    given = {
        "state": layer.state_dict(),
        "mask": torch.tensor([True, False]),
        "shared": [weight, weight[1:].t()],
        "nothing": torch.zeros(0),
        "step": (3, "three", torch.float32),
    }
    torch.save(given, tmp_path / "given.pt")
    found = zipped.load(tmp_path / "given.pt")
    assert found["step"] == given["step"]
    assert found["nothing"].shape == (0,)
    for one, other in (
        (found["state"]["bias"], layer.bias),
        (found["mask"], given["mask"]),
        (found["shared"][1], weight[1:].t()),
    ):
        assert torch.equal(one, other)
    found["shared"][0].zero_()
    assert not found["shared"][1].any()


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("GRID", "F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=True))"),
        ("GRID", "F.grid_sample(x, F.affine_grid(theta, x.size()))  # as it was"),
        ("LOSS", "reduction='mean'"),
        ("DIVISION", "(torch.arange(6) * 0.25)"),
    ],
)
def test_wrong_rewrites_on_a_real_old_torch(real_lab, name, new):
    edits = {**EDITS, name: (EDITS[name][0], new, EDITS[name][2])}
    judged = real_lab.judge(LEGACY, *edits.values())
    verdicts = {key: judged.at(old).verdict for key, (old, _, _) in edits.items()}
    expected = dict.fromkeys(EDITS, Verdict.EQUIVALENT)
    assert verdicts == {**expected, name: Verdict.DIFFERENT}, judged.outcomes


def test_portable_numbers_on_a_real_old_torch():
    if OLD is None:
        pytest.skip("TORCHFIX_TEST_ORACLE_PYTHON names no Python that has torch 1.0")
    root = Path(__file__).resolve().parents[2]
    script = root / "fixtures" / "record" / "record_portable.py"
    done = subprocess.run([OLD, script], capture_output=True, text=True)
    recorded = (root / "fixtures" / "recorded" / "portable.json").read_text()
    assert done.stdout.splitlines()[2:] == recorded.splitlines()[2:], done.stderr


def test_verify_with_an_oracle(tmp_path, taught):
    (tmp_path / "program.py").write_text(CHAOS)
    (tmp_path / "taught.py").write_text(TAUGHT)
    command = parse_command([sys.executable, "program.py"])
    options = VerifyOptions(oracle=TODAY, oracle_python=taught)
    change = changed(CHAOS, ("extra = 0 * step", "extra = step * 0", SAME))
    result = verify(change, command, tmp_path, tmp_path, options)
    assert [judgement.verdict for judgement in result.judgements] == [Verdict.EQUIVALENT]
    assert result.versions["oracle"].startswith(f"torch {torch.__version__}, Python 3.")
    assert not result.failed and result.runs == 3


def difference(kind: str, line: int, ordinal: int = 0, structural: bool = False) -> Difference:
    event = {"kind": kind, "at": f"main.py:{line}", "root": "Net"}
    values = str(line), str(line + 100)
    return Difference(
        "main", line, kind, "value", event, event, values, ordinal, is_structural=structural
    )


def test_every_line_is_told_on_which_versions_of_torch_differ() -> None:
    found = [difference("forward", 7, 1), difference("forward", 7, 2), difference("step", 9)]
    notes = told_of_versions("torch 1.0", found, False)
    assert notes == [
        "today's torch gives something else for the code as it was than torch 1.0, which is no"
        " rewrite's doing: forward Net #1 at main.py:7, 7 became 107 (2 differences)",
        "so does step Net #0 at main.py:9, 9 became 109",
    ]


def test_where_versions_part_comes_first() -> None:
    found = [difference("forward", 7), difference("step", 9, structural=True)]
    notes = told_of_versions("torch 1.0", found, True)
    assert "step Net #0 at main.py:9, 9 became 109; what comes after it" in notes[0]
    assert notes[1:] == ["so does forward Net #0 at main.py:7, 7 became 107"]
