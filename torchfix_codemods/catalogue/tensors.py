"""Functions of torch that take their arguments in another way."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments

ROWS = (
    Arguments(
        ("torch.autograd.gradcheck", "torch.autograd.gradcheck.gradcheck"),
        parameters=("func", "inputs", "eps", "atol", "rtol", "raise_exception"),
        keywords_from=2,
        rule="TP905",
        gone="1.10",
    ),
)
