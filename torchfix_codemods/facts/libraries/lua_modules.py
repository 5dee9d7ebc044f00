"""Modules of Lua Torch, which torch.legacy.nn held, and those of torch.nn that are made alike.

Source: torch/legacy/nn of torch 0.4.1, and torch/nn/modules.
"""

from __future__ import annotations

_LEGACY = "torch.legacy.nn"

#: What takes the same arguments in the same order.
MADE_ALIKE = {
    f"{_LEGACY}.{old}": f"torch.nn.{new}"
    for old, new in (
        ("BatchNormalization", "BatchNorm1d"),
        ("Linear", "Linear"),
        ("SpatialBatchNormalization", "BatchNorm2d"),
        ("SpatialCrossMapLRN", "CrossMapLRN2d"),
        ("VolumetricBatchNormalization", "BatchNorm3d"),
    )
}
