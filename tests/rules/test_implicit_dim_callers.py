"""TP302 where the callers of a function, and what takes its result, show the dimensions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_OLD = "from torch.autograd import Variable\nflag = Variable(torch.zeros(1), volatile=True)\n"
_HELPER = "def probs(scores, y=None):\n    return F.softmax(scores)\n"

_NORM = """class Norm(nn.Module):
    def __init__(self, size, eps={default}):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
    def forward(self, input):
        mean = torch.mean(input, dim=-1, keepdim=True)
        deviation = torch.std(input, dim=-1, keepdim=True).clamp(min=self.eps)
        output = (input - mean) / deviation
        return output * self.weight.expand_as(output)
norm = Norm({given})
def scores(x, y):
    return F.softmax(norm(x.bmm(y))[-1])
"""
_SHOWN = {
    "of a class that is built with its default": _NORM.format(default="1e-6", given="5"),
    "of a class that is given a number": _NORM.format(default="None", given="5, eps=1e-6"),
    "stored right above": """class Head(nn.Module):
    def forward(self, a, b):
        self.w = a.mm(b)
        self.w = F.softmax(self.w.transpose(0, 1)).transpose(0, 1)
        return self.w
""",
    "transposed in old code": _OLD
    + "def attend(x):\n    weights = F.softmax(x)\n    return weights.t()\n",
    "all calls": _HELPER + "probs(torch.zeros(2, 3))\nprobs(torch.zeros(4, 1, 2, 2), 1)\n",
    "through another function": _HELPER
    + "def both(a):\n    return probs(a.mm(a)), a\nboth(torch.zeros(2, 2))\n",
    "what a function makes of it": """def flat(x):
    if x.size(0) > 2:
        x = x.view(2, -1)
    return x
def probs(n):
    return F.softmax(flat(n.mm(n)))
""",
    "a part of what a function gives": """def step(x):
    return (x, x), x.mm(x)
def probs(n):
    (h, c), scores = step(n)
    return F.softmax(scores)
""",
    "a parameter that may be given anew": """def probs(x, reverse=False):
    if reverse:
        x = -x
    return F.softmax(x)
probs(torch.zeros(2, 3), True)
""",
    "what a layer of the project makes of it": """class Sign(nn.Linear):
    def forward(self, input):
        if input.size(1) != 3:
            input.data = input.data.sign()
        out = F.linear(input, self.weight)
        out += self.bias.view(1, -1).expand_as(out)
        return out
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = Sign(n, n)
        self.rest = nn.Sequential(Sign(n, n), nn.Dropout())
    def forward(self, x):
        return F.softmax(self.rest(self.fc(x.view(2, -1))))
""",
    "what a function of autograd makes of it": """class Back(torch.autograd.Function):
    def forward(self, x):
        return x.view_as(x)
def back(x):
    return Back()(x)
def probs(x):
    return F.softmax(back(x.mm(x)))
""",
    "mapped": "p = [*map(lambda s: F.softmax(s), torch.zeros(4, 6).chunk(2, 1))]\n",
    "what takes the result": _HELPER
    + "def attend(x, y):\n    weights = probs(x)\n    return weights.unsqueeze(1).bmm(y)\n",
    "a function that takes it": """def average(x, weights):
    return weights.unsqueeze(1).bmm(x).squeeze(1)
def attend(x, scores):
    return average(x, F.softmax(scores))
""",
    "a loss that takes it": _OLD
    + """def train(model, x, y):
    out = F.softmax(model(x))
    return nn.NLLLoss()(out.log(), y)
""",
    "a loss that takes the same": _OLD
    + """criterion = nn.CrossEntropyLoss()
def evaluate(model, x, y):
    scores = model(x)
    loss = criterion(scores, y)
    return F.softmax(scores), loss
""",
    "a loss that takes a part": _OLD
    + """def evaluate(model, x, y, n):
    scores = model(x)
    first, last = scores[:n, :], scores[n:, :]
    known = scores[:n]
    loss = F.cross_entropy(known, y)
    return F.softmax(scores[n:, :]), loss
""",
    "a loss that a caller gives": _OLD
    + """def evaluate(model, loss, x, y):
    scores = model(x)
    value = loss(scores, y)
    return F.softmax(scores), value
evaluate(torch.load("net"), nn.CrossEntropyLoss(), 1, 2)
""",
    "a loss that takes what a module gives": _OLD
    + """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.soft = nn.LogSoftmax(dim=1)
    def forward(self, x):
        return F.log_softmax(x)
