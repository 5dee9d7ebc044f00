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
            if len(h) > 2:
                return Variable(h.data.clone())
            return Variable(h.data)
        return tuple(repackage_hidden(v) for v in h)
"""

_GUARDED = """
    import argparse
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--use_gpu", type=int, default=1)
    parser.add_argument("--path")
    opts = parser.parse_args()
    use_gpu = opts.use_gpu == 1 and torch.cuda.is_available()
    model = torch.load(opts.path)
    if use_gpu:
        model.cuda()
    model.eval()
    x = torch.ones(3)
    if use_gpu:
        x = x.cuda()
    print(model(x))
"""

_DOCUMENTED = """
    import torch
    from torch.autograd import Variable


    def repackage_hidden(h):
        '''Wraps hidden states in new Variables, to detach them from their history.'''
        if type(h) == Variable:
            return Variable(h.data)
        return tuple(repackage_hidden(v) for v in h)


    def batch(x, evaluation=False):
        return Variable(x, volatile=evaluation)


    print(batch(torch.ones(2)), batch(torch.ones(2), evaluation=True))
"""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param(_SUMMED, "return total.item() /", id="a sum that loses its .data"),
        pytest.param(_REPACKAGED, "return h.detach()", id="a .data that loses its wrapper"),
        pytest.param(_GUARDED, "\nmodel.to(device)", id="a guard of what is not known"),
        pytest.param(_DOCUMENTED, "in new Tensors", id="a docstring of Variables"),
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
