from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OLD = """
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
x = Variable(y, volatile=True)
"""
_MIDDLE = """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.gesv(b, A)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'F.upsample(x, scale_factor=2, mode="bilinear")',
            'F.upsample(x, scale_factor=2, mode="bilinear", align_corners=True)',
        ),
        (
            'F.upsample(x, (2, 3), None, "linear")',
            'F.upsample(x, (2, 3), None, "linear", align_corners=True)',
        ),
        (
            'nn.Upsample(size=3, mode="trilinear")',
            'nn.Upsample(size=3, mode="trilinear", align_corners=True)',
        ),
        (
            'nn.Upsample(None, 2, "bilinear")(F.upsample(x, 3, mode="bilinear"))',
            'nn.Upsample(None, 2, "bilinear", align_corners=True)'
            '(F.upsample(x, 3, mode="bilinear", align_corners=True))',
        ),
        ("F.grid_sample(x, g)", "F.grid_sample(x, g, align_corners=True)"),
        ("F.grid_sample(input=x, grid=g)", "F.grid_sample(input=x, grid=g, align_corners=True)"),
        (
            'F.grid_sample(x, g, "bilinear", "border")',
            'F.grid_sample(x, g, "bilinear", "border", align_corners=True)',
        ),
        ("F.affine_grid(t, x.size())", "F.affine_grid(t, x.size(), align_corners=True)"),
    ],
)
def test_files_for_torch_0_3(before: str, after: str) -> None:
    assert migrate(_OLD + before + "\n", "TP307").text == _OLD + after + "\n"
    assert migrate(_OLD + after + "\n", "TP307").text == _OLD + after + "\n"


test_rewrites = rewrites(
    "TP307",
    {
        "grids in a file for 1.1, where linear modes are as today": (
            _MIDDLE + "F.grid_sample(x, F.affine_grid(t, s))\nF.upsample(x, mode='linear')\n",
            _MIDDLE
            + "F.grid_sample(x, F.affine_grid(t, s, align_corners=True), align_corners=True)\n"
            + "F.upsample(x, mode='linear')\n",
        ),
        "several lines": (
            _OLD + "F.grid_sample(\n    x,  # image\n    g,\n)\n",
            _OLD + "F.grid_sample(\n    x,  # image\n    g,\n    align_corners=True,\n)\n",
        ),
    },
)

test_keeps = keeps(
    "TP307",
    {
        "given": _OLD
        + """
F.upsample(x, scale_factor=2, mode="bilinear", align_corners=False)
nn.Upsample(None, 2, "bilinear", False)
F.grid_sample(x, g, "bilinear", "zeros", False)
F.affine_grid(t, s, False)
""",
        "no corners": _OLD
        + """
F.upsample(x, scale_factor=2)
nn.Upsample(scale_factor=2, mode="nearest")
F.upsample(x, 3, mode="area")
nn.UpsamplingBilinear2d(scale_factor=2)
F.upsample_bilinear(x, 3)
""",
        "unknown arguments": _OLD
        + """
F.upsample(*args, mode="bilinear")
F.grid_sample(x, g, **options)
""",
        "age not known": """
            import torch.nn.functional as F
            F.upsample(x, scale_factor=2, mode="bilinear")
            F.grid_sample(x, F.affine_grid(t, s))
            """,
        "file for a newer torch": """
            import torch
            import torch.nn.functional as F
            torch.set_deterministic(True)
            torch.rfft(x, 1)
            F.grid_sample(x, g)
            """,
        "code for several versions": _OLD
        + """
try:
    F.grid_sample(x, g, align_corners=True)
except TypeError:
    F.grid_sample(x, g)
if torch.__version__ < "1.3":
    F.affine_grid(t, s)
""",
        "user functions": _OLD
        + """
def grid_sample(x, g):
    return x
class Upsample(nn.Module):
    pass
grid_sample(x, g)
Upsample(scale_factor=2, mode="bilinear")
self.upsample(x, mode="bilinear")
x.interpolate(mode="bilinear")
""",
        "other library": _OLD
        + """
