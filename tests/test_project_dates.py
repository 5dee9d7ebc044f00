"""Files that nothing dates are as old as their project, where its files say so together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era, dotted
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

FIXTURES = Path(__file__).parents[1] / "fixtures"

MODEL = """\
import torch
import torch.nn.functional as F

def forward(x, theta):
    x = F.grid_sample(x, F.affine_grid(theta, x.size()))
    return F.upsample(x, scale_factor=2, mode='bilinear')
"""
AFTER = """\
import torch
import torch.nn.functional as F

def forward(x, theta):
    x = F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=True), align_corners=True)
    return F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)
"""
UNDATED = AFTER.replace(", align_corners=True", "")
TRAIN = """\
import torch
from torch.autograd import Variable
from model import forward

def test(x, theta):
    x = Variable(x, volatile=True)
    print(forward(x, theta))
"""


def run(root: Path, *names: str, write: bool = False) -> dict[str, FileResult]:
    paths = [root / name for name in names]
    return {Path(r.path).name: r for r in migrate_files(paths, Settings(), write=write)}


def project(root: Path, **files: str) -> Path:
    (root / ".git").mkdir()
    for name, text in {"model": MODEL, "train": TRAIN, **files}.items():
        path = root / (name.replace("__", "/") + ("" if "." in name else ".py"))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return root


def test_a_model_is_as_old_as_what_trains_it(tmp_path: Path) -> None:
    results = run(project(tmp_path), "model.py", "train.py")
    assert results["model.py"].after == AFTER
    era = results["model.py"].era
    assert dotted(era.newest or ()) == "0.3"
    assert era.evidence == ("train.py:6: volatile= (0.3 at most)",)


def test_the_module_that_became_a_function_is_no_newer_word(tmp_path: Path) -> None:
    weights = "import torch\n\ndef weights(a):\n    return torch.tensor.torch.ones(a.size())\n"
    assert run(project(tmp_path, weights=weights), "model.py")["model.py"].after == AFTER
    (tmp_path / "weights.py").write_text(weights.replace("tensor.torch.ones", "tensor"))
    assert run(tmp_path, "model.py")["model.py"].after == UNDATED


@pytest.mark.parametrize("index", [".data[0]", ".data.cpu().numpy()[0]", ".numpy()[0]"])
def test_an_index_into_one_number_dates_what_stands_beside_it(tmp_path: Path, index: str) -> None:
    train = f"""\
import torch
import torch.nn.functional as F

def train(x, y):
    loss = F.mse_loss(x, y)
    print(loss{index})
