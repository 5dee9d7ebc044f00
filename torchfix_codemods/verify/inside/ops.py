"""Every operation of torch with what it gave: only to explain where two runs part.

Views and copies into Python numbers are left out: a right rewrite has others of them. So is memory
that nobody has written to.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch

from .digest import bits
from .trace import Trace

_SILENT = frozenset(
    "view _unsafe_view reshape alias detach detach_ t transpose permute expand as_strided slice"
    " select squeeze unsqueeze _local_scalar_dense clone _to_copy lift_fresh is_same_size unbind"
    " split set_ _reshape_alias contiguous empty empty_like empty_strided new_empty resize_".split()
)


def install(trace: Trace) -> None:
    """Write a line for each operation that computes something, from now on."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            name = func.overloadpacket.__name__
            if func.namespace == "aten" and name not in _SILENT and not trace.is_busy:
                trace.note(_described(trace, name, result))
            return result

    Operations().__enter__()  # type: ignore[no-untyped-call]


def _described(trace: Trace, name: str, result: Any) -> dict[str, Any]:
    tensors = result if isinstance(result, (list, tuple)) else [result]
    crcs = [_bits(item) for item in tensors if isinstance(item, torch.Tensor)]
    return {"op": name, "at": trace.place(), "c": crcs, "before": trace.count}


def _bits(value: torch.Tensor) -> int:
    try:
        return bits(value)
    except Exception:
        return 0
