"""Volatile values that a generator gives: the loop over it is named, which calculates with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """import torch
from torch.autograd import Variable


class Loader:
    def batches(self, train=True):
        for x, y in self.pairs:
            x = Variable(x, volatile={0})
            y = Variable(y, volatile={0})
            yield x, y


"""
_LOOP = "def evaluate(net, loader):\n    for x, y in {0}:\n        {1}\n"
_GOES = (
    "volatile= has no effect since 0.4: drop it here and in line 9; the loop over {0} in line {1} goes "
    "under `with torch.no_grad():`"
)
_OPEN = (
    "volatile= has no effect since 0.4: drop it here and in line 9; what only evaluates goes under "
    "`with torch.no_grad():`"
)


def _told(loops: str, flag: str = "not train") -> list[str]:
    return [finding.message for finding in advice("TP102", _HEAD.format(flag) + loops)]


@pytest.mark.parametrize(
    ("loop", "called"),
    [
        ("loader.batches(train=False)", "loader.batches(train=False)"),
        ("loader.batches(False)", "loader.batches(False)"),
        ("enumerate(loader.batches(train=False))", "loader.batches(train=False)"),
    ],
)
def test_the_loop_that_sets_the_flag_is_named(loop: str, called: str) -> None:
    training = "def train(net, loader):\n    for x, y in loader.batches():\n        net(x).sum().backward()\n"
    assert _told(_LOOP.format(loop, "print(net(x))") + training) == [_GOES.format(called, 14)]


def test_of_what_is_always_volatile_it_is_the_loop_over_it() -> None:
    said = _told(_LOOP.format("loader.batches()", "print(net(x))"), "True")
    assert said == [_GOES.format("loader.batches()", 14)]


def test_several_loops_are_all_named() -> None:
    loop = _LOOP.format("loader.batches(train=False)", "print(net(x))")
    (said,) = _told(loop + loop)
    assert "the loops over loader.batches(train=False) in lines 14 and 17 go under" in said


def test_other_calls_are_named_by_the_function() -> None:
    one, other = (
        _LOOP.format(f"{loader}.batches(train=False)", "print(net(x))")
        for loader in ("loader", "dev")
    )
    assert "the loops over batches() in lines 14 and 17 go under" in _told(one + other)[0]


@pytest.mark.parametrize(
    "loops",
    [
        pytest.param("", id="none in sight"),
        pytest.param(_LOOP.format("loader.batches(train=flag)", "print(net(x))"), id="by a flag"),
        pytest.param(_LOOP.format("loader.batches(**flags)", "print(net(x))"), id="out of sight"),
        pytest.param(_LOOP.format("loader.batches()", "print(net(x))"), id="not set by default"),
    ],
)
def test_no_other_loop_is_named(loops: str) -> None:
    assert _told(loops) == [_OPEN]


@pytest.mark.parametrize(
    ("loops", "line"),
    [
        (_LOOP.format("loader.batches(train=False)", "net(x).sum().backward()"), 14),
        ("x = list(loader.batches(train=False))\n", 13),
    ],
)
def test_a_call_that_sets_the_flag_is_named_without_a_loop(loops: str, line: int) -> None:
    (said,) = _told(loops)
    assert f"; line {line} asks for it, and what only evaluates behind it goes under `with" in said


_STEPS = """import torch
from torch.autograd import Variable


def wrap(x, volatile=False):
    return Variable(x, volatile=volatile)


class Trainer:
    def prepare(self, batch, volatile):
        def one(key):
            batch[key] = [wrap(each, volatile=volatile) for each in batch[key]]
        self.batch = [wrap(each, volatile=volatile) for each in batch]{more}

    def valid(self, batch):
        self.prepare(batch, volatile={flag})
        return self.net(self.batch)

    def train(self, batch):
        self.prepare(batch, volatile=False)
        self.net(self.batch).backward()
