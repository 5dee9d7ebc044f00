"""What was calculated under ``no_grad`` has no graph to leave behind the block either."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_PREDICT = """import torch
import torch.nn.functional as F
def predict(net, image):
    with torch.no_grad():
        parts = net(image)
        full = {made}
    {between}
    return {read}
"""


def _written(
    made: str = "F.interpolate(parts[-1], size=(3, 3))",
    between: str = "size = 3",
    read: str = "full.cpu().data.numpy()",
) -> str:
    return _PREDICT.format(made=made, between=between, read=read)


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("full.cpu().data.numpy()", "full.cpu().numpy()"),
        ("full.float().view(-1).data.numpy()", "full.float().view(-1).numpy()"),
        ("torch.sigmoid(full).data.numpy()", "torch.sigmoid(full).numpy()"),
        ("float(full[0, 0, 0, 0].data)", "float(full[0, 0, 0, 0])"),
    ],
)
def test_data_goes_behind_the_block(read: str, expected: str) -> None:
    after = migrate(_written(read=read), "TP104").text
    assert after == _written(read=expected)
    assert migrate(after, "TP104").text == after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_written(made="parts[-1]"), id="the parts of what is not known"),
        pytest.param(_written(made="parts.view(-1)"), id="a view of what is not known"),
        pytest.param(_written(between="full.requires_grad_()"), id="gradients are asked for"),
        pytest.param(_written(between="full.add_(net.scale)"), id="a graph is written into it"),
        pytest.param(_written(between="full = full * net.scale"), id="calculated with gradients"),
        pytest.param(_written(read="(full * net.scale).data.numpy()"), id="the other side"),
        pytest.param(_written().replace("no_grad", "enable_grad"), id="another block"),
    ],
)
def test_what_may_have_a_graph_keeps_its_way_out_of_it(text: str) -> None:
    after = migrate(text, "TP104").text
    assert after in (text, text.replace(".data", ".detach()"))


_NET = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4)
        self.linear = nn.Linear(4, 2)
        self.start = nn.Parameter(torch.zeros(2))
    def forward(self, x, hidden=None):
        out, hidden = self.lstm(x, hidden)
        return {returned}
"""

_SCORES = """import torch
from net import Net
net = Net()
def scores(x):
    with torch.no_grad():
        out = net(torch.FloatTensor(x)){part}
    return out.data.cpu().numpy()
"""


@pytest.mark.parametrize(
    ("returned", "part", "has_none"),
    [
        ("self.linear(out)", "", True),
        ("self.linear(out), hidden", "[0]", True),
        ("self.linear(out), self.start", "[0]", True),
        ("self.linear(out), self.start", "[1]", False),
        ("self.start", "", False),
        ("x", "", False),
    ],
)
def test_the_module_of_another_file_is_followed(
    tmp_path: Path, returned: str, part: str, has_none: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.py").write_text(_NET.format(returned=returned))
    path = tmp_path / "scores.py"
    path.write_text(_SCORES.format(part=part))
    (found,) = migrate_files([path], Settings(select=("TP104",)), write=False)
    assert ("out.cpu().numpy()" in (found.after or "")) is has_none


_FILLED = """import torch
def fill(net, x, n):
    full = {full}
    with torch.{block}():
        for i in range(n):
            full[i] = net.encode(x[i]).view(4, -1).data
    return full
"""


def test_what_is_written_into_a_part_without_gradients_is_not_detached() -> None:
    text = _FILLED.format(full="torch.zeros(n, 4, 2)", block="no_grad")
    assert migrate(text, "TP104").text == text.replace(".data", "")


@pytest.mark.parametrize(
    ("full", "block"),
    [
        # A list keeps the object, and an array refuses what requires gradients.
        ("[None] * n", "no_grad"),
        ("np.zeros((n, 4, 2))", "no_grad"),
        ("torch.zeros(n, 4, 2)", "enable_grad"),
    ],
)
def test_what_keeps_a_graph_gets_it_detached(full: str, block: str) -> None:
    text = "import numpy as np\n" + _FILLED.format(full=full, block=block)
    assert migrate(text, "TP104").text in (text, text.replace(".data", ".detach()"))


_LAYERS = """import torch
from torch import nn
import torch.nn.functional as F
class Block(nn.Module):
    def __init__(self, n, is_last):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 3)
        self.relu = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.5)
        if is_last: self.relu = None
    def forward(self, x):
        {made}
        return {returned}
block = Block(3, False)
def show(x):
    with torch.no_grad():
        y = block(x)
    print(y.data.numpy())
"""


@pytest.mark.parametrize(
    ("made", "returned"),
    [
        ("x = self.conv(x)", "self.relu(x)"),
        ("x = self.drop(self.conv(x))", "x"),
        ("y = self.conv(x)", "F.relu(y, inplace=True)"),
        ("y = self.conv(x)", "F.relu(y, True)"),
        ("y = F.relu(self.conv(x), True)", "self.drop(self.relu(y))"),
    ],
)
def test_layers_that_change_what_was_calculated_there_give_no_graph(
    made: str, returned: str
) -> None:
    after = migrate(_LAYERS.format(made=made, returned=returned), "TP104").text
    assert "print(y.numpy())" in after


@pytest.mark.parametrize(
    ("made", "returned"),
    [
        ("y = self.conv(x)", "self.relu(x)"),
        ("y = self.conv(x)", "self.drop(x)"),
        ("y = self.conv(x)", "F.relu(x, True)"),
        ("y = self.conv.weight", "self.drop(self.relu(y))"),
    ],
)
def test_layers_that_may_give_what_they_got_give_its_graph(made: str, returned: str) -> None:
    after = migrate(_LAYERS.format(made=made, returned=returned), "TP104").text
    assert "print(y.detach().numpy())" in after or "print(y.data.numpy())" in after
