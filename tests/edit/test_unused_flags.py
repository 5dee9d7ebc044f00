"""A parameter `volatile` that is read no more goes where no call of the project gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HELPERS = """import torch
from torch.autograd import Variable


def to_var(x, volatile=False):
    return Variable(x, volatile=volatile)


def init_hidden(n, volatile=False):
    return to_var(torch.zeros(n), volatile=volatile), to_var(torch.ones(n), volatile=volatile)
"""
_MODEL = """from torch import nn
from helpers import init_hidden, to_var


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(2, 2)

    def forward(self, x):
        return self.layer(x, {})


def evaluate(net, x):
    return net(to_var(x, volatile=True))[0].data.numpy()
"""


def _helpers_after(folder: Path, helpers: str, call: str, more: str = "") -> str:
    (folder / ".git").mkdir()
    (folder / "helpers.py").write_text(helpers)
    (folder / "model.py").write_text(_MODEL.format(call) + more)
    return _migrated(folder)


def _migrated(folder: Path) -> str:
    migrate_file(folder / "helpers.py", Settings(), write=True)
    return (folder / "helpers.py").read_text()


@pytest.mark.parametrize("call", ["init_hidden(2)", "init_hidden(n=2)"])
def test_it_goes_where_no_call_gives_it(call: str, tmp_path: Path) -> None:
    after = _helpers_after(tmp_path, _HELPERS, call)
    assert "def init_hidden(n):\n" in after
    assert _migrated(tmp_path) == after


@pytest.mark.parametrize(
    ("before", "now", "call", "more"),
    [
        ("", "", "init_hidden(2, volatile=False)", ""),
        ("", "", "init_hidden(2, False)", ""),
        ("", "", "init_hidden(2)", "make = init_hidden\n"),
        ("", "", "init_hidden(2)", "print(init_hidden(*x))\n"),
        (
            "    return to_var(torch",
            "    print(volatile)\n    return to_var(torch",
            "init_hidden(2)",
            "",
        ),
        (
            "    return to_var(torch",
            "    print(locals())\n    return to_var(torch",
            "init_hidden(2)",
            "",
        ),
    ],
)
def test_it_stays_where_it_is_given_or_read(
    before: str, now: str, call: str, more: str, tmp_path: Path
) -> None:
    helpers = _HELPERS.replace(before, now, 1) if before else _HELPERS
    after = _helpers_after(tmp_path, helpers, call, more)
    assert "def init_hidden(n, volatile=" in after


def test_one_that_its_author_never_read_stays(tmp_path: Path) -> None:
    helpers = _HELPERS + "\n\ndef size(n, volatile=False):\n    return n\n"
    after = _helpers_after(
        tmp_path, helpers, "init_hidden(2)", "from helpers import size\nsize(3)\n"
    )
    assert "def size(n, volatile=False):" in after


_ONE_HOT = """import torch
from torch.autograd import Variable


def one_hot(actions, n):
    actions = actions.view(-1, 1).long()
    hot = torch.zeros(actions.size(0), n)
    {}
    if isinstance(actions, Variable):
        actions = actions.data
        {}
    hot.scatter_(1, actions, 1)
    {}
    return hot
"""
_WRAPS = "if was_variable:\n        hot = Variable(hot)"


def test_a_flag_goes_that_only_told_to_wrap_again() -> None:
    after = migrate(_ONE_HOT.format("was_variable = False", "was_variable = True", _WRAPS)).text
    assert "was_variable" not in after
    assert "isinstance" not in after
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("first", "then", "last"),
    [
        ("was_variable = False", "was_variable = True", f"{_WRAPS}\n    print(was_variable)"),
        ("was_variable = False", "was_variable = True", f"{_WRAPS}\n    print(locals())"),
        ("was_variable = False", "was_variable = True", f"{_WRAPS}\n    f = lambda: was_variable"),
        ("was_variable = make()", "was_variable = True", _WRAPS),
        ("global was_variable", "was_variable = True", _WRAPS),
        ("was_variable = other = False", "was_variable = True", _WRAPS),
        ("for was_variable in (): pass", "was_variable = True", _WRAPS),
    ],
)
def test_one_stays_that_is_read_or_more_than_a_flag(first: str, then: str, last: str) -> None:
    assert "was_variable = True" in migrate(_ONE_HOT.format(first, then, last)).text


def test_one_below_another_test_stays() -> None:
    text = _ONE_HOT.format("was_variable = False", "was_variable = True", _WRAPS)
    text = text.replace("isinstance(actions, Variable)", "n > 3")
    assert "was_variable = True" in migrate(text).text


_SAMPLED = """import torch
import torch.nn as nn
from torch.autograd import Variable


class Decoder(nn.Module):
    def __init__(self, n):
        super(Decoder, self).__init__()
        self.emb = nn.Embedding(n, n)

    def sample(self, state, targets):
        use_cuda = state.is_cuda
        last = Variable(torch.LongTensor([3]))
        last = last.cuda() if use_cuda else last
        given = Variable(targets[:, 0])
        return torch.cat((self.emb(given), self.emb(last)), 1){}
"""


@pytest.mark.parametrize(
    ("below", "is_kept"),
    [
        ("", False),
        (" if use_cuda else state", True),
        ("  # not of use_cuda", True),
    ],
)
def test_a_flag_goes_with_what_read_it(below: str, is_kept: bool) -> None:
    after = migrate(_SAMPLED.format(below)).text
    assert "last.cuda()" not in after
    assert ("use_cuda = state.is_cuda" in after) is is_kept
    assert migrate(after).text == after


def test_a_flag_that_its_author_never_read_stays() -> None:
    unread = _SAMPLED.format("").replace("        last = last.cuda() if use_cuda else last\n", "")
    assert "use_cuda = state.is_cuda" in migrate(unread).text


_TYPED = """import torch


def places(n, words):
    Long = torch.cuda.LongTensor
    Float = torch.cuda.FloatTensor
    Double = torch.cuda.DoubleTensor
    return Long([1, 2]), Float(words)
"""


def test_a_type_goes_with_what_made_tensors_of_it() -> None:
    after = migrate(_TYPED).text
    assert "torch.tensor([1, 2], device=device)" in after
    # What is made of words is not known, and of doubles nothing was.
    assert "Long = " not in after
    assert "Float = " in after
    assert "Double = " in after
    assert migrate(after).text == after


def test_a_type_that_another_function_may_take_stays() -> None:
    above = _TYPED.replace("def places(n, words):\n    Long", "Long")
    above = above.replace("    Float", "def places(n, words):\n    Float")
    assert "Long = torch.cuda.LongTensor\n" in migrate(above).text
