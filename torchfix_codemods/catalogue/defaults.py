"""Defaults that torch changed without a word: what they were is written down."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given

ROWS = (
    Call(
        "torch.full(size, fill_value, *, dtype=..., device=..., requires_grad=...)",
        (
            *(
                Form(
                    "torch.full(..., fill_value=float(fill_value))",
                    {"fill_value": value, "dtype": Given.NO},
                )
                for value in (Given.INTEGER, True, False)
            ),
        ),
        rule="TP906",
        before="1.5",
        unless_converted=True,
    ),
    Call(
        "torch.arange(start, end=..., step=..., *, out=..., dtype=..., device=...,"
        " requires_grad=...)",
        (Form("torch.arange(..., dtype=torch.float)", {"dtype": Given.NO, "out": Given.NO}),),
        rule="TP906",
        before="0.4.1",
        dtype_only=True,
    ),
)