net = Net()
def train(x, y):
    out = net(x)
    return F.nll_loss(out, y)
""",
}


def _migrated(file: Path) -> tuple[str, list[str]]:
    """What becomes of a file, and the codes of what is said of it."""
    result = migrate_file(file, Settings(select=("TP302",)), write=False)
    assert not result.errors
    return result.after or file.read_text("utf-8"), [each.code for each in result.findings]


@pytest.mark.parametrize("code", _SHOWN.values(), ids=_SHOWN)
def test_what_is_shown_is_written(tmp_path: Path, code: str) -> None:
    file = tmp_path / "code.py"
    file.write_text(_HEAD + code, "utf-8")
    text, _ = _migrated(file)
    assert text.count("dim=1") == code.count("dim=1") + 1
    assert migrate(text, "TP302").text == text


_OPEN = {
    "a parameter that is given anew in another number": """def probs(x, more=False):
    if more:
        x = x.unsqueeze(0)
    return F.softmax(x)
probs(torch.zeros(2, 3), True)
""",
    "variable arguments": """def probs(*x):
    if not x:
        x = torch.zeros(2, 3)
    return F.softmax(x)
probs(torch.zeros(2, 3))
""",
    "of a class that is given what is unknown": "from other import eps\n"
    + _NORM.format(default="1e-6", given="5, eps"),
    "of a class that is built with a tensor": _NORM.format(default="torch.ones(2, 1)", given="5"),
    "of a class that is built with any arguments": "from other import sizes\n"
    + _NORM.format(default="1e-6", given="*sizes"),
    "one call of another number": _HELPER
    + "probs(torch.zeros(2, 3))\nprobs(torch.zeros(1, 2, 3))\n",
    "one call of what is unknown": _HELPER + "probs(torch.zeros(2, 3))\nprobs(other)\n",
    "given away": _HELPER + "probs(torch.zeros(2, 3))\nuse(probs)\n",
    "spread": _HELPER + "probs(torch.zeros(2, 3))\nprobs(*batch)\n",
    "of a wrapped function": "@wrap\n" + _HELPER + "probs(torch.zeros(2, 3))\n",
    "a layer that does more": """class Sign(nn.Linear):
    def forward(self, input):
        if input.size(1) != 3:
            input.data = other(input.data)
        return F.linear(input, self.weight)
def probs(x, n):
    return F.softmax(Sign(n, n)(x.view(2, -1)))
""",
    "an object that is called": """class Back:
    def forward(self, x):
        return x
def probs(x):
    return F.softmax(Back()(x.mm(x)))
""",
    "mapped by another": "def probs(pool):\n"
    "    return pool.map(lambda s: F.softmax(s), torch.zeros(4, 6).chunk(2, 1))\n",
    "taken in one call, not in another": _HELPER
    + "def attend(x, y):\n    return probs(x).unsqueeze(1).bmm(y), probs(y)\n",
    "taken by a branch of a function": """def average(x, weights):
    if x is None:
        return weights
    return weights.unsqueeze(1).bmm(x).squeeze(1)
def attend(x, scores):
    return average(x, F.softmax(scores))
""",
    "a loss of later code": """def train(model, x, y):
    out = F.softmax(model(x))
    return nn.NLLLoss()(out.log(), y)
""",
    "a loss that is given another": _OLD
    + """def evaluate(model, x, y, other):
    scores = model(x)
    loss = F.cross_entropy(other, y)
    return F.softmax(scores), loss
""",
    "a loss of other things": _OLD
    + """def evaluate(model, x, y):
    scores = model(x)
    loss = nn.MSELoss()(scores, y)
    return F.softmax(scores), loss
""",
    "a loss that takes a sum": _OLD
    + """def train(model, x, y):
    out = F.softmax(model(x))
    return nn.NLLLoss()(out.sum(1), y)
