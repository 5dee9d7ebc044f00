"""Methods of tensors that fill them, and the functions of torch.nn.init that do the same."""

from __future__ import annotations

#: In-place methods that have a twin in torch.nn.init, and its parameters after the tensor.
INITIALIZERS = {
    "uniform_": ("uniform_", ("a", "b")),
    "normal_": ("normal_", ("mean", "std")),
    "fill_": ("constant_", ("val",)),
    "zero_": ("zeros_", ()),
}

#: The functions for numbers that are mostly filled in; from torch 1.1 on.
FILLING = {0: "zeros_", 1: "ones_"}
