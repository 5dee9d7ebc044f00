"""What rules do with things that other files of the project define."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.project.glance import takes_tensors
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n"
MODELS = """
class Net(nn.Module):
    def forward(self, x):
        return x

class Called(Net):
    def __call__(self, x):
        return x

class Mixed(nn.Module, Unheard):
    def forward(self, x):
        return x

class Moved(nn.Module):
    def cuda(self):
        return self

class Wrapper:
    def backward(self, retain_variables=False):
        pass
    def insert(self, x):
        self.held[0].copy_(x)
    def step(self, loss):
        loss.backward()

class Storage:
    def insert(self, x):
        self.held.take(x)

class Loss(nn.Module):
    def forward(self, x):
        return x.unsqueeze(0).sum()
"""
HELPERS = """
from torch import optim

def train_step(model, x):
    loss = model(x).sum()
    loss.backward()
    return loss.item()

def accuracy(output, y):
    return (output == y).float().mean()

def update(output, y):
    loss = (output - y).sum()
    loss.backward()
    return loss

def report(x):
    print(x)

def unclear(x):
    unheard(x).go()
    print(x)
"""
MORE = """
from models import Mixed, Net

class Fine(Net):
    pass

class Unsure(Mixed):
    pass
"""
CONFIG = """
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
net = nn.Sequential(nn.Linear(2, 3))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models.py").write_text(HEAD + MODELS)
    (tmp_path / "helpers.py").write_text(HEAD + HELPERS)
    (tmp_path / "more.py").write_text(HEAD + MORE)
    (tmp_path / "config.py").write_text(HEAD + CONFIG)
    return tmp_path


def after(root: Path, code: str, text: str) -> str:
    path = root / "script.py"
    path.write_text(HEAD + text)
    result = migrate_file(path, Settings(select=(code,)), write=False)
    assert not result.errors
    return (HEAD + text if result.after is None else result.after).removeprefix(HEAD)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("TP604", "from models import Net\nNet().forward(x)\n", "Net()(x)"),
        ("TP604", "from more import Fine\nFine().forward(x)\n", "Fine()(x)"),
        ("TP201", "from models import Net\nNet().cuda()\n", "Net().to(device)"),
        ("TP201", "import config\nnet = config.net\nnet.cuda()\n", "\nnet.to(config.device)"),
        ("TP201", "import config\nconfig.net.cuda()\n", "\nconfig.net.to(config.device)"),
        (
            "TP103",
            "from models import Loss\nloss = Loss()(x)\nprint(loss.data[0])\n",
            "print(loss.item())",
        ),
        (
            "TP201",
            "from config import device\n\ndef f():\n    return torch.zeros(3).cuda()\n",
            "from config import device\n\ndef f():\n    return torch.zeros(3, device=device)\n",
        ),
        (
            "TP201",
            "from config import use_cuda\nimport os\n\ndef f(x):\n    x = torch.zeros(3)\n"
            "    if use_cuda:\n        x = x.cuda()\n",
            "from config import use_cuda\nimport os\n\n"
            'device = torch.device("cuda" if use_cuda else "cpu")\n\ndef f(x):',
        ),
        (
            "TP102",
            "from helpers import report\ndef f(net, loader):\n    for x in loader:\n"
            "        x = Variable(x, volatile=True)\n        y = net(x)\n        report(y)\n"
            "        report(3)\n",
            "    with torch.no_grad():\n        for x in loader:",
        ),
        (
            "TP102",
            "from models import Storage\nheld = Storage()\ndef f(net, loader):\n"
            "    for x in loader:\n        held.insert(x)\n        x = Variable(x, volatile=True)\n"
            "        print(net(x))\n",
            "    with torch.no_grad():\n        for x in loader:",
        ),
        (
            "TP102",
            "from models import Wrapper\nheld = Wrapper()\ndef f(net, loader):\n"
            "    for x in loader:\n        held.insert(x)\n        x = Variable(x, volatile=True)\n"
            "        print(net(x))\n",
            "    with torch.no_grad():\n        for x in loader:",
        ),
    ],
)
def test_things_of_other_files_are_known(root: Path, code: str, text: str, expected: str) -> None:
    assert expected in after(root, code, text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("TP604", "from models import Called\nCalled().forward(x)\n"),
        ("TP604", "from models import Mixed\nMixed().forward(x)\n"),
        ("TP604", "from more import Unsure\nUnsure().forward(x)\n"),
        ("TP604", "from models import Called\nclass Own(Called):\n    pass\nOwn().forward(x)\n"),
        ("TP201", "from models import Moved\nMoved().cuda()\n"),
        ("TP201", "import config\nother = config.other\nother.cuda()\n"),
        ("TP201", "import config\nconfig.cuda()\n"),
        ("TP201", "from models import Moved\nclass Own(Moved):\n    pass\nOwn().cuda()\n"),
        ("TP106", "from models import Wrapper\nWrapper().backward(retain_variables=True)\n"),
        (
            "TP501",
            "from models import *\nnet = nn.DataParallel(Net())\ntorch.save(net, 'net.pt')\n"
            "other = torch.load('net.pt')\n",
        ),
        (
            "TP501",
            "from models import Net\nclass Own(Net):\n    pass\nnet = Own()\n"
            "torch.save(net, 'net.pt')\nother = torch.load('net.pt')\n",
        ),
    ],
)
def test_what_other_files_define_their_own_way_stays(root: Path, code: str, text: str) -> None:
    assert after(root, code, text) == text


