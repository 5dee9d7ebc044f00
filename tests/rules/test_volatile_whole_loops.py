"""A loop that only evaluates goes under no_grad as a whole, whatever it clears or shows."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
from torch.autograd import Variable
from tqdm import tqdm

def test(model, optimizer, batches, agent):
    losses = []
    {mode}
    for i, batch in tqdm(enumerate(batches)):
        data, target = batch
        data, target = Variable(torch.LongTensor(data), volatile=True), Variable({target})
        {between}
        output, loss = model(data, target)
        output = output.data.cpu().numpy()
        losses.append(loss.data[0])
    return losses
"""


def _migrated(
    mode: str = "model.eval()",
    between: str = "model.zero_grad()",
    target: str = "torch.FloatTensor(target)",
) -> str:
    return migrate(_TEXT.format(mode=mode, between=between, target=target)).text


_WHOLE = "    with torch.no_grad():\n        for i, batch in tqdm(enumerate(batches)):\n"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"between": "optimizer.zero_grad()"},
        {"target": "torch.from_numpy(target)"},
        {"mode": "pass", "between": "pass"},
    ],
)
def test_the_loop_goes_there_whole(more: dict[str, str]) -> None:
    after = _migrated(**more)
    assert _WHOLE in after
    assert after.count("no_grad") == 1


@pytest.mark.parametrize(
    "more",
    [
        {"mode": "pass"},
        {"between": "optimizer.zero_grad(); agent(target)"},
        {"between": "model.zero_grad(); agent.learn(target)"},
        {"target": "agent.observe(target)"},
    ],
)
def test_a_loop_that_may_train_does_not(more: dict[str, str]) -> None:
    after = _migrated(**more)
    assert "with torch.no_grad():" in after
    assert _WHOLE not in after


_IN_TURN = """import torch
from torch.autograd import Variable


def predict(net, loader):
    for x in loader:
        x = Variable(x, volatile=True)
        out = net(x)
        best = out.data.max(1)[1]
        {rest}
"""


def test_a_loop_that_gives_its_results_in_turn_stays_outside() -> None:
    text = migrate(_IN_TURN.format(rest="yield best"), "TP102").text
    assert "    for x in loader:\n        with torch.no_grad():" in text
    assert text.endswith("\n        yield best\n")


def test_a_loop_that_keeps_its_results_goes_inside() -> None:
    text = migrate(_IN_TURN.format(rest="kept.append(best)"), "TP102").text
    assert "    with torch.no_grad():\n        for x in loader:" in text
