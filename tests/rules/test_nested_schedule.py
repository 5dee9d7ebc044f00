from __future__ import annotations

import pytest

from tests.support.rules import advice

_TEXT = """
    import torch
    from torch.optim import lr_scheduler
    from torch.optim.lr_scheduler import {base}

    class Warmup({base}):
        def __init__(self, optimizer, after=None):
            self.after = after
            super().__init__(optimizer)

        def {method}(self):
            if self.last_epoch > self.total_epoch:
                return {rates}
            return self.base_lrs

    class Own({base}):
        def get_lr(self):
            return [0.5 ** self.last_epoch * rate for rate in self.base_lrs]

    after = {after}
    schedule = Warmup(optimizer, after)
    """
_COSINE = "lr_scheduler.CosineAnnealingLR(optimizer, 10)"


@pytest.mark.parametrize("base", ["LRScheduler", "_LRScheduler"])
@pytest.mark.parametrize("after", [_COSINE, "lr_scheduler.ExponentialLR(optimizer, 0.9)"])
def test_another_scheduler_is_asked(base: str, after: str) -> None:
    text = _TEXT.format(base=base, method="get_lr", rates="self.after.get_lr()", after=after)
    (found,) = advice("TP610", text)
    assert found.line == 12 and found.message.endswith("write self.after.base_lrs")
    name = after.partition("(")[0].removeprefix("lr_scheduler.")
    assert f"of {name} (line 19)" in found.message


@pytest.mark.parametrize(
    ("base", "method", "rates", "after"),
    [
        ("LRScheduler", "get_lr", "super().get_lr()", _COSINE),
        ("LRScheduler", "get_lr", "self.after.base_lrs", _COSINE),
        ("LRScheduler", "get_lr", "self.after.get_last_lr()", _COSINE),
        ("LRScheduler", "rates", "self.after.get_lr()", _COSINE),
        ("Schedule", "get_lr", "self.after.get_lr()", _COSINE),
        ("LRScheduler", "get_lr", "self.after.get_lr()", "lr_scheduler.StepLR(optimizer, 3)"),
        ("LRScheduler", "get_lr", "self.after.get_lr()", "Own(optimizer)"),
        ("LRScheduler", "get_lr", "self.after.get_lr()", "SCHEDULERS[name](optimizer)"),
        ("LRScheduler", "get_lr", "self.other.get_lr()", _COSINE),
    ],
)
def test_nothing_is_said(base: str, method: str, rates: str, after: str) -> None:
    text = _TEXT.format(base=base, method=method, rates=rates, after=after)
    assert advice("TP610", text) == []
