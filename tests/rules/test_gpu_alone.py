"""A fact without a cure is not told in a program that runs on a GPU alone (TP201)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice
from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

_ENGINE = """import torch
def train(loader):
    for sample in loader:
        {moves}
        {waits}
def validate(loader):
    for sample in loader:
        unheard(sample["x"].cuda(), sample["y"].cuda())
"""


def test_the_lines_of_a_file_are_not_told_where_others_stay_beside_what_needs_a_gpu() -> None:
    moves = "unheard(sample['x'].cuda())"
    assert not advice("TP201", _ENGINE.format(moves=moves, waits="torch.cuda.synchronize()"))


@pytest.mark.parametrize(
    ("moves", "waits"),
    [
        ("pass", "torch.cuda.synchronize()"),
        ("unheard(sample['x'].cuda())", "pass"),
        ("if use_cuda: unheard(sample['x'].cuda())", "torch.cuda.synchronize()"),
        ("unheard(sample['x'].cuda())", "if use_cuda: torch.cuda.synchronize()"),
    ],
)
def test_the_lines_of_a_file_are_told_where_they_are_all(moves: str, waits: str) -> None:
    (found,) = advice("TP201", _ENGINE.format(moves=moves, waits=waits))
    assert found.message.startswith(".cuda() needs a GPU")


_GRID = """import torch
def boxes(output):
    output = output.view(3, -1)
    grid = torch.linspace(0, 4, 5).repeat(2, 1).cuda()
    return torch.sigmoid(output[0]) + grid
def wait():
    print(load().cuda(1))
    torch.cuda.synchronize()
"""


def test_a_cure_is_told_where_other_moves_stay_beside_what_needs_a_gpu() -> None:
    (found,) = advice("TP201", _GRID)
    assert found.message.endswith(": write torch.linspace(0, 4, 5).repeat(2, 1).to(output.device)")


_MODEL = "import torch\ndef start(ids):\n    return unheard(made(ids).cuda())\n"


def _told(folder: Path, **files: str) -> list[str]:
    (folder / "model.py").write_text(_MODEL)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    settings = Settings(select=("TP201",))
    found = migrate_file(folder / "model.py", settings, write=False).findings
    return [each.message for each in found]


_STAYS = (
    "import torch\nfrom model import start\nfor batch in loader:\n    start(batch['x'].cuda())\n"
)
_GOES = "import torch\nnet = torch.nn.Linear(2, 2).cuda()\n"
_ASKS = "import model; model.start\nif args.gpu:\n    net.cuda()\n"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"train": "import model\nmodel.start([1])\n"},
        {"train": f"import model\n{_GOES}"},
        {"train": _STAYS},
        {"train": f"{_STAYS}net = torch.nn.Linear(2, 2)\nnet.cuda()\n"},
        {"train": f"{_STAYS}x = torch.load(path, map_location=place)\n"},
        {"train": _STAYS, "other": _ASKS.replace("import model; model.start", "import torch")},
        {"train": _ASKS.replace("args.gpu", "args.train")},
        {"train": _ASKS.replace("args.gpu", "net.weight.is_cuda")},
        {"train": _ASKS.replace("args.gpu", "x.type() == 'torch.cuda.FloatTensor'")},
        {"train": _ASKS.replace("args.gpu", "'cuda' in net.weight.data.type()")},
        {
            "train": f"import torch\n{_ASKS.replace('args.gpu', 'isinstance(x, torch.cuda.FloatTensor)')}"
        },
        {"train": _ASKS.replace("args.gpu", "len(gpus) > 1") + "else:\n    net.cuda()\n"},
        {"train": f"{_ASKS}else:\n    raise RuntimeError('no GPU')\n"},
        {"train": f"{_GOES}{_ASKS}"},
        {"train": f"args.gpu = True\n{_ASKS}"},
        {"train": f"no_gpu = False\n{_ASKS.replace('args.gpu', 'not no_gpu')}"},
        {"train": f"{_ASKS}else:\n    exit()\n"},
        {"train": f"exit()\n{_ASKS}"},
        {"train": f"{_ASKS}if not args.gpu:\n    x = x.cuda()\n"},
        {
            "train": f"{_ASKS}def f(x):\n    if args.gpu:\n        pass\n    else:\n        x.cuda()\n"
        },
        {
            "train": f"{_ASKS.replace('args.gpu', 'x is None or args.gpu')}"
            "y = x if args.gpu else x.cuda()\nif args.gpu:\n    x = x.cuda()\n"
        },
    ],
)
def test_nothing_is_told_in_a_program_that_asks_nowhere(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert not _told(tmp_path, **files)


#: Where the device is chosen is told, not where it is asked for what was chosen.
_CHOSEN = """import torch, model; from settings import args, x; model.start
if {test}:
    device = torch.device("cuda")
{other}:
    device = torch.device("cpu")
def keep(net):
    torch.save(net.cpu().state_dict(), "net.pth")
    if device.type != "cpu":
        net.cuda()
