"""What torch.legacy held of Lua Torch, and what torch has for it today.

Source: torch/legacy/nn and torch/legacy/optim of torch 0.4.1, torch/nn/modules and torch/optim.
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

#: The class for each function that took one step; ``cg`` has none.
OPTIMIZERS = {
    "adadelta": "Adadelta",
    "adagrad": "Adagrad",
    "adam": "Adam",
    "adamax": "Adamax",
    "asgd": "ASGD",
    "lbfgs": "LBFGS",
    "nag": "SGD with nesterov=True",
    "rmsprop": "RMSprop",
    "rprop": "Rprop",
    "sgd": "SGD",
}
