"""TP302 where the loss, the target or what is done with the result decides the dimensions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

_LOSSES = {
    "a target of one dimension": "def loss(x, y):\n"
    "    return F.nll_loss(F.log_softmax(x), y.view(-1))\n",
    "by names": "def loss(x, y):\n    y = y.view(-1)\n    p = F.log_softmax(x)\n"
    "    return F.nll_loss(p, y)\n",
    "a target of three dimensions": "def loss(x, y, n):\n    soft = nn.LogSoftmax()\n"
    "    return nn.NLLLoss2d()(soft(x), y.view(n, 3, 4).long())\n",
    "indices for cross_entropy": "def loss(x, y):\n    y = torch.zeros(3).long()\n"
    "    p = F.softmax(x)\n    return F.cross_entropy(p, target=y)\n",
}


@pytest.mark.parametrize("code", _LOSSES.values(), ids=_LOSSES)
def test_a_loss_takes_one_dimension_more_than_its_target_has(code: str) -> None:
    text = migrate(_HEAD + code, "TP302").text
    assert text.count("dim=1") == 1
    assert migrate(text, "TP302").text == text


def test_a_row_of_what_is_likely_is_a_target_of_cross_entropy_too() -> None:
    code = f"{_HEAD}def loss(x, y):\n    return F.cross_entropy(F.log_softmax(x), y.view(-1))\n"
    assert "log_softmax(x, dim=-1)" in migrate(code, "TP302").text


@pytest.mark.parametrize(
    "loss",
    [
        "F.nll_loss(F.log_softmax(x), y)",
        "F.nll_loss(F.log_softmax(x), *y)",
        "F.nll_loss(F.log_softmax(x), y.view(y.size(0), -1))",
        "F.kl_div(F.log_softmax(x), y.view(-1))",
        "F.mse_loss(F.softmax(x), y.view(-1))",
    ],
)
def test_other_losses_and_targets_decide_nothing(loss: str) -> None:
    code = f"{_HEAD}def loss(x, y):\n    return {loss}\n"
    assert migrate(code, "TP302").text == code


_LAST = {
    "a product": "torch.matmul(p.unsqueeze(1), y)",
    "a product with a view of it": "p.view(p.size(0), 1, p.size(1)).matmul(y)",
    "an operator": "p.clone() @ y",
    "a column": "torch.matmul(y, p.unsqueeze(2))",
    "the last, counted from behind": "(p * p.log()).sum(-1)",
    "the last, counted": "torch.max(p, p.dim() - 1)",
    "the last, by a name of what counts it": "p.sum(n - 1)",
    "rows": "[p.data.cpu().numpy()[i].argmax() for i in range(k)]",
    "what draws": "Categorical(p).sample()",
    "what draws, by its name": "Categorical(probs=p).sample()",
}

_USED = """from torch.distributions import Categorical
def probs(x, y, k):
    p = F.softmax(x)
    n = p.dim()
    return {}
"""


@pytest.mark.parametrize("use", _LAST.values(), ids=_LAST)
def test_what_is_done_along_the_last_dimension_names_it(use: str) -> None:
    (told,) = advice("TP302", _HEAD + _USED.format(use))
    assert "write dim=-1, along which line 8 " in told.message


def test_a_column_that_has_a_name_is_multiplied_elsewhere() -> None:
    code = "def probs(x, y):\n    p = F.softmax(x)\n    p = p.unsqueeze(-1)\n    return y @ p\n"
    (told,) = advice("TP302", _HEAD + code)
    assert told.message.endswith("write dim=-1, along which line 7 multiplies the result")


@pytest.mark.parametrize(
    "use",
    [
        "torch.matmul(y, p.unsqueeze(1))",
        "y @ p",
        "k.bmm(p.view(p.size(0), 1, k))",
        "p.view(p.size(0), 1, k) @ y",
        "p.unsqueeze(-1) @ y",
        "torch.max(p, y.dim() - 1)",
        "torch.max(p, p.dim() - 2)",
        "torch.max(p, p.dim() + 1)",
        "(p.unsqueeze(2) * y).sum(-1)",
        "[p[i].argmax(0) for i in y]",
        "p[y].argmax()",
        "p[y:].argmax()",
        "y.Categorical(p)",
        "k(y, p)",
    ],
)
def test_what_is_done_otherwise_names_none(use: str) -> None:
    (told,) = advice("TP302", _HEAD + _USED.format(use))
    assert "along which" not in told.message


def test_a_product_by_a_function_weighs_along_the_second_dimension() -> None:
    code = (
        "def attend(x, y):\n    p = F.softmax(x)\n    w = p.unsqueeze(2).expand_as(y)\n"
        "    return torch.sum(torch.mul(y, w), 1), y.mul(w), p.mul(other=y)\n"
    )
    (told,) = advice("TP302", _HEAD + code)
    assert "write dim=1, along which line 7 takes sum() of the result" in told.message
    (told,) = advice("TP302", _HEAD + code.replace("torch.mul(y, w)", "k(y, w)"))
    assert "along which" not in told.message


_STEPS = """class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(n, n)
    def step(self, x, y):
        rows = x.bmm(y.unsqueeze(2)).squeeze(2)
        return x, y, self.out(rows)
    def search(self, x, y):
        x, y, scores = self.step(x, y)
        return F.log_softmax(scores)
