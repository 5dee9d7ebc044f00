from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.ages import Ages
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

_OLD = Options(era=Era((1, 0), (1, 1)))
_HEAD = "import torch\nimport torch.nn as nn\n"
_SEED = "torch.manual_seed(0)\n"
_NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.bn = nn.BatchNorm1d(2)
        MORE
"""
_MADE = "def made():\n    return Net()\nclass Other(nn.Module):\n    pass\n"
_PLAIN = _HEAD + _SEED + _NET.replace("        MORE\n", "") + "net = Net()\n"

_TOLD = {
    "a layer": _HEAD + _SEED + "bn = nn.BatchNorm2d(3)\n",
    "with weights": _HEAD + _SEED + "bn = nn.InstanceNorm2d(3, affine=True)\n",
    "in a class": _PLAIN,
    "two seeds": _PLAIN + _SEED,
    "another class sets weights": _PLAIN
    + _NET.replace("class Net", "class Other").replace("MORE", "nn.init.ones_(self.bn.weight)"),
    "gradients of all weights": _PLAIN + "for p in net.parameters():\n    p.grad.zero_()\n",
    "other things that are copied": _PLAIN + "def load(x):\n    x.rate.copy_(numbers)\n",
    "a new tensor is filled": _HEAD
    + _SEED
    + _NET.replace("MORE", "self.h = self.fc.weight.new(2, 3).zero_(), torch.Tensor(2).fill_(1)")
    + "net = Net()\n",
    "other numbers that are drawn": _PLAIN + "for x in data:\n    x.normal_()\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _TOLD.items()])
def test_is_told_once(text: str) -> None:
    (finding,) = advice("TP710", text, options=_OLD)
    assert finding.line == 3
    assert finding.message.endswith(
        "write torch.nn.init.uniform_(layer.weight) right after each is made"
    )
    assert migrate(text, "TP710", options=_OLD).text == text
    assert not advice("TP710", text, options=Options(era=Era((1, 0), (1, 2))))
    assert not advice("TP710", text)


@pytest.mark.parametrize(
    ("made", "is_assigned"),
    [
        ("bn = nn.BatchNorm2d(3)", True),
        ("net.bn = nn.BatchNorm2d(3)", True),
        ("layers[0] = nn.BatchNorm2d(3)", True),
        ("net = nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 3, 1))", False),
        ("net.add_module('bn', nn.BatchNorm2d(3))", False),
        ("a = nn.BatchNorm2d(3)\nb = [nn.BatchNorm2d(3)]", False),
    ],
)
def test_a_layer_made_as_an_argument_is_drawn_by_a_subclass(made: str, is_assigned: bool) -> None:
    (finding,) = advice("TP710", _HEAD + _SEED + made + "\n", options=_OLD)
    assert finding.message.endswith(
        "for the old ones write torch.nn.init.uniform_(layer.weight) right after each is made"
        if is_assigned
        else "for the old ones use a subclass that adds `torch.nn.init.uniform_(self.weight)` to"
        " reset_parameters()"
    )


@pytest.mark.parametrize(
    ("layer", "oldest", "is_brought_back"),
    [
        ("nn.ConvTranspose2d(8, 4, 4)", (0, 3), False),
        ("nn.ConvTranspose2d(n, out_channels=2 * n, kernel_size=4)", (0, 4), False),
        ("nn.ConvTranspose1d(*sizes)", (0, 4), False),
        ("nn.ConvTranspose2d(8, 8, 4, groups=2)", (0, 4), False),
        ("nn.ConvTranspose2d(8, 8, 4, 1, 0, 0, 2)", (0, 4), False),
        ("nn.Conv2d(8, 8, 3, groups=8)", (0, 4), False),
        ("nn.Conv2d(8, 8, 3, 1, 1, 1, n)", (0, 4), False),
        ("nn.ConvTranspose2d(8, 4, 4)", (1, 0), True),
        ("nn.ConvTranspose2d(8, 8, 4)", (0, 3), True),
        ("nn.ConvTranspose2d(n, n, 4, groups=1)", (0, 3), True),
        ("nn.Conv2d(8, 4, 3)", (0, 3), True),
        ("nn.Conv2d(8, 4, 3, 1, 1, 1, 1)", (0, 3), True),
        ("nn.Linear(8, 4)", (0, 3), True),
        ("nn.functional.conv_transpose2d(x, w)", (0, 3), True),
    ],
)
def test_nothing_is_said_where_other_layers_drew_otherwise_too(
    layer: str, oldest: tuple[int, int], is_brought_back: bool
) -> None:
    options = Options(era=Era(oldest, max(oldest, (0, 4))))
    findings = advice("TP710", f"{_PLAIN}layer = {layer}\n", options=options)
    assert len(findings) == is_brought_back


def test_an_old_line_of_a_project_that_moved_on_is_not_told() -> None:
    lines = dict.fromkeys(range(1, 30), (1, 0))
    era = Era((1, 0), (1, 5))
    for required, told in (((1, 5), 0), ((1, 0), 1)):
        needed = (required,)
        options = Options(era=era, ages=Ages(history=lambda: lines), needed=lambda n=needed: n)
        assert len(advice("TP710", _PLAIN, options=options)) == told


def test_a_model_that_is_made_above_the_seed_never_was_the_same() -> None:
    net = "class Net(nn.Module):\n    def __init__(self):\n        self.bn = nn.BatchNorm1d(2)\n"
    assert not advice("TP710", f"{_HEAD}{net}net = Net()\n{_SEED}", options=_OLD)
    assert advice("TP710", f"{_HEAD}{net}{_SEED}net = Net()\n", options=_OLD)


_CHOSEN = (
    _HEAD
    + _SEED
    + """def layers(n, norm=False):
    return [nn.Linear(n, n)] + ([nn.BatchNorm1d(n)] if norm else [])
