"""Why rules find nothing, in words: each case is code that a rule gets and leaves alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from torchfix_codemods.engine.dispatch import looks
from torchfix_codemods.engine.migrate import Options, facts_of
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules import matching
from torchfix_codemods.why.reasons import reasons

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
"""


def told(code: str, text: str) -> list[str]:
    """What a rule says of the last line of a text."""
    facts = facts_of(HEAD + text)
    line = len(facts.lines)
    said = (
        str(reason)
        for node, rule, found in looks(facts, matching(code))
        if getattr(node, "lineno", 0) == line and not found
        for reason in reasons(getattr(rule, f"find_{type(node).__name__}"), node, facts)
    )
    return list(dict.fromkeys(said))


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("TP104", "print(x.data)", ["`x` is not known, so it may be no tensor"]),
        ("TP104", "x = [1]\nprint(x.data)", ["`x` is a list or tuple, and no tensor"]),
        (
            "TP401",
            "torch.ones(2, 3).view(-1)",
            ["looked for the tensor of which a call makes a view, where nothing shows that it can be "
             "made: in vain (`torch.ones(2, 3)` is a tensor with 2 dimensions"],
        ),
        (
            "TP207",
            "x = nn.Linear(1, 1)\nx.cuda()",
            ["`x` is a torch.nn.Linear, and no tensor or PackedSequence"],
        ),
        (
            "TP403",
            "y = x.new(3)",
            ["looked for `x` of `x.new(…)`, where it is certainly a tensor: in vain "
             "(`x` is not known; "],
        ),
        (
            "TP307",
            "F.interpolate(x, scale_factor=2, mode='bilinear')",
            ["asked whether the numbers of `F.interpolate(x, scale_factor=2, mode='bilinear…` are "
             "those of a torch older than `version`: no (it is not certain that the file is older "
             "than torch 0.4)"],
        ),
        (
            "TP201",
            "if torch.cuda.is_available():\n    x = x.cuda()",
            ["asked of `x.cuda()` whether a move that stays is told of: not where it is meant to "
             "need a GPU, or may be: no (asked whether `torch.cuda.is_available()` speaks of the "
             "GPU: "],
        ),
        (
            "TP906",
            "try:\n    y = torch.sum(x)\nexcept AttributeError:\n    y = 0\n    y = x.sum(0)",
            [],
        ),
        ("TP306", "try:\n    from a import F\nexcept E:\n    pass\nF.tanh(x)",
         ["it is not certain what `F.tanh` is"]),
        ("TP401", "x.view()", []),
        # What Python's own functions are, everybody knows.
        (
            "TP414",
            "h = w\nint(h / 2)",
            ["asked of `h / 2` whether integers are divided for a size that comes next: other "
             "places may get the number: no (`h` is not known)"],
        ),
        (
            "TP414",
            "h = w\nf(h / 2)",
            ["asked whether the value of `h / 2` comes to places alone where a float certainly "
             "fails: no (asked whether `h / 2` is an argument that has to be a whole number, or "
             "several of them: no; `f` is not known, so it may be no module)",
             "asked of `h / 2` whether integers are divided for a size that comes next"],
        ),
    ],
)  # fmt: skip
def test_reasons(code: str, text: str, found: list[str]) -> None:
    said = told(code, text)
    assert len(said) == len(found), said
    for reason, start in zip(said, found, strict=True):
        assert reason.startswith(start)


Finder = Callable[[ast.AST, Facts], Iterator[None]]


def annotated(node: ast.AST, facts: Facts) -> Iterator[None]:
    value: object = facts.value(node)
    if isinstance(value, Tensor):
        yield


def in_a_loop(node: ast.AST, facts: Facts) -> Iterator[None]:
    for part in (node, node):
        if not facts.is_module(part):
            continue
        yield


def dated(node: ast.AST, facts: Facts) -> Iterator[None]:
    if facts.era.before((1, 3)):
        return
    yield


def dated_at_all(node: ast.AST, facts: Facts) -> Iterator[None]:
    if facts.era.newest is not None:
        return
    yield


def remembering(node: ast.AST, facts: Facts) -> Iterator[None]:
    if facts.remembered("it", lambda: facts.is_tensor(node)):
        yield


def used_up(node: ast.AST, facts: Facts) -> Iterator[None]:
    parts = iter([node])
    if facts.is_tensor(next(parts)):
        yield


def failing(node: ast.AST, facts: Facts) -> Iterator[None]:
    yield from ()
    raise ValueError


def too_many(node: ast.AST, facts: Facts) -> Iterator[None]:
    for part in ast.walk(node):
        if facts.is_tensor(part):
            yield


@pytest.mark.parametrize(
    ("finder", "found"),
    [
        (annotated, ["`f(a, b, c, d)` is not known, so it may be no tensor"]),
        (in_a_loop, ["`f(a, b, c, d)` is not known, so it may be no module"]),
        (dated, ["the file is older than torch 1.3"]),
        (dated_at_all, ["the file is written for torch 0.4"]),
        (remembering, ["`f(a, b, c, d)` is not known, so it may be no tensor"]),
        (used_up, []),
        (failing, []),
        (too_many, []),
    ],
)
def test_how_finders_may_ask(finder: Finder, found: list[str]) -> None:
    era = Era((0, 4), (0, 4))
    facts = facts_of("f(a, b, c, d)\n", Options(era=era))
    statement = facts.tree.body[0]
    assert isinstance(statement, ast.Expr)
    assert [str(reason) for reason in reasons(finder, statement.value, facts)] == found
