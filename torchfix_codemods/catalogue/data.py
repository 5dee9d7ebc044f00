"""Data sets and loaders."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given

ROWS = (
    Call(
        "torch.utils.data.TensorDataset(data_tensor, target_tensor)",
        (
            Form(
                "torch.utils.data.TensorDataset(data_tensor, target_tensor)",
                {"target_tensor": Given.NAMED},
            ),
        ),
        rule="TP902",
        gone="0.4",
    ),
)
