"""The tensors in a value, how it moves with those of another, and what ``backward`` is of."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import torch

from .digest import Digest, digest, tensor


def gradients(output: Any, inputs: Sequence[torch.Tensor]) -> Any:
    """How the output moves with the inputs; None: there is no graph between them."""
    outputs = [o for o in tensors_of(output) if o.requires_grad and o.is_floating_point()]
    leaves = [i for i in inputs if i.requires_grad and i.is_leaf]
    if not outputs or not leaves:
        return None
    weights = [torch.linspace(0.5, 1.5, max(o.numel(), 1)).to(o) for o in outputs]
    parts = [(o.reshape(-1) * w[: o.numel()]).sum() for o, w in zip(outputs, weights)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return [digest(each) for each in found]


def tensors_of(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    """The tensors of lists, dicts, objects and modules, but for those far inside."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module):
        yield from value.parameters()
    elif depth < 4:
        items: Any = ()
        if isinstance(value, dict):
            items = value.values()
        elif isinstance(value, (list, tuple)):
            items = value
        elif hasattr(value, "__dict__") and not isinstance(value, type):
            items = vars(value).values()
        for item in items:
            yield from tensors_of(item, depth + 1)


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
