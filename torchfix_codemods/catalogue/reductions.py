"""Reductions, which kept the dimension that they take away until torch 0.1."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given

_TAKES = {
    "input, dim": ("sum", "mean", "prod", "std", "var", "max", "min", "median", "mode"),
    "input, p, dim": ("norm",),
    "input, k, dim": ("kthvalue",),
}
#: Their second argument may be another tensor.
_OF_TWO = ("max", "min")

ROWS = tuple(
    Call(
        f"torch.{name}({takes}, *, keepdim=...)",
        (
            Form(
                f"torch.{name}(..., keepdim=True)",
                {"dim": Given.INTEGER if name in _OF_TWO else Given.YES, "keepdim": Given.NO},
                method=f"input.{name}(..., keepdim=True)",
            ),
        ),
        method=True,
        rule="TP906",
        before="0.2",
        keeps=True,
    )
    for takes, names in _TAKES.items()
    for name in names
)
