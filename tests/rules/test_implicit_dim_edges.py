"""TP302 through recurrent layers, lists, containers that others fill, and classes below."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.project.paths import is_of_library
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_OLD = "from torch.autograd import Variable\nflag = Variable(torch.zeros(1), volatile=True)\n"

_NET = """class Net(nn.Module):
    def __init__(self, n, depth=1, kind="GRU"):
        super().__init__()
        self.embed = nn.Embedding(n, n)
        self.rnn = {}
        self.out = nn.Linear(n, n)
    def forward(self, x, state):
        {}
"""

_STEP = (
    "output, state = self.rnn(self.embed(x).unsqueeze(0), state)\n"
    "        return F.log_softmax(self.out(output.squeeze(0)))"
)


def _net(rnn: str, *lines: str) -> str:
    return _OLD + _NET.format(rnn, "\n        ".join(lines))


_KIM = """class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(1, n, (k, 8)) for k in (3, 4)])
        self.fc = nn.Linear(2 * n, n)
    def forward(self, x):
        x = [F.relu(conv(x.unsqueeze(1))).squeeze(3) for conv in self.convs]
        x = [F.max_pool1d(i, {}).squeeze(2) for i in x]
        return F.log_softmax(self.fc(torch.cat(x, 1)))
"""

_BASE = """class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.build(n)
    def forward(self, x):
        return F.softmax(self.score(self.top(x)))
class Net(Base):
    def build(self, n):
        self.score = nn.Linear(n, n)
    def top(self, x):
        return x.view(x.size(0), -1)
"""

_GIVEN = """class Head(nn.Module):
    def __init__(self, body, n):
        super().__init__()
        self.body = body
        self.fc = nn.Linear(n, n)
    def forward(self, x):
        return F.softmax(self.fc(self.body(x)))
class Flat(nn.Module):
    def forward(self, x):
        return x.view(2, -1)
net = Head(Flat(), 6)
"""

_DEVICES = """class Net(nn.Module):
    def __init__(self, n, gpus):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(3, n, 3), nn.ReLU())
        self.classes = nn.Sequential(nn.Linear(n, n), nn.LogSoftmax())
    def forward(self, x, gpus):
        x = nn.parallel.data_parallel(self.main, x, gpus)
        return nn.parallel.data_parallel(self.classes, {}, gpus)
"""

_SHOWN = {
    "the output of a layer": _net("nn.LSTM(n, n)", _STEP),
    "of one that is chosen by its name": _net("getattr(nn, kind)(n, n, depth, dropout=0.5)", _STEP),
    "of one of two": _net("(nn.GRU if depth else nn.LSTM)(n, n)", _STEP),
    "of one of two by a name": _net("rnn(n, n)", _STEP).replace(
        "        self.rnn", "        rnn = nn.GRU if depth else nn.LSTM\n        self.rnn"
    ),
    "of a cell": _net(
        "nn.LSTMCell(n, n)",
        "h, c = self.rnn(self.embed(x), state)",
        "return F.softmax(self.out(h))",
    ),
    "the last state of one layer": _net(
        "nn.LSTM(n, n)",
        "_, hidden = self.rnn(self.embed(x), state)",
        "return F.softmax(self.out(hidden[0].squeeze(0)))",
    ),
    "a row of the state": _net(
        "nn.GRU(n, n, depth)",
        "_, hidden = self.rnn(self.embed(x), state)",
        "return F.softmax(self.out(hidden[-1]))",
    ),
    "joined of what a loop puts into a list": """def probs(x, n):
    parts = []
    for i in range(n):
        parts.append(x.mm(x))
    return F.softmax(torch.cat(parts, 1))
""",
    "the last of a list": """def probs(x, n):
    parts = [x.mm(x)]
    for i in range(n):
        parts.append(parts[-1] + 1)
    return F.softmax(parts[-1])
""",
    "each of a list": """def probs(x):
    parts = [x.mm(x), x.view(2, -1)]
    return [F.softmax(part) for part in parts]
""",
    "each, counted": """def probs(x, y):
    parts = [x.bmm(y.unsqueeze(2)).squeeze(2), x.view(2, -1)]
    return [F.softmax(part) + i for i, part in enumerate(parts)]
""",
    "each of two lists": """def probs(x, y):
    parts, others = [x.bmm(y.unsqueeze(2)).squeeze(2), x.view(2, -1)], [x]
    return [F.softmax(part) + other for part, other in zip(parts, others)]
""",
    "the rows of a tensor": """def probs(x, y):
    for part in x.view(2, 1, 3, -1).squeeze(1):
        print(F.softmax(part))
