"""Models that one file of a project saves whole and another one loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

TRAIN = """import torch
import torch.nn as nn

net = nn.Linear(3, 2)
torch.save(net, "out/net.pt")
"""
BOTH = TRAIN + 'again = torch.load("out/net.pt")\n'


def result(root: Path, text: str, **others: str) -> FileResult:
    (root / ".git").mkdir(exist_ok=True)
    for name, other in others.items():
        (root / f"{name}.py").write_text("import torch\n" + other)
    path = root / "train.py"
    path.write_text(text)
    found = migrate_file(path, Settings(select=("TP501",)), write=False)
    assert not found.errors
    return found


@pytest.mark.parametrize(
    "other",
    [
        "",
        'state = torch.load("other.pt")\nstate.eval()\n',
        "net.load_state_dict(torch.load(args.path))\n",
        'torch.save(net.state_dict(), "net_weights.pt")\n',
        "config = load(path)\nsave(config)\n",
    ],
)
def test_files_that_hold_something_else_do_not_matter(tmp_path: Path, other: str) -> None:
    found = result(tmp_path, BOTH, other=other)
    assert found.after is not None
    assert 'again.load_state_dict(torch.load("out/net.pt"))' in found.after


@pytest.mark.parametrize(
    "other",
    [
        'net = torch.load("out/net.pt")\n',
        'import os\nnet = torch.load(os.path.join(folder, "net.pt"))\n',
        "net = torch.load(args.model)\nnet.eval()\n",
        'import torch.nn as nn\nnet = nn.Linear(2, 2)\ntorch.save(net, "out/net.pt")\n',
        "import torch.nn as nn\nnet = nn.Linear(2, 2)\ntorch.save(net, args.model)\n",
    ],
)
def test_nothing_is_rewritten_where_another_file_may_hold_the_same(
    tmp_path: Path, other: str
) -> None:
    found = result(tmp_path, BOTH, other=other)
    assert found.after is None
    assert len(found.findings) == 1


@pytest.mark.parametrize(
    "other",
    [
        "",
        'state = torch.load("other.pt")\nstate.eval()\n',
        "net.load_state_dict(torch.load(args.path))\n",
        "config = load(path)\nsave(config)\n",
    ],
)
def test_a_file_that_nothing_in_the_project_loads_holds_the_state_dict(
    tmp_path: Path, other: str
) -> None:
    found = result(tmp_path, TRAIN, other=other)
    assert found.after == TRAIN.replace("(net,", "(net.state_dict(),")


@pytest.mark.parametrize(
    "other",
    [
        'net = torch.load("out/net.pt")\n',
        "net = torch.load(args.model)\nnet.eval()\n",
        "def load(path):\n    return torch.load(path)\n",
        "state = torch.load(args.path)\n",
        "from torch import load\nshow(load(args.path))\n",
    ],
)
def test_a_file_that_another_file_may_load_stays(tmp_path: Path, other: str) -> None:
    assert result(tmp_path, TRAIN, other=other).after is None


def test_what_another_file_loads_is_told(tmp_path: Path) -> None:
    found = result(tmp_path, TRAIN, predict='\n\nnet = torch.load("out/net.pt")\n')
    (finding,) = found.findings
    assert finding.line == 5
    assert "a file of net.state_dict() loads without either" in finding.message


def test_advice_in_a_project_of_too_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torchfix_codemods.project.paths._MOST_FILES", 0)
    (finding,) = result(tmp_path, TRAIN, predict='net = torch.load("out/net.pt")\n').findings
    assert finding.message.endswith("loads without either")


def test_a_place_that_saves_loads_nothing(tmp_path: Path) -> None:
    other = 'import torch.nn as nn\nnet = nn.Linear(2, 2)\ntorch.save(net, "out/net.pt")\n'
    assert result(tmp_path, TRAIN, other=other).after == TRAIN.replace(
        "(net,", "(net.state_dict(),"
    )


def test_advice_names_no_place_that_is_not_certain(tmp_path: Path) -> None:
    found = result(tmp_path, TRAIN, predict="net = torch.load(args.model)\nnet.eval()\n")
    (finding,) = found.findings
    assert finding.message.endswith("loads without either")


MODEL = """import torch.nn as nn

class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc = nn.Linear(3, hidden)

    def forward(self, x):
        return self.fc(x)
"""
SAVES = """import torch
from model import Net

net = Net(20)
torch.save(net, "net.pt")
"""
LOADS = """import torch
from model import Net

