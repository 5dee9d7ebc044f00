"""The device that a move is told to go to: it has a value there, and is the one that is meant."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings


def _told(body: str, above: str = "") -> list[str]:
    text = f"import torch\nfrom data import load\n{above}\n{textwrap.dedent(body)}"
    return [finding.message for finding in advice("TP201", text)]


_VALID = """
def valid(args, net):
    {0}
    x = load()
    x.cuda()
    {1}
    {2}
    for y in load():
        if use_cuda:
            y = y.cuda()
        net(y)
"""
_SET = "use_cuda = args.gpu > 0"
_BY_FLAG = 'write x.to(device), with device = torch.device("cuda" if use_cuda else "cpu")'


@pytest.mark.parametrize(
    ("places", "proposed"),
    [
        ((_SET, "", ""), _BY_FLAG),
        (("", _SET, ""), None),
        (("if args.gpu: use_cuda = True", "", "use_cuda = args.gpu"), None),
        (("use_cuda = True", "", ""), None),
        (("use_cuda = 1", "", "use_cuda = True"), None),
        (("use_cuda = False", "", ""), None),
        (("use_cuda = True", "", _SET), _BY_FLAG),
    ],
    ids=["above", "below", "above on one way", "on", "on twice", "off", "on and then set"],
)
def test_the_flag_of_a_function_is_named_where_it_has_a_value(
    places: tuple[str, str, str], proposed: str | None
) -> None:
    said = _told(_VALID.format(*places))
    named = [message for message in said if "use_cuda" in message]
    # What is left on asks nothing, and what is off keeps the line from running that asks for it.
    is_constant = any(f"use_cuda = {each}" in places for each in ("True", "False", "1"))
    told = ".cuda() needs a GPU, though line 12 asks whether to use one: move it only then" in said
    assert told is (proposed is None and not is_constant)
    assert named == ([] if proposed is None else [f".cuda() needs a GPU: {proposed}"])


def test_a_flag_that_is_a_parameter_always_has_a_value() -> None:
    body = _VALID.format("", "", "").replace("(args, net)", "(args, net, use_cuda=True)")
    assert f".cuda() needs a GPU: {_BY_FLAG}" in _told(body)


_GRID = """
def boxes(output, thresh):
    if thresh:
        output = output.unsqueeze(0)
    output = output.view(3, -1)
    grid = torch.linspace(0, 4, 5).repeat(2, 1){0}
    {1}
    print(load().cuda(1))
    return xs
"""


@pytest.mark.parametrize(
    "use",
    [
        "xs = torch.sigmoid(output[0]) + grid",
        "xs = grid * output[1].exp()",
        "xs = [output[0] + grid, output[1] + grid]",
    ],
)
def test_a_new_tensor_follows_what_it_is_calculated_with(use: str) -> None:
    assert ".cuda() needs a GPU: write torch.linspace(0, 4, 5).repeat(2, 1).to(output.device)" in (
        _told(_GRID.format(".cuda()", use))
    )


@pytest.mark.parametrize(
    ("use", "moved"),
    [
        ("xs = thresh + grid", ".cuda()"),
        ("xs = net(grid)", ".cuda()"),
        ("xs = [output + grid, net(grid)]", ".cuda()"),
        ("xs = [output + grid, load().float() + grid]", ".cuda()"),
        ("output = output.cpu()\n    xs = output + grid", ".cuda()"),
        ("xs = output + grid", ".cuda().float()"),
        ("y = torch.zeros(5)\n    xs = y + grid", ".cuda()"),
    ],
    ids=[
        "a number",
        "given to a call",
        "given to a call as well",
        "two partners",
        "the partner moves",
        "not what is moved",
        "a partner that is made below",
    ],
)
def test_what_else_it_is_used_for_may_be_elsewhere(use: str, moved: str) -> None:
    said = _told(_GRID.format(moved, use))
    assert said and not any("output.device" in message for message in said)


def test_a_partner_without_dimensions_may_stay_on_the_cpu() -> None:
    body = """
    def scaled(factor, other):
        scale = torch.tensor(2.0)
        grid = torch.ones(3).cuda()
        print(load().cuda(1))
        return scale * grid
    """
    said = _told(body)
    assert said and not any("scale.device" in message for message in said)


_OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--use-cuda", action="{action}", default={default})
args = parser.parse_args()
net = load()
if args.use_cuda:
    net.cuda(1)
x = load()
x = x.cuda()
if args.use_cuda:
    y = load().cuda()
"""


