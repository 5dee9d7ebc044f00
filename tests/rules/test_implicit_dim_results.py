"""TP302 where the loss, the target or what is done with the result decides the dimensions."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

_LOSSES = {
    "a target of one dimension": "def loss(x, y):\n"
    "    return F.nll_loss(F.log_softmax(x), y.view(-1))\n",
    "by names": "def loss(x, y):\n    y = y.view(-1)\n    p = F.log_softmax(x)\n"
    "    return F.nll_loss(p, y)\n",
    "a target of three dimensions": "def loss(x, y, n):\n    soft = nn.LogSoftmax()\n"
    "    return nn.NLLLoss2d()(soft(x), y.view(n, 3, 4).long())\n",
    "indices for cross_entropy": "def loss(x, y):\n    y = torch.zeros(3).long()\n"
    "    p = F.softmax(x)\n    return F.cross_entropy(p, target=y)\n",
}


@pytest.mark.parametrize("code", _LOSSES.values(), ids=_LOSSES)
def test_a_loss_takes_one_dimension_more_than_its_target_has(code: str) -> None:
    text = migrate(_HEAD + code, "TP302").text
    assert text.count("dim=1") == 1
    assert migrate(text, "TP302").text == text


def test_a_row_of_what_is_likely_is_a_target_of_cross_entropy_too() -> None:
    code = f"{_HEAD}def loss(x, y):\n    return F.cross_entropy(F.log_softmax(x), y.view(-1))\n"
    assert "log_softmax(x, dim=-1)" in migrate(code, "TP302").text


@pytest.mark.parametrize(
    "loss",
    [
        "F.nll_loss(F.log_softmax(x), y)",
        "F.nll_loss(F.log_softmax(x), *y)",
        "F.nll_loss(F.log_softmax(x), y.view(y.size(0), -1))",
        "F.kl_div(F.log_softmax(x), y.view(-1))",
        "F.mse_loss(F.softmax(x), y.view(-1))",
    ],
)
def test_other_losses_and_targets_decide_nothing(loss: str) -> None:
    code = f"{_HEAD}def loss(x, y):\n    return {loss}\n"
    assert migrate(code, "TP302").text == code
