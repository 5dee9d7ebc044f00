"""Linear algebra, which moved to `torch.linalg`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Name

ROWS = (
    Name("torch.ger", "torch.outer", since="1.7", method=True),
    Call(
        "torch.symeig(input, eigenvectors=False, upper=True)",
        (
            Form("torch.linalg.eigh(input, UPLO='U')", {"eigenvectors": True, "upper": True}),
            Form("torch.linalg.eigh(input)", {"eigenvectors": True, "upper": False}),
            Form(
                "torch.linalg.eigvalsh(input, UPLO='U')",
                {"eigenvectors": False, "upper": True},
                part="eigenvalues",
            ),
            Form(
                "torch.linalg.eigvalsh(input)",
                {"eigenvectors": False, "upper": False},
                part="eigenvalues",
            ),
        ),
        parts=("eigenvalues", "eigenvectors"),
        method=True,
        since="1.8",
        gone="2.0",
    ),
    Call(
        "torch.solve(input, A)",
        (Form("torch.linalg.solve(A, input)", part="solution"),),
        parts=("solution", "LU"),
        method=True,
        since="1.8",
        gone="1.13",
    ),
    Call(
        "torch.chain_matmul(*matrices)",
        (Form("torch.linalg.multi_dot([*matrices])"),),
        since="1.9",
        tor="TOR101",
    ),
)
