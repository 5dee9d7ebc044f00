"""Distributions, which did not check their arguments before torch 1.8."""

from __future__ import annotations

import torch

from .version import TORCH


def install() -> None:
    """`Bernoulli(p).log_prob(0.3)` and the like give a number again.

    The 1.8.0 release notes turned `validate_args` on ("torch.distributions: enabled validation
    by default"); an explicit `validate_args=True` still checks.
    """
    if TORCH >= (1, 8):
        torch.distributions.Distribution.set_default_validate_args(False)
