"""Some rules first, and the others later, end in the same bytes as all rules at once."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.ages import in_stages
from torchfix_codemods.rules import all_rules

CODES = [rule.code for rule in all_rules()]
HALVES = ["TP204", *CODES[::2]], ["TP204", *CODES[1::2]]

_SUMMED = """
    import torch
    import torch.nn as nn
    from torch.autograd import Variable

    criterion = nn.CrossEntropyLoss()
    net = nn.Linear(3, 2)


    def evaluate(batches):
        total = 0
        for x, y in batches:
            x, y = Variable(x, volatile=True), Variable(y)
            output = net(x)
            total += len(x) * criterion(output, y).data
        return total[0] / len(batches)


    print(evaluate([]))
"""

_REPACKAGED = """
    import torch
    from torch.autograd import Variable


    def repackage_hidden(h):
        if type(h) == Variable:
            return Variable(h.data)
        return tuple(repackage_hidden(v) for v in h)
"""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param(_SUMMED, "return total.item() /", id="a sum that loses its .data"),
        pytest.param(_REPACKAGED, "return h.detach()", id="a .data that loses its wrapper"),
    ],
)
def test_halves_end_in_the_same_bytes(text: str, written: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.py").write_text(dedent(text).lstrip("\n"))
    (_, last), one = in_stages(folder, [(), ()])
    assert written in one["main.py"].decode()
    for order in (HALVES, HALVES[::-1]):
        (*_, left), files = in_stages(folder, [*order, ()])
        assert files == one
        assert left == last
