from __future__ import annotations

import pytest

from tests.support.rules import advice

_TEXT = """
    import torch
    from torch.optim import lr_scheduler
    from torch.optim.lr_scheduler import {base}

    class Warmup({base}):
        def {method}(self):
            if self.last_epoch > self.total_epoch:
                return {rates}
            return self.base_lrs
    """


@pytest.mark.parametrize("base", ["LRScheduler", "_LRScheduler"])
def test_another_scheduler_is_asked(base: str) -> None:
    text = _TEXT.format(base=base, method="get_lr", rates="self.after_scheduler.get_lr()")
    (found,) = advice("TP610", text)
    assert found.line == 8 and "base_lrs" in found.message


@pytest.mark.parametrize(
    ("base", "method", "rates"),
    [
        ("LRScheduler", "get_lr", "super().get_lr()"),
        ("LRScheduler", "get_lr", "self.after_scheduler.base_lrs"),
        ("LRScheduler", "get_lr", "self.after_scheduler.get_last_lr()"),
        ("LRScheduler", "rates", "self.after_scheduler.get_lr()"),
        ("Schedule", "get_lr", "self.after_scheduler.get_lr()"),
    ],
)
def test_nothing_is_said(base: str, method: str, rates: str) -> None:
    assert advice("TP610", _TEXT.format(base=base, method=method, rates=rates)) == []
