"""Lines are as old as git says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.documents import books
from torchfix_codemods.facts.age.era import dotted
from torchfix_codemods.finding import FileResult
from torchfix_codemods.project.history import last_release, written_for
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

MODEL = """\
import torch
import torch.nn.functional as F

def f(x):
    return F.upsample(x, scale_factor=2, mode='bilinear')
"""
ALIGNED = "align_corners=True"
GRID = "F.grid_sample(x, F.affine_grid(x, x.size()))"


def commit(path: Path, text: str, date: str) -> None:
    new = not (path.parent / ".git").exists()
    path.write_text(text)
    environment = {
        **os.environ,
        "GIT_AUTHOR_DATE": f"{date}T12:00:00Z",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in [("init", "-q")] * new + [("add", "."), (*names, "commit", "-qm", "m")]:
        subprocess.run(["git", *words], cwd=path.parent, env=environment, check=True)


def run(path: Path) -> FileResult:
    (result,) = migrate_files([path], Settings(), write=False)
    assert not result.errors
    return result


@pytest.mark.parametrize(
    ("date", "version"),
    [
        ("2017-03-01", "0.3"),
        ("2017-12-06", "0.3"),
        ("2018-02-22", "0.3"),
        ("2018-02-24", "0.4"),
        ("2019-08-01", "1.2"),
        ("2016-01-01", None),
        ("1970-01-02", None),
        ("2024-05-01", None),
    ],
)
def test_code_is_not_written_for_what_came_later(date: str, version: str | None) -> None:
    from datetime import datetime, timezone

    seconds = datetime.fromisoformat(date).replace(tzinfo=timezone.utc).timestamp()
    found = last_release(int(seconds))
    assert (None if found is None else dotted(found)) == version


def test_a_file_of_2017_is_for_torch_0_3(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2017-12-10")
    result = run(path)
    assert ALIGNED in (result.after or "")
    assert result.era.evidence == ("no line was written after torch 0.3 (git blame)",)


def test_a_file_of_2019_is_not(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2019-12-10")
    assert ALIGNED not in (run(path).after or "")


def told(path: Path, code: str = "TP307") -> list[int]:
    return [f.line for f in run(path).findings if f.code == code and not f.fixed]


@pytest.mark.parametrize("date", ["2018-05-16", "2019-12-10"])
def test_what_a_date_leaves_open_is_told_as_without_one(date: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, date)
    assert told(path) == [5]


@pytest.mark.parametrize(
    ("date", "lines"), [("2019-10-20", []), ("2020-02-10", [5]), ("2021-12-10", [])]
)
def test_a_grid_of_the_months_of_the_change_may_be_older(
    date: str, lines: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL.replace("F.upsample(x, scale_factor=2, mode='bilinear')", GRID), date)
    assert told(path) == lines


def test_a_layer_of_the_months_of_the_change_may_be_older_beside_variables(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    layer = MODEL.replace("F.upsample(x, ", "torch.nn.Upsample(")
    commit(path, layer, "2018-05-16")
    assert told(path) == []
    commit(path, f"from torch.autograd import Variable\n{layer}", "2018-05-16")
    assert told(path) == [6]


def test_a_line_is_as_old_as_it_is_in_a_newer_file(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2017-12-10")
    newer = f"{MODEL}\ndef g(x):\n    return {MODEL.split()[-3]} scale_factor=3, mode='bilinear')\n"
    commit(path, newer, "2019-12-10")
    after = run(path).after or ""
    assert after.count(ALIGNED) == 1
    assert after.index(ALIGNED) < after.index("def g")


OLD_LINES = {
    "TP906": "torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x], 1.0), 2).get_lr()",
    "TP424": "torch.tensor([1, 2]) * 0.5",
    "TP406": "torch.tensor([-1, 2]) // 2",
    "TP405": "(torch.ones(2) > 1).numpy() + (torch.ones(2) < 0).numpy()",
    "TP310": "F.cross_entropy(x, torch.tensor([-1, 0]), ignore_index=-1)",
}


@pytest.mark.parametrize(("code", "line"), OLD_LINES.items(), ids=OLD_LINES)
def test_rules_ask_for_the_age_of_the_line(code: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    head = "import torch\nimport torch.nn.functional as F\n\ndef f(x):\n"
    commit(path, f"{head}    return {line}\n", "2018-11-10")
    newer = f"{head}    return {line}\n\ndef g(x):\n    x = x.to(torch.device('cpu'))\n"
    commit(path, f"{newer}    return {line}\n", "2022-12-10")
    found = [f for f in run(path).findings if f.code == code and "may give" not in f.message]
    assert [f.line for f in found] == [5]


def test_a_cell_of_2017_is_for_torch_0_3(tmp_path: Path) -> None:
    path = tmp_path / "model.ipynb"
    old = MODEL.replace("def f", "def old")
    newer = MODEL.replace("def f", "def new").partition("\n\n")[2]
    commit(path, json.dumps(books.notebook(old), indent=1), "2017-12-10")
    commit(path, json.dumps(books.notebook(old, newer), indent=1), "2022-12-10")
    after = run(path).after or ""
    assert after.count(ALIGNED) == 1
    assert after.index("def old") < after.index(ALIGNED) < after.index("def new")


OF_TORCH_0_3 = {
    "TP103": ["loss = net(x)", "if y:", "    loss.backward()", "return loss.data[0]"],
    "TP301": ["loss = nn.MSELoss()", "loss.size_average = False", "return loss(x, y)"],
    "TP302": ["return F.nll_loss(F.log_softmax(net(x)), y)"],
    "TP418": ["x = x.masked_select(x > 0)", "return None if x.dim() == 0 else x"],
    "TP704": ["return nn.Embedding.from_pretrained(x, True, True)"],
}


@pytest.mark.parametrize(("code", "lines"), OF_TORCH_0_3.items(), ids=OF_TORCH_0_3)
def test_old_lines_of_a_newer_file_are_rewritten(
    code: str, lines: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.py"
    body = "".join(f"    {line}\n" for line in lines)
    old = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"
    old += f"def f(net, x, y):\n{body}"
    commit(path, old, "2017-12-10")
    # What torch it needs itself shows what is meant by a third argument.
    needing = "    x[torch.zeros(2, dtype=torch.bool)] = 0\n" * (code == "TP704")
    newer = f"\ndef g(net, x, y):\n{needing}{body}"
    commit(path, old + newer, "2022-12-10")
    written = {f.line for f in run(path).findings if f.code == code and f.fixed}
    assert written and max(written) < len(old.splitlines()) + 1


def test_what_a_line_uses_itself_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL.replace("x, scale", "torch.tensor(x), scale"), "2017-12-10")
    assert ALIGNED not in (run(path).after or "")


def test_what_is_not_committed_is_as_old_as_what_it_replaces(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2017-12-10")
    text = MODEL.replace("(x):", "(x):\n    x = x.cuda()").replace("(x, ", "(x.relu(), ")
    assert written_for(path, text) == dict.fromkeys(range(1, 7), (0, 3))


def test_what_git_does_not_know_has_no_age(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    assert written_for(path, MODEL) == {}
    commit(tmp_path / "other.py", MODEL, "2017-12-10")
    assert written_for(path, MODEL + "\n") == {}
