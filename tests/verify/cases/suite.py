"""A package under pytest."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "reduction for size_average": ("size_average=False", "reduction='sum'"),
    "no Variable": ("    x = Variable(x)\n", ""),
    "reshape": ("x.view(-1, 2)", "x.reshape(-1, 2)"),
}

WRONG: Wrong = {
    "mean for sum": ("size_average=False", "reduction='mean'", BROKEN, "test"),
    "last dim of a 3-D softmax": (
        "return F.softmax(scores)",
        "return F.softmax(scores, dim=-1)",
        DIFFERENT,
        None,
    ),
    "dim 0": ("return F.softmax(scores)", "return F.softmax(scores, dim=0)", BROKEN, "test"),
    "wrong shape": ("x.view(-1, 2)", "x.view(2, -1)", BROKEN, "test"),
}
