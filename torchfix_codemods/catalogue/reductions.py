"""Reductions, which kept the dimension that they take away until torch 0.1."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM

#: What stands before the dimension where that is not the first argument.
_BEFORE = {"norm": "p, ", "kthvalue": "k, "}
#: Their second argument may be another tensor.
_OF_TWO = ("max", "min")

ROWS = tuple(
    Call(
        f"torch.{name}(input, {_BEFORE.get(name, '')}dim, *, keepdim=...)",
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
    for name in PLACE_OF_DIM
)
