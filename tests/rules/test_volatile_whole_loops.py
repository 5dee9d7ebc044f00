"""A loop that only evaluates goes under no_grad as a whole, whatever it clears or shows."""

from __future__ import annotations

import textwrap

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
    assert (
        "        x = Variable(x)\n        with torch.no_grad():\n            out = net(x)\n" in text
    )
    assert text.endswith("\n        yield best\n")


def test_a_loop_that_keeps_its_results_goes_inside() -> None:
    text = migrate(_IN_TURN.format(rest="kept.append(best)"), "TP102").text
    assert "    with torch.no_grad():\n        for x in loader:" in text


_GRID = """import numpy as np
import torch
from torch.autograd import Variable


def plot(model, size, n):
    canvas = np.empty((size * n, n))
    for i, y in enumerate(np.linspace(0, 1, n)):
        z = Variable(torch.from_numpy(np.array([[y]])), volatile=True)
        mean = model.decode(z).data.cpu().numpy().flatten()
        {kept} = mean
    return canvas
"""


@pytest.mark.parametrize("bound", ["n - i - 1", "(n - i - 1) * size", "-(n - i) * size"])
def test_where_a_part_begins_and_ends_is_calculated_without_a_graph(bound: str) -> None:
    text = migrate(_GRID.format(kept=f"canvas[{bound}:n * size]"), "TP102").text
    assert "    with torch.no_grad():\n        for i, y in" in text


@pytest.mark.parametrize(
    "beside", ["model.last = model.scale - i - 1", "model.last = [(model.scale - i) * n]"]
)
def test_what_is_calculated_beside_a_part_may_have_one(beside: str) -> None:
    text = migrate(_GRID.format(kept=f"{beside}\n        canvas[i:n]"), "TP102").text
    assert "\n        with torch.no_grad():\n            mean = model.decode(z)" in text


def test_what_else_stands_in_the_bounds_of_a_part_is_looked_at() -> None:
    text = migrate(_GRID.format(kept="canvas[model.shift(n) - i:n]"), "TP102").text
    assert "\n        with torch.no_grad():\n            mean = model.decode(z)" in text


_ROTATED = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.turns = 16
        self.trunk = nn.Conv2d(3, 3, 1)
        self.head = nn.Conv2d(3, 1, 1)

    def forward(self, x, scale):
        found = []
        for turn in range(self.turns):
            feature = self.trunk(Variable(x, volatile=True))
            angle = {angle}
            back = np.asarray([[np.cos(angle), -np.sin(angle), 0], [-np.sin(angle), 0, 0]])
            grid = F.affine_grid(torch.from_numpy(back[None]).float(), feature.data.size())
            found.append(F.grid_sample(self.head(feature), grid))
        return found
"""


@pytest.mark.parametrize(
    "angle",
    ["np.radians(turn * (360 / self.turns))", "np.deg2rad(turn)", "np.hypot(turn, 1)"],
)
def test_what_numpy_calculates_of_numbers_goes_inside(angle: str) -> None:
    text = migrate(_ROTATED.format(angle=angle), "TP102").text
    assert "        with torch.no_grad():\n            for turn in" in text


@pytest.mark.parametrize("angle", ["scale(turn)", "np.radians(scale)", "turn * scale"])
def test_what_may_have_a_graph_stays_outside(angle: str) -> None:
    text = migrate(_ROTATED.format(angle=angle), "TP102").text
    assert "        with torch.no_grad():\n            for turn in" not in text
    assert "volatile" not in text


def test_a_way_that_ends_the_program_reads_nothing_below() -> None:
    """What was made before the loop went on does not come to ``backward()`` by it."""
    text = """
        import torch
        from torch.autograd import Variable
        net, criterion = torch.nn.Linear(2, 2), torch.nn.MSELoss()
        for x, y in batches:
            if kind == "a":
                loss = criterion(net(Variable(x)), Variable(y))
            else:
                {end}
            loss.backward()
            for x, y in others:
                if kind == "a":
                    loss = criterion(net(Variable(x)), Variable(y, volatile=True))
                else:
                    {end}
                print(loss)
    """
    ended = migrate(textwrap.dedent(text).format(end="exit()"), "TP102")
    assert "volatile" not in ended.text and "with torch.no_grad():" in ended.text
    assert "volatile" in migrate(textwrap.dedent(text).format(end="print(kind)"), "TP102").text
