"""What changed silently is as it was when the program last ran, as far as people wrote that down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.test_history import ALIGNED, MODEL, commit
from tests.test_project_run import FILES
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

#: Corners of what is enlarged changed in 0.4, those of grids in 1.4.
TRAIN = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

def test(net, x):
    x = Variable(x, volatile=True)
    x = F.upsample(net(x), scale_factor=2, mode='bilinear')
    return F.grid_sample(x, x)
"""
DEMO = "import torch\n\ndef demo(x):\n    return x.to(torch.device('cpu'))\n"
OLD_DEMO = """\
import torch
from torch.autograd import Variable

def demo(net, x):
    x = Variable(x, volatile=True)
    return net(x)
"""
LOSS = "\ndef loss(x, y):\n    loss = nn.MSELoss()(x, y)\n    loss.backward()\n    return loss.data[0]\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(cache_dir=tmp_path.parent / f"{tmp_path.name}-cache")


def run(path: Path, settings: Settings, *, write: bool = False) -> FileResult:
    (result,) = migrate_files([path], settings, write=write)
    assert not result.errors
    return result


def project(root: Path, **files: str) -> Path:
    (root / ".git").mkdir()
    for name, text in {"train": TRAIN, **files}.items():
        path = root / (name if "." in name else f"{name}.py")
        path.write_text(text)
    return root / "train.py"


def pinned(result: FileResult) -> list[str]:
    """Of which functions the corners are aligned."""
    lines = (result.after or "").splitlines()
    return [line.partition("F.")[2].partition("(")[0] for line in lines if ALIGNED in line]


BOTH = ["interpolate", "grid_sample"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"demo": OLD_DEMO},
        {"demo": DEMO.replace("torch.device", "tf.device")},
        {"demo": "import torch\nif hasattr(torch, 'device'):\n    d = torch.device('cpu')\n"},
        {"notes.txt": DEMO},
        {"requirements.txt": "torch\n"},
        {"requirements.txt": "torch>=0.2\n"},
    ],
)
def test_what_is_written_for_0_3_alone_is_pinned(
    tmp_path: Path, settings: Settings, files: dict[str, str]
) -> None:
    assert pinned(run(project(tmp_path, **files), settings)) == BOTH


@pytest.mark.parametrize(
    ("files", "still"),
    [
        ({"demo": DEMO}, ["grid_sample"]),
        ({"demo": DEMO.replace("torch.device('cpu')", "torch.bool")}, ["grid_sample"]),
        (
            {"demo": "from torch.nn import init\n\ndef f(w):\n    init.normal_(w)\n"},
            ["grid_sample"],
        ),
        ({"requirements.txt": "torch>=0.4.1\n"}, ["grid_sample"]),
        ({"requirements.txt": "torch>=1.4\n"}, []),
        ({"demo": "import torch.nn as nn\n\ngelu = nn.GELU()\n"}, []),
        ({"train": TRAIN + "\ndef f(w):\n    nn.utils.clip_grad_norm_(w, 1)\n"}, ["grid_sample"]),
    ],
)
def test_a_program_that_ran_on_a_newer_torch_has_its_numbers(
    tmp_path: Path, settings: Settings, files: dict[str, str], still: list[str]
) -> None:
    result = run(project(tmp_path, **files), settings)
    assert pinned(result) == still
    told = [f.line for f in result.findings if f.code == "TP307" and not f.fixed]
    assert told == [8, 9][: 2 - len(still)]


def test_what_fails_there_did_not_run_there(tmp_path: Path, settings: Settings) -> None:
    path = project(
        tmp_path, train=TRAIN + LOSS, demo=DEMO.replace("torch.device('cpu')", "torch.bool")
    )
    # Torch 0.4 still took the index, 1.2 did not.
    assert pinned(run(path, settings)) == BOTH