@pytest.mark.parametrize(
    ("action", "default", "is_named"),
    [
        ("store_true", True, False),
        ("store_false", False, False),
        ("store_true", False, True),
        ("store_false", True, True),
    ],
)
def test_an_option_that_nobody_can_change_is_not_named(
    action: str, default: bool, is_named: bool
) -> None:
    body = _OPTION.format(action=action, default=default).replace("    net.cuda(1)", "    pass")
    assert any("args.use_cuda" in said for said in _told(body)) is is_named


_IMPORTS = "import sys\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_LOSS = """
    criterion = nn.CrossEntropyLoss() if sys.argv else nn.NLLLoss()
    def compared(output, target, fold, masks):
        {0}
        print(load().cuda(1))
"""


@pytest.mark.parametrize(
    ("loss", "moved"),
    [
        ("criterion(output, target.cuda())", "target"),
        ("F.mse_loss(output.view(-1), target.cuda())", "target"),
        ("nn.MSELoss()(output[0], target[0].cuda())", "target[0]"),
    ],
)
def test_what_a_loss_gets_lies_beside_the_other(loss: str, moved: str) -> None:
    code = _LOSS.format(f"output.size(0)\n        {loss}")
    assert f".cuda() needs a GPU: write {moved}.to(output.device)" in _told(code, _IMPORTS)


@pytest.mark.parametrize(
    "loss",
    [
        "fold(output, target.cuda())",
        "criterion(output.cuda(), target.cuda())",
        "criterion(output.cuda()[0], target.cuda())",
        "criterion(masks.made(), target.cuda())",
        "criterion(fold(output), target.cuda())",
        "criterion(output, target.cuda(), *masks)",
        "criterion(output, target.cuda().long())",
    ],
)
def test_what_lies_elsewhere_beside_a_loss_names_no_device(loss: str) -> None:
    said = _told(_LOSS.format(loss), _IMPORTS)
    assert said and not any(".device" in message for message in said)


_HANDED = """import torch
from config import opt
from data import load
def main(net):
    if opt.use_gpu:
        net = net.cuda()
    train(net, opt)
def train(net, opt):
    for x in load():
        x = x.cuda(non_blocking=True)
        net(x)
"""


@pytest.mark.parametrize(
    ("old", "new", "is_named"),
    [
        ("", "", True),
        ("main(net):", "main(net, opt):", True),
        ("train(net, opt)\n", "train(net, opt=opt)\n", True),
        ("    train(net, opt)\n", "", False),
        ("train(net, opt)\n", "train(net, net.opt)\n", False),
        ("train(net, opt)\n", "train(net, options)\n", False),
        ("    for x", "    opt = load()\n    for x", False),
        ("    if opt", "    opt = load()\n    opt = net(opt)\n    if opt", False),
        ("def train", "def other(opt):\n    train(0, opt)\ndef train", False),
    ],
)
def test_what_asks_in_the_caller_is_asked_in_what_is_handed_the_same(
    tmp_path: Path, old: str, new: str, is_named: bool
) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "train.py"
    file.write_text(_HANDED.replace(old, new, 1) if old else _HANDED)
    result = migrate_file(file, Settings(select=("TP201",)), write=False)
    said = [each.message for each in result.findings]
    device = 'device = torch.device("cuda" if opt.use_gpu else "cpu")'
    proposed = f".cuda() needs a GPU: write x.to(device, non_blocking=True), with {device}"
    assert (proposed in said) == is_named


_TWO_CLASSES = """
class Net:
    def __init__(self, w):
        self.w = {made}
class Trainer:
    def __init__(self, args, net):
        self.gpu_mode = args.gpu_mode
    def train(self, net):
        if self.gpu_mode:
            net.cuda()
        x = load()
        net({used})
    def show(self, net):
        net(load().cuda(0))
"""


@pytest.mark.parametrize(
    ("made", "used", "said"),
    [
        (
            "w.cuda()",
            "x.cuda()",
            ': write x.to(device), with device = torch.device("cuda" if self.gpu_mode else "cpu")',
        ),
        ("w.cuda()", "x", None),
        ("w", "x", None),
    ],
)
def test_what_sees_the_flag_is_told_of_without_what_does_not(
    made: str, used: str, said: str | None
) -> None:
    text = _TWO_CLASSES.format(made=made, used=used).replace("load().cuda(0)", "x")
    assert _told(text) == ([] if said is None else [f".cuda() needs a GPU{said}"])


def test_what_names_its_gpu_goes_to_no_other_device() -> None:
    (said,) = _told(_TWO_CLASSES.format(made="w.cuda()", used="x.cuda()"))
    assert "write" not in said