"""


def test_the_calls_that_set_a_flag_which_is_passed_on_are_named() -> None:
    said = [f.message for f in advice("TP102", _STEPS.format(more="", flag=True))]
    assert said == [
        "the volatile flag that this call passes on has no effect since 0.4: line 16 asks for it, and "
        "what only evaluates behind it goes under `with torch.no_grad():`"
    ]


def test_a_helper_that_is_called_is_told_of_and_a_flag_that_may_be_set_is_no_line() -> None:
    text = _STEPS.format(more="\n        one(0)", flag="self.quiet")
    said = [(f.line, f.message) for f in advice("TP102", text)]
    assert [line for line, _ in said] == [12, 13]
    assert all(": what only evaluates goes under" in message for _, message in said)


def _told_beside(folder: Path, loop: str) -> str:
    """What is said of the generator, with the loop in another file."""
    (folder / ".git").mkdir()
    (folder / "loaders.py").write_text(_HEAD.format("not train"))
    (folder / "trainer.py").write_text("import torch\nimport loaders\n\n\n" + loop)
    outcome = migrate_file(folder / "loaders.py", Settings(select=("TP102",)), write=False)
    (found,) = outcome.findings
    return found.message


def test_a_loop_under_no_grad_is_not_named(tmp_path: Path) -> None:
    called = "loader.batches(train=False)"
    covered = f"with torch.no_grad():\n    for x in {called}:\n        net(x)\n"
    said = _GOES.format(called, 9).replace("line 9 goes", "line 9 of trainer.py goes")
    assert _told_beside(tmp_path, covered + _LOOP.format(called, "print(net(x))")) == said


def test_a_loop_of_another_file_is_named_with_it(tmp_path: Path) -> None:
    loop = _LOOP.format("self.loader.batches(train=False)", "print(net(x))")
    called = "self.loader.batches(train=False)"
    said = _GOES.format(called, 6).replace("line 6", "line 6 of trainer.py")
    assert _told_beside(tmp_path, loop) == said


def test_what_a_generator_calculates_itself_is_named_there() -> None:
    text = _HEAD.format("not train").replace("yield x, y", "yield self.net(x), y")
    assert "self.net" in text
    assert not any(
        "the loop over" in f.message
        for f in advice("TP102", text + _LOOP.format("loader.batches(train=False)", "print(x)"))
    )


_BY_BRANCH = """import torch
from torch.autograd import Variable


def wrap(xs, on_gpu=True, trains=True):
    if on_gpu:
        xs = [x.cuda() for x in xs]
    if trains:
        return [Variable(x) for x in xs]
    return [Variable(x, volatile=True) for x in xs]


def train(net, xs):
    net(*wrap(xs)).backward()


def test(net, xs):
    return net(*wrap(xs, {0}))
"""


@pytest.mark.parametrize("given", ["trains=False", "False, False", "on_gpu=xs, trains=0"])
def test_the_calls_that_ask_for_a_branch_are_named(given: str) -> None:
    (said,) = [f.message for f in advice("TP102", _BY_BRANCH.format(given))]
    assert "; line 18 asks for it, and what only evaluates behind it goes under `with" in said


@pytest.mark.parametrize("given", ["trains=net", "*net", "trains=True"])
def test_no_call_is_named_that_may_ask_for_another_branch(given: str) -> None:
    (said,) = [f.message for f in advice("TP102", _BY_BRANCH.format(given))]
    assert "drop it; what only evaluates goes under `with" in said


def test_two_calls_in_a_line_are_in_one_line() -> None:
    text = _BY_BRANCH.format("trains=False").replace(
        "net(*wrap(xs, trains=False))", "net(*wrap(xs, trains=False)), wrap(xs, trains=False)"
    )
    (said,) = [f.message for f in advice("TP102", text)]
    assert "; line 18 asks for it, and what only evaluates behind it goes under `with" in said


_FETCHED = """import torch
from torch.autograd import Variable


def image(path):
    x = Variable(load(path), volatile=True)
    {0}


def text(line):
    return Variable(torch.zeros(line), volatile=True).cuda()


def show(net, path):
    {1}


def tell(net, line):
    return net(text(line)), net(text(line + 1))
"""
_CALLED = (
    "; what is calculated from image() and text(), called in lines 15 and 19, goes under `with"
)


def test_what_functions_always_return_is_told_with_their_calls() -> None:
    (said,) = [f.message for f in advice("TP102", _FETCHED.format("return x", "net(image(path))"))]
    assert "drop it here and in line 11" + _CALLED in said


@pytest.mark.parametrize(
    ("returned", "called"),
    [
        # Something else may be returned.
        ("return x if path else path", "net(image(path))"),
        ("x = x if path else path\n    return x", "net(image(path))"),
        ("yield x", "net(image(path))"),
        # What trains may not go under it, and what is there needs nothing.
        ("return x", "net(image(path)); net(path).backward()"),
        ("return x", "with torch.no_grad():\n        net(image(path))"),
        # No call is in sight.
        ("return x", "net(path)"),
    ],
)
def test_no_calls_are_told_that_may_take_something_else(returned: str, called: str) -> None:
    said = [f.message for f in advice("TP102", _FETCHED.format(returned, called))]
    assert said and not any("what is calculated from image()" in message for message in said)
