"""Names that are gone, given back where today's torch, numpy or Python lacks them."""

from __future__ import annotations

import collections
import collections.abc
import importlib
import itertools
import math
import sys
import types
import warnings
from typing import Any

import torch
from torch.nn import functional, init
from torch.nn.utils import clip_grad

from ..patching import give_back

INIT = (
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform "
    "xavier_normal xavier_uniform"
).split()
NUMPY = {
    "bool": bool,
    "complex": complex,
    "float": float,
    "int": int,
    "long": int,
    "object": object,
    "str": str,
    "unicode": str,
    "Inf": math.inf,
    "Infinity": math.inf,
    "NINF": -math.inf,
    "PINF": math.inf,
    "infty": math.inf,
    "NaN": math.nan,
    "NAN": math.nan,
}
NUMPY_RENAMED = {
    "alltrue": "all",
    "cumproduct": "cumprod",
    "complex_": "complex128",
    "float_": "float64",
    "in1d": "isin",
    "product": "prod",
    "row_stack": "vstack",
    "sometrue": "any",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "unicode_": "str_",
}


def install() -> None:
    """Renamed functions, private helpers old code imports, and aliases of other libraries.

    `nn.init.xavier_uniform` and `clip_grad_norm` were renamed in torch 0.4 (the old names still
    warn), `F.upsample` in 0.4.1, `torch._six` went in 1.13, `torch._utils._accumulate` in 2.3,
    `zero_gradients` in 1.9; `collections.Iterable` in Python 3.10; `np.float` in NumPy 1.24 and
    `np.Inf` in 2.0 (each library's release notes).
    """
    for name in INIT:
        give_back(init, name, getattr(init, name + "_", None))
    give_back(torch.nn.utils, "clip_grad_norm", clip_grad.clip_grad_norm_)
    give_back(clip_grad, "clip_grad_norm", clip_grad.clip_grad_norm_)
    for name in ("sigmoid", "tanh"):
        give_back(functional, name, getattr(torch, name))
    give_back(functional, "upsample", functional.interpolate)
    give_back(functional, "upsample_nearest", _nearest)
    give_back(functional, "upsample_bilinear", _bilinear)
    give_back(torch._utils, "_accumulate", itertools.accumulate)
    give_back(
        importlib.import_module("torch.autograd.gradcheck"), "zero_gradients", _zero_gradients
    )
    give_back(torch.autograd.function, "traceable", lambda function: function)
    give_back(torch.nn.modules.loss, "_assert_no_grad", _assert_no_grad)
    _six()
    for name in collections.abc.__all__:
        if name not in vars(collections):
            setattr(collections, name, getattr(collections.abc, name))
    _numpy()


def _nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    return functional.interpolate(input, size, scale_factor, mode="nearest")


def _bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    return functional.interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _zero_gradients(x: Any) -> None:
    if isinstance(x, torch.Tensor):
        if x.grad is not None:
            x.grad.detach_()
            x.grad.zero_()
    elif isinstance(x, collections.abc.Iterable):
        for part in x:
            _zero_gradients(part)


def _assert_no_grad(tensor: torch.Tensor) -> None:
    assert not tensor.requires_grad, (
        "nn criterions don't compute the gradient w.r.t. targets - please "
        "mark these tensors as not requiring gradients"
    )


def _six() -> None:
    try:
        importlib.import_module("torch._six")
    except ImportError:
        six: Any = types.ModuleType("torch._six")
        six.PY2, six.PY3, six.PY37 = False, True, True
        six.container_abcs = collections.abc
        six.int_classes = int
        six.string_classes = (str, bytes)
        six.inf, six.nan = math.inf, math.nan
        six.FileNotFoundError = FileNotFoundError
        six.queue = importlib.import_module("queue")
        six.builtins = importlib.import_module("builtins")
        sys.modules["torch._six"] = six
        torch._six = six  # type: ignore[attr-defined]


def _numpy() -> None:
    try:
        import numpy
    except ImportError:
        return
    found: dict[str, Any] = dict(NUMPY)
    found.update(
        (old, getattr(numpy, new)) for old, new in NUMPY_RENAMED.items() if hasattr(numpy, new)
    )
    found["asscalar"] = lambda array: array.item()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, value in found.items():
            give_back(numpy, name, value)