"""
    results = run(project(tmp_path, train=train), "model.py")
    assert results["model.py"].after == AFTER


def test_an_index_into_an_array_dates_nothing(tmp_path: Path) -> None:
    train = "import torch\nx = torch.zeros(3)\nprint(x.numpy()[0])\n"
    results = run(project(tmp_path, train=train), "model.py")
    assert results["model.py"].after == UNDATED


@pytest.mark.parametrize("names", [("model.py", "train.py"), ("train.py", "model.py")])
def test_a_second_run_changes_nothing(tmp_path: Path, names: tuple[str, ...]) -> None:
    project(tmp_path)
    run(tmp_path, *names, write=True)
    assert (tmp_path / "model.py").read_text() == AFTER
    assert not any(result.changed for result in run(tmp_path, *names).values())


def test_a_model_that_is_migrated_before_the_rest_stays_as_it_is_then(tmp_path: Path) -> None:
    project(tmp_path)
    run(tmp_path, "model.py", write=True)
    run(tmp_path, "train.py", write=True)
    assert not any(result.changed for result in run(tmp_path, "model.py", "train.py").values())


def test_the_value_of_a_loss_dates_a_project(tmp_path: Path) -> None:
    train = (
        "import torch.nn.functional as F\n\ndef train(x, y):\n    print(F.mse_loss(x, y).data[0])\n"
    )
    results = run(project(tmp_path, train=train), "model.py")
    assert results["model.py"].era.evidence == ("train.py:4: index 0 of a number (0.3 at most)",)


@pytest.mark.parametrize(
    "tried",
    [
        "    # up = nn.Upsample(size, mode='bilinear', align_corners=True)",
        "# with torch.no_grad():",
        "    #loss.item()",
    ],
)
def test_a_line_that_was_taken_out_is_no_newer_word(tmp_path: Path, tried: str) -> None:
    other = f"import torch\n\ndef show(x):\n{tried}\n    return x\n"
    assert run(project(tmp_path, other=other), "model.py")["model.py"].after == AFTER


@pytest.mark.parametrize(
    "line", ["    return x.item()  # was: x.data[0]", "    s = ' #'; return s, x.item()"]
)
def test_what_runs_beside_a_comment_counts(tmp_path: Path, line: str) -> None:
    project(tmp_path, other=f"import torch\n\ndef show(x):\n{line}\n")
    assert run(tmp_path, "model.py")["model.py"].after == UNDATED


@pytest.mark.parametrize(
    "newer",
    [
        "with torch.no_grad():\n    pass\n",
        "device = torch.device('cpu')\n",
        "print(loss.item())\n",
        "x = x.to('cuda')\n",
        "nn.init.xavier_uniform_(w)\n",
        "loss = nn.MSELoss(reduction='sum')\n",
        "y = x.new_zeros(3)\n",
        "from torch.nn.functional import interpolate\n",
        "x = torch.empty(3)\n",
        "if torch.__version__ < '0.4':\n    pass\n",
        "from torch import __version__\n",
        "import torch as tnp\nprint(tnp.__version__)\n",
        "is_old = __version__ == '0.3'\n",
    ],
)
def test_a_word_that_may_be_newer_anywhere_says_nothing(tmp_path: Path, newer: str) -> None:
    project(tmp_path, tools__other="import torch\n" + newer)
    assert run(tmp_path, "model.py")["model.py"].after == UNDATED


@pytest.mark.parametrize(
    "train",
    [
        pytest.param("import torch\n# Variable(x, volatile=True)\n", id="comment"),
        pytest.param(
            "import torch\nfrom mine import Variable\nVariable(1, volatile=1)\n", id="own"
        ),
        pytest.param("import torch\nprint(table.data[0])\n", id="unknown"),
        pytest.param("import torch\nx = torch.gesv(b, a)\n", id="until 1.1"),
        pytest.param(
            "import torch\nfrom torch.autograd import Variable\ntry:\n"
            "    x = Variable(torch.ones(1), volatile=True)\nexcept TypeError:\n    x = 1\n",
            id="tried",
        ),
        pytest.param("import torch\nVariable(x, volatile=True\n", id="broken"),
        pytest.param(
            "import torch\nfrom torch.autograd import Variable\n"
            "x = Variable(torch.ones(1, requires_grad=True), volatile=True)\n",
            id="by half",
        ),
    ],
)
def test_what_does_not_certainly_date_a_file_dates_no_other(tmp_path: Path, train: str) -> None:
    project(tmp_path, train=train)
    assert run(tmp_path, "model.py")["model.py"].after == UNDATED


@pytest.mark.parametrize(
    "line",
    [
        "enable_gradient_clipping(net)",
        "needs_reduction = True",
        "net.my_device=3",
        "no_grads = 1",
        "if cv2.__version__.startswith('3'): pass",
        "print(np.__version__)",
        "__version__ = '0.4.1'",
    ],
)
def test_other_names_with_such_words_do_not_count(tmp_path: Path, line: str) -> None:
    project(tmp_path, other=f"import torch\n{line}\n")
    assert run(tmp_path, "model.py")["model.py"].after == AFTER


def test_words_of_files_without_torch_do_not_count(tmp_path: Path) -> None:
    project(tmp_path, web="print(sky.to(frame), rows.item())\n")
    assert run(tmp_path, "model.py")["model.py"].after == AFTER


def test_another_project_says_nothing(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for root in (mine, other):
        root.mkdir()
        project(root)
    (mine / "train.py").write_text("import torch\n")
    assert run(mine, "model.py")["model.py"].after == UNDATED
    assert run(other, "model.py")["model.py"].after == AFTER


def test_the_file_itself_is_believed_first(tmp_path: Path) -> None:
    model = MODEL.replace(
        "import torch\n", "import torch\nx = torch.zeros(1, requires_grad=True)\n"
    )
    result = run(project(tmp_path, model=model), "model.py")["model.py"]
    assert result.era.evidence == ("line 2: requires_grad= (since 0.4)",)


def test_requirements_are_believed_first(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch>=0.4.1\n")
    result = run(project(tmp_path), "model.py")["model.py"]
    assert result.after == UNDATED


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem)
        for folder in ("programs", "rules")
        for path in sorted((FIXTURES / folder).glob("*.py"))
    ],
)
def test_what_the_project_shows_may_be_gone_in_the_second_run(path: Path) -> None:
    clue = "train.py:1: volatile= (0.3 at most)"
    beside = Era(None, (0, 3), (clue,), is_shown_beside=True)
    options = Options(beside=lambda: beside, imported_elsewhere=lambda: False)
    first = migrate(path.read_text("utf-8"), options=options)
    assert not [error for error in first.errors if error.kind == "unstable"]
    alone = Options(imported_elsewhere=lambda: False)
    assert migrate(first.text, options=alone).text == first.text


def test_what_the_next_run_would_rewrite_is_not_dated(tmp_path: Path) -> None:
    model = MODEL + "\ndef sound(x):\n    return torch.stft(x, 512, 128)\n"
    project(tmp_path, model=model)
    first = run(tmp_path, "model.py", "train.py", write=True)["model.py"]
    assert not first.errors and not first.era.evidence
    assert "return_complex=" in first.after
    assert "align_corners" not in first.after
    assert not any(result.changed for result in run(tmp_path, "model.py", "train.py").values())