restored = torch.load("net.pt")
restored.eval()
"""


def run(root: Path, given: list[str], jobs: int = 1, **texts: str) -> dict[str, str]:
    """The files as a run over ``given`` leaves them."""
    (root / ".git").mkdir()
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text)
    settings = Settings(root=root, select=("TP501",))
    paths = [root / f"{name}.py" for name in given]
    for found in migrate_files(paths, settings, write=True, jobs=jobs):
        assert not found.errors
    return {name: (root / f"{name}.py").read_text() for name in texts}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    "given", [["model", "train", "predict"], ["predict", "train"], ["train", "predict"]]
)
def test_both_ends_are_rewritten(tmp_path: Path, given: list[str], jobs: int) -> None:
    after = run(tmp_path, given, jobs, model=MODEL, train=SAVES, predict=LOADS)
    assert after["model"] == MODEL
    assert after["train"] == SAVES.replace("(net,", "(net.state_dict(),")
    assert after["predict"] == LOADS.replace(
        'restored = torch.load("net.pt")',
        'restored = Net(20)\nrestored.load_state_dict(torch.load("net.pt"))',
    )
    again = run_again(tmp_path, given)
    assert again == after


def run_again(root: Path, given: list[str]) -> dict[str, str]:
    paths = [root / f"{name}.py" for name in given]
    list(migrate_files(paths, Settings(root=root, select=("TP501",)), write=True, jobs=1))
    return {name: (root / f"{name}.py").read_text() for name in ("model", "train", "predict")}


@pytest.mark.parametrize("built", ["Net(10 + 10)", "Net(-20)", "Net(20).cuda()", "Net(hidden=20)"])
def test_what_is_built_in_the_other_file_is_built_here(tmp_path: Path, built: str) -> None:
    train = SAVES.replace("Net(20)", built)
    after = run(tmp_path, ["train", "predict"], model=MODEL, train=train, predict=LOADS)
    assert f"restored = {built}\n" in after["predict"]
    assert "net.state_dict()" in after["train"]


def test_the_saving_file_may_load_as_well(tmp_path: Path) -> None:
    train = SAVES + 'again = torch.load("net.pt")\n'
    after = run(tmp_path, ["train", "predict"], model=MODEL, train=train, predict=LOADS)
    assert 'again = Net(20)\nagain.load_state_dict(torch.load("net.pt"))' in after["train"]
    assert "restored = Net(20)" in after["predict"]


def test_layers_of_torch_are_built_by_the_names_of_the_other_file(tmp_path: Path) -> None:
    train = TRAIN.replace("out/", "")
    predict = LOADS.replace("from model import Net", "import torch.nn as nn")
    after = run(tmp_path, ["train", "predict"], train=train, predict=predict)
    assert "restored = nn.Linear(3, 2)" in after["predict"]
    assert "net.state_dict()" in after["train"]


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        (["train"], {}),
        (["predict"], {}),
        (["train", "predict"], {"predict": LOADS.replace("import Net", "import Net as Other")}),
        (["train", "predict"], {"predict": LOADS.replace("from model import Net\n", "")}),
        (["train", "predict"], {"predict": LOADS.replace("from model", "from other")}),
        (["train", "predict"], {"predict": LOADS.replace('"net.pt"', 'folder + "/net.pt"')}),
        (["train", "predict"], {"predict": LOADS.replace("restored = ", "").replace("re", "#")}),
        (["train", "predict"], {"predict": LOADS.replace('pt")', 'pt")  # noqa')}),
        (["train", "predict"], {"predict": "# torchfix: skip-file\n" + LOADS}),
        (["train", "predict"], {"train": "# torchfix: skip-file\n" + SAVES}),
        (["train", "predict"], {"train": SAVES.replace('pt")', 'pt")  # torchfix: ignore')}),
        (["train", "predict"], {"train": SAVES.replace("20", "size")}),
        (["train", "predict"], {"train": SAVES.replace("20", "**{'hidden': 20}")}),
        (["train", "predict"], {"train": SAVES.replace("20", "len('a')")}),
        (["train", "predict"], {"train": SAVES.replace("Net(20)", "Net(20).share()")}),
        (
            ["train", "predict"],
            {"train": SAVES.replace("net =", "net, size =").replace(")\n", "), 1\n", 1)},
        ),
        (["train", "predict"], {"train": SAVES.replace("torch.save(net", "torch.save(Net(20)")}),
        (["train", "predict"], {"train": SAVES.replace("torch.save", "change(net)\ntorch.save")}),
        (
            ["train", "predict"],
            {"model": MODEL + "\n\nfor p in Net(3).parameters():\n    p.requires_grad = False\n"},
        ),
        (
            ["train", "predict"],
            {
                "model": MODEL.replace("nn.Module", "Base").replace(
                    "class", "from base import Base\nclass"
                ),
                "base": "import torch.nn as nn\nclass Base(nn.Module):\n    pass\n",
            },
        ),
        (["train", "predict"], {"train": SAVES.replace("torch.save", "net.fc = f()\ntorch.save")}),
        (
            ["train", "predict"],
            {
                "train": SAVES.replace("torch.save", "net.eval()\ntorch.save"),
                "predict": LOADS.replace("restored.eval()", "print(restored)"),
            },
        ),
        (
            ["train", "predict"],
            {"model": MODEL.replace("return", "self.seen = x\n        return")},
        ),
        (
            ["train", "predict", "more"],
            {"more": "import torch\nx = torch.load(args.path)\nx.eval()\n"},
        ),
        (["train", "predict"], {"more": LOADS}),
        (["train", "predict", "more"], {"more": SAVES.replace("20", "30")}),
    ],
)
def test_nothing_is_rewritten_where_one_end_cannot_follow(
    tmp_path: Path, given: list[str], changed: dict[str, str]
) -> None:
    before = {"model": MODEL, "train": SAVES, "predict": LOADS, **changed}
    assert run(tmp_path, given, **before) == before


SAVING = "import torch\n\ndef save(model, path):\n    torch.save(model, path)\n"
USING = """import torch.nn as nn
from helpers import load, save