from cv2 import upsample
upsample(x, 3, mode="bilinear")
""",
    },
)


def test_the_torch_that_is_asked_for_counts() -> None:
    text = "import torch.nn.functional as F\nF.grid_sample(x, g)\n"
    old = Options(era=Era(newest=(1, 3)))
    assert "align_corners=True" in migrate(text, "TP307", options=old).text
    new = Options(era=Era(newest=(1, 4)))
    assert migrate(text, "TP307", options=new).text == text


def test_a_mode_that_is_a_variable_is_left_to_a_person() -> None:
    findings = advice("TP307", _OLD + "F.upsample(x, scale_factor=2, mode=mode)\n")
    assert [f.message for f in findings] == [
        "corners were aligned before torch 0.4: align_corners=True where the mode is linear"
    ]


_UNDATED = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


_CHANGED = (
    "corners were aligned {1} until torch {0}, and are not since: weights trained with aligned "
    "corners need align_corners=True"
)


def test_says_once_what_changed_in_a_file_of_unknown_age() -> None:
    text = _UNDATED + "F.upsample(x, 3, mode='bilinear')\nF.upsample(x, 3, mode='bilinear')\n"
    (found,) = advice("TP307", text)
    assert (found.line, found.message) == (4, _CHANGED.format("0.3", "here and in line 5"))
    (found, grid) = advice("TP307", f"{text}F.grid_sample(x, g)\nF.upsample(y, 2, mode='linear')\n")
    assert found.message == _CHANGED.format("0.3", "here and in lines 5 and 7")
    assert (grid.line, grid.message) == (6, _CHANGED.format("1.3", "here"))


def test_says_so_where_the_function_is_renamed_in_the_same_run() -> None:
    result = migrate(_UNDATED + "y = F.upsample(x, 3, mode='bilinear')\n", "TP306", "TP307")
    assert "F.interpolate(x, 3, mode='bilinear')" in result.text
    assert [(f.line, f.fixed) for f in result.findings if f.code == "TP307"] == [(4, False)]
    assert not advice("TP307", result.text)


@pytest.mark.parametrize(
    "line",
    [
        "F.upsample(x, 3)",
        "F.upsample(x, 3, mode='bilinear', align_corners=False)",
        "F.upsample(x, 3, mode=mode)",
        "F.interpolate(x, 3, mode='bilinear')",
        "nn.Upsample(scale_factor=2, mode='bilinear')",
        "F.upsample(x.to(torch.device('cpu')), 3, mode='bilinear')",
    ],
)
def test_says_nothing_of_what_shows_its_age_or_is_written_so_today(line: str) -> None:
    assert not advice("TP307", f"{_UNDATED}{line}\n")


_WITH_VARIABLES = f"{_UNDATED}from torch.autograd import Variable\n"


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("y = F.grid_sample(Variable(x), g)", "1.3"),
        ("g = F.affine_grid(t, x.size())", "1.3"),
        ("up = nn.Upsample(scale_factor=2, mode='bilinear')", "0.3"),
        ("y = F.grid_sample(x.to(torch.device('cpu')), g)", "1.3"),
    ],
)
def test_a_file_with_variables_may_be_as_old(line: str, version: str) -> None:
    text = f"{_WITH_VARIABLES}{line}\n"
    (finding,) = advice("TP307", text)
    assert finding.message == _CHANGED.format(version, "here")


def test_says_so_where_the_variables_go_in_the_same_run() -> None:
    line = "nn.Upsample(scale_factor=2, mode='bilinear')"
    text = f"{_UNDATED}z = torch.autograd.Variable(torch.ones(1))\n{line}(z)\n"
    result = migrate(text, "TP101", "TP307")
    assert "Variable" not in result.text
    assert [f.fixed for f in result.findings if f.code == "TP307"] == [False]
    assert not advice("TP307", result.text)


@pytest.mark.parametrize("line", ["y = F.grid_sample(x, g)", "g = F.affine_grid(t, x.size())"])
def test_a_grid_of_any_file_that_nothing_dates_may_be_as_old(line: str) -> None:
    (finding,) = advice("TP307", f"{_UNDATED}{line}\n")
    assert finding.message == _CHANGED.format("1.3", "here")
    assert not advice("TP307", f"{_UNDATED}{line}\ntorch.set_deterministic(True)\n")


@pytest.mark.parametrize(
    "line",
    [
        "y = F.grid_sample(x, g, align_corners=False)",
        "up = nn.Upsample(scale_factor=2, mode=mode)",
        "up = nn.Upsample(scale_factor=2)",
        "up = nn.Upsample(scale_factor=2, mode='bilinear').to(torch.device('cpu'))",
        "y = F.grid_sample(x, g)\ntorch.rfft(x, 1)\ntorch.set_deterministic(True)",
        "y = F.interpolate(x, 3, mode='bilinear')",
    ],
)
def test_a_file_with_variables_that_is_newer_or_says_it(line: str) -> None:
    assert not advice("TP307", f"{_WITH_VARIABLES}{line}\n")


_LAYER = "up = nn.Upsample(scale_factor=2, mode='bilinear')\n"
_OF_PROJECT = {
    "layer": f"{_WITH_VARIABLES}{_LAYER}",
    "grid": f"{_WITH_VARIABLES}y = F.grid_sample(x, g)\n",
    "function": f"{_UNDATED}y = F.upsample(x, 3, mode='bilinear')\n",
}


@pytest.mark.parametrize(
    ("kind", "train", "is_told"),
    [
        ("layer", "import model\n", True),
        ("layer", "import torch, model\nwith torch.no_grad():\n    model.up(x)\n", False),
        ("layer", "import torch, model\ntorch.nn.init.normal_(model.up.weight)\n", False),
        ("layer", "import model\nx.item()\n", True),
        ("grid", "import torch, model\nwith torch.no_grad():\n    model.y\n", True),
        ("grid", "import torch, model\nmodel.y.to(torch.bool)\n", True),
        ("grid", "import torch, model\ntorch.floor_divide(model.y, 2)\n", False),
        # Its name is older than the program, and weights may be.
        ("function", "import torch, model\nwith torch.no_grad():\n    model.y\n", True),
    ],
)
def test_a_layer_of_a_program_that_is_newer_is_not_as_old(
    tmp_path: Path, kind: str, train: str, is_told: bool
) -> None:
    (tmp_path / "model.py").write_text(_OF_PROJECT[kind])
    (tmp_path / "train.py").write_text(train)
    settings = Settings(select=("TP307",))
    found = migrate_file(tmp_path / "model.py", settings, write=False).findings
    assert bool(found) is is_told


def test_a_mode_that_may_be_another_one_is_not_said_to_have_been_linear() -> None:
    text = f"{_OLD}torch.no_grad()\n".replace(
        "import torch.nn as nn", "import torch, torch.nn as nn"
    )
    found = advice("TP307", f"{text}F.upsample(x, 3, mode=mode)\n")
    assert not any("aligned here until" in each.message for each in found)


def test_a_variable_of_the_user_shows_no_age() -> None:
    own = "from tensorflow import Variable\nv = Variable(1)\n"
    assert not advice("TP307", f"{_UNDATED}{own}nn.Upsample(scale_factor=2, mode='bilinear')\n")


_KEPT = """class Net(nn.Module):
    def __init__(self, dimension):
        if dimension == 3:
            self.mode = "trilinear"
        else:
            self.mode = "bilinear"
    def forward(self, x):
        return F.upsample(x, size=4, mode=self.mode)