def test_a_class_of_another_file_may_have_a_next_of_its_own(root: Path) -> None:
    text = "it = iter(reader)\nx = it.next()\n"
    assert "x = next(it)" in after(root, "TP801", text)
    (root / "readers.py").write_text(HEAD + "class Reader:\n    def next(self):\n        pass\n")
    assert after(root, "TP801", text) == text


@pytest.mark.parametrize(
    "call", ["train_step(net, x)", "Wrapper().step(x)", "unclear(3)", "unheard(3)"]
)
def test_a_loop_that_may_train_by_another_file_stays_outside(root: Path, call: str) -> None:
    text = (
        "from helpers import train_step, unclear\nfrom models import Wrapper\n"
        "from others import unheard\n"
        "def f(net, loader):\n    for x in loader:\n"
        f"        {call}\n        y = Variable(x, volatile=True)\n        print(net(y))\n"
    )
    result = after(root, "TP102", text)
    assert f"    for x in loader:\n        {call}\n        y = Variable(x)\n        with" in result


PARTS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.criterion = nn.CrossEntropyLoss()
        self.part_loss = None

    def forward(self, x, y):
        self.scores = torch.ones(3, 4)
        self.part_loss = self.criterion(x, y)
        return x
"""


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("net.part_loss.data.cpu().numpy()[0]", "net.part_loss.item()"),
        ("net.part_loss.data.numpy()[0]", "net.part_loss.item()"),
        ("net.part_loss.data[0]", "net.part_loss.item()"),
        ("net.scores.data.cpu().numpy()[0]", None),
        ("net.other.data.cpu().numpy()[0]", None),
        ("net.part_loss.data.cpu().numpy()[1]", None),
    ],
)
def test_a_loss_that_a_model_of_another_file_keeps(
    root: Path, index: str, expected: str | None
) -> None:
    (root / "parts.py").write_text(HEAD + PARTS)
    path = root / "script.py"
    path.write_text(HEAD + f"from parts import Net\nnet = Net()\nnet(x, y)\nprint({index})\n")
    for codes in (("TP103",), ("TP103", "TP104")):
        result = migrate_file(path, Settings(select=codes), write=False)
        found = [f for f in result.findings if f.code == "TP103"]
        assert [f.fixed for f in found] == ([True] if expected else [])
        if expected:
            assert (result.after or "").endswith(f"print({expected})\n")


JUDGES = """
def judge(loader, model, names=()):
    model.eval()
    return [model(x) for x in loader]

def compare(net, other):
    return net.state_dict().keys() == other["weights"].keys()

def pass_on(model):
    return judge([], model)

def either(model, other=None):
    model = other if other else model
    model.eval()