class Copies(Base):
    def step(self, x, y):
        return {}
    def sample(self, x, y):
        return self.step(x, y)
"""


def _migrated(file: Path, code: str) -> str:
    file.write_text(_HEAD + code, "utf-8")
    result = migrate_file(file, Settings(select=("TP302",)), write=False)
    assert not result.errors
    return result.after or _HEAD + code


def test_what_returns_too_few_cannot_be_what_is_unpacked(tmp_path: Path) -> None:
    text = _migrated(tmp_path / "code.py", _STEPS.format("x, y"))
    assert "F.log_softmax(scores, dim=1)" in text


@pytest.mark.parametrize("returned", ["x, y, x", "x, *y", "x", "(x, *y, x)"])
def test_what_may_return_as_many_counts(tmp_path: Path, returned: str) -> None:
    code = _STEPS.format(returned)
    assert _migrated(tmp_path / "code.py", code) == _HEAD + code


_HOLDER = """class Sampler{base}:
    def __init__(self, n):
        self.soft = nn.Softmax()
        self.n = n
    def draw(self, x, y):
        rows = x.bmm(y.unsqueeze(2)).squeeze(2)
        return self.soft(rows)
{more}
"""


@pytest.mark.parametrize("base", ["", "(object)", "(Other)"])
def test_a_layer_that_an_object_keeps_is_completed(base: str) -> None:
    code = "class Other:\n    pass\n" + _HOLDER.format(base=base, more="")
    text = migrate(_HEAD + code, "TP302").text
    assert text.count("dim=1") == 1
    assert migrate(text, "TP302").text == text


@pytest.mark.parametrize(
    "more",
    [
        "    def other(self, x):\n        return self.soft(x)\n",
        "    def other(self, x):\n        return map(self.soft, x)\n",
        "def other(sampler, x):\n    return sampler.soft(x)\n",
        "class Below(Sampler):\n    def other(self, x):\n        return self.soft(x)\n",
    ],
)
def test_a_layer_of_an_object_that_others_apply_stays(more: str) -> None:
    code = _HEAD + _HOLDER.format(base="", more=more)
    assert migrate(code, "TP302").text == code


_NET = """class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.soft = {}
    def forward(self, x):
        return self.soft(x.view(x.size(0), -1))
"""

_KEPT = ("nn.Softmax()", "nn.Sequential(nn.ReLU(), nn.Softmax())")


@pytest.mark.parametrize("kept", _KEPT)
@pytest.mark.parametrize(
    "other",
    [
        "from code import Net\nnet = Net(3)\nprint(net.soft(torch.zeros(2, 3, 4)))\n",
        "from code import Net\nclass Rows(Net):\n    def forward(self, x):\n"
        "        return self.soft(x)\n",
        "def probs(net, x):\n    return map(net.soft, x)\n",
    ],
)
def test_a_layer_that_another_file_applies_stays(tmp_path: Path, kept: str, other: str) -> None:
    (tmp_path / "other.py").write_text(_HEAD + other.replace("code", "kept"), "utf-8")
    code = _NET.format(kept)
    assert _migrated(tmp_path / "kept.py", code) == _HEAD + code


@pytest.mark.parametrize("kept", _KEPT)
@pytest.mark.parametrize(
    "other",
    [
        "from kept import Net\nnet = Net(3)\nprint(net(torch.zeros(2, 3)))\n",
        "def probs(x):\n    return F.soft(x), torch.zeros(2).soft(x)\n",
        "class Net(nn.Module):\n    def forward(self, x):\n        return self.soft(x)\n",
        "class Own(nn.Module):\n    def soft(self, x):\n        return x\nOwn().soft(2)\n",
        "soft = nn.Linear(2, 2)\nsoft.soft(1)\n",
    ],
)
def test_what_is_another_layer_does_not_matter(tmp_path: Path, kept: str, other: str) -> None:
    (tmp_path / "other.py").write_text(_HEAD + other, "utf-8")
    assert _migrated(tmp_path / "kept.py", _NET.format(kept)).count("Softmax(dim=1)") == 1


_BY_FLAG = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.logs = nn.LogSoftmax()
        self.probs = nn.Softmax()
    def forward(self, x, log=False):
        if log:
            x = self.logs(x)
        else:
            x = self.probs(x)
        return x
def best(net, x):
    out = net(x, {})
    return out.max(1)
best(Net(), y)
"""


