"""Changed functions are called with inputs that are made for them, where no program calls them."""

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
from torchfix_codemods.verify.command import CommandError
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.inputs.asked import AT_THE_MARGIN
from torchfix_codemods.verify.inputs.calls import command_of
from torchfix_codemods.verify.inside.replay import guesses, packed
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.verdicts import Judgement
from torchfix_codemods.verify.verify import verify

PROGRAM = """\
import argparse
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--slope", type=float, default=0.25)
args = parser.parse_args()
data = open("data.bin")
for batch in data:
    raise SystemExit(batch)


class Net(nn.Module):
    def __init__(self, hidden, classes=10):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=5)
        self.fc = nn.Linear(576, hidden)
        self.out = nn.Linear(hidden, classes)
        nn.init.constant_(self.fc.weight, 0.01)

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 2).view(-1, 576)

        x = F.dropout(self.fc(x), training=self.training)

        x = self.out(x)

        return F.log_softmax(x, dim=1)

    @staticmethod
    def doubled(x):
        return x + x

    def embedded(self, count):
        return self.out.weight[:count] * count


class Words(nn.Module):
    def __init__(self, size, hidden):
        super(Words, self).__init__()
        self.embedding = nn.Embedding(size, hidden)
        self.lstm = nn.LSTM(hidden, hidden)

    def forward(self, words):
        given = self.embedding(words)
        output, state = self.lstm(given)
        return output.sum(2)


def loss_of(output, target):
    return F.nll_loss(output, target, reduction="sum")


def leaky(x):
    return F.leaky_relu(x, args.slope)


def set_up(module):
    name = module.__class__.__name__
    if name.find("Conv") != -1:
        nn.init.constant_(module.weight, 0.5)


def pairs(x):
    for row in x:
        yield row * 2


def chosen(x, mode):
    if mode == "sum":
        return x.sum(0)
    elif mode == "most":
        return x.max(0)[0]
    raise ValueError(mode)


def options_of(opt, x):
    return x * opt.weight_of_it


def read(path, length):
    with open(path) as file:
        return torch.ones(int(file.read(length)))


def forever(x):
    while True:
        x = x + 1
        threading.Event().wait()


def removed(x):
    return torch.gels_of_old(x) + 1


if __name__ == "__main__":
    print(Net(50))
"""

#: What is changed, what to, and what is to be said.
EDITS = [
    ("nn.init.constant_(self.fc.weight, 0.01)", "self.fc.weight.data.fill_(0.01)", "equivalent"),
    (".view(-1, 576)", ".reshape(-1, 576)", "equivalent"),
    ("training=self.training)", "training=True)", "different"),
    ("return F.log_softmax(x, dim=1)", "return F.log_softmax(x, dim=-1)", "equivalent"),
    ("return x + x", "return x + x.detach()", "different"),
    ("self.out.weight[:count] * count", "count * self.out.weight[0:count]", "equivalent"),
    ("given = self.embedding(words)", "given = self.embedding(words.long())", "equivalent"),
    ("output.sum(2)", "output.sum(0)", "different"),
    ('reduction="sum"', 'reduction="mean"', "different"),
    ("F.leaky_relu(x, args.slope)", "F.leaky_relu(x, negative_slope=args.slope)", "equivalent"),
    ("nn.init.constant_(module.weight, 0.5)", "module.weight.data.fill_(0.5)", "equivalent"),
    ("yield row * 2", "yield row * 3", "different"),
    ("return x.sum(0)", "return x.sum(dim=0)", "equivalent"),
    ("x.max(0)[0]", "x.max(0)[1]", "different"),
    ("x * opt.weight_of_it", "opt.weight_of_it * x", "equivalent"),
    ("torch.ones(int(file", "torch.zeros(int(file", "not observed"),
    ("x = x + 1", "x = 1 + x", "not observed"),
    ("torch.gels_of_old(x) + 1", "1 + torch.gels_of_old(x)", "not observed"),
    ("print(Net(50))", "print(Net(51))", "not observed"),
]


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Judgement]:
    """What is said of each edit, by what it writes."""
    return shared(
        tmp_path_factory, "synthetic", lambda: _judgements(tmp_path_factory.mktemp("project"))
    )