net = nn.Linear(2, 2)
{}
"""


def helped(root: Path, code: str, helpers: str, code_of_rule: str) -> FileResult:
    """What a run makes of helpers that another file uses."""
    (root / ".git").mkdir()
    (root / "helpers.py").write_text(helpers)
    (root / "train.py").write_text(USING.format(code))
    found = migrate_file(root / "helpers.py", Settings(select=(code_of_rule,)), write=False)
    assert not found.errors
    return found


@pytest.mark.parametrize(
    "code",
    [
        "save(net, 'net.pt')",
        "save(path='net.pt', model=net)",
        "save(net, 'a.pt')\nsave(nn.Sequential(net), 'b.pt')",
    ],
)
def test_a_helper_that_gets_models_saves_them_whole(tmp_path: Path, code: str) -> None:
    found = helped(tmp_path, code, SAVING, "TP501")
    (finding,) = found.findings
    assert finding.line == 4
    if "Sequential" in code:
        assert found.after is None and "state_dict()" not in finding.message
    else:
        assert found.after == SAVING.replace(
            "save(model, path)\n", "save(model.state_dict(), path)\n"
        )


@pytest.mark.parametrize(
    "code",
    [
        "save(net.state_dict(), 'net.pt')",
        "save({'net': net.state_dict()}, 'net.pt')",
        "save(net, 'a.pt')\nsave(net.state_dict(), 'b.pt')",
        "save(load('a.pt'), 'net.pt')",
        "keep = save\nsave(net, 'net.pt')",
        "save(*(net, 'net.pt'))",
        "",
    ],
)
def test_a_helper_may_get_something_else(tmp_path: Path, code: str) -> None:
    assert not helped(tmp_path, code, SAVING, "TP501").findings


LOADING = "import torch\n\ndef load(path):\n    return torch.load(path)\n"


@pytest.mark.parametrize(
    "code",
    ["other = load('net.pt')\nother.eval()", "print(load('net.pt').parameters())"],
)
@pytest.mark.parametrize(
    "helpers",
    [LOADING, LOADING.replace("return torch.load(path)", "m = torch.load(path)\n    return m")],
)
def test_what_a_helper_loads_is_an_object_elsewhere(
    tmp_path: Path, code: str, helpers: str
) -> None:
    after = helped(tmp_path, code, helpers, "TP502").after
    assert after is not None and "torch.load(path, weights_only=False)" in after


@pytest.mark.parametrize(
    "code",
    [
        "net.load_state_dict(load('net.pt'))",
        "print(load('net.pt'))",
        "load = net.load\nload('net.pt').eval()",
        "print(load)",
        "other = load('net.pt')\nother.data",
        "import pictures\npictures.load('net.pt').eval()",
    ],
)
def test_what_a_helper_loads_may_be_tensors(tmp_path: Path, code: str) -> None:
    assert helped(tmp_path, code, LOADING, "TP502").after is None


def test_what_a_wrapped_helper_loads_may_be_tensors(tmp_path: Path) -> None:
    helpers = "from cache import kept\n" + LOADING.replace("def load", "@kept\ndef load")
    assert helped(tmp_path, "load('net.pt').eval()", helpers, "TP502").after is None
