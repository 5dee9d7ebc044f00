"""Defaults that torch changed without a word: what they were is written down."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given

ROWS = (
    Call(
        "torch.full(size, fill_value, *, dtype=..., device=..., requires_grad=...)",
        (
            Form(
                "torch.full(..., dtype=torch.float)",
                {"fill_value": Given.INTEGER, "dtype": Given.NO},
            ),
        ),
        rule="TP906",
        before="1.5",
    ),
)