def _judgements(folder: Path) -> dict[str, Judgement]:
    (folder / "net.py").write_text(PROGRAM, encoding="utf-8")
    after = PROGRAM
    for old, new, _ in EDITS:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    change = Change([FileChange("net.py", PROGRAM, after)])
    options = VerifyOptions(synthetic=True)
    result = verify(change, command_of([sys.executable]), folder, folder, options)
    assert any("the inputs are synthetic" in note for note in result.notes)
    lines = after.splitlines()
    found = {}
    for judgement in result.judgements:
        start, end = judgement.hunk.after_lines
        for line in lines[start:end]:
            found.update({new: judgement for _, new, _ in EDITS if new in line})
    return found


@pytest.mark.parametrize(("new", "verdict"), [(new, verdict) for _, new, verdict in EDITS])
def test_verdicts(judgements: Mapping[str, Judgement], new: str, verdict: str) -> None:
    judgement = judgements[new]
    assert judgement.verdict.value == verdict, judgement.outcome
    if verdict == "equivalent":
        assert judgement.outcome.reason.endswith("with synthetic inputs")


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("torch.zeros(int(file", "no inputs were found that net.py:read takes: "),
        ("x = 1 + x", "net.py:forever takes: TooLongError: it took longer than"),
        ("1 + torch.gels_of_old(x)", "net.py:removed takes: AttributeError: module 'torch'"),
        ("print(Net(51))", AT_THE_MARGIN),
    ],
)
def test_what_cannot_be_called_says_why(
    judgements: Mapping[str, Judgement], new: str, reason: str
) -> None:
    assert reason in judgements[new].outcome.reason


def test_a_guess_is_called_one(judgements: Mapping[str, Judgement]) -> None:
    assert "what x is: a guess was passed" in judgements["return x + x.detach()"].outcome.reason
    assert "guess" not in judgements["output.sum(0)"].outcome.reason