""",
    "convolutions of several widths": _OLD + _KIM.format("i.size(2)"),
    "the best of it, transposed": _OLD
    + """def accuracy(output, target):
    _, pred = output.topk(5, 1, True, True)
    pred = pred.t()
    return pred.eq(target.view(1, -1).expand_as(pred))
def evaluate(net, x, y):
    probs = F.softmax(net(x))
    return accuracy(probs, y)
""",
    "of the first sizes of another": """def probs(fc, x):
    x = F.avg_pool2d(x, kernel_size=[x.size(2), x.size(3)])
    return F.softmax(x.view(x.size()[:2]))
""",
    "what has one element in the last dimension, dropped out": """def probs(x, n):
    scores = F.dropout(nn.Linear(n, 1)(x.view(2, 3, -1)), 0.5)
    return F.softmax(scores.squeeze(2))
""",
    "joined to what is known": """def probs(x, y):
    both = torch.cat([x, y.view(2, -1)], 1)
    return F.softmax(x), both
""",
    "what a class below sets": _BASE,
    "what a constructor is given": _GIVEN,
    "on several devices": _DEVICES.format("x.view(2, -1)"),
    "what another module of the file gives": """class Head(nn.Module):
    def forward(self, x):
        return F.softmax(x * 2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()
    def forward(self, x):
        return self.head(x.view(2, -1))
""",
    "a state that goes round": _OLD
    + """def probs(cell, x, n):
    cell = nn.LSTMCell(n, n)
    state = (torch.zeros(1, n), torch.zeros(1, n))
    for i in range(n):
        state = cell(x, state)
    return F.softmax(state[0])
""",
}


def _migrated(file: Path) -> tuple[str, list[str]]:
    """What becomes of a file, and the codes of what is said of it."""
    result = migrate_file(file, Settings(select=("TP302",)), write=False)
    assert not result.errors
    return result.after or file.read_text("utf-8"), [each.code for each in result.findings]


def _project(folder: Path, code: str, **others: str) -> Path:
    (folder / "README.md").write_text("", "utf-8")
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    file = folder / "model.py"
    file.write_text(_HEAD + code, "utf-8")
    return file


@pytest.mark.parametrize("code", _SHOWN.values(), ids=_SHOWN)
def test_what_is_shown_is_written(tmp_path: Path, code: str) -> None:
    text, _ = _migrated(_project(tmp_path, code))
    assert text.count("dim=1") == code.count("dim=1") + 1
    assert migrate(text, "TP302").text == text


_OPEN = {
    "a sequence without a batch, which torch did not know": _net(
        "nn.LSTM(n, n)",
        "output, state = self.rnn(self.embed(x.view(-1)), state)",
        "return F.log_softmax(self.out(output)[-1])",
    ),
    "a sequence that may be longer": _net("nn.LSTM(n, n)", _STEP.replace(".unsqueeze(0)", "")),
    "a state of several layers": _net(
        "nn.LSTM(n, n, depth)",
        "_, hidden = self.rnn(self.embed(x), state)",
        "return F.softmax(self.out(hidden[0].squeeze(0)))",
    ),
    "a state of both ways": _net(
        "nn.LSTM(n, n, bidirectional=True)",
        "_, hidden = self.rnn(self.embed(x), state)",
        "return F.softmax(self.out(hidden[0].squeeze(0)))",
    ),
    "without a batch in later code": _net(
        "nn.LSTM(n, n)", "h = self.rnn(x)[0]", "return F.softmax(h)"
    ).replace(_OLD, ""),
    "of one of two that is the user's": _net("(nn.GRU if depth else own.GRU)(n, n)", _STEP),
    "of one of two that is no sequence": _net("(nn.GRU if depth else nn.Linear)(n, n)", _STEP),
    "of one of two by a name that is given": _net("rnn(n, n)", _STEP)
    .replace("        self.rnn", "        rnn = nn.GRU if depth else nn.LSTM\n        self.rnn")
    .replace('kind="GRU"', "rnn=None"),
    "any layer that is chosen by its name": _net("getattr(nn, kind)(n, n)", _STEP),
    "a layer of another library": "import own\n"
    + _net("getattr(own, kind)(n, n, depth, dropout=0.5)", _STEP),
    "lists of several numbers": """def probs(x, n):
    parts = [x.mm(x)]
    parts.append(x.view(2, 3, n))
    return F.softmax(parts[-1])
""",
    "a list that others fill": """from other import fill
def probs(x, n):
    parts = [x.mm(x)]
    fill(parts)
    return F.softmax(parts[-1])
""",
    "a list with others in it": """def probs(x, *n):
    parts = [x.mm(x), *n]
    return F.softmax(parts[-1])
""",
    "a list of another number on one path": """def probs(x, n):
    parts = [x.mm(x)]
    if n:
        parts = [x.view(2, 3, n)]
    return [F.softmax(part) for part in parts]
""",
    "pools of other widths": _OLD + _KIM.format("2"),
    "pools of the width of others": _OLD + _KIM.format("x.size(2)"),
    "rows of it, transposed": _OLD
    + """def evaluate(net, x):
    probs = F.softmax(net(x))
    first, second = probs.cumsum(0)
    return first.t() + second
""",
    "the best of another": _OLD
    + """def evaluate(net, x, y):
    probs = F.softmax(net(x))
    _, pred = y.topk(5, 1)
    return probs, pred.t()
""",
    "the places of the greatest, which lost a dimension": _OLD
    + """def evaluate(net, x):
    probs = F.softmax(net(x))
    _, pred = probs.max(1)
    return pred.t()
""",
    "what may have more elements by another": """def probs(x, n):
    scores = torch.add(nn.Linear(n, 1)(x.view(2, 3, -1)), n)
    return F.softmax(scores.squeeze(2))
""",
    "joined to what may be empty": """def probs(x):
    both = torch.cat([x, torch.zeros(0)], 0)
    return F.softmax(x), both
""",
    "two classes below that differ": _BASE
    + """class Wide(Base):
    def build(self, n):
        self.score = nn.Linear(n, n)
    def top(self, x):
        return x.view(2, 3, -1)
""",
    "a class below of two bases": _BASE.replace("class Net(Base)", "class Net(Base, Other)"),
    "set by others": _BASE + "def load(net):\n    net.score = torch.load('score')\n",
    "a constructor that is given what is unknown": _GIVEN + "other = Head(torch.load('a'), 6)\n",
    "on several devices, of any number": _DEVICES.format("x"),
    "another function of that name": _DEVICES.format("x.view(2, -1)").replace(
        "nn.parallel.data_parallel(self.c", "own.data_parallel(self.c"
    ),
    "a module that others call": """class Head(nn.Module):
    def forward(self, x):
        return F.softmax(x * 2)
def run(x):
    return Head()(x.view(2, -1)), use(Head())
""",
    "overridden below": """class Base(nn.Module):
    def top(self, x):
        return x.view(2, -1)
    def forward(self, x):
        return F.softmax(self.top(x))
class Net(Base):
    def top(self, x):
        return x.view(2, 3, -1)
""",
}


@pytest.mark.parametrize("code", _OPEN.values(), ids=_OPEN)
def test_what_is_open_stays(tmp_path: Path, code: str) -> None:
    assert _migrated(_project(tmp_path, code)) == (_HEAD + code, ["TP302"])


def test_classes_below_of_other_files_count(tmp_path: Path) -> None:
    base, below = _BASE.split("class Net")
    below = f"{_HEAD}from model import Base\nclass Net{below}"
    file = _project(tmp_path, base, net=below)
    assert "dim=1" in _migrated(file)[0]
    (tmp_path / "other.py").write_text(below.replace("size(0), -1", "size(0), 2, -1"), "utf-8")
    assert _migrated(file)[0] == _HEAD + base


def test_constructions_in_other_files_count(tmp_path: Path) -> None:
    head, rest = _GIVEN.split("class Flat")
    rest = f"{_HEAD}from model import Head\nclass Flat{rest}"
    file = _project(tmp_path, head, train=rest)
    assert "dim=1" in _migrated(file)[0]
    (tmp_path / "other.py").write_text(rest.replace("view(2, -1)", "view(2, 3, -1)"), "utf-8")
    assert _migrated(file)[0] == _HEAD + head


_BUILDS = "from distutils.core import setup\nsetup(name='ops', ext_modules=[])\n"


@pytest.mark.parametrize(
    ("setup", "is_installed"),
    [
        (_BUILDS, False),
        ("import torch\nfrom .model import probs\n", False),
        (_BUILDS.replace("ext_modules=[]", "ext_modules=[], packages=['ops']"), True),
        (_BUILDS.replace("ext_modules=[]", "**options"), True),
        ("from setuptools import setup\nsetup()\n", True),
        ("", True),
    ],
)
def test_a_script_that_only_builds_extensions_makes_no_library(
    tmp_path: Path, setup: str, is_installed: bool
) -> None:
    (tmp_path / "README.md").write_text("", "utf-8")
    folder = tmp_path / "ops"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (tmp_path / "setup.py").write_text(setup, "utf-8")
    assert is_of_library(folder) is is_installed


_ADDED = """def build(kernel):
    net = nn.Sequential()
    net.add_module('drop', nn.Dropout())
    net.add_module('conv', nn.Conv2d(3, 4, kernel))
    net.add_module('soft', nn.LogSoftmax())
    net.add_module('flat', nn.Dropout())
    return net
"""


@pytest.mark.parametrize(
    ("old", "new", "is_written"),
    [
        ("", "", True),
        ("nn.Conv2d(3, 4, kernel)", "nn.Conv1d(3, 4, kernel)", True),
        ("nn.Conv2d(3, 4, kernel)", "nn.Linear(3, 4)", False),
        ("nn.Conv2d(3, 4, kernel)", "kernel", False),
        ("nn.Sequential()", "kernel", False),
        ("'drop'", "'soft'", False),
        ("net.add_module('conv'", "other.add_module('conv'", False),
        ("    net.add_module('conv'", "    b = nn.Sequential()\n    b.add_module('conv'", False),
        ("'soft'", "kernel", False),
        ("    return net", "    net.soft(kernel)\n    return net", False),
        ("    net.add_module('soft'", "    change(net)\n    net.add_module('soft'", False),
    ],
)
def test_a_layer_that_is_added_behind_another(
    tmp_path: Path, old: str, new: str, is_written: bool
) -> None:
    code = _OLD + (_ADDED.replace(old, new) if old else _ADDED)
    file = _project(tmp_path, code)
    dim = 0 if "Conv1d" in new else 1
    after = code.replace("LogSoftmax()", f"LogSoftmax(dim={dim})") if is_written else code
    assert _migrated(file)[0] == _HEAD + after


def test_what_takes_one_image_as_well_shows_nothing(tmp_path: Path) -> None:
    assert _migrated(_project(tmp_path, _ADDED))[0] == _HEAD + _ADDED


_SQUEEZENET = "squeezenet1_0()\n    return F.softmax(net.classifier(x.view(n, -1)))"
_TORCHVISION = """from torchvision import models
from torchvision.models.inception import inception_v3
def moved(net): return net.cuda() if torch.cuda.is_available() else net
def changed(net): return nn.Sequential(net, nn.Unflatten(1, (5, -1)))
def classify(x, n):
    net = models.resnet18(pretrained=True).cuda()
    return F.softmax(net(x))
"""


@pytest.mark.parametrize(
    ("old", "new", "is_written"),
    [
        ("", "", True),
        ("models.resnet18(pretrained=True)", "inception_v3(pretrained=True)", True),
        ("    return", "    net.fc = nn.Linear(512, n)\n    return", True),
        ("    return", "    net.fc = n\n    return", False),
        ("    return", "    net.classifier[6] = n\n    return", False),
        ("    return", "    net.classifier[6] = nn.Linear(8, n)\n    return", True),
        ("models.resnet18(pretrained=True)", "models.detection.resnet18(n)", False),
        ("models.resnet18(pretrained=True)", "models.resnet.BasicBlock(n, n)", False),
        ("models.resnet18(pretrained=True)", "n.resnet18()", False),
        ("net(x)", "net.layer4(x)", False),
        ("net(x)", "net.fc(x.view(n, -1))", True),
        ("net(x)", "net.fc(x.view(n, 1, 3, -1))", True),
        ("net(x)", "net.fc(x)", False),
        ("net(x)", "net.layer4(x.view(n, -1))", False),
        ("resnet18(pretrained=True).cuda()\n    return F.softmax(net(x))", _SQUEEZENET, False),
        ("    return", "    net.avgpool = nn.AvgPool2d(3)\n    return", True),
        ("    return", "    net.avgpool = n\n    return", False),
        ("    return", "    net.fc = nn.AvgPool2d(3)\n    return", False),
        ("    return", "    net = net.cuda()\n    return", True),
        ("    return", "    net = moved(net)\n    return", True),
        ("    return", "    net = moved(n)\n    return", False),
        ("    return", "    net = changed(net)\n    return", False),
        ("    return", "    if n:\n        net = n\n    return", False),
        (
            "    return",
            "    other = net\n    other.fc = n\n    net = moved(other)\n    return",
            False,
        ),
    ],
)
def test_a_model_of_torchvision_gives_rows(
    tmp_path: Path, old: str, new: str, is_written: bool
) -> None:
    code = _TORCHVISION.replace(old, new) if old else _TORCHVISION
    after, _ = _migrated(_project(tmp_path, code))
    assert ("dim=1)" in after) == is_written
