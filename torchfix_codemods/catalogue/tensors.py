"""Functions of torch that take their arguments in another way."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form

ROWS = (
    # The name of torch.tensor in previews of 0.4.
    Call(
        "torch.autograd.variable(data, dtype=..., device=..., requires_grad=...)",
        (Form("torch.tensor(...)"),),
        since="0.4",
        gone="1.12",
        source="https://github.com/pytorch/pytorch/pull/5419",
    ),
    Arguments(
        ("torch.autograd.gradcheck", "torch.autograd.gradcheck.gradcheck"),
        parameters=("func", "inputs", "eps", "atol", "rtol", "raise_exception"),
        keywords_from=2,
        rule="TP905",
        gone="1.10",
    ),
)
