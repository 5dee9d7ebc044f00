"""``torchfix migrate --interactive``."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli.commands import main
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.rules import select

PROGRAMS = sorted((Path(__file__).parents[1] / "fixtures" / "programs").glob("*.py"))

TWO = """\
import torch.nn as nn
import torch.nn.functional as F

loss = nn.MSELoss(size_average=False)


def f(x):
    return F.tanh(x)
"""

WRAPPED = """\
import torch
from torch.autograd import Variable


def f(x):
    y = Variable(x, requires_grad=True)
    print(y)


def g(net, x):
    out = net(Variable(x, volatile=True))
    print(out)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "old.py"


def migrate(path: Path, answers: str, *words: str) -> Result:
    given = "".join(f"{answer}\n" for answer in answers)
    return CliRunner().invoke(main, ["migrate", "-i", str(path), *words], input=given)


def after(path: Path, text: str, answers: str) -> str:
    path.write_text(text, "utf-8")
    result = migrate(path, answers)
    assert result.exit_code == 0, result.output
    return path.read_text("utf-8")


def test_each_part_is_shown_with_its_reason(file: Path) -> None:
    file.write_text(TWO)
    result = migrate(file, "nn")
    assert "-loss = nn.MSELoss(size_average=False)\n+loss" in result.stdout
    assert "line 4: TP301 size-average (identical): " in result.stdout
    assert "(1/2) Rewrite this [y,n,a,d,q,?]?" in result.stdout
    assert "(2/2) Rewrite this" in result.stdout


@pytest.mark.parametrize(
    ("answers", "loss", "tanh"),
    [
        ("yy", True, True),
        ("yn", True, False),
        ("ny", False, True),
        ("nn", False, False),
        ("a", True, True),
        ("na", False, True),
        ("yd", True, False),
        ("d", False, False),
        ("yq", True, False),
        ("q", False, False),
        ("y", True, False),
        ("", False, False),
        ("?xyn", True, False),
        ("YN", True, False),
    ],
)
def test_answers(file: Path, answers: str, loss: bool, tanh: bool) -> None:
    expected = TWO
    if loss:
        expected = expected.replace("size_average=False", 'reduction="sum"')
    if tanh:
        expected = "import torch\n" + expected.replace("F.tanh", "torch.tanh")
        expected = expected.replace("import torch.nn.functional as F\n", "")
    written = after(file, TWO, answers)
    ast.parse(written)
    assert sorted(written.splitlines()) == sorted(expected.splitlines())


def test_an_import_stays_where_a_refused_part_needs_it(file: Path) -> None:
    kept = after(file, WRAPPED, "ny")
    assert "from torch.autograd import Variable" in kept
    assert "Variable(x, requires_grad=True)" in kept
    assert "volatile" not in kept and "torch.no_grad()" in kept
    assert "Variable" not in after(file, WRAPPED, "yy")


def test_a_definition_stays_where_only_one_of_two_parts_needs_it(file: Path) -> None:
    text = "import torch\nx = torch.cuda.LongTensor([1])\n\nprint(x)\n"
    text += "print(x)\ny = x.type(torch.cuda.FloatTensor)\n"
    one = after(file, text, "ny")
    assert "x = torch.cuda.LongTensor([1])" in one and "y = x.to(device, torch.float)" in one
    assert one.count("device = torch.device(") == 1
    assert "device" not in after(file, text, "nn")


def test_a_rewrite_of_several_places_is_one_part(file: Path) -> None:
    text = "from torch.nn.init import xavier_uniform\n\n\n"
    text += "def f(net):\n    print(net)\n    xavier_uniform(net.weight)\n"
    file.write_text(text)
    asked = migrate(file, "n").stdout
    assert "(1/1)" in asked
    assert "+from torch.nn.init import" in asked and "+    xavier_uniform_(" in asked
    assert file.read_text() == text
    assert "import xavier_uniform_\n" in after(file, text, "y")


def test_a_call_keeps_what_a_refused_part_still_takes(file: Path) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n\n\n"
        "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n\n\n"
        "def test(net, data):\n    out = net(to_var(data, volatile=True))\n    print(out)\n"
    )
    written = after(file, text, "yn")
    assert "to_var(data, volatile=True)" in written and "volatile=False" in written


def test_what_was_never_shown_is_never_written(file: Path) -> None:
    """What is written of a part that was refused in part is shown first."""
    for path in PROGRAMS:
        text = path.read_text("utf-8")
        chance = random.Random(path.name)
        file.write_text(text, "utf-8")
        answers = "".join(chance.choice("ynn") for _ in range(200))
        result = migrate(file, answers)
        written = file.read_text("utf-8").splitlines()
        shown = {line[1:] for line in result.stdout.splitlines() if line.startswith("+")}
        old = set(text.splitlines())
        brought = [line for line in written if line not in old and line not in shown]
        # Imports and the device follow from what was accepted.
        assert all(line.startswith(("import ", "from ", "device = ")) for line in brought), brought
        if "async=" not in text:
            ast.parse("\n".join(written))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_was_refused_can_be_had_later(file: Path, path: Path) -> None:
    text = path.read_text("utf-8")
    file.write_text(text, "utf-8")
    migrate(file, "a", "--from", "0.3")
    at_once = file.read_text("utf-8")
    chance = random.Random(1)
    file.write_text(text, "utf-8")
    migrate(file, "".join(chance.choice("yn") for _ in range(200)), "--from", "0.3")
    migrate(file, "a", "--from", "0.3")
    assert file.read_text("utf-8") == at_once


