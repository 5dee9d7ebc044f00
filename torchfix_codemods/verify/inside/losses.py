"""What ``backward`` starts from, as a number: a loss, or the sum of one that was weighted."""

from __future__ import annotations

from typing import Any

import torch

from .digest import Digest, tensor


def started_from(roots: list[torch.Tensor], args: tuple[Any, ...], kwargs: Any) -> list[Digest]:
    """What is told of the tensors that ``backward`` is called for.

    ``loss.backward(-one)`` leaves the gradients of ``(-loss).sum().backward()``, so what is told
    is the same, too.

    Args:
        roots: the tensors.
        args: what ``backward`` was given behind them.
        kwargs: what it was given by name.
    """
    weights = args[0] if args else kwargs.get("grad_tensors", kwargs.get("grad_variables"))
    given = list(weights) if isinstance(weights, (list, tuple)) else [weights]
    given += [None] * (len(roots) - len(given))
    return [tensor(_total(root, weight)) for root, weight in zip(roots, given)]


def _total(root: torch.Tensor, weight: Any) -> torch.Tensor:
    plain = root.detach()
    if isinstance(weight, torch.Tensor) and weight.shape == plain.shape and not _is_sparse(weight):
        return (plain * weight.detach()).sum()
    return plain.reshape(()) if plain.numel() == 1 and not _is_sparse(plain) else plain


def _is_sparse(value: torch.Tensor) -> bool:
    return value.layout is not torch.strided
