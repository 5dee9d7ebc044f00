"""Schedulers of the learning rate."""

from __future__ import annotations

import functools

from torchfix_codemods.catalogue.rows import Arguments, Name
from torchfix_codemods.finding import Numerics

_HOME = "torch.optim.lr_scheduler"
#: What each scheduler took by position before ``verbose``.
_SCHEDULERS = {
    "LambdaLR": "optimizer lr_lambda last_epoch",
    "MultiplicativeLR": "optimizer lr_lambda last_epoch",
    "StepLR": "optimizer step_size gamma last_epoch",
    "MultiStepLR": "optimizer milestones gamma last_epoch",
    "ConstantLR": "optimizer factor total_iters last_epoch",
    "LinearLR": "optimizer start_factor end_factor total_iters last_epoch",
    "ExponentialLR": "optimizer gamma last_epoch",
    "SequentialLR": "optimizer schedulers milestones last_epoch",
    "PolynomialLR": "optimizer total_iters power last_epoch",
    "CosineAnnealingLR": "optimizer T_max eta_min last_epoch",
    "CosineAnnealingWarmRestarts": "optimizer T_0 T_mult eta_min last_epoch",
    "_LRScheduler LRScheduler": "optimizer last_epoch",
}
_PLATEAU = (f"{_HOME}.ReduceLROnPlateau",)
_ON_PLATEAU = "optimizer mode factor patience verbose threshold threshold_mode cooldown min_lr eps"
_SILENT = (
    "what verbose=True printed is gone with it, and print(scheduler.get_last_lr()) shows the rates"
)
_place_of_verbose = functools.partial(
    Arguments,
    _PLATEAU,
    parameters=tuple(_ON_PLATEAU.split()),
    keywords_from=5,
    drops=("verbose",),
    flag_at=4,
    lost=_SILENT,
    rule="TP906",
)

ROWS = (
    *(
        Arguments(
            tuple(f"{_HOME}.{name}" for name in names.split()),
            parameters=(*takes.split(), "verbose"),
            drops=("verbose",),
            bases=True,
            lost=_SILENT,
            gone="2.7",
        )
        for names, takes in _SCHEDULERS.items()
    ),
    *(
        Arguments((f"{_HOME}.{name}",), drops=("verbose",), lost=_SILENT, gone="2.7")
        for name in ("CyclicLR", "OneCycleLR", "ReduceLROnPlateau")
    ),
    _place_of_verbose(before="1.7"),
    _place_of_verbose(
        advice="a flag in the fifth place is the threshold since torch 1.7, where it was verbose"
        " before; if verbose was meant, leave it out and name what follows (threshold=, …)",
    ),
    # torch's own schedulers are none of the old name any more.
    Name(
        f"{_HOME}._LRScheduler",
        f"{_HOME}.LRScheduler",
        since="2.0",
        asked=Numerics.PINNED,
        wider_by=_PLATEAU[0],
    ),
)