@pytest.mark.parametrize(
    ("given", "told"), [("log=True", [0]), ("log=False", [1]), ("log=y", [0, 1])]
)
def test_a_call_shows_nothing_of_the_layer_that_its_flag_leaves_out(
    given: str, told: list[int]
) -> None:
    found = advice("TP302", _HEAD + _BY_FLAG.format(given))
    assert [i for i, one in enumerate(found) if "takes max()" in one.message] == told


_TOTAL = """
def best(x, y, averages):
    total = {begins}
    for z in (x, x):
        if averages:
            total += F.softmax(x).data
        else:
            total {other}
    return total.max(1)
"""


@pytest.mark.parametrize(
    ("begins", "other", "is_told"),
    [
        ("0", "+= x", True),
        ("0.0", "+= x.data.exp()", True),
        ("0", "+= y", False),
        ("y", "+= x", False),
        ("0", "= y", False),
        ("0", "-= x", True),
    ],
)
def test_a_total_that_begins_as_a_number_has_the_shape_of_what_is_added(
    begins: str, other: str, is_told: bool
) -> None:
    (found,) = advice("TP302", _HEAD + _TOTAL.format(begins=begins, other=other))
    assert ("write dim=1, along which line 12 takes max()" in found.message) is is_told


def test_of_a_choice_the_result_is_what_either_has() -> None:
    code = "def best(x, y, c):\n    p = F.softmax(x) if c else F.softmax(y)\n    return p.max(1)\n"
    told = [found.message for found in advice("TP302", _HEAD + code)]
    assert told
    assert all("write dim=1, along which line 6 takes max()" in message for message in told)


_APPLIED = """def best(q):
    return q.max(dim=1)
def run(net, x, y):
    soft = nn.LogSoftmax().cuda()
    out = net(x)
    p = -soft(out)
    {}
    return (p * y).sum(dim=1)
"""
_TAKES = "write dim=1, along which line 10 takes max() of its input"


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("q = out.max(1)", _TAKES),
        ("q = out.data.cpu().max(dim=1)", _TAKES),
        ("q = best(out.data)", _TAKES.replace("line 10", "line 5")),
        ("q = F.softmax(out, dim=1)", "write dim=1, as line 10 does for its input"),
        ("q = F.cross_entropy(out, x)", "write dim=1, along which line 10 takes cross_entropy of"),
        ("q = y.data.cpu().max(dim=1)", "write dim=… with that one"),
        ("q = out.view(y, 3).max(dim=1)", "write dim=… with that one"),
        ("q = best(y)", "write dim=… with that one"),
        ("q = out.data.cpu().max(dim=0)", "write dim=… with that one"),
        ("q = out.data.cpu().sum(dim=1)", "write dim=… with that one"),
        ("q = out.max(1), soft(y)", "write dim=… with that one"),
        ("out = y; q = out.max(1)", "write dim=… with that one"),
    ],
)
def test_what_is_done_with_the_input_of_a_layer_names_its_dim(use: str, said: str) -> None:
    found = [f for f in advice("TP302", _HEAD + _APPLIED.format(use)) if "dim=0" in f.message]
    assert [f.message.partition(": ")[2].startswith(said) for f in found] == [True], found


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("p.max(1, keepdim=True)[1]", "write dim=1, along which line 6 takes max() of the result"),
        ("torch.sum(p, 1, True)", "write dim=1, along which line 6 takes sum() of the result"),
        ("p / p.sum(-1, keepdim=True)", "write dim=-1, along which line 6 takes sum() of"),
        ("x.max(1, keepdim=True)[1]", "write dim=1, along which line 6 takes max() of the same"),
        ("p.max(0, keepdim=True)[1]", "write dim=… with that one"),
        ("p.max(0, keepdim=True)[1], p.max(1)", "write dim=… with that one"),
        ("x.sum(1, keepdim=True)", "write dim=… with that one"),
        ("p.sum(y, keepdim=True)", "write dim=… with that one"),
        ("p.sum((1, 2), keepdim=True)", "write dim=… with that one"),
        ("p.max(1, *y)", "write dim=… with that one"),
    ],
)
def test_what_keeps_the_dimension_that_it_reduces_names_it(use: str, said: str) -> None:
    code = f"{_HEAD}def run(x, y):\n    p = F.softmax(x)\n    return {use}\n"
    (found,) = advice("TP302", code)
    assert found.message.partition(": ")[2].startswith(said), found.message


