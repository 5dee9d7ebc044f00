"""``volatile=`` that a function of the file hands to ``Variable`` with all other keywords."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_era import bounds
from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
            import torch
            from torch import autograd
"""

_LAMBDA = (
    _HEAD
    + """
            CUDA = torch.cuda.is_available()
            make = lambda *a, **k: autograd.Variable(*a, **k).cuda() if CUDA else autograd.Variable(*a, **k)
"""
)

_FUNCTION = (
    _HEAD
    + """
            def make(tensor, **kwargs):
                if torch.cuda.is_available():
                    tensor = tensor.cuda()
                return autograd.Variable(tensor, **kwargs)
"""
)

_ACT = """
            def act(model, state):
                return model(make(state, volatile=True)).data.numpy()
"""

_ACT_TODAY = """
            def act(model, state):
                with torch.no_grad():
                    return model(make(state)).data.numpy()
"""

_UNDER_A_CONDITION = """
            def act(model, state):
                if state is not None:
                    state = make(state, volatile=True)
                    action = model(state).max(1)[1]
                    return action
"""

_UNDER_A_CONDITION_TODAY = """
            def act(model, state):
                if state is not None:
                    with torch.no_grad():
                        state = make(state)
                        action = model(state).max(1)[1]
                    return action
"""

_TARGET = """
            def loss(model, x, y):
                y = make(y, volatile=True)
                predicted = model(make(x))
                target = model(y)
                return ((predicted - make(target.data)) ** 2).mean()
"""

_TARGET_TODAY = """
            def loss(model, x, y):
                y = make(y)
                predicted = model(make(x))
                with torch.no_grad():
                    target = model(y)
                return ((predicted - make(target.data)) ** 2).mean()
"""

_FLAG = """
            def run(model, x, training):
                x = make(x, volatile=not training)
                return model(x).data
"""

_FLAG_TODAY = """
            def run(model, x, training):
                with torch.set_grad_enabled(torch.is_grad_enabled() and training):
                    x = make(x)
                    return model(x).data
"""

