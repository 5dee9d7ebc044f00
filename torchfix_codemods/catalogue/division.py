"""Division of whole numbers, which cut towards zero until torch 1.12."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form

ROWS = (
    Call(
        "torch.floor_divide(input, other)",
        (Form("torch.div(..., rounding_mode='trunc')"),),
        method=True,
        rule="TP906",
        since="1.8",
        before="1.13",
    ),
)
