"""Volatile values that a record hands on, where other functions calculate with them."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

_READER = """\
import collections
import torch
from torch.autograd import Variable
{0}


def pack(rows, fill, volatile=False):
    result = torch.zeros(len(rows), 3)
    fill(rows, result)
    return Variable(result, volatile=volatile)


class Reader:
    def __init__(self, for_eval):
        self.for_eval = for_eval

    def __call__(self, rows, fill):
        grids = pack(rows.grids, fill, volatile=self.for_eval)
        conds = pack(rows.conds, fill, volatile=self.for_eval)
        {1}


class Trainer:
    def __init__(self, net, criterion):
        self.net = net
        self.criterion = criterion

    def loss(self, batch):
        return self.criterion(self.net(batch.grids), batch.conds)
"""

_NAMED = 'Example = collections.namedtuple("Example", ["grids", "conds"])'
_BASED = 'class Example(collections.namedtuple("Example", ["grids", "conds"])):\n    pass'
_KEEPING = (
    "class Example:\n    def __init__(self, grids, conds):\n"
    "        self.grids = grids\n        self.conds = conds"
)
_PYTHON_2 = _KEEPING.replace("Example:", "Example(object):")
_CALCULATING = _KEEPING.replace("= conds", "= net(conds)")
_LEAVES = (
    "the volatile flag that this call passes on, here and in line {}, has no effect since 0.4: what only "
    "evaluates goes under `with torch.no_grad():`"
)

_RETURNED = "return Example(grids, conds)"

test_keeps = keeps(
    "TP102",
    {
        # A block around what makes them would record what the trainer calculates with them.
        "a named tuple": _READER.format(_NAMED, _RETURNED),
        "a class based on one": _READER.format(_BASED, _RETURNED),
        "a class that keeps what it gets": _READER.format(_KEEPING, _RETURNED),
        "by keywords": _READER.format(_NAMED, "return Example(grids=grids, conds=conds)"),
        "in a tuple": _READER.format(_NAMED, "return Example(grids, None), conds"),
    },
)


@pytest.mark.parametrize(
    ("made", "line"), [(_NAMED, 19), (_BASED, 20), (_KEEPING, 22), (_PYTHON_2, 22)]
)
def test_who_calculates_with_what_a_record_holds_is_not_known(made: str, line: int) -> None:
    (finding,) = advice("TP102", _READER.format(made, _RETURNED))
    assert finding.message == _LEAVES.format(line)


def test_a_class_that_calculates_with_what_it_gets_is_no_record() -> None:
    assert not advice("TP102", _READER.format(_CALCULATING, _RETURNED))


test_rewrites = rewrites(
    "TP102",
    {
        "what is calculated from them": (
            """
            import collections
            from torch.autograd import Variable
            Example = collections.namedtuple("Example", ["scores"])
            def scores(net, x):
                x = Variable(x, volatile=True)
                return Example(net(x))
            """,
            """
            import collections
            import torch
            from torch.autograd import Variable
            Example = collections.namedtuple("Example", ["scores"])
            def scores(net, x):
                x = Variable(x)
                with torch.no_grad():
                    return Example(net(x))
            """,
        ),
    },
)