"""


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"train": _ASKS}, "line 2 of train.py"),
        ({"train": _ASKS.replace("args.gpu", "torch.cuda.is_available()")}, "line 2 of train.py"),
        ({"train": f"{_ASKS}else:\n    print('slow')\n"}, "line 2 of train.py"),
        ({"train": _ASKS.replace("args.gpu", "args.place == 'cuda'")}, "line 2 of train.py"),
        ({"train": f"{_ASKS}if not args.gpu:\n    x = x.cpu()\n"}, "line 2 of train.py"),
        ({"train": f"{_ASKS}if args.gpu:\n    x = x.cuda()\n"}, "line 2 of train.py"),
        ({"train": f"{_ASKS}if not args.slow:\n    x = x.cuda()\n"}, "line 2 of train.py"),
        (
            {"train": "import model; model.start\ny = y.cuda() if args.gpu else y\n"},
            "line 2 of train.py",
        ),
        (
            {"train": "import model; model.start\nif not args.cpu:\n    y.cuda()\n"},
            "line 2 of train.py",
        ),
        (
            {
                "train": "import model; model.start\nif not use_gpu:\n    y = 1\nelse:\n    z.cuda()\n"
            },
            "line 2 of train.py",
        ),
        ({"main": _ASKS.replace("model", "train"), "train": _STAYS}, "line 2 of main.py"),
        (
            {"train": f"no_gpu = True\n{_ASKS.replace('args.gpu', 'not no_gpu')}"},
            "line 3 of train.py",
        ),
        ({"train": f"{_ASKS}exit()\nprint(load().cuda())\n"}, "line 2 of train.py"),
        ({"train": _CHOSEN.format(test="args.gpu", other="else")}, "line 2 of train.py"),
        ({"train": _CHOSEN.format(test="args.fast", other="else")}, "line 8 of train.py"),
        ({"train": _CHOSEN.format(test="args.gpu", other="if x")}, "line 8 of train.py"),
    ],
)
def test_it_is_told_with_the_line_that_asks_in_the_program(
    tmp_path: Path, files: dict[str, str], line: str
) -> None:
    assert _told(tmp_path, **files) == [
        f".cuda() needs a GPU, though {line} asks whether to use one: move it only then"
    ]


def test_what_a_file_imports_may_ask_for_others(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("def to_gpu(x, gpu):\n    return x.cuda() if gpu else x\n")
    (tmp_path / "model.py").write_text(f"from tools import to_gpu\n{_MODEL}")
    settings = Settings(select=("TP201",))
    assert not migrate_file(tmp_path / "model.py", settings, write=False).findings


_MADE = """import torch
class Trainer:
    def __init__(self, net):
        self.use_gpu = {asked}
        if self.use_gpu:
            self.net = torch.nn.DataParallel(net).cuda()
        else:
            {otherwise}
    {decorated}def shuffled(self, x):
        return unheard(torch.randperm(len(x)).cuda(), load(x).cuda())
"""
_ASKED = "torch.cuda.is_available()"


def test_nothing_is_told_of_what_cannot_be_made_without_a_gpu() -> None:
    text = _MADE.format(asked=_ASKED, otherwise="raise RuntimeError('no GPU')", decorated="")
    assert not advice("TP201", text)


@pytest.mark.parametrize(
    ("asked", "otherwise", "decorated"),
    [
        (_ASKED, "self.net = net", ""),
        ("net.use_gpu", "raise RuntimeError", ""),
        (_ASKED, "raise RuntimeError", "@staticmethod\n    "),
        (f"{_ASKED}\n        if net: self.use_gpu = False", "raise RuntimeError", ""),
    ],
)
def test_it_is_told_of_what_may_run_without_one(asked: str, otherwise: str, decorated: str) -> None:
    found = advice("TP201", _MADE.format(asked=asked, otherwise=otherwise, decorated=decorated))
    assert [each.line for each in found] == [10 + (asked[-5:] == "False") + bool(decorated)]


def test_a_second_run_knows_the_line_that_asked_by_the_device_it_became(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    train = (
        "import argparse\nimport torch\nimport model; model.start\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--cuda', action='store_true')\nargs = parser.parse_args()\n"
        "net = torch.nn.Linear(2, 2)\nif args.cuda:\n    net.cuda()\n"
    )
    (tmp_path / "train.py").write_text(train)
    (tmp_path / "model.py").write_text(_MODEL)
    paths = [tmp_path / "model.py", tmp_path / "train.py"]
    settings = Settings(select=("TP201",), cache_dir=tmp_path / "cache")

    def told() -> list[str]:
        results = migrate_files(paths, settings, write=True)
        return [each.message for result in results for each in result.findings if not each.fixed]

    first = told()
    assert "torch.device(" in (tmp_path / "train.py").read_text()
    assert [one.partition(" though ")[0] for one in first] == [".cuda() needs a GPU,"]
    assert [one.partition(" though ")[0] for one in told()] == [".cuda() needs a GPU,"]


def test_a_device_that_people_wrote_asks_for_nothing_else(tmp_path: Path) -> None:
    train = "import torch\nimport model\ndevice = torch.device('cuda' if args.cuda else 'cpu')\n"
    assert _told(tmp_path, train=train) == []


_GIVEN = "import model; model.start\ndef train(net, gpu={default}):\n    if gpu:\n        net.cuda()\n{calls}"


@pytest.mark.parametrize(
    ("default", "calls", "is_told"),
    [
        ("True", "train(net)\n", False),
        ("False", "train(net, gpu=True)\ntrain(net, True)\n", False),
        ("True", "def run(net, gpu=True):\n    train(net, gpu)\nrun(net)\n", False),
        ("False", "train(net)\n", True),
        ("True", "train(net)\ntrain(net, gpu=False)\n", True),
        ("True", "train(net, gpu=args.gpu)\n", True),
        ("True", "train(net, *more)\n", True),
        ("True", "", True),
    ],
)
def test_a_flag_that_all_calls_leave_on_asks_nothing(
    tmp_path: Path, default: str, calls: str, is_told: bool
) -> None:
    (tmp_path / ".git").mkdir()
    assert bool(_told(tmp_path, train=_GIVEN.format(default=default, calls=calls))) is is_told


_CHECKS = """import torch
class Test:
    def check(self, x, net, cuda=False):
        if cuda:
            x = x.cuda()
        print(net(x))
    def test(self, net):
        net.cuda()
        self.check(torch.rand(2), net{given})
