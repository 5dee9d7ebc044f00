"""What modules give under ``no_grad`` has no graph, whichever file shows what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_MODEL = """import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.last = nn.Linear(3, 2)
    def forward(self, x, is_training=True):
        made = self.fc(x)
        return {returned}
"""
_TEST = """import torch
def test(data, model):
    x = torch.from_numpy(data)
    with torch.no_grad():
        _, scores = model(x, is_training=False)
    best = torch.topk(scores, k=3)[0].cpu().data.numpy()
    return best, scores.cpu().data.numpy()
"""
_MAIN = """import numpy as np
from model import Model
from score import test
test(np.zeros((4, 3)), {given})
"""


def _tested(folder: Path, returned: str, given: str) -> str:
    (folder / ".git").mkdir()
    (folder / "model.py").write_text(_MODEL.format(returned=returned))
    (folder / "main.py").write_text(_MAIN.format(given=given))
    path = folder / "score.py"
    path.write_text(_TEST)
    (found,) = migrate_files([path], Settings(select=("TP104",)), write=False)
    return found.after or ""


def test_a_model_that_all_calls_give(tmp_path: Path) -> None:
    after = _tested(tmp_path, "x, self.last(made)", 'Model().to("cuda")')
    assert after == _TEST.replace(".data", "")


@pytest.mark.parametrize(
    ("returned", "given"),
    [
        ("made, self.last.weight", "Model()"),
        ("made, self.last.weight.view(-1)", "Model()"),
        ("x, self.last(made)", "load()"),
    ],
)
def test_a_model_that_may_give_something_else(tmp_path: Path, returned: str, given: str) -> None:
    after = _tested(tmp_path, returned, given)
    assert "scores.cpu().numpy()" not in after


_WRAPPED = """import torch
from torch import nn
import models
class Parallel(nn.DataParallel):
    {method}
def test(loader, cfg):
    model = Parallel(getattr(models, cfg.name)(cfg)).cuda()
    model.eval()
    with torch.no_grad():
        for x in loader:
            out = model(x)
            print(out.data.cpu().numpy())
"""


@pytest.mark.parametrize(
    ("method", "is_left"),
    [
        ("def replicate(self, m, ids): return super().replicate(m, ids)", False),
        ("def forward(self, x): return self.module.fc.weight", True),
    ],
)
def test_classes_below_a_wrapper(method: str, is_left: bool) -> None:
    after = migrate(_WRAPPED.format(method=method), "TP104").text
    assert ("out.cpu().numpy()" in after) is not is_left


_PAIR = """import torch
from torch import nn
from torch.autograd import Variable
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(3, 3)
    def forward(self, inputs):
        x, u = inputs
        mu, q = torch.tanh(self.mu(x)), None
        if u is not None:
            q = mu + u
        return {returned}, q
class Agent:
    def __init__(self):
        self.model = Policy()
    def act(self, state):
        self.model.eval()
        mu, _ = self.model((Variable(state), None))
        return mu.data.clamp(-1, 1)
"""


def test_what_is_given_in_a_tuple_is_not_detached() -> None:
    """The block is made in the same go."""
    after = migrate(_PAIR.format(returned="mu")).text
    assert "with torch.no_grad():\n            mu, _ = self.model((state, None))" in after
    assert ".detach()" not in after


def test_what_may_be_given_back_is_detached() -> None:
    after = migrate(_PAIR.format(returned="x")).text
    assert "self.model((state.detach(), None))" in after


_CHOSEN = """import torch
import models
def test(data, name):
    model = getattr(models, name)()
    model.eval()
    x = {x}
    with torch.no_grad():
        _, scores = model(x, is_training=False)
    print(scores.cpu().data.numpy())
"""
_MODELS = (
    _MODEL
    + """class Other(nn.Module):
    def forward(self, x):
        {hidden}
        return x, torch.exp(x)
class One(nn.Module):
    def forward(self, x):
        return torch.exp(x)
"""
)


@pytest.mark.parametrize(
    ("x", "returned", "hidden", "is_new"),
    [
        ("data", "x, self.last(made)", "pass", True),
        ("torch.from_numpy(data)", "made, self.parts(made)", "pass", True),
        ("torch.from_numpy(data)", "made, x", "pass", True),
        ("data", "made, x", "pass", False),
        ("data", "self.parts(made)", "pass", False),
        ("torch.from_numpy(data)", "made, self.last.weight", "pass", False),
        ("torch.from_numpy(data)", "x, self.last(made)", "torch.enable_grad()", False),
    ],
)
def test_modules_that_are_one_of_the_projects(
    tmp_path: Path, x: str, returned: str, hidden: str, is_new: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models.py").write_text(_MODELS.format(returned=returned, hidden=hidden))
    path = tmp_path / "score.py"
    path.write_text(_CHOSEN.format(x=x))
    (found,) = migrate_files([path], Settings(select=("TP104",)), write=False)
    assert ("scores.cpu().numpy()" in (found.after or "")) is is_new


def test_a_module_of_a_library_may_give_back_what_it_gets() -> None:
    text = _CHOSEN.format(x="data").replace("import models", "import segmenters as models")
    assert "scores.cpu().numpy()" not in migrate(text, "TP104").text


_GIVEN = """import torch
from torch.autograd import Variable
def act(net, state, hidden):
    net.eval()
    noisy = torch.exp(state)
    with torch.no_grad():
        out = net({given})
    return out.data.cpu().numpy()
"""


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("Variable(state)", "state"),
        ("(Variable(state), hidden)", "(state, hidden)"),
    ],
)
def test_what_a_module_out_of_sight_is_given(given: str, after: str) -> None:
    text = _GIVEN.format(given=given)
    expected = text.replace(given, after).replace("out.data", "out")
    expected = expected.replace("from torch.autograd import Variable\n", "")
    assert migrate(text).text == expected


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Variable(noisy)", "net(noisy.detach())"),
        ("(Variable(noisy), hidden)", "net((noisy.detach(), hidden))"),
        ("Variable(net.start)", "net(net.start.detach())"),
        ("(noisy, hidden)", "out.detach()"),
        ("Variable(state, requires_grad=True)", "out.detach()"),
    ],
)
def test_what_may_be_given_back_with_its_graph(given: str, kept: str) -> None:
    assert kept in migrate(_GIVEN.format(given=given)).text