def test_refusing_in_one_file_refuses_what_another_one_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    model = "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
    model += "        super().__init__()\n        self.fc = nn.Linear(1, 1)\n"
    head = "import torch\nfrom model import Net\n\n"
    files = {
        "model.py": model,
        "save.py": f'{head}net = Net()\ntorch.save(net, "net.pt")\n',
        "use.py": f'{head}net = torch.load("net.pt")\nnet.eval()\n',
    }

    def written(answers: str) -> str:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        assert "(left" not in migrate(tmp_path, answers, "--select", "TP501").output
        return (tmp_path / "save.py").read_text() + (tmp_path / "use.py").read_text()

    assert "net.state_dict()" in written("yy") and "load_state_dict" in written("yy")
    assert "state_dict" not in written("yn")
    assert "state_dict" not in written("ny")


def test_what_is_accepted_may_take_away_what_dates_the_file(file: Path) -> None:
    (file.parent / "requirements.txt").write_text("torch==0.3.0\n")
    (file.parent / "setup.py").touch()
    line = "    y = F.upsample(x, scale_factor=2, mode='bilinear')\n"
    text = f"import torch.nn.functional as F\n\n\ndef f(x):\n{line}\n    print(x)\n{line}"
    file.write_text(f"{text}    return y\n")
    result = migrate(file, "yny")
    assert result.exit_code == 0, result.output
    written = file.read_text()
    assert written.count("align_corners=True") == 1
    assert written.endswith(f"{line}    return y\n")


@pytest.mark.parametrize("accepted", [{1}, {5}])
def test_of_what_goes_together_all_or_nothing_is_taken(accepted: set[int]) -> None:
    text = "from torch.nn.init import xavier_uniform\n\n\ndef f(w):\n    xavier_uniform(w)\n"
    options = Options(accepts=lambda line, code: line in accepted)
    assert migrate_text(text, select(["TP701"]), options).text == text
    assert migrate_text(text, select(["TP701"])).text != text


def test_bytes_outside_stay(file: Path) -> None:
    data = b"\xef\xbb\xbf" + TWO.replace("\n", "\r\n").encode() + b's = "\xc3\xa9"'
    file.write_bytes(data)
    migrate(file, "yn")
    assert file.read_bytes() == data.replace(b"size_average=False", b'reduction="sum"')


def test_what_was_refused_is_not_left_for_a_person(file: Path) -> None:
    file.write_text(TWO)
    result = migrate(file, "yn")
    assert "1 rewritten, 1 rewrite (1 warns; 1 identical), 0 left for a person" in result.stderr
    assert "refused" not in result.stderr


def test_a_file_that_needs_what_was_refused_is_named(file: Path) -> None:
    text = f"{TWO}\n\nprint(1)\ny = loss(1, 2).cuda(async=True)\n"
    file.write_text(text)
    result = migrate(file, "yyn")
    assert result.exit_code == 2
    assert "old.py:12: " in result.stderr
    assert file.read_text() == text


def test_a_file_that_changed_meanwhile_is_left_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchfix_codemods.cli import interactive as cli_interactive

    file.write_text(TWO)

    def answer(*_: object) -> str:
        file.write_text("other = 1\n")
        return "y"

    monkeypatch.setattr(cli_interactive, "_answer", answer)
    result = migrate(file, "")
    assert result.exit_code == 2
    assert file.read_text() == "other = 1\n"


@pytest.mark.parametrize(
    "words", [["--diff"], ["--check"], ["--verify", "python x.py"], ["--output-format", "json"]]
)
def test_wrong_usage(file: Path, words: list[str]) -> None:
    file.write_text(TWO)
    result = migrate(file, "y", *words)
    assert result.exit_code == 2
    assert "cannot be used together" in result.output
    assert file.read_text() == TWO


def test_not_from_standard_input() -> None:
    result = CliRunner().invoke(main, ["migrate", "-i", "-"], input=TWO)
    assert result.exit_code == 2
    assert "cannot ask" in result.output


def test_notebooks_are_left_alone_with_a_word(file: Path) -> None:
    file.write_text(TWO)
    cell = {"cell_type": "code", "source": TWO, "metadata": {}, "outputs": []}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(book)
    (file.parent / "train.ipynb").write_text(text)
    result = migrate(file.parent, "y" * 9)
    assert "train.ipynb: left alone: only Python files can be shown in parts" in result.output
    assert "notebook was found" not in result.output
    assert (file.parent / "train.ipynb").read_text() == text
    assert "size_average" not in file.read_text()
