"""Names of `torch.nn.init` and `torch.nn.utils` that got an underscore."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Name

_INIT = (
    "uniform",
    "normal",
    "constant",
    "eye",
    "dirac",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
    "sparse",
)
_CLIP = ("torch.nn.utils.clip_grad_norm", "torch.nn.utils.clip_grad.clip_grad_norm")

ROWS = (
    *(
        Name(f"torch.nn.init.{n}", f"torch.nn.init.{n}_", rule="TP701", since="0.4", warns=True)
        for n in _INIT
    ),
    *(Name(name, f"{name}_", rule="TP605", since="0.4", warns=True) for name in _CLIP),
)
