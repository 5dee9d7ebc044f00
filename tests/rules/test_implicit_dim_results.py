"""TP302 where the loss, the target or what is done with the result decides the dimensions."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

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


_LAST = {
    "a product": "torch.matmul(p.unsqueeze(1), y)",
    "a product with a view of it": "p.view(p.size(0), 1, p.size(1)).matmul(y)",
    "an operator": "p.clone() @ y",
    "a column": "torch.matmul(y, p.unsqueeze(2))",
    "the last, counted from behind": "(p * p.log()).sum(-1)",
    "the last, counted": "torch.max(p, p.dim() - 1)",
    "the last, by a name of what counts it": "p.sum(n - 1)",
    "rows": "[p.data.cpu().numpy()[i].argmax() for i in range(k)]",
    "what draws": "Categorical(p).sample()",
    "what draws, by its name": "Categorical(probs=p).sample()",
}

_USED = """from torch.distributions import Categorical
def probs(x, y, k):
    p = F.softmax(x)
    n = p.dim()
    return {}
"""


@pytest.mark.parametrize("use", _LAST.values(), ids=_LAST)
def test_what_is_done_along_the_last_dimension_names_it(use: str) -> None:
    (told,) = advice("TP302", _HEAD + _USED.format(use))
    assert "write dim=-1, along which line 8 " in told.message


def test_a_column_that_has_a_name_is_multiplied_elsewhere() -> None:
    code = "def probs(x, y):\n    p = F.softmax(x)\n    p = p.unsqueeze(-1)\n    return y @ p\n"
    (told,) = advice("TP302", _HEAD + code)
    assert told.message.endswith("write dim=-1, along which line 7 multiplies the result")


@pytest.mark.parametrize(
    "use",
    [
        "torch.matmul(y, p.unsqueeze(1))",
        "y @ p",
        "k.bmm(p.view(p.size(0), 1, k))",
        "p.view(p.size(0), 1, k) @ y",
        "p.unsqueeze(-1) @ y",
        "torch.max(p, y.dim() - 1)",
        "torch.max(p, p.dim() - 2)",
        "torch.max(p, p.dim() + 1)",
        "(p.unsqueeze(2) * y).sum(-1)",
        "[p[i].argmax(0) for i in y]",
        "p[y].argmax()",
        "p[y:].argmax()",
        "y.Categorical(p)",
        "k(y, p)",
    ],
)
def test_what_is_done_otherwise_names_none(use: str) -> None:
    (told,) = advice("TP302", _HEAD + _USED.format(use))
    assert "along which" not in told.message


def test_a_product_by_a_function_weighs_along_the_second_dimension() -> None:
    code = (
        "def attend(x, y):\n    p = F.softmax(x)\n    w = p.unsqueeze(2).expand_as(y)\n"
        "    return torch.sum(torch.mul(y, w), 1), y.mul(w), p.mul(other=y)\n"
    )
    (told,) = advice("TP302", _HEAD + code)
    assert "write dim=1, along which line 7 takes sum() of the result" in told.message
    (told,) = advice("TP302", _HEAD + code.replace("torch.mul(y, w)", "k(y, w)"))
    assert "along which" not in told.message
