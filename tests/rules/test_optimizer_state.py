from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

TEXT = """
import torch
import torch.nn as nn
import torch.optim as optim
model = nn.Linear(2, 2)
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
start_epoch = 0
if args.resume:
    checkpoint = torch.load(args.resume)
    model.load_state_dict(checkpoint["state_dict"])
    start_epoch = checkpoint["epoch"]
for epoch in range(start_epoch, args.epochs):
    train(model, optimizer, epoch)
    save_checkpoint({"epoch": epoch + 1, "state_dict": model.state_dict()}, is_best)
"""

QUIET = {
    "optimizer saved": TEXT.replace('{"epoch"', '{"optimizer": optimizer.state_dict(), "epoch"'),
    "optimizer saved whole": TEXT.replace("is_best)", "is_best, optimizer)"),
    "optimizer loaded": TEXT.replace("start_epoch = 0", "optimizer.load_state_dict(state)"),
    "state of something unknown": TEXT.replace("start_epoch = 0", "s = trainer.state_dict()"),
    "no state": TEXT.replace(", momentum=0.9", ""),
    "no momentum": TEXT.replace("momentum=0.9", "momentum=0"),
    "no model": TEXT.replace('"state_dict": model.state_dict()', '"loss": loss'),
    "no optimizer": TEXT.replace("optim.SGD(", "make("),
    "not resumed": TEXT.replace("range(start_epoch, args.epochs)", "range(args.epochs)"),
    "as many as before": TEXT.replace("range(start_epoch, args.epochs)", "range(start_epoch)"),
    "as many as there were": TEXT.replace("range(start_epoch, args.epochs)", "range(start_epoch)"),
    "epoch only shown": TEXT.replace("    start_epoch = c", "    shown = c"),
    "another key": TEXT.replace('checkpoint["epoch"]', 'checkpoint["step"]'),
    "loaded in part": TEXT.replace(
        '    model.load_state_dict(checkpoint["state_dict"])\n',
        '    own = model.state_dict()\n    saved = checkpoint["state_dict"].items()\n'
        "    own.update({k: v for k, v in checkpoint['state_dict'].items() if k in own})\n"
        "    model.load_state_dict(own)\n",
    ),
    "not strictly loaded": TEXT.replace('["state_dict"])', '["state_dict"], strict=False)'),
    "not strictly loaded, by place": TEXT.replace('["state_dict"])', '["state_dict"], False)'),
    "no dict that is saved": TEXT.replace("save_checkpoint({", "print([{").replace(
        "}, is", "}], is"
    ),
}

test_keeps = keeps("TP503", {"resumed": TEXT, **QUIET})


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert QUIET[name] != TEXT
    assert not advice("TP503", QUIET[name])