"""


def test_a_mode_that_a_class_keeps_is_linear_where_all_are() -> None:
    text = _OLD + _KEPT
    asked = text.replace("mode=self.mode)", "mode=self.mode, align_corners=True)")
    assert migrate(text, "TP307").text == asked
    assert migrate(asked, "TP307").text == asked


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"bilinear"', '"nearest"'),
        ('"bilinear"', "dimension"),
        ('self.mode = "bilinear"', "self.mode, self.n = dimension"),
        ("    def forward", "    mode = 'nearest'\n    def forward"),
        ("mode=self.mode", "mode=x.mode"),
        ("def forward(self, x):", "def forward(self, x, other):\n        other.mode = x.mode"),
    ],
)
def test_another_mode_may_come_to_a_class(before: str, after: str) -> None:
    assert before in _KEPT
    text = _OLD + _KEPT.replace(before, after)
    assert migrate(text, "TP307").text == text


@pytest.mark.parametrize(
    "ran", ["nn.init.xavier_uniform_(net.weight)", "print(y.sum().item())", "y.to(args.device)"]
)
def test_what_ran_on_torch_0_4_has_no_corners_aligned(ran: str) -> None:
    net = "net = nn.Linear(2, 2)\n"
    text = f"{_UNDATED}{net}y = F.upsample(x, scale_factor=2, mode='bilinear')\n"
    assert advice("TP307", text)
    assert not advice("TP307", f"{text}{ran}\n")
    volatile = "z = torch.autograd.Variable(x, volatile=True)\n"
    assert migrate(f"{text}{volatile}", "TP307").text != f"{text}{volatile}"
    newer = f"{text}{volatile}{ran}\n"
    assert migrate(newer, "TP307").text == newer


_WARP = (
    _UNDATED
    + """