""",
}


@pytest.mark.parametrize("code", _OPEN.values(), ids=_OPEN)
def test_what_is_open_stays(tmp_path: Path, code: str) -> None:
    file = tmp_path / "code.py"
    file.write_text(_HEAD + code, "utf-8")
    assert _migrated(file) == (_HEAD + code, ["TP302"])


def test_what_is_transposed_in_code_of_any_age_has_two_dimensions_at_most() -> None:
    code = f"{_HEAD}def attend(x):\n    weights = F.softmax(x)\n    return weights.t()\n"
    assert migrate(code, "TP302").text == code.replace("(x)\n    return", "(x, dim=-1)\n    return")


def test_calls_of_other_files_count(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text(_HEAD + _HELPER, "utf-8")
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    caller = tmp_path / "train.py"
    caller.write_text("import torch\nfrom helper import probs\nprobs(torch.zeros(2, 3))\n", "utf-8")
    assert "dim=1" in _migrated(helper)[0]
    caller.write_text("import torch\nfrom helper import probs\nprobs(torch.zeros(2))\n", "utf-8")
    assert "dim=0" in _migrated(helper)[0]
    caller.write_text("import torch\nfrom helper import probs\nprobs(*torch.load('a'))\n", "utf-8")
    assert _migrated(helper)[0] == _HEAD + _HELPER


@pytest.mark.parametrize(("dim", "is_told"), [("1", True), ("0", False)])
def test_what_a_function_of_another_file_does_names_the_dim(
    tmp_path: Path, dim: str, is_told: bool
) -> None:
    (tmp_path / "helper.py").write_text(f"def best(p):\n    return p.max({dim})\n", "utf-8")
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    caller = tmp_path / "train.py"
    code = "import torch.nn.functional as F\nfrom helper import best\ndef f(x):\n"
    caller.write_text(code + "    p = F.softmax(x)\n    return best(p)\n", "utf-8")
    (found,) = migrate_file(caller, Settings(select=("TP302",)), write=False).findings
    said = "write dim=1, along which best() of line 5 takes max() of the result"
    assert (said in found.message) is is_told


def test_what_a_function_of_another_file_asks_counts(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    text = "def accuracy(y, p):\n    _, p = p.topk(5, 1)\n    p = p.t()\n    return p.eq(y)\n"
    helper.write_text(text, "utf-8")
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    file = tmp_path / "train.py"
    before = f"{_HEAD}from helper import accuracy\n"
    before += "def run(x, y):\n    p = F.softmax(x)\n    return accuracy(y, p)\n"
    file.write_text(before, "utf-8")
    assert "F.softmax(x, dim=1)" in _migrated(file)[0]
    helper.write_text(text.replace("p = p.t()", "pass"), "utf-8")
    assert _migrated(file)[0] == before
    helper.write_text("from other import accuracy\n", "utf-8")
    assert _migrated(file)[0] == before


_UNUSED = (
    _HEAD
    + """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.soft = nn.Softmax()
    def forward(self, x):
        return x
