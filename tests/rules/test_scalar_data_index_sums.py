"""``total[0]`` of sums that were no Variables, in files for torch 0.3."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.facts.era import Era
from torchfix_codemods.migrate import Options

_HEAD = """
            import torch
            import torch.nn as nn
            from torch.autograd import Variable
            fixed = Variable(torch.ones(2), volatile=True)
            criterion = nn.CrossEntropyLoss()
            def evaluate(batches, model):
                total = 0
"""

_CALLED = """
            keep(evaluate(batches, model))
            """

_SUMS = {
    "of data": """
                for x, y in batches:
                    total += len(x) * criterion(model(x), y).data
                return total[0] / len(batches)
            """,
    "of a name that holds data": """
                for x, y in batches:
                    loss = criterion(model(x), y).data
                    total += loss * len(x)
                return total[0]
            """,
}

test_rewrites = rewrites(
    "TP103",
    {
        name: (_HEAD + text + _CALLED, (_HEAD + text).replace("total[0]", "total.item()") + _CALLED)
        for name, text in _SUMS.items()
    },
)

_GRAPHS = {
    "of Variables": """
                for x, y in batches:
                    total += criterion(model(x), y)
                return total[0]
            """,
    "of Variables at first": """
                total = criterion(model(batches), batches)
                return total[0]
            """,
    "of what was a number at once": """
                total = torch.ones(3).sum()
                return total[0]
            """,
    "of Variables in a branch": """
                if f:
                    total = criterion(model(batches), batches)
                for x, y in batches:
                    total += criterion(model(x), y).data
                return total[0]
            """,
    "of Variables that are renamed": """
                for x, y in batches:
                    loss = criterion(model(x), y)
                    total += loss
                return total[0]
            """,
}

test_keeps = keeps("TP103", {name: _HEAD + text + _CALLED for name, text in _GRAPHS.items()})


@pytest.mark.parametrize("text", _GRAPHS.values(), ids=_GRAPHS)
def test_where_the_graph_may_be_wanted_it_is_told(text: str) -> None:
    assert len(advice("TP103", _HEAD + text + _CALLED)) == 1


def test_in_a_file_for_torch_0_4_it_may_be_wanted_as_it_is() -> None:
    text = textwrap.dedent(_HEAD + _SUMS["of data"] + _CALLED).replace(", volatile=True", "")
    assert migrate(text, "TP103", options=Options(era=Era((0, 4), (0, 4)))).text == text
