"""What functions of the installed torch take, however they are built."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import torch


def takes(name: str, keyword: str) -> bool:
    """Whether a function, class or method, given by its qualified name, has a parameter.

    Methods are ``Tensor.norm`` or ``torch.Tensor.norm``, ``Module.…`` and ``Optimizer.…``.
    """
    found = _resolved(name)
    try:
        parameters = inspect.signature(found).parameters
        # What is dispatched by its arguments does not say which it takes.
        kinds = {parameter.kind for parameter in parameters.values()}
        return keyword in parameters or inspect.Parameter.VAR_KEYWORD in kinds
    except (TypeError, ValueError):
        # What is no operator, as ``Tensor.cuda``, has its signature in its documentation.
        said = (found.__doc__ or "").strip().partition("\n")[0]
        return re.search(rf"\b{keyword}=", said) is not None or any(
            keyword in (argument.name, "out" if argument.is_out else None)
            for operator in _operators(name)
            for schema in torch._C._jit_get_schemas_for_operator(operator)
            for argument in schema.arguments
        )


def _resolved(name: str) -> Any:
    owner = name.partition(".")[0]
    roots: dict[str, Any] = {
        "Tensor": torch.Tensor,
        "Module": torch.nn.Module,
        "Optimizer": torch.optim.Optimizer,
        "Scheduler": torch.optim.lr_scheduler.LRScheduler,
    }
    if owner in roots:
        return getattr(roots[owner], name.partition(".")[2])
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"{name} is not there")


def _operators(name: str) -> list[str]:
    last = name.rpartition(".")[2]
    home = name.split(".")[-2]
    prefix = {"linalg": "linalg_", "fft": "fft_", "special": "special_"}.get(home, "")
    return [f"aten::{prefix}{last}"]