class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        if norm:
            self.bn = nn.BatchNorm1d(2)
net = Net(False), layers(3), layers(norm=False, n=2)
"""
)


def test_a_layer_that_no_call_builds_is_not_told() -> None:
    assert not advice("TP710", _CHOSEN, options=_OLD)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Net(False)", "Net(True)", 1),
        ("layers(3)", "layers(3, True)", 1),
        ("norm=False):", "norm=True):", 1),
        ("Net(False)", "Net(given)", 0),
        ("Net(False)", "Net(*given)", 0),
        ("Net(False)", "Net", 0),
        ("Net(False)", "Net(True) if given else None", 0),
        ("layers(3)", "layers(3, norm=not given)", 0),
    ],
)
def test_a_layer_is_told_that_each_run_builds(before: str, after: str, told: int) -> None:
    assert len(advice("TP710", _CHOSEN.replace(before, after), options=_OLD)) == told


def test_a_layer_that_only_an_option_builds_is_not_told() -> None:
    chosen = "        if self.has_norm:\n            self.norm = nn.BatchNorm1d(2)\n"
    net = "class Net(nn.Module):\n    def __init__(self, norm=False):\n        super().__init__()\n"
    text = f"{_HEAD}{net}        self.has_norm = norm\n        torch.manual_seed(0)\n{chosen}"
    assert not advice("TP710", text + "net = Net()\n", options=_OLD)
    always = text.replace("if self.has_norm", "with torch.no_grad()")
    assert advice("TP710", always + "net = Net()\n", options=_OLD)


_DRAWN = _PLAIN.replace(_SEED, "import random\nopt.seed = SEED\ntorch.manual_seed(opt.seed)\n")


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        ("random.randint(1, 9)", 0),
        ("int(random.random() * 99)", 0),
        ("random.randint(1, 9)\nif use_cuda:\n    device = 1", 0),
        ("parse().seed", 1),
        ("3\nother = random.random()", 1),
    ],
)
def test_a_seed_that_each_run_draws_repeats_nothing(seed: str, count: int) -> None:
    assert len(advice("TP710", _DRAWN.replace("SEED", seed), options=_OLD)) == count


_QUIET = {
    "a model that is not built": _PLAIN.replace("net = Net()\n", ""),
    "a function that nobody calls": _HEAD + _SEED + "norm = lambda: nn.BatchNorm2d(3)\n",
    "weights of a file": _PLAIN + "def load(bn):\n    bn.weight.data.copy_(numbers)\n",
    "no seed": _PLAIN.replace(_SEED, ""),
    "no such layer": _HEAD + _SEED + "nn.Linear(2, 2)\n",
    "without weights": _HEAD + _SEED + "nn.BatchNorm2d(3, affine=False)\n",
    "without weights by default": _HEAD + _SEED + "nn.InstanceNorm2d(3)\n",
    "it may be either": _HEAD + _SEED + "nn.BatchNorm2d(3, affine=given)\n",
    "options": _HEAD + _SEED + "nn.BatchNorm2d(3, **options)\n",
    "weights are set": _HEAD + _SEED + _NET.replace("MORE", "self.bn.weight.data.fill_(1)"),
    "weights a method gives": _HEAD + _SEED + _NET.replace("MORE", "self.scale().fill_(1)"),
    "by nn.init": _HEAD + _SEED + _NET.replace("MORE", "nn.init.ones_(self.bn.weight)"),
    "by a function": _HEAD + _SEED + _NET.replace("MORE", "self.apply(start)"),
    "by its name": _PLAIN
    + "def start(m):\n    if m.__class__.__name__.find('BatchNorm') != -1:\n        start_of(m)\n",
    "by what the class is called": _PLAIN + "if type(m).__name__ == 'BatchNorm1d':\n    set(m)\n",
    "by its class": _PLAIN
    + "for m in net.modules():\n    if isinstance(m, nn.BatchNorm1d): set(m)\n",
    "all weights": _PLAIN
    + "for name, p in net.named_parameters():\n    if 'w' in name:\n        nn.init.uniform_(p)\n",
    "all weights by a method": _PLAIN
    + "for p in net.parameters():\n    p.data.uniform_(-0.1, 0.1)\n",
    "weights of a trained model": _PLAIN + "state = model_zoo.load_url(url)\n",
    "another BatchNorm2d": _HEAD + _SEED + "from mine import BatchNorm2d\nBatchNorm2d(3)\n",
    "another seed": _PLAIN.replace("torch.manual_seed", "mine.manual_seed"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _QUIET.items()])
def test_nothing_is_said(text: str) -> None:
    assert not advice("TP710", text, options=_OLD)


test_keeps = keeps("TP710", _TOLD)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from models.net import Net\nnet = Net()\n", True),
        ("from models import net\nnet = net.made()\n", True),
        ("from models.net import Net, Other\nnet = Other()\n", False),
        ("import models.net\n", False),
        ("", False),
        ("from models.net import Net\nnet = Net()\nnet.load_state_dict(saved)\n", False),
        (
            "from models.net import Net\nnet = Net()\nnet.load_state_dict(saved)\nloss.backward()\n",
            True,
        ),
    ],
)
def test_a_layer_of_an_imported_file(tmp_path: Path, line: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("")
    (tmp_path / "models" / "net.py").write_text(_HEAD + _NET.replace("MORE", "pass") + _MADE)
    script = tmp_path / "train.py"
    script.write_text("import torch\n" + _SEED + line)
    settings = Settings(select=("TP710",), from_version="1.0")
    findings = migrate_file(script, settings, write=False).findings
    assert [f.line for f in findings] == ([2] if told else [])
    assert all(f.message.startswith("nn.BatchNorm1d in net.py drew ") for f in findings)


def test_all_classes_of_layers_are_named_that_are_surely_made() -> None:
    made = "if more:\n    one = nn.BatchNorm1d(2)\ntwo = nn.BatchNorm2d(2)\n"
    (finding,) = advice("TP710", f"{_HEAD}{_SEED}{made}", options=_OLD)
    assert finding.message.startswith("nn.BatchNorm2d drew its weight until torch 1.1 and starts ")
    third = made + "three = nn.BatchNorm2d(4), nn.BatchNorm3d(2)\n"
    (finding,) = advice("TP710", f"{_HEAD}{_SEED}{third}", options=_OLD)
    assert finding.message.startswith("nn.BatchNorm2d and nn.BatchNorm3d drew their weights ")


def test_layers_without_weights_that_were_drawn_are_not_named() -> None:
    others = "one = nn.LayerNorm(2), nn.InstanceNorm2d(2), nn.BatchNorm1d(2, affine=False)\n"
    (finding,) = advice("TP710", f"{_PLAIN}{others}two = nn.BatchNorm3d(2)\n", options=_OLD)
    assert finding.message.startswith("nn.BatchNorm1d and nn.BatchNorm3d drew ")
    (finding,) = advice("TP710", f"{_PLAIN}{others}", options=_OLD)
    assert finding.message.startswith("nn.BatchNorm1d drew ")


_PARTS = (
    _HEAD
    + "class Loss(nn.Module):\n    pass\n"
    + "def block(n):\n    return nn.Sequential(nn.Linear(n, n), nn.BatchNorm1d(n))\n"
    + "class Part(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    + "        self.body = nn.Sequential(nn.Linear(n, n), nn.BatchNorm1d(n))\n"
    + "class Whole(nn.Module):\n    def __init__(self, more=0):\n        super().__init__()\n"
    + "        self.layers = self.make()\n        if more > 0:\n            self.more = Part(more)\n"
    + "    def make(self):\n        return block(2)\n"
    + "class Small(nn.Module):\n    def __init__(self, more):\n        super().__init__()\n"
    + "        if more > 0:\n            self.more = Part(more)\n"
    + "class Child(Part):\n    pass\n"
)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Whole()", True),
        ("Child(2)", True),
        ("block(2)", True),
        ("Loss()", False),
        ("Small(args.more)", False),
        ("Part(2) if args.more else Loss()", False),
        ("None\nif args.more:\n    net = Part(2)", False),
        ("None\ndef main():\n    net = Part(2)\nif __name__ == '__main__':\n    main()", True),
        ("None\ndef main():\n    net = Part(2)\nspawn(main)", True),
        ("None\ndef unused():\n    net = Part(2)", False),
        ("[cls for cls in (Part, Loss)]", False),
    ],
)
def test_only_what_each_run_builds_of_imports_is_told(
    tmp_path: Path, line: str, told: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "parts.py").write_text(_PARTS)
    (tmp_path / "other.py").write_text(_HEAD + "def other(n):\n    return nn.BatchNorm2d(n)\n")
    script = tmp_path / "train.py"
    imports = "from other import other\nfrom parts import Child, Loss, Part, Small, Whole, block\n"
    script.write_text(f"import torch\n{_SEED}{imports}net = {line}\n")
    settings = Settings(select=("TP710",), from_version="1.0")
    findings = migrate_file(script, settings, write=False).findings
    assert [f.line for f in findings] == ([2] if told else [])
    assert all(f.message.startswith("nn.BatchNorm1d in parts.py drew ") for f in findings)


def test_all_files_whose_layers_are_built_are_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "parts.py").write_text(_PARTS)
    (tmp_path / "other.py").write_text(_HEAD + "def other(n):\n    return nn.BatchNorm2d(n)\n")
    script = tmp_path / "train.py"
    imports = "from other import other\nfrom parts import Part\n"
    script.write_text(f"import torch\n{_SEED}{imports}net = other(2), Part(3)\n")
    settings = Settings(select=("TP710",), from_version="1.0")
    [finding] = migrate_file(script, settings, write=False).findings
    assert " in other.py and parts.py drew " in finding.message


def test_it_is_said_once_in_a_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "parts.py").write_text(_PARTS)
    program = f"import torch\nfrom parts import Part, Loss\n{_SEED}net = Part(3)\n"
    program += "x = torch.autograd.Variable(torch.ones(3), volatile=True)\n"
    for name in ("first.py", "second.py"):
        (tmp_path / name).write_text(program)
    settings = Settings(select=("TP710",))
    names = [tmp_path / "first.py", tmp_path / "second.py"]

    def told() -> list[int]:
        return [len(each.findings) for each in migrate_files(names, settings, write=False, jobs=1)]

    assert told() == [1, 0]
    # Where nothing is said of the first file it is said of the other one.
    (tmp_path / "first.py").write_text(program.replace("Part(3)", "Loss()"))
    assert told() == [0, 1]