_OF_ATTRIBUTE = """class Body(nn.Module):
    def forward(self, x):
        return change(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.other, self.last = Body(), Body(), nn.Linear(3, 4)
    def act(self, x, net):
        return F.softmax({}, dim=1)
    def learn(self, x, net):
        return F.softmax({})
class More(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()
    def act(self, x):
        return F.softmax({}, dim=2)
"""


@pytest.mark.parametrize(
    ("known", "open_", "further", "model"),
    [
        ("self.body(x)", "self.body(x + 1)", "x", "self.body"),
        ("self.body(x)", "self.body(x + 1)", "self.body(x)", "self.body"),
        ("self.body(x)", "self.body.forward(x + 1)", "x", "self.body"),
        ("self.body(x)", "self.other(x)", "x", None),
        ("self.last(x)", "self.last(x + 1)", "x", None),
        ("self.last.forward(x)", "self.last.forward(x + 1)", "x", None),
        ("x.mul(net)", "x.mul(net + 1)", "x", None),
        ("net.mlp.forward(x)", "net.mlp.forward(x + 1)", "x", None),
        ("net.mlp(x)", "net.mlp(x + 1)", "x", None),
    ],
)
def test_another_output_of_the_same_module_of_an_object(
    known: str, open_: str, further: str, model: str | None
) -> None:
    code = _HEAD + _OF_ATTRIBUTE.format(known, open_, further)
    (said,) = [found.message for found in advice("TP302", code)]
    told = f"write dim=1, as line 12 takes of another output of {model}"
    assert said.endswith(told) if model else "another output" not in said


def test_another_output_of_a_part_of_the_same_model() -> None:
    code = f"{_HEAD}def run(net, x, y):\n    p = F.softmax(net.mlp.forward(x), dim=1)\n"
    (told,) = advice("TP302", f"{code}    return p, F.softmax(net.mlp.forward(y))\n")
    assert told.message.endswith("write dim=1, as line 5 takes of another output of net.mlp")


_ATTENDS = """class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.soft = nn.Softmax()
        self.emb = nn.Embedding(n, n)
    def forward(self, x, y):
        p = self.soft(x).unsqueeze(2).expand_as(y)
        z = torch.sum(y * p, 1) + y
        return z, self.soft(z)
"""
_RUNS = """from net import Net
def run(n, x, y):
    net = Net(n)
    p = net(x, y)[1]
    return p.data.{}
"""


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        ("max(1)[1]", "write dim=1, along which line 11 takes sum() of the result"),
        ("max(0)[1]", "write dim=… with that one"),
        ("sum()", "write dim=… with that one"),
    ],
)
def test_a_result_that_another_file_takes_apart(tmp_path: Path, taken: str, told: str) -> None:
    (tmp_path / "README.md").write_text("", "utf-8")
    (tmp_path / "main.py").write_text(_RUNS.format(taken), "utf-8")
    (tmp_path / "net.py").write_text(_HEAD + _ATTENDS, "utf-8")
    result = migrate_file(tmp_path / "net.py", Settings(select=("TP302",)), write=False)
    (found,) = result.findings
    assert found.message.endswith(told)


def test_a_line_of_another_file_is_named_with_it(tmp_path: Path) -> None:
    code = _ATTENDS.replace("p = self.soft(x)", "p = x")
    (tmp_path / "README.md").write_text("", "utf-8")
    (tmp_path / "main.py").write_text(_RUNS.format("max(1)[1]"), "utf-8")
    (tmp_path / "net.py").write_text(_HEAD + code, "utf-8")
    result = migrate_file(tmp_path / "net.py", Settings(select=("TP302",)), write=False)
    (found,) = result.findings
    told = "write dim=1, along which line 5 of main.py takes max() of the result"
    assert found.message.endswith(told)
