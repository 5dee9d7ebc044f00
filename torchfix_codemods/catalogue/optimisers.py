"""Optimisers, and the rates that their schedulers tell."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone
from torchfix_codemods.finding import Numerics

ROWS = (
    # Others calculate the next rate from the one in use.
    Call(
        "Scheduler.get_lr(scheduler)",
        (Form("scheduler.get_last_lr()", {"scheduler": Given.FORMULA}),),
        is_method=True,
        rule="TP906",
        since="1.4",
        warns=True,
    ),
    Call(
        "Scheduler.get_lr(scheduler)",
        (Form("scheduler.get_last_lr()"),),
        is_method=True,
        rule="TP906",
        since="1.4",
        before="1.4",
    ),
    Call(
        "Scheduler.get_lr(scheduler)",
        (),
        is_method=True,
        rule="TP906",
        advice="get_lr() may give another rate than the one in use since torch 1.4, and"
        " warns of it; write get_last_lr() for the rate in use",
    ),
    Call(
        "Scheduler.print_lr(scheduler, is_verbose, group, lr, epoch=None)",
        (),
        is_method=True,
        advice="write print(scheduler.get_last_lr())",
        gone="2.7",
    ),
    Gone("torch.optim.lr_scheduler.SAVE_STATE_WARNING", "it was the text of a warning", gone="1.8"),
    Arguments(
        ("torch.optim.swa_utils.AveragedModel",),
        parameters=("model", "device", "avg_fn", "use_buffers"),
        keywords_from=3,
        flag_at=3,
        rule="TP905",
        since="1.11",
        claim=Numerics.PINNED,
    ),
)