"""
)


@pytest.mark.parametrize(
    ("code", "other", "is_told"),
    [
        (_UNUSED, "", False),
        (_UNUSED, "import other\nsoft = other.load()\nsoft(1)\n", False),
        (_UNUSED, "class Other:\n    def run(self, x):\n        return self.soft(x)\n", False),
        (_UNUSED, "import torch\ntorch.load('net').soft(1)\n", True),
        (_UNUSED.replace("return x", "return self.soft(x)"), "", True),
        (_UNUSED.replace("return x", "return run(self.soft, x)"), "", True),
        (_UNUSED.replace("self.soft =", "soft ="), "", False),
        (_UNUSED.replace("self.soft =", "run.soft ="), "", True),
        (_UNUSED + "def run(net, x):\n    return net.soft(x)\n", "", True),
        (_UNUSED + "def parts(net: Net):\n    return list(net.children())\n", "", True),
    ],
)
def test_a_layer_that_nobody_calls_is_not_told(
    tmp_path: Path, code: str, other: str, is_told: bool
) -> None:
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    (tmp_path / "other.py").write_text(other, "utf-8")
    file = tmp_path / "code.py"
    file.write_text(code, "utf-8")
    assert _migrated(file)[1] == ["TP302"] * is_told


_PARTS = "def parts(net: Net):\n    return list(net.children())\n"
_UNREAD = "no line reads self.soft: it can go, unless children() is to give it"


@pytest.mark.parametrize(
    ("code", "other", "is_unread"),
    [
        (_UNUSED + _PARTS, "", True),
        (_UNUSED + _PARTS, "import torch\ntorch.load('net').soft(1)\n", False),
        (_UNUSED.replace("return x", "return self.soft(x)") + _PARTS, "", False),
        (_UNUSED.replace("self.soft =", "run.soft =") + _PARTS, "", False),
    ],
)
def test_a_layer_that_no_line_reads_by_its_name_can_go(
    tmp_path: Path, code: str, other: str, is_unread: bool
) -> None:
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    (tmp_path / "other.py").write_text(other, "utf-8")
    file = tmp_path / "code.py"
    file.write_text(code, "utf-8")
    (found,) = migrate_file(file, Settings(select=("TP302",)), write=False).findings
    assert found.message.endswith(_UNREAD) is is_unread


_UNUSED_NAME = _HEAD + "soft = nn.Softmax()\nprint(nn.Linear(2, 3))\n"


@pytest.mark.parametrize(
    ("code", "other", "is_told"),
    [
        (_UNUSED_NAME, "", False),
        (_UNUSED_NAME, "from code import nn\n", False),
        (_UNUSED_NAME, "soft = 1\n", False),
        (_UNUSED_NAME, "from code import soft\nsoft(1)\n", True),
        (_UNUSED_NAME, "import code\ncode.soft(1)\n", True),
        (_UNUSED_NAME, "from code import *\nsoft(1)\n", True),
        (_UNUSED_NAME, "from code import *\nsoft = nn.Softmax(dim=1)\n", False),
        (_UNUSED_NAME, "from code import *\nsoft = nn.Softmax(dim=1)\nsoft(1)\n", False),
        (_UNUSED_NAME, "from code import *\ndef run(soft):\n    return soft(1)\n", False),
        (_UNUSED_NAME, "from code import *\ndef run():\n    return soft(1)\n", True),
        (_UNUSED_NAME + "def run(x):\n    return soft(x)\n", "", True),
    ],
)
def test_a_layer_of_a_name_that_nothing_reads_is_not_told(
    tmp_path: Path, code: str, other: str, is_told: bool
) -> None:
    (tmp_path / "setup.cfg").write_text("", "utf-8")
    (tmp_path / "other.py").write_text(other, "utf-8")
    file = tmp_path / "code.py"
    file.write_text(code, "utf-8")
    assert _migrated(file)[1] == ["TP302"] * is_told


def test_one_of_a_library_may_be_read_by_anybody(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup()\n", "utf-8")
    folder = tmp_path / "nets"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    file = folder / "code.py"
    file.write_text(_UNUSED_NAME, "utf-8")
    assert _migrated(file)[1] == ["TP302"]


def test_nor_is_one_of_a_library_that_nothing_in_sight_calls(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup()\n", "utf-8")
    folder = tmp_path / "nets"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    file = folder / "code.py"
    file.write_text(_UNUSED, "utf-8")
    assert _migrated(file)[1] == []
    file.write_text(_UNUSED.replace("return x", "return self.soft(x)"), "utf-8")
    assert _migrated(file)[1] == ["TP302"]


_LISTED = """import torch.nn as nn
class Net(nn.Module):
    def __init__(self, d, v):
        super().__init__()
        self.top = nn.Linear(d, d)
        self.out = nn.Sequential(*[nn.Linear(d, v), nn.LogSoftmax()])
        self.parts = {made}
        {more}
    def forward(self, x, a, b):
        return self.out(x.view(a * b, -1)).view(a, b, -1)
"""
_LIST = "nn.ModuleList([self.top, self.out])"


@pytest.mark.parametrize(
    ("made", "more", "other", "is_known"),
    [
        (_LIST, "pass", "step(net.parts.parameters())", True),
        (_LIST, "self.parts.append(self.top)", "net.out.eval()", True),
        ("nn.ModuleList([self.top])", "self.parts.append(self.out)", "pass", False),
        (_LIST, "pass", "for part in net.parts: part(x)", False),
        (_LIST, "pass", "net.parts[1](x)", False),
        (_LIST, "self.parts[1](v)", "pass", False),
        (_LIST, "self.last = self.parts", "pass", False),
        (_LIST, "for part in self.parts: part(v)", "pass", False),
        (_LIST, "self.parts = self.parts.append(self.top)", "pass", False),
        (_LIST, "self.deep = nn.ModuleList([self.parts])", "net.deep.parameters()", True),
        (_LIST, "self.deep = nn.ModuleList([self.parts])", "net.deep[0][1](x)", False),
        ("nn.ModuleList([self.parts, self.out])", "pass", "pass", False),
        ("Parts([self.top, self.out])", "pass", "pass", False),
    ],
)
def test_a_list_of_layers_calls_none(
    tmp_path: Path, made: str, more: str, other: str, is_known: bool
) -> None:
    (tmp_path / "net.py").write_text(_LISTED.format(made=made, more=more))
    (tmp_path / "train.py").write_text(f"from net import Net\nnet = Net(2, 3)\n{other}\n")
    found = migrate_file(tmp_path / "net.py", Settings(select=("TP302",)), write=False)
    assert ("nn.LogSoftmax(dim=1)" in (found.after or "")) is is_known