LEGACY = """\
import torch
import torch.nn.functional as F
from torch.autograd import Variable


def error_of(output, target):
    return F.mse_loss(output, target, size_average=False).data[0]


def wrapped(x):
    return F.softmax(Variable(x))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "legacy.py").write_text(LEGACY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def torchfix(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_without_a_command(project: Path) -> None:
    words = ["verify", "legacy.py", "--synthetic", "--device", "cpu", "--report", "report.json"]
    result = torchfix(*words, "--", sys.executable)
    assert result.exit_code == 0, result.output
    report = json.loads((project / "report.json").read_text())
    assert "synthetic inputs" in report["command"]
    assert {each["verdict"] for each in report["rewrites"]} == {"equivalent"}
    assert (project / "legacy.py").read_text() == LEGACY


def test_what_is_not_observed_is_told_by_the_exit_status(project: Path) -> None:
    (project / "legacy.py").write_text(LEGACY + "\n\nprint(wrapped(Variable(torch.ones(2, 2))))\n")
    result = torchfix("verify", "legacy.py", "--synthetic", "--device", "cpu", "--", sys.executable)
    assert result.exit_code == 3, result.output
    assert AT_THE_MARGIN in result.output


@pytest.mark.parametrize(
    "words", [["--synthetic"], ["--verify", "--device", "cpu"], ["--verify", ""]]
)
def test_migrate(project: Path, words: list[str]) -> None:
    result = torchfix("migrate", "legacy.py", "--device", "cpu", *words)
    assert result.exit_code == 0, result.output
    assert "with synthetic inputs" in result.output
    assert "Variable(" not in (project / "legacy.py").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--synthetic", "--oracle", "1.0"], "--oracle runs a program"),
        (["--synthetic", "--", "python", "train.py"], "--synthetic runs no program"),
        (["--synthetic", "--", "no-such-python"], "no-such-python is not found"),
        ([], "or give --synthetic"),
    ],
)
def test_wrong_usage(project: Path, words: list[str], said: str) -> None:
    result = torchfix("verify", "legacy.py", *words)
    assert result.exit_code == 2
    assert said in result.output


def test_this_python_is_taken_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert command_of([]).python == sys.executable
    with pytest.raises(CommandError):
        command_of(["python", "-c", "1"])


@pytest.mark.parametrize(
    "value",
    [
        3,
        None,
        "sum",
        [1, (2.5, True)],
        {"lr": 0.1, "sizes": [1, 2]},
        torch.float64,
        torch.device("cpu"),
        torch.Size([2, 3]),
    ],
)
def test_what_is_packed_is_the_same_again(value: object, tmp_path: Path) -> None:
    plain = packed.pack(value, lambda _: None)
    torch.save(plain, tmp_path / "file")
    read = torch.load(tmp_path / "file", weights_only=True)
    assert packed.unpack(read, {}, lambda _: None) == value


def test_tensors_and_arrays_are_the_same_again() -> None:
    tensor = torch.randn(2, 3, requires_grad=True)
    again = packed.unpack(packed.pack(tensor, lambda _: None), {}, lambda _: None)
    assert torch.equal(again, tensor) and again.requires_grad and again is not tensor
    array = tensor.detach().numpy()
    again = packed.unpack(packed.pack(array, lambda _: None), {}, lambda _: None)
    assert (again == array).all() and again is not array


def test_what_is_no_data_is_not_packed() -> None:
    for value in (iter([1]), [object()], torch.eye(2).to_sparse()):
        with pytest.raises(packed.CannotPackError):
            packed.pack(value, lambda _: None)


def test_the_nearest_come_first() -> None:
    lists: list[list[packed.Packed]] = [[{"v": n} for n in range(3)], [{"v": n} for n in range(3)]]
    found = [tuple(item["v"] for item in each) for each in guesses.combinations(lists)]
    assert found[:3] == [(0, 0), (1, 0), (0, 1)]
    assert len(found) == len(set(found)) == 9
    assert list(guesses.combinations([[], lists[0]])) == []


@pytest.mark.parametrize(
    ("known", "dtypes", "dims"),
    [
        ({"kinds": ["tensor"], "ndim": 2, "dtype": "int64"}, {torch.int64}, {2}),
        ({"kinds": ["tensor"], "ndim": 4, "dtype": None}, {torch.float32}, {4}),
        ({"kinds": ["tensor"], "ndim": None, "dtype": "bool"}, {torch.bool}, {0, 1, 2, 3, 4}),
    ],
)
def test_what_is_known_of_a_tensor_is_kept_to(
    known: guesses.Known, dtypes: set[torch.dtype], dims: set[int]
) -> None:
    values = [each["v"] for each in guesses.guesses(known)]
    assert {value.dtype for value in values} == dtypes
    assert {value.dim() for value in values} == dims


@pytest.mark.parametrize(
    "layer",
    [
        torch.nn.Linear(7, 2),
        torch.nn.Conv1d(5, 2, 3),
        torch.nn.Conv2d(5, 2, 3),
        torch.nn.Conv3d(5, 2, 3),
        torch.nn.ConvTranspose2d(5, 2, 3),
        torch.nn.BatchNorm1d(6),
        torch.nn.BatchNorm2d(6),
        torch.nn.LSTM(6, 2),
        torch.nn.GRUCell(6, 2),
        torch.nn.Embedding(4, 2),
    ],
)
def test_a_layer_takes_one_of_its_shapes(layer: torch.nn.Module) -> None:
    taken = 0
    shapes = guesses.shapes_of_layer(layer)
    for value in guesses.guesses({"kinds": ["tensor"]}, shapes)[: len(shapes)]:
        try:
            layer(value["v"])
            taken += 1
        except (RuntimeError, ValueError):
            continue
    assert taken


def test_a_layer_that_takes_anything_has_no_shapes() -> None:
    assert guesses.shapes_of_layer(torch.nn.ReLU()) == []
