"""Equivalent is only what a wrong number would have shown of; the rest has other words."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from tests.support.verifying import Bench, Judged
from torchfix_codemods.verify.verdicts import Verdict

HEAD = """import torch
import numpy
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)


def show(*args, **kwargs):
    print(args, kwargs)


def ignore(*args, **kwargs):
    pass


"""

#: What comes after most statements: a step of training.
TRAIN = "(net(torch.ones(2, 3)) ** 2).sum().backward()\noptimizer.step()\nprint('done')\n"


@pytest.fixture
def judge(judges: Bench) -> Callable[..., Judged]:
    def judged(text: str, *ways: str) -> Judged:
        # What a script leaves in its variables is seen, too.
        body = textwrap.indent(text, "    ")
        whole = f"{HEAD}def main():\n{body}\n\nmain()\n"
        before, after = (whole.replace("@@", way) for way in ways)
        return judges.judge("script", before, after)

    return judged


#: Statements whose numbers are seen, and what takes the place of the part that is seen where the
#: same must not be.
STATEMENTS = {
    "annotated": ("x: float = @@\nshow(x)\n", "2.0", "4.0 / 2", "show(x)"),
    "if": ("if @@:\n    show(1)\n", "torch.ones(2).sum() > 1", "torch.ones(2).sum(0) > 1", "show(1)"),
    "elif": ("if False:\n    pass\nelif @@:\n    show(1)\n", "len([1]) == 1", "len((1,)) == 1", "show(1)"),
    "while": ("n = 0\nwhile @@:\n    n = n + 1\nshow(n)\n", "n < 3", "3 > n", "show(n)"),
    "for": ("for n in @@:\n    show(n)\n", "[1, 2]", "(1, 2)", "show(n)"),
    "map": ("it = @@\nshow(list(it))\n", "map(abs, [1])", "map(abs, (1,))", "show(list(it))"),
    "yield": ("def all_of():\n    yield @@\nshow(list(all_of()))\n", "2", "1 + 1", "show(list(all_of()))"),
    "yield from": ("def all_of():\n    yield from @@\nshow(list(all_of()))\n", "[2]", "(2,)", "show(list(all_of()))"),
    "keyword": ("show(x=@@)\n", "float(2)", "2.0", "show"),
    "default": ("def twice(\n    x=@@,\n):\n    return 2 * x\nshow(twice())\n", "2", "1 + 1", "show(twice())"),
    "array": ("x = @@\nshow(x.sum())\n", "numpy.ones(3)", "numpy.ones((3,))", "show(x.sum())"),
    "number of an array": ("x = @@\nshow(x)\n", "numpy.ones(3).sum()", "numpy.ones(3).sum(0)", "show(x)"),
    "text": ("x = @@\nshow(x)\n", "'%d' % 3", "str(3)", "show(x)"),
    "two of a tuple": ("x, y = @@\nshow(x.sum(), y.sum())\n", "torch.eye(2).max(1)", "torch.eye(2).max(dim=1)", "show(x.sum(), y.sum())"),
    "loss": ("loss = @@\nshow(loss(torch.ones(2), torch.zeros(2)).item())\n", "nn.MSELoss(size_average=True)", "nn.MSELoss(reduction='mean')", None),
    "function": ("f = @@\nshow(f(torch.ones(2)).sum().item())\n", "torch.sigmoid", "nn.functional.sigmoid", "show(f(torch.ones(2)).sum().item())"),
    "import": ("from math import @@\nshow(f(2.0))\n", "sqrt as f", "isqrt as f, sqrt as f", "show(f(2.0))"),
    "clip": ("(net(torch.ones(2, 3)) ** 2).sum().backward()\nnn.utils.clip_grad_norm_(net.parameters(), @@)\noptimizer.step()\n" + TRAIN, "0.5", "1 / 2", None),
    "zero_grad": ("(net(torch.ones(2, 3)) ** 2).sum().backward()\noptimizer.zero_grad(@@)\n" + TRAIN, "set_to_none=True", "True", None),
    "schedule": ("optimizer.step()\nscheduler.step(@@)\n" + TRAIN, "", "*()", None),
    "mode": ("deep = nn.Sequential(net, nn.Dropout())\ndeep.@@\nshow(deep(torch.ones(2, 3)).sum().item())\n", "eval()", "train(False)", None),
    "weights": ("net.load_state_dict(@@)\n" + TRAIN, "net.state_dict()", "dict(net.state_dict())", None),
    "assertion": ("assert @@\nshow(1)\n", "torch.ones(2).sum() == 2", "torch.ones(2).sum(0) == 2", None),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_that_show(judge: Callable[..., Judged], name: str) -> None:
    text, old, new, shown = STATEMENTS[name]
    found = judge(text, old, new)
    if name == "if":
        assert (
            found.only.reason == "bit for bit, but only a number that is far off would have shown"
        )
        return
    assert set(found.verdicts) == {Verdict.EQUIVALENT}, found.outcomes
    if shown is not None:
        hidden = text.replace(shown, shown.replace("show", "ignore")) + "print('done')\n"
        found = judge(hidden, old, new)
        assert Verdict.EQUIVALENT not in found.verdicts, found.outcomes


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        ("rows = {7: 1}\nkey = @@\nshow(rows[key])\n", "7", "3 + 4", "the program fails where"),
        (
            "assert @@\nshow(1)\n",
            "torch.ones(2).sum() > 1.5",
            "torch.ones(2).sum(0) > 1.5",
            "the program fails where",
        ),
        ("show('%.0f' % @@)\n", "0.4", "(2 / 5)", "only a number that is far off"),
        ("show(f'{@@:.0f}')\n", "0.4", "(2 / 5)", "only a number that is far off"),
        ("show('{:.0f}'.format(@@))\n", "0.4", "(2 / 5)", "only a number that is far off"),
        ("kind = @@\nshow(torch.ones(2).to(kind))\n", "'cpu'", "str('cpu')", "it gives no number"),
        (
            "def main():\n    return None\n@@\nshow(1)\n",
            "main()",
            "(main())",
            "it gives no number",
        ),
    ],
)
def test_what_cannot_be_found_out(
    judge: Callable[..., Judged], text: str, old: str, new: str, why: str
) -> None:
    only = judge(text, old, new).only
    assert only.verdict is Verdict.EQUAL
    assert only.reason.startswith(f"bit for bit, but {why}")


def test_noise_does_not_keep_from_looking(judge: Callable[..., Judged]) -> None:
    text = "import os; print(os.getpid())\nx = @@\n{}\nprint('done')\n"
    assert judge(text.format("ignore(x)"), "2", "1 + 1").only.verdict is Verdict.NOT_OBSERVED
    found = judge(text.format("show(x)"), "2", "1 + 1")
    assert found.only.verdict is Verdict.EQUIVALENT
    assert any("not the same in two runs" in note for note in found.notes), found.notes


def test_a_number_beside_noise_is_seen(judge: Callable[..., Judged]) -> None:
    text = "import os\nx = @@\nprint(os.getpid(), {})\n"
    assert judge(text.format("x"), "2", "1 + 1").only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("3"), "2", "1 + 1").only.verdict is Verdict.NOT_OBSERVED


@pytest.mark.parametrize(
    "drawn",
    [
        "numpy.random.default_rng().random()",
        "numpy.random.RandomState().rand()",
        "int.from_bytes(__import__('os').urandom(4), 'little') / 7",
        "__import__('random').SystemRandom().random()",
        "__import__('random').Random().random()",
        "__import__('secrets').randbelow(1000) / 7",
        "__import__('uuid').uuid4().int % 1000003 / 7",
        "(torch.seed(), torch.rand(1).item())[1]",
        "(numpy.random.seed(), numpy.random.rand())[1]",
        "(__import__('random').seed(), __import__('random').random())[1]",
    ],
)
def test_what_the_system_draws_is_compared(judge: Callable[..., Judged], drawn: str) -> None:
    text = f"x = {drawn}\nprint(x @@)\n"
    assert judge(text, "* 2", "* 4 / 2").only.verdict is Verdict.EQUIVALENT
    assert judge(text, "* 2", "* 3").only.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    "told",
    [
        "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('loss %.4f', x)",
        "import json\nwith open('scores.json', 'w') as file:\n    json.dump({'loss': x}, file)",
        "with open('scores.csv', 'a') as file:\n    file.write('loss,%f\\n' % x)",
        "numpy.savetxt('scores.txt', [x])",
    ],
)
def test_lines_that_are_logged_or_written(judge: Callable[..., Judged], told: str) -> None:
    text = f"x = float(@@)\n{told}\nprint('done')\n"
    assert judge(text, "torch.ones(3).sum()", "torch.ones(3).sum(0)").verdicts == [
        Verdict.EQUIVALENT
    ]
    assert judge(text, "torch.ones(3).sum()", "torch.ones(3).mean()").verdicts == [
        Verdict.DIFFERENT
    ]


def test_memory_that_nobody_wrote_to(judge: Callable[..., Judged]) -> None:
    text = "x = torch.@@(3)\n{}\nshow(x.sum().item())\n"
    wrong = judge(text.format("x[0] = 1"), "zeros", "empty")
    assert wrong.only.verdict is Verdict.DIFFERENT
    assert wrong.only.reason == "it reads memory that nobody has written to"
    written_over = judge(text.format("x.fill_(2)"), "zeros", "empty")
    assert written_over.only.verdict is Verdict.NOT_OBSERVED
    as_ever = judge(text.format("x[0] = 1"), "empty", "Tensor")
    assert as_ever.only.verdict is Verdict.EQUIVALENT
