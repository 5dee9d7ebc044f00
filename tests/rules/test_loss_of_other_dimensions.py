"""Losses that broadcast today what torch 0.3 compared one by one."""

from __future__ import annotations

import pytest

from tests.support.rules import advice

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    "text",
    [
        "q = torch.zeros(8, 4).gather(1, i.view(-1, 1))\nloss = F.smooth_l1_loss(q, torch.ones(8))\n",
        "loss = F.mse_loss(torch.ones(8), torch.zeros(8, 1))\n",
        "criterion = nn.MSELoss()\nloss = criterion(torch.zeros(8, 1), torch.ones(8))\n",
    ],
)
def test_a_column_and_a_vector_are_told(text: str) -> None:
    [found] = advice("TP305", _HEAD + text)
    assert "compares each with each" in found.message and "view_as(" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "loss = F.mse_loss(torch.ones(8), torch.zeros(8))\n",
        "loss = F.mse_loss(torch.ones(8, 1), torch.zeros(8, 1))\n",
        "loss = F.mse_loss(torch.ones(8, 1), x)\n",
        "loss = F.mse_loss(torch.ones(8, 3, 4), torch.zeros(3, 4))\n",
        "loss = F.mse_loss(torch.ones(8, 1), torch.zeros(8).view(-1, 1))\n",
        "loss = F.mse_loss(torch.ones(8, 1), torch.tensor(1.0))\n",
        "loss = mse_loss(torch.ones(8, 1), torch.zeros(8))\n",
    ],
)
def test_what_has_one_shape_or_none_that_is_known_is_not(text: str) -> None:
    assert not advice("TP305", _HEAD + text)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("nn.CosineEmbeddingLoss()(x, y, torch.ones(8, 1))\n", ".view(-1)"),
        ("t = torch.ones(8, 1)\nloss = F.cosine_embedding_loss(x, y, t, 0.5)\n", "t.view(-1)"),
        (
            "s, t = torch.ones(8, 1), torch.ones(8)\nF.margin_ranking_loss(s, s, target=t)\n",
            "t.view_as(s)",
        ),
        (
            "s, t = torch.ones(8), torch.ones(8, 1)\nloss = nn.MarginRankingLoss(0.1)(s, s, t)\n",
            "t.view_as(s)",
        ),
    ],
)
def test_targets_of_pairs_of_another_shape_are_told(text: str, new: str) -> None:
    [found] = advice("TP305", _HEAD + text)
    assert "one by one" in found.message and new in found.message


@pytest.mark.parametrize(
    "text",
    [
        "F.cosine_embedding_loss(x, y, torch.ones(8))\n",
        "F.cosine_embedding_loss(x, y, t)\n",
        "F.cosine_embedding_loss(*given)\n",
        "F.cosine_embedding_loss(x, y)\n",
        "cosine_embedding_loss(x, y, torch.ones(8, 1))\n",
        "F.margin_ranking_loss(torch.ones(8, 1), torch.ones(8, 1), torch.ones(8, 1))\n",
        "F.margin_ranking_loss(x, x, torch.ones(8, 1))\n",
        "F.margin_ranking_loss(torch.ones(8), torch.ones(8), torch.ones(()))\n",
    ],
)
def test_targets_of_pairs_that_fit_or_may_fit_are_not(text: str) -> None:
    assert not advice("TP305", _HEAD + text)