"""


@pytest.mark.parametrize(
    ("use", "is_object"),
    [
        ("judge(x, model)", True),
        ("judge(x, names=3, model=model)", True),
        ("judges.judge(x, model)", True),
        ("pass_on(model)", True),
        ("compare(model, x)", True),
        ("compare(x, model)", False),
        ("judge(model, x)", False),
        ("judge(*model)", False),
        ("either(model)", False),
        ("unheard(model)", False),
    ],
)
def test_what_a_file_held_shows_in_functions_of_others(
    root: Path, use: str, is_object: bool
) -> None:
    (root / "judges.py").write_text(HEAD + JUDGES)
    head = "import judges\nfrom judges import compare, either, judge, pass_on, unheard\n"
    text = f"{head}model = torch.load(path)\nprint({use})\n"
    new = text.replace("load(path)", "load(path, weights_only=False)") if is_object else text
    assert after(root, "TP502", text) == new


EVALUATION = """import torch.nn.functional as F
from helpers import {name}

net = nn.Linear(3, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.zeros(5, 3)
y = torch.zeros(5).long()

def train():
    net.train()
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()

def test():
    net.eval()
    output = net(x)
    loss = F.nll_loss(output, y)
    acc = {name}(output, y)
    print("acc", loss.item(), acc.item())

for epoch in range(3):
    train()
test()
"""


@pytest.mark.parametrize(("name", "wraps"), [("accuracy", True), ("update", False)])
def test_what_another_file_computes_from_an_evaluation(root: Path, name: str, wraps: bool) -> None:
    text = EVALUATION.format(name=name)
    assert (
        "    with torch.no_grad():\n        output = net(x)" in after(root, "TP112", text)
    ) is wraps


def test_a_flag_that_another_file_may_set_is_not_taken_as_it_is(root: Path) -> None:
    text = (
        "import config\n\ndef f():\n    x = torch.zeros(3)\n"
        "    if config.use_cuda:\n        x = x.cuda()\n"
    )
    path = root / "script.py"
    path.write_text(HEAD + text)
    assert migrate_file(path, Settings(select=("TP201",)), write=False).after is None


def test_the_activation_of_a_model_is_found_in_another_file(root: Path) -> None:
    (root / "nets.py").write_text(
        HEAD + "class Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.fc = nn.Linear(2, 3)\n"
        "    def forward(self, x):\n        return torch.softmax(self.fc(x), 1)\n"
    )
    path = root / "script.py"
    path.write_text(HEAD + "from nets import Net\nnet = Net()\nnn.CrossEntropyLoss()(net(x), y)\n")
    result = migrate_file(path, Settings(select=("TP304",)), write=False)
    assert [f.message for f in result.findings] == [
        "CrossEntropyLoss applies softmax itself, and torch.softmax(self.fc(x), 1) in nets.py has "
        "applied it before: leave it out there if nothing else takes what it gives, or else return "
        "the scores as well"
    ]


SCALED = (
    "from torchvision import transforms\n\n"
    "def get(train, scale=256):\n    return transforms.Scale(scale)\n"
)


@pytest.mark.parametrize(
    "calls",
    ["get(True)", "get(True, 224)\nget(train=False)", "get(False, scale=(96, 96))"],
)
def test_a_size_that_all_calls_give_as_a_number(root: Path, calls: str) -> None:
    (root / "main.py").write_text(f"from data import get\n{calls}\n")
    (root / "data.py").write_text(SCALED)
    result = migrate_file(root / "data.py", Settings(select=("TP805",)), write=False)
    assert "Resize(scale)" in (result.after or "")


_METHOD = (
    "from torchvision import transforms\n\n"
    "class Net:\n    def show(self, scale=256):\n        return transforms.Scale(scale)\n"
)


@pytest.mark.parametrize(
    ("data", "main", "is_number"),
    [
        (SCALED, "", True),
        (SCALED, "from data import get\nmap(get, flags)\n", False),
        (SCALED, "from data import *\nget(True, size)\n", False),
        (SCALED.replace("256", "(320, 240)"), "", False),
        (SCALED.replace("=256", ""), "", False),
        (SCALED.replace("def", "@command\ndef"), "", False),
        (_METHOD, "", True),
        (_METHOD, "net.show((320, 240))\n", False),
        (_METHOD, "getattr(net, 'show')((320, 240))\n", False),
        (_METHOD.replace("show", "__call__"), "", False),
        (_METHOD.replace("show", "__init__"), "", True),
        (_METHOD.replace("show", "__init__"), "from data import Net\nNet(size)\n", False),
    ],
)
def test_a_size_that_nobody_gives_is_the_default(
    root: Path, data: str, main: str, is_number: bool
) -> None:
    (root / "main.py").write_text(main)
    (root / "data.py").write_text(data)
    result = migrate_file(root / "data.py", Settings(select=("TP805",)), write=False)
    assert ("Resize(scale)" in (result.after or "")) is is_number


@pytest.mark.parametrize(
    "calls",
    [
        "get(True)\nget(True, (320, 240))",
        "get(True, opt.size)",
        "get(True, [96, 96])",
        "get(**options)",
        "get(*options)",
        "map(get, flags)",
        "get",
    ],
)
def test_a_size_that_some_call_may_give_as_a_pair(root: Path, calls: str) -> None:
    (root / "main.py").write_text(f"from data import get\n{calls}\n")
    (root / "data.py").write_text(SCALED)
    result = migrate_file(root / "data.py", Settings(select=("TP805",)), write=False)
    assert result.after is None
    there = "a pair (line 3 of main.py gives one) is"
    said = there if "(320" in calls else "is the same for a number"
    assert said in result.findings[0].message


def test_a_size_that_is_given_anew_is_not_known(root: Path) -> None:
    path = root / "data.py"
    for made in ("sizes(scale)", "scale or (320, 240)"):
        path.write_text(SCALED.replace("    return", f"    scale = {made}\n    return"))
        assert migrate_file(path, Settings(select=("TP805",)), write=False).after is None
        (root / "main.py").write_text("from data import get\nget(True)\n")


ACCURACY = """def accuracy(output, target, k=1):
    _, pred = output.topk(k, 1, True, True)
    correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
    return correct[:k].view(-1).float().sum(0)
"""


@pytest.mark.parametrize(
    ("importers", "is_read"),
    [
        ({"train.py": "import torch\nfrom metrics import accuracy\n"}, True),
        ({"tools.py": "from metrics import *\n", "train.py": "import torch\nimport tools\n"}, True),
        ({"train.py": "import torch\n"}, False),
        ({"train.py": "import paddle\nfrom metrics import accuracy\n"}, False),
        ({"metrics2.py": "import metrics\n", "train.py": "import torch\n"}, False),
    ],
)
def test_a_file_that_only_gets_tensors_need_not_import_torch(
    tmp_path: Path, importers: dict[str, str], is_read: bool
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in {"metrics.py": ACCURACY, **importers}.items():
        (tmp_path / name).write_text(text)
    for settings in (Settings(select=("TP401",)), Settings(select=("TP401",), py2=True)):
        result = migrate_file(tmp_path / "metrics.py", settings, write=False)
        assert ("correct[:k].reshape(-1)" in (result.after or "")) is is_read


@pytest.mark.parametrize("py2", [False, True])
@pytest.mark.parametrize(
    ("importer", "after"),
    [("import torch\nimport util\n", "k = bool\n"), ("import util\n", "k = np.bool\n")],
)
def test_what_other_libraries_lost_goes_where_a_model_imports_it(
    tmp_path: Path, importer: str, after: str, py2: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "model.py").write_text(importer)
    (tmp_path / "util.py").write_text("import numpy as np\nk = np.bool\nz = np.zeros(3)\n")
    result = migrate_file(tmp_path / "util.py", Settings(py2=py2), write=False)
    assert after in (result.after or (tmp_path / "util.py").read_text())


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("n += x.data[0]", True),
        ("x.backward()", True),
        ("n += x.data.cpu().numpy()", True),
        ("n += x.data.numpy()[0]", True),
        ("y.expand_as(x)", True),
        ("n += x.data[1] + data[0]", False),
        ("x.data.items()", False),
        ("import chainer\nx.backward()", False),
        ("if test:\n    from mxnet import nd\nx.backward()", False),
        ("import chainers\nx.backward()", True),
    ],
)
def test_what_variables_have_shows_that_a_file_gets_tensors(text: str, is_taken: bool) -> None:
    assert takes_tensors(text.encode()) is is_taken


def test_a_file_that_takes_variables_need_not_import_torch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("import torch\nfrom steps import step\n")
    path = tmp_path / "steps.py"
    text = "def step(x):\n    x.backward(retain_variables=True)\n"
    for head, is_read in (("", True), ("import chainer\n", False)):
        path.write_text(head + text)
        result = migrate_file(path, Settings(select=("TP106",)), write=False)
        assert ("retain_graph" in (result.after or "")) is is_read


@pytest.mark.parametrize(
    ("importer", "is_read"),
    [
        ("import torch\nfrom calibration import project\n", True),
        ("import torch\n", True),
        ("import paddle\nfrom calibration import project\n", False),
    ],
)
def test_what_a_model_imports_need_not_import_torch_to_lose_names_of_numpy(
    tmp_path: Path, importer: str, is_read: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "dataset.py").write_text(importer)
    text = "import numpy as np\ndef project(points):\n    return points.astype({})\n"
    (tmp_path / "calibration.py").write_text(text.format("np.int"))
    result = migrate_file(tmp_path / "calibration.py", Settings(), write=False)
    assert ("points.astype(int)" in (result.after or "")) is is_read
    (tmp_path / "calibration.py").write_text(text.format("np.int32"))
    assert migrate_file(tmp_path / "calibration.py", Settings(), write=False).after is None


@pytest.mark.parametrize(
    "line",
    [
        "n = np.product((2, 3))",
        "n = np.in1d([1], [1, 2])",
        "n = [np.NINF, np.Infinity, np.int0]",
        "import scipy.signal; n = scipy.signal.hamming",
        "from scipy.integrate import simps",
        "from scipy.stats import norm, binom_test",
        "from scipy import array; n = array",
        "import scipy as sp; n = sp.log(2)",
        "import string; n = string.letters",
        "n = np.rank([1])",
    ],
)
def test_what_else_numpy_and_scipy_took_away_is_found_there(tmp_path: Path, line: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "dataset.py").write_text("import torch\nfrom calibration import n\n")
    (tmp_path / "calibration.py").write_text(f"import numpy as np\n{line}\n")
    result = migrate_file(tmp_path / "calibration.py", Settings(), write=False)
    code = "TP905" if "in1d" in line else "TP907"
    assert {finding.code for finding in result.findings} == {code}


def test_files_that_import_each_other_without_torch_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("import b\n" + ACCURACY)
    (tmp_path / "b.py").write_text("import a\n" + ACCURACY)
    assert migrate_file(tmp_path / "a.py", Settings(), write=False).after is None


METERS = """class Meter:
    def __init__(self):
        self.sum = 0
    def update(self, value, n=1):
        self.sum += value * n

class Shelf:
    def update(self, value):
        self.kept = value.clone()

def log(*values):
    print(values)
"""


@pytest.mark.parametrize(
    ("use", "number"),
    [
        ("meter.update(best[0])", True),
        ("meter.update(value=best[0], n=2)", True),
        ("shelf.update(best[0])", False),
        ("log(best[0])", False),
        ("meter.update(best[0])\nmeter.sum.mul_(2)", False),
        ("y = meter.update(best[0])\ny.mul_(2)", False),
    ],
)
def test_what_a_function_of_another_file_takes_may_be_a_number(
    tmp_path: Path, use: str, number: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "meters.py").write_text(METERS)
    head = "import torch\nfrom meters import Meter, Shelf, log\nmeter, shelf = Meter(), Shelf()\n"
    (tmp_path / "train.py").write_text(f"{head}best = torch.ones(3).sum()\n{use}\n")
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP103",)), write=False)
    assert ("best.item()" in (result.after or "")) is number


@pytest.mark.parametrize(("saved", "is_object"), [("Meter()", True), ("scale(2)", False)])
def test_an_object_of_another_file_is_loaded_whole(
    tmp_path: Path, saved: str, is_object: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "meters.py").write_text(METERS + "\ndef scale(x):\n    return x * 2\n")
    head = "import torch\nfrom meters import Meter, scale\n"
    text = f'{head}corpus = {saved}\ntorch.save(corpus, "c.pt")\ncorpus = torch.load("c.pt")\n'
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP502",)), write=False)
    assert ("weights_only=False" in (result.after or "")) is is_object


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("# coding: utf-8\n\nfrom net import *\n", "# coding: utf-8\n\nimport torch\nfrom net"),
        (
            "#!/usr/bin/env python\n# A model.\nn = 1\nfrom net import *\n",
            "# A model.\nimport torch\nn",
        ),
        ('"""A model."""\nfrom net import *\n', '"""A model."""\nimport torch\nfrom net'),
    ],
)
def test_an_import_stands_below_the_comments_at_the_head(
    tmp_path: Path, head: str, expected: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.py").write_text(
        "from torch import ones\nfrom torch.autograd import Variable\n"
    )
    path = tmp_path / "test.py"
    path.write_text(head + "y = net(Variable(ones(3), volatile=True))  # of torch\nprint(y)\n")
    after = migrate_file(path, Settings(select=("TP102",)), write=False).after or ""
    assert "with torch.no_grad():" in after
    assert expected in after


RANKING = """
import torch

def ranked(output, target, k):
    values, best = output.topk(k, 1)
    return best.eq(target.view(-1, 1)).float().sum()

def scored(output, target, k):
    values, best = output.topk(k, 1)
    return values, best.eq(target.view(-1, 1)).float().sum()

def kept(output, target, k):
    global values
    values, best = output.topk(k, 1)
    return best.eq(target.view(-1, 1)).float().sum()

def named(output, target, k):
    output = output.float()
    scaled = output * k
    return scaled.gt(0).sum()
"""


@pytest.mark.parametrize(
    ("name", "given"),
    [("ranked", "y"), ("scored", "y.detach()"), ("kept", "y.detach()"), ("named", "y.detach()")],
)
def test_values_that_a_function_of_another_file_does_not_read(
    root: Path, name: str, given: str
) -> None:
    """Nor does any file: the name is the function's own."""
    # Taken from a package, which passes on whatever a file has.
    (root / "ranking").mkdir()
    (root / "ranking" / "__init__.py").write_text("from .ranks import *\n")
    (root / "ranking" / "ranks.py").write_text(RANKING)
    text = f"from ranking import {name}\ny = torch.exp(x)\nprint({name}(y.data, target, 5))\n"
    assert f"{name}({given}, target, 5)" in after(root, "TP104", text)


@pytest.mark.parametrize(
    ("loop", "given", "alone"),
    [
        ("for i, data in enumerate(batches):\n        a, b = data", "DataLoader(rows)", True),
        ("for a, b in batches:\n        pass", "DataLoader(rows)", True),
        (
            "for i, data in enumerate(batches):\n        a, b = data",
            "list(DataLoader(rows))",
            False,
        ),
        ("for i, data in enumerate(batches):\n        a, b = data", "kept", False),
        ("for a, b in batches:\n        pass", "DataLoader(rows, collate_fn=own)", False),
        ("for x, y in batches:\n        a, b = x", "DataLoader(rows)", False),
        ("for i, data in enumerate(batches):\n        a = b = data", "DataLoader(rows)", False),
        ("for a, b in batches:\n        keep(b, a)", "DataLoader(rows)", False),
    ],
)
def test_batches_of_a_loader_that_another_file_makes(
    root: Path, loop: str, given: str, alone: bool
) -> None:
    loader = "from torch.utils.data import DataLoader\nfrom script import run\n"
    (root / "start.py").write_text(f"import torch\n{loader}run({given})\n")
    line = "x = Variable(a.cuda(1), requires_grad=True)\n        net(x)"
    text = f"net = nn.Linear(2, 2)\ndef run(batches):\n    {loop}\n        {line}\n"
    expected = "x = a.cuda(1).requires_grad_()" if alone else "a.cuda(1).detach().requires_grad_()"
    assert expected in after(root, "TP101", text)
