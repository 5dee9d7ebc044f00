from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = """import torch
import torch.nn as nn
w = nn.Parameter(torch.ones(2))
o = torch.optim.SGD([w], lr=0.1, weight_decay=0.5)
"""


def _of(version: tuple[int, ...]) -> Options:
    return Options(era=Era(version, version))


@pytest.mark.parametrize(
    ("text", "last", "words"),
    [
        ("n = o.state[w]['step']\n", (1, 11), "write int(o.state[w]['step'])"),
        ("n = o.state_dict()['state'][0]['step']\n", (1, 11), "were an int"),
        ("n = o.state_dict()['param_groups'][0]['params']\n", (1, 5), "the id() of each"),
        ("o.step()\nprint(w.grad)\n", (1, 4), "p.grad + weight_decay * p, of p before the step"),
    ],
)
def test_what_was_something_else_is_told(text: str, last: tuple[int, int], words: str) -> None:
    (finding,) = advice("TP611", _HEAD + text, options=_of(last))
    assert words in finding.message and finding.line == 5
    assert migrate(_HEAD + text, "TP611", options=_of(last)).text == _HEAD + text
    assert not advice("TP611", _HEAD + text, options=_of((last[0], last[1] + 1)))
    assert not advice("TP611", _HEAD + text)


_KIND = "p = torch.optim.{kind}([w], lr=0.1, weight_decay=0.5)\np.step()\nprint(w.grad)\n"


@pytest.mark.parametrize(
    ("kind", "version", "is_told"),
    [
        ("SGD", (0, 3), True),
        ("Adam", (1, 0), True),
        ("Adam", (0, 4), False),
        ("RMSprop", (1, 0), False),
        ("Adagrad", (1, 0), False),
        ("Adamax", (1, 0), False),
    ],
)
def test_gradients_are_told_of_where_the_step_changed_them(
    kind: str, version: tuple[int, ...], is_told: bool
) -> None:
    found = advice("TP611", _HEAD + _KIND.format(kind=kind), options=_of(version))
    assert bool(found) is is_told


@pytest.mark.parametrize(
    "text",
    [
        "n = int(o.state[w]['step'])\n",
        "o.state[w]['step'] = 0\n",
        "n = o.state[w]['exp_avg']\n",
        "n = other.state[w]['step']\n",
        "n = o.param_groups[0]['params']\n",
        "n = w.state_dict()['param_groups'][0]['params']\n",
        "o.step()\nw.sum().backward()\nprint(w.grad)\n",
        "o.step()\no.zero_grad()\nprint(w.grad)\n",
        "o.step()\nprint(w.data)\n",
        "o.step()\nprint(x.grad)\n",
        "print(w.grad)\no.step()\n",
        "p = torch.optim.SGD([w], lr=0.1)\np.step()\nprint(w.grad)\n",
        "p = torch.optim.SGD([w], lr=0.1, weight_decay=0)\np.step()\nprint(w.grad)\n",
        "d = 0.0\np = torch.optim.SGD([w], lr=0.1, weight_decay=d)\np.step()\nprint(w.grad)\n",
        "class O(torch.optim.Optimizer):\n    def step(self):\n        self.state[w]['step'] + 1\n",
    ],
)
def test_other_code_is_left_alone(text: str) -> None:
    assert not advice("TP611", _HEAD + text, options=_of((1, 0)))


@pytest.mark.parametrize(("default", "is_told"), [("0", False), ("1e-4", True)])
def test_a_decay_that_is_an_option_is_what_it_is_by_default(default: str, is_told: bool) -> None:
    text = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--wd', type=float, default={default})\nargs = parser.parse_args()\n"
        "p = torch.optim.SGD([w], lr=0.1, weight_decay=args.wd)\np.step()\nprint(w.grad)\n"
    )
    assert bool(advice("TP611", _HEAD + text, options=_of((1, 0)))) is is_told