def test_advice() -> None:
    (found,) = advice("TP503", TEXT)
    assert found.line == 13
    assert found.message == (
        'training goes on from "epoch" (line 10) with a new optimizer: add "optimizer":'
        " optimizer.state_dict() here, and optimizer.load_state_dict(...) where it is loaded"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("optim.SGD(model.parameters(), lr=0.1, momentum=0.9)", "optim.Adam(model.parameters())"),
        ("momentum=0.9", "momentum=args.momentum"),
        ("lr=0.1, momentum=0.9", "0.1, 0.9"),
        ("save_checkpoint({", "torch.save({"),
        ("save_checkpoint({", "state = dict_of = ({"),
        ('= checkpoint["epoch"]', '= checkpoint["epoch"] + 1'),
        ("start_epoch", "args.start_epoch"),
        ("model.state_dict()", "nn.DataParallel(model).module.state_dict()"),
    ],
)
def test_advice_for_variants(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    if "dict_of" in new:
        text = text.replace("}, is_best)", "})")
    assert text != TEXT
    assert len(advice("TP503", text)) == 1


_MAKES = "optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)\n"
_LATER = TEXT.replace(_MAKES, "").replace("for epoch", _MAKES + "for epoch")
_ADAM = f"optimizer = optim.Adam(model.parameters())\nif args.sgd:\n    {_MAKES}"


@pytest.mark.parametrize(("text", "line"), [(_LATER, 10), (_LATER.replace(_MAKES, _ADAM), 12)])
def test_the_state_is_loaded_into_an_optimizer_that_is_there(text: str, line: int) -> None:
    (found,) = advice("TP503", text)
    assert found.message.endswith(
        f"optimizer.load_state_dict(...) below line {line}, which makes optimizer, if line 9 has run"
    )


_REPLAY = (
    _MAKES + "scheduler = optim.lr_scheduler.StepLR(optimizer, 3)\n"
    "for _ in range({}start_epoch):\n    {}\n"
)


@pytest.mark.parametrize("first", ["", "0, "])
def test_the_state_is_loaded_behind_the_steps_of_the_scheduler(first: str) -> None:
    text = _LATER.replace(_MAKES, _REPLAY.format(first, "scheduler.step()"))
    (found,) = advice("TP503", text)
    told = "below the loop of line 12, which would change its rate"
    assert found.message.endswith(f"optimizer.load_state_dict(...) {told}")


@pytest.mark.parametrize("does", ["print(model)", "scheduler.step(); train(model)", "warm.step()"])
def test_only_a_loop_of_steps_is_a_replay(does: str) -> None:
    text = _LATER.replace(_MAKES, _REPLAY.format("", does)) + "    scheduler.step()\n"
    (found,) = advice("TP503", text)
    assert "below line 10, which makes optimizer, if line 9 has run" in found.message
    assert found.message.endswith("the same for scheduler (line 11), which counts from 0 again")


def test_what_is_always_loaded_needs_no_condition() -> None:
    text = _LATER.replace("if args.resume:", "with opened:")
    assert text != _LATER
    (found,) = advice("TP503", text)
    assert found.message.endswith("below line 10, which makes optimizer")
    head, start, rest = text.partition("start_epoch = 0\n")
    (found,) = advice("TP503", f"{head}if args.train:\n{indent(start + rest, '    ')}")
    assert found.message.endswith("below line 11, which makes optimizer")


def test_checkpoints_of_one_training_are_told_once() -> None:
    saved = 'torch.save({"epoch": epoch, "state_dict": model.state_dict()}, "last.pth")\n'
    (found,) = advice("TP503", f"{_LATER}{saved}")
    line = len(_LATER.splitlines())
    assert f"optimizer.state_dict() here and in line {line}, and optimizer.load" in found.message
    # What never runs needs no state.
    (found,) = advice("TP503", f"{_LATER}if False:\n    {saved}")
    assert "optimizer.state_dict() here, and optimizer.load" in found.message
    (found,) = advice("TP503", f"def f():\n    return\n    {saved}{_LATER}")
    assert "optimizer.state_dict() here, and optimizer.load" in found.message


@pytest.mark.parametrize(
    "text",
    [
        _LATER.replace("start_epoch = 0\n", "start_epoch = 0\n" + _MAKES),
        _LATER.replace(_MAKES, "").replace("    train(", f"    {_MAKES}    train("),
        _LATER.replace(_MAKES, "def make():\n    global optimizer\n    " + _MAKES + "make()\n"),
    ],
)
def test_no_line_is_named_where_it_may_be_another(text: str) -> None:
    (found,) = advice("TP503", text)
    assert found.message.endswith("where it is loaded")


_TWO = """import torch
import torch.nn as nn
import torch.optim as optim
G, D = nn.Linear(2, 2), nn.Linear(2, 2)
start = 0
if old_g:
    G.load_state_dict(torch.load(old_g)["state"])
    start = torch.load(old_g)["epoch"]
if old_d:
    D.load_state_dict(torch.load(old_d)["state"])
    start = torch.load(old_d)["epoch"]
step_g = optim.Adam(G.parameters())
step_d = optim.Adam(D.parameters())
for epoch in range(start, 9):
    torch.save({"epoch": epoch, "state": D.state_dict()}, "d.pth")
    torch.save({"epoch": epoch, "state": G.state_dict()}, "g.pth")
"""


def test_each_model_has_its_optimizer_and_its_file() -> None:
    of_d, of_g = (found.message for found in advice("TP503", _TWO))
    assert "(line 11) with a new step_d" in of_d and "below line 13" in of_d
    assert "(line 8) with a new step_g" in of_g and "below line 12" in of_g


def test_of_optimizers_that_are_given_no_model_of_the_file_nothing_is_said() -> None:
    text = _TWO.replace("G.parameters()", "both").replace("D.parameters()", "both")
    assert not advice("TP503", text)


_ALSO_TESTS = """import torch
import torch.nn as nn
import torch.optim as optim
def run_test(args):
    model = nn.Linear(2, 2)
    checkpoint = torch.load(args.resume)
    args.start = checkpoint["epoch"]
    model.load_state_dict(checkpoint["state"])
    return model
def run_training(args):
    model = nn.Linear(2, 2)
    checkpoint = torch.load(args.resume)
    if args.restart:
        args.start = checkpoint["epoch"]
    model.load_state_dict(checkpoint["state"])
    optimizer = optim.Adam(model.parameters())
    for epoch in range(args.start, 9):
        torch.save({"epoch": epoch, "state": model.state_dict()}, "d.pth")
"""


def test_what_a_test_reads_of_a_checkpoint_is_not_where_training_goes_on() -> None:
    (found,) = advice("TP503", _ALSO_TESTS)
    assert '"epoch" (line 14) with a new optimizer' in found.message
    assert found.message.endswith("below line 16, which makes optimizer, if line 14 has run")


def test_another_function_may_read_where_training_goes_on() -> None:
    kept = _ALSO_TESTS.replace('        args.start = checkpoint["epoch"]\n', "        pass\n")
    (found,) = advice("TP503", kept)
    assert '"epoch" (line 7)' in found.message and found.message.endswith("once it is made")


_IN_CLASS = """
import torch
class Trainer:
    def __init__(self, path):
        self.model = torch.nn.Linear(2, 2)
        HELD
        state = torch.load(path)
        self.epoch = state["epoch"]
        self.model.load_state_dict(state["model"])
    def train(self):
        optimizer = torch.optim.Adam(self.model.parameters())
        for epoch in range(self.epoch, 9):
            step(self.model, optimizer)
            self.save(epoch)
            OWN
    def save(self, epochGIVEN):
        torch.save({"model": self.model.state_dict(), "epoch": epoch}, "a.pt")
"""


def _in_class(held: str = "pass", own: str = "pass", given: str = "") -> str:
    return _IN_CLASS.replace("HELD", held).replace("OWN", own).replace("GIVEN", given)


@pytest.mark.parametrize("given", ["", ", optimizer=None"])
def test_an_optimizer_of_another_function_has_to_be_handed_on(given: str) -> None:
    (found,) = advice("TP503", _in_class(given=given))
    assert found.message.endswith(
        "with a new optimizer: hand that of line 10 on, to add its state_dict() here,"
        " and optimizer.load_state_dict(...) once it is made"
    )


def test_an_optimizer_is_named_where_it_is_bound() -> None:
    text = _in_class(own='torch.save({"model": self.model.state_dict(), "epoch": 1}, "b")')
    (found,) = advice("TP503", text.rpartition("    def save")[0])
    assert 'add "optimizer": optimizer.state_dict() here, and optimizer.load' in found.message
    text = _in_class(held="self.adam = torch.optim.Adam(self.model.parameters())")
    text = text.replace("        optimizer = torch.optim.Adam(self.model.parameters())\n", "")
    (found,) = advice("TP503", text)
    assert 'add "optimizer": self.adam.state_dict() here, and self.adam.load' in found.message
    assert "hand that" not in found.message and "once" not in found.message


@pytest.mark.parametrize(
    ("made", "stepped", "is_told"),
    [
        ("StepLR(optimizer, 30)", "step()", True),
        ("MultiStepLR(optimizer, milestones=[30, 60], gamma=0.1)", "step()", True),
        ("StepLR(optimizer, 30, 0.1)", "step()", True),
        ("StepLR(optimizer, 30, 0.1, start_epoch - 1)", "step()", False),
        ("StepLR(optimizer, 30, last_epoch=start_epoch - 1)", "step()", False),
        ("StepLR(optimizer, 30)", "step(epoch)", False),
        ("StepLR(optimizer, **options)", "step()", False),
        ("StepLR(other, 30)", "step()", False),
        ("ReduceLROnPlateau(optimizer)", "step(loss)", False),
        ("StepLR(optimizer, 30)", "show()", False),
    ],
)
def test_a_scheduler_counts_from_the_start_again(made: str, stepped: str, is_told: bool) -> None:
    text = TEXT.replace(
        "start_epoch = 0\n", f"start_epoch = 0\nscheduler = optim.lr_scheduler.{made}\n"
    ).replace("    train(", f"    scheduler.{stepped}\n    train(")
    (found,) = advice("TP503", text)
    told = "; the same for scheduler (line 7), which counts from 0 again"
    assert found.message.endswith(told) == is_told
    assert ("scheduler" in found.message) == is_told


def test_a_checkpoint_that_is_changed_is_loaded_whole() -> None:
    renamed = "{k.replace('module.', ''): v for k, v in checkpoint['state_dict'].items()}"
    assert advice("TP503", TEXT.replace('checkpoint["state_dict"])', f"{renamed})"))
    assert advice("TP503", TEXT.replace('["state_dict"])', '["state_dict"], strict=True)'))


_WRAPS = "model = nn.DataParallel(model)\n"
_WRAPPED_BELOW = TEXT.replace("for epoch", f"{_WRAPS}for epoch")


def test_what_cannot_be_loaded_resumes_nothing() -> None:
    assert not advice("TP503", _WRAPPED_BELOW)
    unwrapped = TEXT.replace("start_epoch = 0", f"{_WRAPS}start_epoch = 0")
    assert not advice("TP503", unwrapped.replace("model.state_dict()", "model.module.state_dict()"))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("start_epoch = 0", f"{_WRAPS}start_epoch = 0"),
        _WRAPPED_BELOW.replace("model.state_dict()", "model.module.state_dict()"),
        _WRAPPED_BELOW.replace(_WRAPS, f"if many:\n    {_WRAPS}"),
        _WRAPPED_BELOW.replace('checkpoint["state_dict"])', "without_prefix(checkpoint))"),
        _WRAPPED_BELOW.replace("model = nn.Linear(2, 2)", "model = make()"),
        f"{_WRAPPED_BELOW}class Net(nn.Module):\n    def load_state_dict(self, s):\n        pass\n",
    ],
)
def test_what_can_be_loaded_is_told(text: str) -> None:
    assert text not in (TEXT, _WRAPPED_BELOW)
    assert len(advice("TP503", text)) == 1


@pytest.mark.parametrize(
    ("more", "count"), [("", 0), ("    def load_state_dict(self, s):\n        pass\n", 1)]
)
def test_a_model_of_another_file_that_is_wrapped_below(
    tmp_path: Path, more: str, count: int
) -> None:
    (tmp_path / ".git").mkdir()
    net = "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
    net += "        super().__init__()\n        self.fc = nn.Linear(2, 2)\n"
    (tmp_path / "net.py").write_text(net + more)
    script = tmp_path / "main.py"
    made = "from net import Net\nfrom setup import args, is_best, save_checkpoint, train\nmodel = Net()"
    script.write_text(_WRAPPED_BELOW.replace("model = nn.Linear(2, 2)", made))
    found = migrate_file(script, Settings(select=("TP503",)), write=False).findings
    assert len(found) == count
