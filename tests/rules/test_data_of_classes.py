"""The classes that NLLLoss is given are whole numbers: there is nothing to detach."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.criterion = nn.{loss}()
    def loss_of(self, scores: torch.Tensor, inputs: torch.Tensor, flag):
        target = inputs[1:].view(-1)
        {given}
        return loss, {read}
"""


@pytest.mark.parametrize(
    ("loss", "given", "read", "after"),
    [
        (
            "NLLLoss",
            "loss = self.criterion(scores, target)",
            "target.data.clone()",
            "target.clone()",
        ),
        ("MSELoss", "loss = F.nll_loss(scores, target)", "target.data.clone()", "target.clone()"),
        (
            "MSELoss",
            "loss = self.criterion(scores, target)",
            "target.data.clone()",
            "target.detach().clone()",
        ),
        (
            "NLLLoss",
            "loss = self.criterion(scores, target)",
            "scores.data.clone()",
            "scores.detach().clone()",
        ),
        # Probabilities may be such a target.
        (
            "CrossEntropyLoss",
            "loss = self.criterion(scores, target)",
            "target.data.clone()",
            "target.detach().clone()",
        ),
        (
            "NLLLoss",
            "loss = self.criterion(scores, target) if flag else 0",
            "target.data.clone()",
            "target.detach().clone()",
        ),
        (
            "NLLLoss",
            "loss = self.criterion(scores, target); target = scores.exp()",
            "target.data.clone()",
            "target.detach().clone()",
        ),
    ],
)
def test_only_what_has_a_graph_is_detached(loss: str, given: str, read: str, after: str) -> None:
    text = _TEXT.format(loss=loss, given=given, read=read)
    changed = migrate(text, "TP104").text
    assert changed == _TEXT.format(loss=loss, given=given, read=after)
    assert migrate(changed, "TP104").text == changed
