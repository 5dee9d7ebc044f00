"""Functions that only make volatile values: no block around them would keep a graph away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_MADE = """import numpy as np
import torch
from torch.autograd import Variable


def to_var(x, volatile=False, requires_grad=False):
    var = Variable(torch.from_numpy(np.asarray(x)), volatile=volatile, requires_grad=requires_grad)
    if torch.cuda.is_available():
        return var.cuda()
    return var


def batch(xs, ys, flag):
    {0}
"""


@pytest.mark.parametrize("flag", ["flag", "True"])
@pytest.mark.parametrize(
    "body",
    [
        "return to_var(xs, volatile={0}), to_var(ys, volatile={0})",
        "return [to_var(x, volatile={0}) for x in xs]",
        "return {{'x': to_var(xs, volatile={0}), 'y': ys}}",
        "x = to_var(xs, volatile={0})\n    return {{'x': x}}",
        "x = to_var(xs, volatile={0})\n    x = x.cuda()\n    return x",
        "out = []\n    for x in xs:\n        out.append(to_var(x, volatile={0}))\n    return out",
    ],
)
def test_what_a_function_only_makes_is_told(body: str, flag: str) -> None:
    given = _MADE.format(body.format(flag))
    assert migrate(given, "TP102").text == given
    assert all("what only evaluates goes" in one.message for one in advice("TP102", given))
    assert advice("TP102", given)


@pytest.mark.parametrize(
    "body",
    [
        "return net(to_var(xs, volatile={0})), to_var(ys, volatile={0})",
        "return [net(to_var(x, volatile={0})) for x in xs]",
        "x = to_var(xs, volatile={0})\n    x = x * weight\n    return x",
        "x = to_var(net(xs).data.numpy(), volatile={0})\n    return self.to(x)",
    ],
)
def test_what_is_calculated_with_it_stands_in_a_block(body: str) -> None:
    after = migrate(_MADE.format(body.format("flag")), "TP102").text
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and not flag):" in after


def test_a_helper_that_calculates_stands_in_a_block() -> None:
    given = _MADE.format("return to_var(xs, volatile=flag), to_var(ys, volatile=flag)")
    after = migrate(given.replace("return var.cuda()", "return net(var)"), "TP102").text
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and not flag):" in after


_TRIPLES = """import numpy as np
import torch
from torch.autograd import Variable


def to_var(x, volatile=False):
    var = Variable(torch.from_numpy(np.asarray(x)), volatile=volatile)
    return var.cuda() if torch.cuda.is_available() else var


def triples(xs, ys, volatile{default}):
    {body}


def predict(net, xs, ys):
    x, y = triples(xs, ys, volatile=True)
    return net(x, y).data.numpy()


def step(net, xs, ys):
    x, y = triples(xs, ys, volatile=False)
    net(x, y).sum().backward()
"""
_GIVEN = "return to_var(xs, volatile=volatile), to_var(ys, volatile=volatile)"


def test_what_calculates_behind_two_helpers_stands_in_a_block() -> None:
    given = _TRIPLES.format(default="=False", body=_GIVEN)
    after = migrate(given, "TP102").text
    assert (
        "with torch.no_grad():\n        x, y = triples(xs, ys)\n        return net(x, y)" in after
    )
    assert "    x, y = triples(xs, ys)\n    net(x, y).sum().backward()" in after
    assert "return to_var(xs), to_var(ys)\n" in after
    assert "volatile=True" not in after and after.count("_grad") == 1


@pytest.mark.parametrize(
    ("default", "body"),
    [
        ("", _GIVEN),
        ("=True", _GIVEN),
        ("=False", "print(volatile)\n    " + _GIVEN),
    ],
)
def test_a_flag_that_is_always_given_or_means_more_is_not_followed(default: str, body: str) -> None:
    after = migrate(_TRIPLES.format(default=default, body=body), "TP102").text
    assert "def triples(xs, ys, volatile" in after and body in after


def test_it_is_followed_to_another_file(tmp_path: Path) -> None:
    util, _, run = _TRIPLES.format(default="=False", body=_GIVEN).partition("def predict")
    (tmp_path / ".git").mkdir()
    (tmp_path / "util.py").write_text(util)
    (tmp_path / "run.py").write_text(
        "import torch\nfrom util import triples\n\n\ndef predict" + run
    )
    paths = [tmp_path / "run.py", tmp_path / "util.py"]
    for _ in range(2):
        assert list(migrate_files(paths, Settings(select=("TP102",)), write=True))
    run, util = (path.read_text() for path in paths)
    assert "with torch.no_grad():\n        x, y = triples(xs, ys)\n" in run
    assert "volatile" not in util
