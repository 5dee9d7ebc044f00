"""Names of `torch.nn.functional` and of the layers that call them."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Name

_INTERPOLATE = "torch.nn.functional.interpolate"

#: What the functions that count labels took up to torch 0.4, and take in `torch.nn.functional`.
_LABELS = "(input, target, weight, size_average, ignore_index, reduce)"

ROWS = (
    Name("torch.nn.functional.sigmoid", "torch.sigmoid", rule="TP306"),
    Name("torch.nn.functional.tanh", "torch.tanh", rule="TP306"),
    Name("torch.nn.functional.upsample", _INTERPOLATE, rule="TP306", warns=True),
    Name("torch.nn.functional.upsample_nearest", _INTERPOLATE, rule="TP306", warns=True),
    Name("torch.nn.NLLLoss2d", "torch.nn.NLLLoss", rule="TP306", warns=True),
    Arguments(
        ("torch.nn.functional.kl_div", "torch.nn.KLDivLoss"),
        drops=("weight",),
        lost="torch 0.3 calculated nothing with the weight, either",
        gone="0.4",
    ),
    Arguments(
        ("torch.nn.functional.embedding",), renames={"embedding_matrix": "weight"}, gone="0.4"
    ),
    *(
        Call(
            f"torch._C._nn.{old}{_LABELS}",
            (Form(f"torch.nn.functional.nll_loss{_LABELS}"),),
            gone="0.4.1",
            still=True,
        )
        for old in ("nll_loss", "nll_loss2d")
    ),
)
