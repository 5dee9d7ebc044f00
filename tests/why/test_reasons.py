"""Why rules find nothing, in words: each case is code that a rule gets and leaves alone."""

from __future__ import annotations

import pytest

from torchfix_codemods.migrate import facts_of, looks
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
        ("TP401", "torch.ones(2, 3).view(-1)", ["`torch.ones(2, 3)` is a tensor with 2 dimensions"]),
        (
            "TP207",
            "x = nn.Linear(1, 1)\nx.cuda()",
            ["`x` is a torch.nn.Linear, and no tensor or PackedSequence"],
        ),
        (
            "TP403",
            "y = x.new(3)",
            ["looked for `x` of `x.new(…)`, where it is certainly a tensor: in vain "
             "(`x` is not known, so it may be no tensor)"],
        ),
        (
            "TP307",
            "F.interpolate(x, scale_factor=2, mode='bilinear')",
            ["it is not certain that the file is older than torch 0.4"],
        ),
        (
            "TP201",
            "if torch.cuda.is_available():\n    x = x.cuda()",
            ["asked whether the code around `x.cuda()` speaks of the GPU, so that it may run with "
             "one only: yes"],
        ),
        (
            "TP906",
            "try:\n    y = torch.sum(x)\nexcept AttributeError:\n    y = 0\n    y = x.sum(0)",
            [],
        ),
        ("TP306", "try:\n    from a import F\nexcept E:\n    pass\nF.tanh(x)",
         ["it is not certain what `F.tanh` is"]),
        ("TP401", "x.view()", []),
    ],
)  # fmt: skip
def test_reasons(code: str, text: str, found: list[str]) -> None:
    said = told(code, text)
    assert len(said) == len(found), said
    for reason, start in zip(said, found, strict=True):
        assert reason.startswith(start)