"""
_BESIDE = "    def other(self, net):\n        self.check(torch.rand(2), net{0})\n"


@pytest.mark.parametrize(
    ("given", "others", "is_told"),
    [
        (", cuda=True", "", False),
        (", cuda=True", _BESIDE.format(""), False),
        (", cuda=gpu", "", True),
        ("", _BESIDE.format(", cuda=True"), True),
        (", cuda=False", _BESIDE.format(", cuda=True"), True),
        ("", _BESIDE.format(", clear=True"), True),
    ],
)
def test_what_is_tried_on_a_gpu_needs_one_anyway(
    tmp_path: Path, given: str, others: str, is_told: bool
) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "model.py"
    file.write_text(_CHECKS.format(given=given) + others)
    found = migrate_file(file, Settings(select=("TP201",)), write=False).findings
    assert [each.message for each in found] == (
        [".cuda() needs a GPU whatever cuda is in check"] if is_told else []
    )


_HELD = """import torch; from heard import unheard
def lost(x):
    return unheard(x.cuda())
def helper(x):
    return unheard(x.cuda())
def offered(x):
    return helper(x)
class Net(torch.nn.Module):
    def forward(self, x):
        return unheard(x.cuda())
    def shown(self, x):
        return unheard(x.cuda())
    def unused(self, x):
        return unheard(x.cuda())
"""


@pytest.mark.parametrize(
    ("uses", "lines"),
    [
        ("import model", ""),
        ("from model import offered", ""),
        ("import model; model.other", ""),
        ("import model; model.offered(model.torch.load('x'))", "5"),
        ("from model import offered as f; import torch; f(torch.load('x'))", "5"),
        ("from model import Net; Net()", "10"),
        ("from model import Net; import torch; Net().shown(torch.load('x'))", "10 and 12"),
        ("import model, sys; getattr(model, sys.argv[1])(1)", "3, 5, 10, 12 and 14"),
        ("import model, sys; model.__dict__[sys.argv[1]](1)", "3, 5, 10, 12 and 14"),
        ("import between; import torch; between.run(torch.load('x'))", "5"),
    ],
)
def test_a_file_asks_for_what_it_uses(tmp_path: Path, uses: str, lines: str) -> None:
    (tmp_path / "model.py").write_text(_HELD)
    (tmp_path / "between.py").write_text("import model\ndef run(x):\n    model.offered(x)\n")
    (tmp_path / "train.py").write_text(f"{uses}\nif args.gpu:\n    net.cuda()\n")
    settings = Settings(select=("TP201",))
    found = migrate_file(tmp_path / "model.py", settings, write=False).findings
    assert [each.line for each in found] == ([int(lines.split(",")[0].split()[0])] if lines else [])
    for each in found:
        others = lines.partition(", ")[2] or lines.partition(" and ")[2]
        assert (f"{others}, though" if others else "GPU, though line 2 of train.py") in each.message


@pytest.mark.parametrize(
    ("check", "is_told"),
    [
        ("if __name__ == '__main__':\n    start(torch.ones(2))\n", False),
        ("if __name__ != '__main__':\n    start(torch.ones(2))\n", True),
        ("start(torch.ones(2))\n", True),
    ],
)
def test_what_a_file_tries_as_a_program_is_run_by_no_other(
    tmp_path: Path, check: str, is_told: bool
) -> None:
    check = check.replace("start(torch.ones(2))", "x = make().cuda()")
    (tmp_path / "model.py").write_text(f"import torch\nfrom tools import make\n{check}")
    (tmp_path / "train.py").write_text(_ASKS.replace("; model.start", ""))
    settings = Settings(select=("TP201",))
    found = migrate_file(tmp_path / "model.py", settings, write=False).findings
    assert bool(found) is is_told