test_rewrites = rewrites(
    "TP102",
    {
        "a lambda": (_LAMBDA + _ACT, _LAMBDA + _ACT_TODAY),
        "a function": (_FUNCTION + _ACT, _FUNCTION + _ACT_TODAY),
        "more than one statement": (
            _LAMBDA + _UNDER_A_CONDITION,
            _LAMBDA + _UNDER_A_CONDITION_TODAY,
        ),
        "what keeps its graph between": (_LAMBDA + _TARGET, _LAMBDA + _TARGET_TODAY),
        "a flag": (_LAMBDA + _FLAG, _LAMBDA + _FLAG_TODAY),
        "off": (
            _LAMBDA + "            x = make(torch.ones(2), volatile=False)\n",
            _LAMBDA + "            x = make(torch.ones(2))\n",
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "keywords that go elsewhere": _FUNCTION.replace("tensor.cuda()", "tensor.cuda(**kwargs)")
        + _ACT,
        "keywords that are read": _FUNCTION.replace(
            "is_available()", "is_available() or kwargs.get('volatile')"
        )
        + _ACT,
        "no keywords": _FUNCTION.replace(", **kwargs)", ")") + _ACT,
        "another function": _FUNCTION.replace("autograd.Variable(", "print(") + _ACT,
        "a function that runs a network": _FUNCTION.replace("tensor.cuda()", "model(tensor)")
        + _ACT,
        "a decorated function": _FUNCTION.replace(
            "            def", "            @f\n            def", 1
        )
        + _ACT,
        "two of them": _LAMBDA + _FUNCTION + _ACT,
        "a method of that name": _FUNCTION + _ACT.replace("make(", "model.make("),
        "without a flag": _LAMBDA + _ACT_TODAY,
        "a parameter of its own": _FUNCTION.replace("(tensor,", "(tensor, volatile,") + _ACT,
    },
)


@pytest.mark.parametrize("head", [_LAMBDA, _FUNCTION])
def test_it_dates_the_file(head: str) -> None:
    assert bounds(head + _ACT) == (None, "0.3")
    assert bounds(head.replace("autograd.Variable", "print") + _ACT) == (None, None)


_HELPERS = """
            import torch as th
            from torch.autograd import Variable
            class One:
                def grab(self, x, volatile=False):
                    return Variable(x, volatile=volatile)
            class Many:
                def grab(self, x, volatile=False):
                    return [Variable(each, volatile=volatile) for each in x]
            def helper(x):
                return One() if x.dim() == 2 else Many()
            def train(net, optimizer, x):
                loss = net(helper(x).grab(x))
                loss.backward()
"""

test_a_call_that_may_be_of_two_classes_goes_under_one_block = rewrites(
    "TP102",
    {
        "run by run": (
            _HELPERS
            + """
            def evaluate(net, optimizer, x):
                batch = helper(x).grab(x, volatile=True)
                optimizer.zero_grad()
                loss = net(batch).sum()
                print(loss)
            """,
            _HELPERS.replace("x, volatile=volatile", "x").replace("each, volatile=volatile", "each")
            + """
            def evaluate(net, optimizer, x):
                with th.no_grad():
                    batch = helper(x).grab(x, volatile=True)
                optimizer.zero_grad()
                with th.no_grad():
                    loss = net(batch).sum()
                print(loss)
            """,
        )
    },
)


@pytest.mark.parametrize(
    ("imported", "written"),
    [
        ("import torch", "torch.no_grad()"),
        ("import torch as th", "th.no_grad()"),
        ("import torch as th; torch = 1", "th.no_grad()"),
        ("torch = 1", "torch.no_grad()"),
    ],
)
def test_a_block_is_told_of_as_the_file_writes_it(imported: str, written: str) -> None:
    text = "from torch.autograd import Variable\ndef f(x):\n    return Variable(x, volatile=True)\n"
    (finding,) = advice("TP102", f"{imported}\n{text}")
    assert f"`with {written}:`" in finding.message


@pytest.mark.parametrize("newer", ["from torch import no_grad", "device = torch.device('cpu')"])
def test_where_the_flag_never_did_anything_it_is_just_dropped(newer: str) -> None:
    text = "from torch.autograd import Variable\ndef f(x):\n    return Variable(x, volatile=True)\n"
    (finding,) = advice("TP102", f"import torch\n{newer}\n{text}")
    assert finding.message == "volatile= has no effect since 0.4: drop it"


_REQUIRED = """\
import torch
import torch.nn as nn
from torch.autograd import Variable


class Seq(nn.Module):
    def initialize(self, inputs, eval):
        token = Variable(torch.LongTensor([1] * len(inputs)), volatile=eval)
        return self.lut(token)

    def forward(self, inputs, eval):
        states = self.initialize(inputs, eval)
        return self.decoder(states)

    def translate(self, inputs):
        states = self.initialize(inputs, eval=True)
        return self.decoder(states).max(1)[1].data

    def sample(self, inputs):
        states = self.initialize(inputs, {0})
        outputs = []
        for i in range(3):
            outputs.append(self.decoder(states))
        return outputs
"""


def _migrated(text: str, folder: Path) -> str:
    (folder / ".git").mkdir()
    path = folder / "seq.py"
    path.write_text(text)
    migrate_file(path, Settings(select=("TP102",)), write=True)
    return path.read_text()


@pytest.mark.parametrize("off", ["eval=False", "False", "eval=None", "0"])
def test_a_call_that_lost_a_flag_without_default_records(off: str, tmp_path: Path) -> None:
    after = _migrated(_REQUIRED.replace("{0}", off), tmp_path)
    assert "def initialize(self, inputs):" in after
    _, _, sample = after.partition("def sample")
    assert "        states = self.initialize(inputs)\n" in sample
    assert "no_grad" not in sample
    assert after.count("with torch.no_grad():") == 1


def test_a_call_that_sets_a_flag_without_default_does_not_record(tmp_path: Path) -> None:
    after = _migrated(_REQUIRED.replace("{0}", "eval=True"), tmp_path)
    assert after.count("with torch.no_grad():") == 2
