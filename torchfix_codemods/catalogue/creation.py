"""Functions that make tensors."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Name

_OPTIONS = "out=..., dtype=..., layout=..., device=..., requires_grad=..."
_NAMED = "empty full ones rand randn randint tensor zeros"
_SPARSE = ("Float", "Double", "Half", "Long", "Int", "Short", "Char", "Byte")

ROWS = (
    Call(
        f"torch.linspace(start, end, *, steps=..., {_OPTIONS})",
        (Form("torch.linspace(..., steps=100)", {"steps": Given.NO}),),
        rule="TP905",
        gone="1.11",
    ),
    Call(
        f"torch.logspace(start, end, *, steps=..., base=..., {_OPTIONS})",
        (Form("torch.logspace(..., steps=100)", {"steps": Given.NO}),),
        rule="TP905",
        gone="1.11",
    ),
    Call(
        "torch.meshgrid(*tensors, indexing=...)",
        (Form("torch.meshgrid(..., indexing='ij')", {"indexing": Given.NO}),),
        rule="TP905",
        since="1.10",
        warns=True,
    ),
    *(
        Call(
            f"torch.sparse.{kind}Tensor(indices, values, size=...)",
            (
                Form("torch.sparse_coo_tensor(...)", {"size": Given.SHAPE}),
                Form("torch.sparse_coo_tensor(...)", {"values": Given.TENSOR}),
                Form("torch.sparse_coo_tensor(...)", {"indices": Given.TENSOR}),
            ),
            warns=True,
        )
        for kind in _SPARSE
    ),
    Arguments(
        tuple(f"torch.{name}" for name in _NAMED.split()),
        drops=("names",),
        gone="2.13",
        advice="dimensions have no names any more, so count them: dim=0 for the first",
    ),
    Name("torch.quantize_linear", "torch.quantize_per_tensor", since="1.3", gone="1.3"),
)