def test_what_a_run_wrote_shows_nothing(tmp_path: Path, settings: Settings) -> None:
    path = project(tmp_path, demo=OLD_DEMO)
    demo = path.with_name("demo.py")
    run(demo, settings, write=True)
    assert "no_grad" in demo.read_text()
    assert pinned(run(path, settings)) == BOTH


def test_what_a_run_writes_beside_shows_nothing(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / ".git").mkdir()
    enlarged = "\ndef up(x, mode):\n    return torch.nn.functional.upsample(x, None, 2, mode)\n"
    # It is looked at once more when the others pass its flag no longer, under no_grad by then.
    train = FILES["train.py"] + "\ndevice = None\n"
    files = {**FILES, "utils.py": FILES["utils.py"] + enlarged, "train.py": train}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    results = {
        Path(r.path).name: r
        for r in migrate_files(sorted(tmp_path.glob("*.py")), settings, write=False)
    }
    assert "no_grad" in (results["train.py"].after or "")
    assert "volatile" not in (results["utils.py"].after or "volatile")
    said = [f.message for f in results["utils.py"].findings if f.code == "TP307"]
    assert len(said) == 1 and said[0].endswith("align_corners=True where the mode is linear")


def test_what_people_wrote_shows_it_once_it_is_rewritten(
    tmp_path: Path, settings: Settings
) -> None:
    amp = "import torch\n\ndef f(x):\n    with torch.cuda.amp.autocast():\n        return x * x\n"
    path = project(tmp_path, demo=amp)
    assert pinned(run(path, settings)) == []
    demo = path.with_name("demo.py")
    run(demo, settings, write=True)
    assert "cuda.amp" not in demo.read_text()
    assert pinned(run(path, settings)) == []


def test_what_is_given_is_believed(tmp_path: Path, settings: Settings) -> None:
    path = project(tmp_path, demo=DEMO, **{"requirements.txt": "torch>=1.4\n"})
    assert pinned(run(path, replace(settings, from_version="0.3"))) == BOTH


def test_old_lines_mean_what_they_meant_where_the_project_has_not_moved_on(
    tmp_path: Path, settings: Settings
) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2017-12-10")
    commit(path, f"{MODEL}\ndef g(x):\n    return x + x\n", "2019-12-10")
    assert pinned(run(path, settings)) == ["interpolate"]
    (tmp_path / "requirements.txt").write_text("torch>=1.0\n")
    result = run(path, settings)
    assert not pinned(result)
    assert not [f for f in result.findings if f.code == "TP307"]


def test_what_ran_without_aligned_corners_since_is_told_once(
    tmp_path: Path, settings: Settings
) -> None:
    twice = "\ndef more(x):\n    x = F.upsample(x, scale_factor=2, mode='bilinear')\n    return x\n"
    path = project(tmp_path, train=TRAIN + twice, **{"requirements.txt": "torch>=1.4\n"})
    told = [f for f in run(path, settings).findings if f.code == "TP307" and not f.fixed]
    assert [(f.line, f.message) for f in told] == [
        (
            8,
            "corners were aligned here and in line 12 until torch 0.3, and are not since: weights"
            " trained with aligned corners need align_corners=True",
        ),
        (
            9,
            "corners were aligned here until torch 1.3, and are not since: weights trained with"
            " aligned corners need align_corners=True",
        ),
    ]


@pytest.mark.parametrize(("left", "told"), [("2018-05-10", ["TP307"]), ("2018-12-20", [])])
def test_of_old_lines_it_is_told_where_the_file_was_left_when_it_changed(
    tmp_path: Path, settings: Settings, left: str, told: list[str]
) -> None:
    path = tmp_path / "model.py"
    commit(path, MODEL, "2017-12-10")
    commit(path, f"{MODEL}\ndef g(x):\n    return x + x\n", left)
    (tmp_path / "demo.py").write_text(DEMO)
    result = run(path, settings)
    assert not pinned(result)
    assert [f.code for f in result.findings if f.code == "TP307"] == told