def warp(image, flow, n):
    b, c, h, w = image.size()
    x = n.arange(w)
{made}
    return {sampled}
def moved(grid, w):
    return grid.permute(0, 2, 3, 1) / (w - 1)
"""
)
_SAMPLED = "F.grid_sample(image, grid)"


@pytest.mark.parametrize(
    ("made", "sampled", "divisor"),
    [
        ("    grid = torch.stack((2 * x / (w - 1) - 1, x), 3)", _SAMPLED, "w - 1"),
        ("    grid = torch.cat([x / ((w - 1) / 2) - 1, x], 3)", _SAMPLED, "(w - 1) / 2"),
        (
            "    flow[:, 0] = 2.0 * flow[:, 0].clone() / max(w - 1, 1) - 1.0\n"
            "    grid = flow.permute(0, 2, 3, 1)",
            _SAMPLED,
            "max(w - 1, 1)",
        ),
        (
            "    theta = torch.cat([(x - w) / (image.size(3) - 1), x], 1).view(-1, 2, 3)\n"
            "    grid = F.affine_grid(theta, image.size(), align_corners=False)",
            _SAMPLED,
            "image.size(3) - 1",
        ),
        ("    grid = x / float(w - 1)", "F.grid_sample(grid=grid, input=image)", "float(w - 1)"),
        ("    grid = moved(flow, w)", _SAMPLED, "w - 1"),
    ],
)
def test_a_grid_that_is_made_for_aligned_corners(made: str, sampled: str, divisor: str) -> None:
    (found,) = advice("TP307", _WARP.format(made=made, sampled=sampled))
    begin = "corners were aligned here until torch 1.3, and are not since, but the grid is for "
    assert found.message.startswith(f"{begin}aligned ones, divided by {divisor} in line ")
    assert found.message.endswith(": write align_corners=True")


@pytest.mark.parametrize(
    ("made", "sampled"),
    [
        ("    grid = 2 * x / w - 1", _SAMPLED),
        ("    grid = (2 * x + 1) / w - 1", _SAMPLED),
        ("    grid = x / (w - 2)", _SAMPLED),
        ("    grid = x / (2 - 1)", _SAMPLED),
        ("    grid = (w - 1) / x", _SAMPLED),
        ("    image, grid = image / (w - 1), flow", _SAMPLED),
        ("    other, grid = x / (w - 1), flow", _SAMPLED),
        ("    grid = n(x / (w - 1))", _SAMPLED),
        ("    grid = flow; n.grid = x / (w - 1) > 0", _SAMPLED),
        (
            "    image = F.grid_sample(image, x / (w - 1), align_corners=True)",
            "F.grid_sample(image, flow)",
        ),
    ],
)
def test_a_grid_that_says_nothing_of_corners(made: str, sampled: str) -> None:
    (found,) = advice("TP307", _WARP.format(made=made, sampled=sampled))
    assert found.message == _CHANGED.format("1.3", "here")


def test_grids_of_both_kinds_are_told_one_by_one() -> None:
    made = "    grid = x / (w - 1)\n    more = F.grid_sample(image, grid)"
    sampled = (
        "more, F.grid_sample(image, flow), F.grid_sample(image, flow), F.grid_sample(more, grid)"
    )
    found = advice("TP307", _WARP.format(made=made, sampled=sampled))
    first, second = (one.message.partition(" until")[0] for one in found)
    assert (first, second) == (
        "corners were aligned here and in line 10",
        "corners were aligned here",
    )
