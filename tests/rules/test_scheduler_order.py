from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.rules import select
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OLD = """
            import torch
            from torch import nn, optim
            from torch.autograd import Variable
            from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
            model = nn.Linear(3, 1)
            fixed = Variable(torch.ones(2, 3), volatile=True)
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            scheduler = StepLR(optimizer, 7)
"""

_TRAINING = """
                for x in loader:
                    optimizer.zero_grad()
                    model(x).sum().backward()
                    optimizer.step()
"""


def _script(*lines: str, head: str = _OLD) -> str:
    """A script whose lines are indented as those above; ``TRAIN`` stands for a training loop."""
    text = "\n".join(" " * 12 + line for line in lines)
    return head + text.replace(" " * 16 + "TRAIN", _TRAINING.strip("\n")) + "\n"


_ALIKE = """
            def train(epoch):
                for x in loader:
                    model(x).sum().backward()
                    optimizer.step()
"""

test_rewrites = rewrites(
    "TP603",
    {
        "first line": (
            _script("for epoch in range(9):", "    scheduler.step()", "    TRAIN"),
            _script("for epoch in range(9):", "    TRAIN", "    scheduler.step()"),
        ),
        "another optimizer is made below": (
            _script(
                "for epoch in range(9):",
                "    scheduler.step()",
                "    TRAIN",
                "optimizer = optim.Adam(model.parameters())",
                "scheduler = StepLR(optimizer, 3)",
                "for epoch in range(9):",
                "    scheduler.step()",
                "    TRAIN",
            ),
            _script(
                "for epoch in range(9):",
                "    TRAIN",
                "    scheduler.step()",
                "optimizer = optim.Adam(model.parameters())",
                "scheduler = StepLR(optimizer, 3)",
                "for epoch in range(9):",
                "    TRAIN",
                "    scheduler.step()",
            ),
        ),
        "below a message, with a comment": (
            _script(
                "for epoch in range(9):",
                "    print('epoch', epoch)",
                "    model.train()",
                "",
                "    # decay",
                "    scheduler.step()  # every 7 epochs",
                "",
                "    TRAIN",
                "    # done",
            ),
            _script(
                "for epoch in range(9):",
                "    print('epoch', epoch)",
                "    model.train()",
                "",
                "    TRAIN",
                "    # decay",
                "    scheduler.step()  # every 7 epochs",
                "    # done",
            ),
        ),
        "a training function": (
            _script(
                "for epoch in range(9):",
                "    scheduler.step()",
                "    train(epoch)",
                head=_OLD + _ALIKE,
            ),
            _script(
                "for epoch in range(9):",
                "    train(epoch)",
                "    scheduler.step()",
                head=_OLD + _ALIKE,
            ),
        ),
        "a flag": (
            _script(
                "for epoch in range(9):",
                "    if scheduler is not None:",
                "        scheduler.step()",
                "    TRAIN",
            ),
            _script(
                "for epoch in range(9):",
                "    TRAIN",
                "    if scheduler is not None:",
                "        scheduler.step()",
            ),
        ),
        "a phase": (
            _script(
                "for phase in ['train', 'val']:",
                "    if phase == 'train':",
                "        scheduler.step()",
                "        model.train(True)",
                "    else:",
                "        model.train(False)",
                "    for x in loader:",
                "        optimizer.zero_grad()",
                "        loss = model(x).sum()",
                "        if phase == 'train':",
                "            loss.backward()",
                "            optimizer.step()",
            ),
            _script(
                "for phase in ['train', 'val']:",
                "    if phase == 'train':",
                "        model.train(True)",
                "    else:",
                "        model.train(False)",
                "    for x in loader:",
                "        optimizer.zero_grad()",
                "        loss = model(x).sum()",
                "        if phase == 'train':",
                "            loss.backward()",
                "            optimizer.step()",
                "    if phase == 'train':",
                "        scheduler.step()",
            ),
        ),
        "while, and the rate": (
            _script(
                "while unhappy():",
                "    scheduler.step()",
                "    print(scheduler.get_lr())",
                "    TRAIN",
                "    if model.bias.item() > 3:",
                "        break",
            ),
            _script(
                "while unhappy():",
                "    print(scheduler.get_last_lr())",
                "    TRAIN",
                "    if model.bias.item() > 3:",
                "        break",
                "    scheduler.step()",
            ),
        ),
        "given to a function": (
            """
            import torch
            from torch import optim
            from torch.autograd import Variable
            fixed = Variable(torch.ones(2, 3), volatile=True)
            def fit(model, optimizer, scheduler):
                for epoch in range(9):
                    scheduler.step()
                    for x in loader:
                        model(x).sum().backward()
                        optimizer.step()
                return model
            first = optim.SGD(model.parameters(), lr=0.1)
            decay = optim.lr_scheduler.StepLR(first, 7)
            model = fit(model, first, decay)
            """,
            """
            import torch
            from torch import optim
            from torch.autograd import Variable
            fixed = Variable(torch.ones(2, 3), volatile=True)
            def fit(model, optimizer, scheduler):
                for epoch in range(9):
                    for x in loader:
                        model(x).sum().backward()
                        optimizer.step()
                    scheduler.step()
                return model
            first = optim.SGD(model.parameters(), lr=0.1)
            decay = optim.lr_scheduler.StepLR(first, 7)
            model = fit(model, first, decay)
            """,
        ),
    },
)

_TOP = ("for epoch in range(9):", "    scheduler.step()")

_ADVISED = {
    "the rate is read after the loop": _script(
        *_TOP, "    TRAIN", "print(optimizer.param_groups[0]['lr'])"
    ),
    "another name for the optimizer": _script(
        *_TOP, "    TRAIN", "other = optimizer", "optimizer = optim.Adam(model.parameters())"
    ),
    "another optimizer on some ways": _script(
        *_TOP,
        "    TRAIN",
        "if again:",
        "    optimizer = optim.Adam(model.parameters())",
        "optimizer.step()",
    ),
    "no proof of the torch version": _script(
        *_TOP, "    TRAIN", head=_OLD.replace(", volatile=True", "")
    ),
    "continue": _script(*_TOP, "    if epoch % 2:", "        continue", "    TRAIN"),
    "else of the loop": _script(*_TOP, "    TRAIN", "else:", "    print('done')"),
    "the rate is read above": _script(
        "for epoch in range(9):",
        "    print(optimizer.param_groups[0]['lr'])",
        "    scheduler.step()",
        "    TRAIN",
    ),
    "the optimizer is saved after the loop": _script(
        *_TOP, "    TRAIN", "torch.save(optimizer.state_dict(), 'o.pt')"
    ),
    "training goes on after the loop": _script(*_TOP, "    TRAIN", "train(9)", head=_OLD + _ALIKE),
    "the scheduler is saved": _script(
        *_TOP, "    TRAIN", "    torch.save(scheduler.state_dict(), 's.pt')"
    ),
    "the scheduler is given away": _script(*_TOP, "    TRAIN", "    report(scheduler)"),
    "the scheduler goes on from an epoch": _script(
        *_TOP, "    TRAIN", head=_OLD.replace("(optimizer, 7)", "(optimizer, 7, last_epoch=3)")
    ),
    "two steps": _script(*_TOP, "    TRAIN", "    scheduler.step()"),
    "all of it once more": _script(
        "for fold in range(3):",
        "    for epoch in range(9):",
        "        scheduler.step()",
        "        for x in loader:",
        "            model(x).sum().backward()",
        "            optimizer.step()",
        "    print(optimizer.param_groups[0]['lr'])",
    ),
    "a function": _script("def train(epoch):", "    scheduler.step()", "    TRAIN"),
    "a loop in a function over what the file has": _script(
        "def main():",
        "    for epoch in range(9):",
        "        scheduler.step()",
        "        for x in loader:",
        "            model(x).sum().backward()",
        "            optimizer.step()",
    ),
    "attributes": """
            import torch
            from torch.autograd import Variable
            fixed = Variable(torch.ones(2, 3), volatile=True)
            class Trainer:
                def __init__(self, model):
                    self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                    self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 7)
                def train(self, model):
                    for epoch in range(9):
                        self.scheduler.step()
                        for x in loader:
                            model(x).sum().backward()
                            self.optimizer.step()
            """,
    "used once more after the function": """
            import torch
            from torch import optim
            from torch.autograd import Variable
            fixed = Variable(torch.ones(2, 3), volatile=True)
            def fit(model, optimizer, scheduler):
                for epoch in range(9):
                    scheduler.step()
                    for x in loader:
                        model(x).sum().backward()
                        optimizer.step()
            first = optim.SGD(model.parameters(), lr=0.1)
            decay = optim.lr_scheduler.StepLR(first, 7)
            fit(model, first, decay)
            print(first)
            """,
}

_RIGHT = {
    "at the end": _script(
        "for epoch in range(9):",
        "    TRAIN",
        "    scheduler.step()",
        head=_OLD.replace(", volatile=True", ""),
    ),
    "from the second epoch on": _script(
        "for epoch in range(9):", "    if epoch > 0:", "        scheduler.step()", "    TRAIN"
    ),
    "in some epochs": _script(
        "for epoch in range(9):",
        "    if epoch < 5:",
        "        scheduler.step()",
        "        model.train()",
        "    TRAIN",
    ),
    "between two trainings": _script(
        "for epoch in range(9):",
        "    train(epoch)",
        "    scheduler.step()",
        "    TRAIN",
        head=_OLD + _ALIKE,
    ),
    "without training": _script(*_TOP, "    print(scheduler.get_lr())"),
    "on a plateau": _script(
        "scheduler = ReduceLROnPlateau(optimizer)",
        "for epoch in range(9):",
        "    scheduler.step(model(fixed).sum().item())",
        "    TRAIN",
    ),
    "a schedule that came with 1.1": _script(
        "scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2)", *_TOP, "    TRAIN"
    ),
    "an environment": _script("for epoch in range(9):", "    environment.step()", "    TRAIN"),
    "a user's scheduler": _script(
        "class StepLR:",
        "    def step(self):",
        "        pass",
        "scheduler = StepLR()",
        *_TOP,
        "    TRAIN",
    ),
    "a choice by version": _script(
        "for epoch in range(9):",
        "    if torch.__version__ < '1.1':",
        "        scheduler.step()",
        "    TRAIN",
    ),
    "suppressed": _script(
        "for epoch in range(9):", "    scheduler.step()  # noqa: TP603", "    TRAIN"
    ),
}

_GOES_ON = _script(*_TOP, "    TRAIN", "scheduler = StepLR(optimizer, 3)", "print(scheduler)")

test_keeps = keeps(
    "TP603", {**_ADVISED, **_RIGHT, "another scheduler goes on with the optimizer": _GOES_ON}
)


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _ADVISED.items()])
def test_advises_where_it_cannot_move(text: str) -> None:
    (finding,) = advice("TP603", text)
    line = int(finding.message.partition(", and call it above")[0].rpartition(" ")[2])
    assert "each rate comes one step() too early" in finding.message
    is_in_loop = f"{_step_in(text)} to the end of each round of the loop in" in finding.message
    assert is_in_loop or f"{_step_in(text)} below the loop in line" in finding.message
    told = textwrap.dedent(text).strip("\n").splitlines()[line - 1]
    assert told.lstrip().startswith(("for", "while"))
    assert (line < finding.line) is is_in_loop


def _step_in(text: str) -> str:
    return "self.scheduler.step()" if "self." in text else "scheduler.step()"


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _RIGHT.items()])
def test_says_nothing_of_what_is_right(text: str) -> None:
    assert not advice("TP603", text)


def test_the_step_of_a_function_belongs_below_its_training() -> None:
    text = _script(
        "def train(epoch):",
        "    scheduler.step()",
        "    TRAIN",
        "    validate()",
        "    return epoch",
    )
    (finding,) = advice("TP603", text)
    loop = textwrap.dedent(text).strip("\n").splitlines().index("    for x in loader:")
    assert finding.message.endswith(f"below the loop in line {loop + 1}")
    alone = text.replace("for x in loader:", "with torch.enable_grad():")
    last = textwrap.dedent(text).strip("\n").splitlines().index("        optimizer.step()")
    (finding,) = advice("TP603", alone)
    assert finding.message.endswith(f"after line {last + 1}")


def test_step_of_an_epoch_is_advice() -> None:
    text = _script("for epoch in range(9):", "    scheduler.step(epoch)", "    TRAIN")
    (finding,) = advice("TP603", text)
    assert "step(epoch) is deprecated" in finding.message
    assert "begins at 0" not in finding.message
    assert migrate(textwrap.dedent(text), "TP603").text == textwrap.dedent(text)


@pytest.mark.parametrize(
    ("lines", "epoch", "condition"),
    [
        (["for epoch in range(1, 9):"], "epoch - 1", ""),
        (["for epoch in range(-1, 9):"], "epoch + 1", ""),
        (
            ["for epoch in range(1, 9):"],
            "epoch",
            "step() in its place counts from 1 like epoch, as the scheduler begins at 0 itself",
        ),
        (
            ["for epoch in range(9):"],
            "epoch + 1",
            "step() in its place counts from 1 like epoch + 1, as the scheduler begins at 0 itself",
        ),
    ],
)
def test_the_epoch_of_a_loop_grows_by_1(lines: list[str], epoch: str, condition: str) -> None:
    text = _script(*lines, f"    scheduler.step({epoch})", "    TRAIN")
    (finding,) = advice("TP603", text)
    assert finding.message.endswith(condition)
    assert "grows by 1" not in finding.message
    assert ("write scheduler.step()" in finding.message) is (not condition)


def test_a_step_of_one_phase_stays_one_of_it() -> None:
    text = _script(
        "for epoch in range(9):",
        "    for phase in ['train', 'val']:",
        "        if phase == 'train':",
        "            scheduler.step()",
        "            model.train()",
        "        for x in loader:",
        "            with torch.set_grad_enabled(phase == 'train'):",
        "                loss = model(x).sum()",
        "                if phase == 'train':",
        "                    optimizer.zero_grad()",
        "                    loss.backward()",
        "                    optimizer.step()",
    )
    (finding,) = advice("TP603", text)
    assert "move scheduler.step() to the end of each round" in finding.message
    assert finding.message.endswith("line 10, under `if phase == 'train':`")


@pytest.mark.parametrize(
    ("start", "resumed", "epoch", "is_told"),
    [
        ("1", 'checkpoint["epoch"]', "epoch", False),
        ("1", 'checkpoint["epoch"]', "epoch - 1", False),
        ("0", 'checkpoint["epoch"]', "epoch", False),
        ("0", "0", "epoch", True),
    ],
)
def test_epochs_of_runs_that_may_be_resumed(
    start: str, resumed: str, epoch: str, is_told: bool
) -> None:
    text = _script(
        f"start = {start}",
        "if checkpoint:",
        f"    start = {resumed}",
        "for epoch in range(start, 9):",
        f"    scheduler.step({epoch})",
        "    TRAIN",
    )
    found = advice("TP603", text)
    assert [each.message.endswith("line 12") for each in found] == [True] * is_told


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ([], ["    if epoch > 3:", "        scheduler.step(epoch)", "    TRAIN"]),
        ([], ["    if done:", "        continue", "    scheduler.step(epoch)", "    TRAIN"]),
        (["scheduler.step()"], ["    scheduler.step(epoch)", "    TRAIN"]),
        (["scheduler = StepLR(optimizer, 7, 0.1, 4)"], ["    scheduler.step(epoch)", "    TRAIN"]),
        (["scheduler.load_state_dict(kept)"], ["    scheduler.step(epoch)", "    TRAIN"]),
    ],
    ids=["under a test", "left out", "stepped above", "goes on", "restored"],
)
def test_a_step_that_may_not_count_from_1(above: list[str], lines: list[str]) -> None:
    text = _script(*above, "for epoch in range(1, 9):", *lines)
    assert all("in its place" not in found.message for found in advice("TP603", text))


@pytest.mark.parametrize(
    ("loop", "epoch"),
    [
        ("for epoch, _ in enumerate(range(9)):", "epoch"),
        ("for epoch in range(9):", "epoch=epoch - warm"),
        ("for epoch in range(9):", "epoch - warm"),
        ("for epoch in range(9):", "steps"),
        ("for epoch in range(0, 9, 3):", "epoch"),
        ("for epoch in epochs:", "epoch"),
        ("for range in [len]:\n                for epoch in range(9):", "epoch"),
        ("while epoch < 9:", "epoch"),
    ],
)
def test_an_epoch_that_may_not_grow_by_1(loop: str, epoch: str) -> None:
    indent = "    " * (2 if "\n" in loop else 1)
    training = textwrap.indent(_TRAINING.strip("\n"), indent[4:])
    text = _script(loop, f"{indent}scheduler.step({epoch})") + training + "\n"
    assert not advice("TP603", text)


@pytest.mark.parametrize(
    "epoch",
    [
        "max(epoch - len(warm), 0)",
        "epoch // 10",
        "epoch + i / len(loader)",
        "epoch - warm",
        "len(losses)",
        "self.epoch + 1",
    ],
)
def test_an_epoch_that_may_be_no_count_is_kept(epoch: str) -> None:
    text = _script("for epoch in range(start, 9):", f"    scheduler.step({epoch})", "    TRAIN")
    assert not advice("TP603", text)


@pytest.mark.parametrize("first", ["2", "start"])
def test_nothing_is_said_of_an_epoch_that_has_to_stay(first: str) -> None:
    loop = f"for epoch in range({first}, 9):"
    text = _script(loop, "    scheduler.step(epoch)", "    TRAIN")
    assert not advice("TP603", text)


def test_an_epoch_that_changes_in_the_loop() -> None:
    text = _script(
        "for epoch in range(9):", "    epoch *= 2", "    scheduler.step(epoch)", "    TRAIN"
    )
    assert not advice("TP603", text)


@pytest.mark.parametrize("is_made_inside", [True, False])
def test_epochs_that_begin_again(is_made_inside: bool) -> None:
    """A scheduler that is made outside of the other loop goes on where it was."""
    made = ["    scheduler = StepLR(optimizer, 7)"] if is_made_inside else []
    text = _script(
        "for cascade in range(3):",
        *made,
        "    for epoch in range(9):",
        "        scheduler.step(epoch)",
        "        for x in loader:",
        "            model(x).sum().backward()",
        "            optimizer.step()",
    )
    found = advice("TP603", text)
    # step(epoch) calculates from the first rate also today.
    assert [_FIRST_IF_ANY in finding.message for finding in found] == [True] * is_made_inside
    told = advice("TP603", text, options=_FOR_1_3)
    assert [finding.message for finding in told] == [finding.message for finding in found]


_SEVERAL = """
import torch
from torch.optim import lr_scheduler as lrs
def make(optimizer, kind):
    if kind == "step":
        scheduler = lrs.StepLR(optimizer, 3)
    else:
        scheduler = lrs.{other}
    return scheduler
optimizer = torch.optim.SGD(model.parameters(), lr=1, momentum=0.3)
scheduler = make(optimizer, kind)
for epoch in range(10):
    {step}
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
{volatile}
"""


@pytest.mark.parametrize("volatile", ["", "torch.autograd.Variable(x, volatile=True)"])
def test_a_scheduler_of_one_of_several_kinds_is_reported(volatile: str) -> None:
    parts = {"other": "MultiStepLR(optimizer, [3])", "step": "scheduler.step()"}
    text = _SEVERAL.format(**parts, volatile=volatile)
    assert migrate(text, "TP603").text == text
    (finding,) = advice("TP603", text)
    assert (
        "move scheduler.step() to the end of each round of the loop in line 11" in finding.message
    )


@pytest.mark.parametrize(
    ("other", "step"),
    [
        ("ReduceLROnPlateau(optimizer)", "scheduler.step(loss)"),
        ("ReduceLROnPlateau(optimizer)", "scheduler.step(metrics=loss)"),
        ("StepLR(optimizer, 4)", "pass"),
    ],
)
def test_a_scheduler_that_may_follow_the_loss_is_not(other: str, step: str) -> None:
    assert not advice("TP603", _SEVERAL.format(other=other, step=step, volatile=""))


_BELOW = _script("for epoch in range(9):", "    TRAIN", "    scheduler.step()")


@pytest.mark.parametrize(
    "text",
    [
        _BELOW,
        _BELOW.replace(
            "    scheduler.step()", "    if decay:\n                    scheduler.step()"
        ),
        _BELOW.replace(
            "scheduler = StepLR(optimizer, 7)",
            "class Own(optim.lr_scheduler._LRScheduler):\n"
            "                def get_lr(self): return [1]\n            scheduler = Own(optimizer)",
        ),
    ],
)
def test_a_step_below_the_training_is_told_in_old_files(text: str) -> None:
    (finding,) = advice("TP603", text)
    assert "leave out the first step()" in finding.message
    assert migrate(textwrap.dedent(text), "TP603").text == textwrap.dedent(text)


def test_steps_of_several_optimizers_are_told_once() -> None:
    built = "scheduler = StepLR(optimizer, 7)"
    second = "second = optim.SGD(model.parameters(), 1)\n            other = StepLR(second, 3)"
    text = _BELOW.replace(built, f"{built}\n            {second}")
    text = text.replace(
        "    scheduler.step()", "    scheduler.step()\n                other.step()"
    )
    text = text.replace(
        "    optimizer.step()", "    optimizer.step()\n                    second.step()"
    )
    (finding,) = advice("TP603", text)
    line = finding.line + 1
    assert finding.message.endswith(f"for the old schedule, here and in line {line}")
    apart = text.replace("other.step()", "print(x)\n                other.step()")
    assert len(advice("TP603", apart)) == 2


def test_a_step_that_was_moved_there_keeps_its_rates() -> None:
    text = _script("for epoch in range(9):", "    scheduler.step()", "    TRAIN")
    migration = migrate(textwrap.dedent(text), "TP603")
    assert migration.text != textwrap.dedent(text)
    assert [finding.fixed for finding in migration.findings] == [True]


@pytest.mark.parametrize("other", ["MultiStepLR(optimizer, [3])", "StepLR(optimizer, 4)"])
def test_a_step_of_one_of_several_kinds_below_the_training_is_told(other: str) -> None:
    old = "torch.autograd.Variable(x, volatile=True)"
    text = _SEVERAL.format(other=other, step="pass", volatile=old)
    step = "        optimizer.step()\n"
    text = text.replace(step, f"{step}    scheduler.step()\n")
    (finding,) = advice("TP603", text)
    assert "leave out the first step()" in finding.message


_GIVEN = """
import torch
from torch.optim.lr_scheduler import *
old = torch.autograd.Variable(x, volatile=True)
def plain(optimizer):
    return StepLR(optimizer, 3)
def run(model, make, other=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=1, momentum=0.3)
    scheduler = make(optimizer)
    for epoch in range(10):
        optimizer.step()
        scheduler.step()
{}
"""


@pytest.mark.parametrize(
    "calls",
    [
        "run(a, plain)",
        "run(a, lambda o: StepLR(o, 3)); run(a, make=lambda o: ExponentialLR(o, 0.9))",
        "run(a, plain); run(a, lambda o: MultiStepLR(o, [3]), 3)",
    ],
)
def test_a_scheduler_that_a_given_function_makes_is_told(calls: str) -> None:
    (finding,) = advice("TP603", _GIVEN.format(calls))
    assert "leave out the first step()" in finding.message


@pytest.mark.parametrize(
    "calls",
    [
        "",
        "run(a, plain); run(a, unknown)",
        "run(a, plain); run(a, lambda o: own(o))",
        "run(a, lambda o: own(o)); run(a, plain)",
        "run(a, plain); run(a, lambda o: ReduceLROnPlateau(o) if b else None)",
        "run(a, plain); run(*b)",
        "run(a, plain); start(run)",
        "run(a)",
        "run(a, lambda o: warm_up(o)); run(a, lambda o: None)",
    ],
)
def test_what_another_function_makes_is_not(calls: str) -> None:
    assert not advice("TP603", _GIVEN.format(calls))


@pytest.mark.parametrize(("other", "count"), [("", 1), ("from train import run\nrun(a, own)\n", 0)])
def test_another_file_may_give_other_functions(tmp_path: Path, other: str, count: int) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.py").write_text(other)
    (tmp_path / "train.py").write_text("x = a = None\n" + _GIVEN.format("run(a, plain)"))
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP603",)), write=False)
    assert len(result.findings) == count


def test_a_step_is_told_where_only_what_stands_beside_it_is_rewritten() -> None:
    beside = "scheduler.step(); print(scheduler.get_lr())"
    text = textwrap.dedent(_BELOW.replace("scheduler.step()", beside)).lstrip("\n")
    migration = migrate(text, "TP603", "TP906")
    assert "scheduler.step(); print(scheduler.get_last_lr())" in migration.text
    (told,) = [finding for finding in migration.findings if not finding.fixed]
    assert told.code == "TP603" and "leave out the first step()" in told.message


def test_nothing_is_told_of_a_step_that_was_moved_above_that_of_another_name() -> None:
    lines = "for epoch in range(9):", "    scheduler.step()", "    TRAIN", "g_scheduler.step()"
    migration = migrate(textwrap.dedent(_script(*lines)), "TP603")
    assert migration.text.endswith("    scheduler.step()\ng_scheduler.step()\n")
    assert all(finding.fixed for finding in migration.findings)


_TRAINED = """
import torch
from torch.optim.lr_scheduler import *
old = torch.autograd.Variable(x, volatile=True)
def run(model, data, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=1, momentum=0.3)
    scheduler = ExponentialLR(optimizer, 0.9)
    def report(loss):
        {report}
    for x, y in data:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        {train}
        scheduler.step()
"""


@pytest.mark.parametrize(
    ("report", "train", "count"),
    [
        ("print(loss)", "optimizer.step()", 1),
        ("scheduler.step(loss)", "optimizer.step()", 0),
        ("other.step(loss)", "optimizer.step()", 1),
        ("print(loss)", "pass", 0),
    ],
)
def test_a_rate_that_another_step_sets_or_nothing_uses_is_not_told(
    report: str, train: str, count: int
) -> None:
    assert len(advice("TP603", _TRAINED.format(report=report, train=train))) == count


def test_a_scheduler_that_goes_on_is_told_without_a_remedy() -> None:
    (finding,) = advice("TP603", _BELOW.replace("optimizer, 7", "optimizer, 7, last_epoch=3"))
    assert finding.message.endswith("set the first rate again")


@pytest.mark.parametrize(
    "text",
    [
        _BELOW.replace(", volatile=True", ""),
        _BELOW.replace("scheduler.step()", "scheduler.step(epoch)"),
        _BELOW.replace("StepLR(optimizer, 7)", "ReduceLROnPlateau(optimizer)"),
        _BELOW.replace("StepLR(optimizer, 7)", "something(optimizer)"),
        _BELOW.replace(
            "scheduler = StepLR(optimizer, 7)",
            "class Own(optim.lr_scheduler._LRScheduler):\n"
            "                def step(self): pass\n            scheduler = Own(optimizer)",
        ),
        _BELOW.replace(
            "scheduler = StepLR(optimizer, 7)",
            "class Own:\n                rate = 1\n            scheduler = Own(optimizer)",
        ),
        _script("for epoch in range(9):", "    validate()", "    scheduler.step()"),
        _script("for epoch in range(9):", "    TRAIN", "scheduler.step()"),
        _BELOW + _BELOW[_BELOW.index("                for x") :],
    ],
)
def test_other_steps_below_the_training_are_not(text: str) -> None:
    assert not advice("TP603", text)


_STEPPED = _BELOW.replace(
    "scheduler = StepLR(optimizer, 7)",
    "scheduler = StepLR(optimizer, 7)\n            scheduler.step()",
)


def test_a_step_once_more_above_the_loop_is_told_there() -> None:
    (finding,) = advice("TP603", _STEPPED)
    lines = textwrap.dedent(_STEPPED).strip("\n").splitlines()
    assert lines[finding.line - 1] == "scheduler.step()"
    assert finding.message.endswith("since 1.1 it sets the second one: leave it out")


@pytest.mark.parametrize(
    "text",
    [
        _STEPPED.replace(", volatile=True", ""),
        _STEPPED.replace(
            "            scheduler.step()\n", "            if late: scheduler.step()\n", 1
        ),
        _STEPPED.replace("StepLR(optimizer, 7)\n", "ReduceLROnPlateau(optimizer)\n"),
    ],
)
def test_of_other_steps_above_the_loop_nothing_is_said(text: str) -> None:
    assert not any("leave it out" in finding.message for finding in advice("TP603", text))


@pytest.mark.parametrize(("stepped", "count"), [("optimizer", 1), ("other", 0)])
def test_the_rates_of_another_optimizer_are_not_told(stepped: str, count: int) -> None:
    text = _script(
        "other = optim.SGD(net.parameters(), 1)",
        "for epoch in range(9):",
        "    scheduler.step()",
        "    for x in loader:",
        f"        {stepped}.step()",
    ).replace(", volatile=True", "")
    assert len(advice("TP603", text)) == count


_NOT_DATED = _OLD.replace(", volatile=True", "")
_FOR_1_3 = Options(era=Era((1, 3), (1, 3)))
_FIRST = 'for group in optimizer.param_groups: group["lr"] = group["initial_lr"]'
_FIRST_IF_ANY = (
    'for group in optimizer.param_groups: group["lr"] = group.get("initial_lr", group["lr"])'
)
_STAGE = ("for epoch in range(9):", "    TRAIN", "    scheduler.step()")


def _stages(between: str, *, first: str = "", stage: tuple[str, ...] = _STAGE) -> str:
    return _script(first, *stage, between, *stage, head=_NOT_DATED)


_STARTED_AGAIN = {
    "a second stage": (_stages("scheduler = StepLR(optimizer, 3)"), _FIRST),
    "its keyword": (
        _stages("scheduler = MultiStepLR(optimizer=optimizer, milestones=[3])").replace(
            "ReduceLROnPlateau,", "MultiStepLR,"
        ),
        _FIRST,
    ),
    "behind rates of a function": (
        _stages(
            "scheduler = StepLR(optimizer, 3)",
            first="scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda e: 0.5**e)",
        ),
        _FIRST,
    ),
    "in a round": (
        _script(
            "for cycle in range(3):",
            "    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 9)",
            "    for epoch in range(9):",
            "        for x in loader:",
            "            model(x).sum().backward()",
            "            optimizer.step()",
            "        scheduler.step()",
            head=_NOT_DATED.replace("scheduler = StepLR(optimizer, 7)", ""),
        ),
        _FIRST_IF_ANY,
    ),
    "on a parameter": (
        """
        from torch.optim.lr_scheduler import ExponentialLR
        def fit(optimizer):
            while unhappy():
                decay = ExponentialLR(optimizer, 0.9)
                for epoch in range(9):
                    optimizer.step()
                    decay.step()
        """,
        _FIRST_IF_ANY,
    ),
}


@pytest.mark.parametrize(
    ("text", "written"), [pytest.param(*pair, id=name) for name, pair in _STARTED_AGAIN.items()]
)
def test_a_scheduler_on_an_optimizer_that_has_been_scheduled_is_told(
    text: str, written: str
) -> None:
    (finding,) = advice("TP603", text, options=_FOR_1_3)
    assert "since 1.4 they begin with the one that it has by now" in finding.message
    assert f"write `{written}` above this line" in finding.message
    line = textwrap.dedent(text).strip("\n").splitlines()[finding.line - 1]
    assert re.search(r"= [\w.]*LR\(", line)


_FIRST_RATES = {
    "another optimizer": _stages(
        "optimizer = optim.Adam(model.parameters()); scheduler = StepLR(optimizer, 3)"
    ),
    "another name": _stages("other = optim.Adam(model.parameters()); scheduler = StepLR(other, 3)"),
    "rates of a function": _stages(
        "scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda e: 0.5**e)"
    ),
    "a schedule that began with 1.1": _stages(
        "scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2)"
    ),
    "it goes on": _stages("scheduler = StepLR(optimizer, 3, last_epoch=8)"),
    "the first one never steps": _stages(
        "scheduler = StepLR(optimizer, 3)", stage=("for epoch in range(9):", "    TRAIN")
    ),
    "a schedule by loss": _stages(
        "scheduler = StepLR(optimizer, 3)", first="scheduler = ReduceLROnPlateau(optimizer)"
    ),
    "either": _script(
        "if again:",
        "    scheduler = StepLR(optimizer, 3)",
        "    for epoch in range(9):",
        "        scheduler.step()",
        "else:",
        "    scheduler = StepLR(optimizer, 4)",
        head=_NOT_DATED,
    ),
    "the rates are set": _stages(
        "optimizer.param_groups[0]['lr'] = 0.1; scheduler = StepLR(optimizer, 3)"
    ),
    "the first rates are known": _stages(f"{_FIRST}\n            scheduler = StepLR(optimizer, 3)"),
    "what it was is loaded": _stages(
        "optimizer.load_state_dict(first); scheduler = StepLR(optimizer, 3)"
    ),
    "an optimizer for each round": _script(
        "for fold in range(3):",
        "    optimizer = optim.Adam(model.parameters())",
        "    scheduler = StepLR(optimizer, 4)",
        "    for epoch in range(9):",
        "        scheduler.step()",
        head=_NOT_DATED,
    ),
    "one optimizer after the other": _script(
        "for optimizer in optimizers:",
        "    scheduler = StepLR(optimizer, 4)",
        "    for epoch in range(9):",
        "        scheduler.step()",
        head=_NOT_DATED,
    ),
    "in some round": _script(
        "for epoch in range(9):",
        "    if epoch == 5:",
        "        later = StepLR(optimizer, 4)",
        "    for x in loader:",
        "        later.step()",
        head=_NOT_DATED,
    ),
    "a user's": _stages("scheduler = StepLR(optimizer, 3)").replace(
        "optimizer = optim.SGD", "class StepLR: pass\n            optimizer = optim.SGD"
    ),
}


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _FIRST_RATES.items()])
def test_of_a_scheduler_that_begins_with_the_same_rate_nothing_is_told(text: str) -> None:
    assert not advice("TP603", text, options=_FOR_1_3)


@pytest.mark.parametrize("text", [t for t, _ in _STARTED_AGAIN.values()])
def test_in_younger_code_a_scheduler_may_go_on(text: str) -> None:
    assert not advice("TP603", text)
    assert not advice("TP603", text, options=Options(era=Era((1, 4), (1, 4))))


def test_a_second_stage_that_would_begin_with_another_rate_is_not_moved() -> None:
    stage = ("for epoch in range(9):", "    scheduler.step()", "    TRAIN")
    text = textwrap.dedent(
        _script(*stage, "scheduler = StepLR(optimizer, 3)", *stage, head=_OLD)
    ).lstrip("\n")
    migration = migrate(text, "TP603")
    assert migration.text == text
    assert len(migration.findings) == 3
    # With its first rate it can go on as it did.
    again = text.replace(
        "scheduler = StepLR(optimizer, 3)", f"{_FIRST}\nscheduler = StepLR(optimizer, 3)"
    )
    assert sum(finding.fixed for finding in migrate(again, "TP603").findings) == 1


def test_an_order_of_old_is_told_together_with_the_rate_to_begin_with() -> None:
    stage = ("for epoch in range(9):", "    scheduler.step()", "    TRAIN")
    text = _stages("scheduler = StepLR(optimizer, 3)", stage=stage)
    first, second = advice("TP603", text)
    assert "1.4" not in first.message
    assert "move scheduler.step() to the end of each round of the loop in line" in second.message
    line = textwrap.dedent(text).strip("\n").splitlines().index("scheduler = StepLR(optimizer, 3)")
    assert second.message.endswith(f"write `{_FIRST}` above line {line + 1}")
    dated = advice("TP603", text, options=_FOR_1_3)
    assert len(dated) == 3
    assert [finding.line for finding in dated if "by now" in finding.message] == [line + 1]


_BY_BATCHES = """
        import torch
        def run(net, loader, optimizer, train):
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
            for x in loader:
                loss = net(x).sum()
                if train:
                    scheduler.step()
                    optimizer.zero_grad()
                    {0}
                    optimizer.step()
                else:
                    print(loss)
            return scheduler
"""


def test_a_step_beside_the_optimizers_is_moved_below_it() -> None:
    (found,) = advice("TP603", _BY_BATCHES.format("loss.backward()"))
    assert found.message.endswith("the optimizer's steps: move scheduler.step() below line 10")
    assert found.line == 7


def test_a_step_of_another_block_is_written_at_the_end_of_the_round() -> None:
    text = _BY_BATCHES.replace("{0}", "loss.backward()").replace(
        "                    optimizer.zero_grad()", "                if train:"
    )
    (found,) = advice("TP603", text)
    assert found.message.endswith(
        " to the end of each round of the loop in line 4, under `if train:`"
    )


_SWAPPED = """
import torch
from torch.optim.lr_scheduler import *
def run(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    other = torch.optim.SGD(model.bias, lr=1)
    scheduler = StepLR(optimizer, 3)
    for epoch in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            scheduler.step()
            optimizer.step()
        print(loss)
"""
_IN_CLASS = """
import torch
class Trainer:
    def __init__(self, model):
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 7)
        self.other = torch.optim.SGD(model.bias, lr=1)
    def train(self, model, loader):
        for x in loader:
            model(x).sum().backward()
            self.scheduler.step()
            self.{}.step()
"""
_STEPS = "            scheduler.step()\n            optimizer.step()\n"
_FIRST_OF_ROUND = (
    "            optimizer.zero_grad()\n            loss = criterion(model(x), y)\n"
    "            loss.backward()\n"
)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", "swap this line and line 13, so that `optimizer.step()` comes first"),
        (
            "optimizer.step()",
            "optimizer.step(lambda: loss)",
            "swap this line and line 13, so that `optimizer.step(...)` comes first",
        ),
        (
            "        for x, y in loader:",
            "        if epoch:",
            "swap this line and line 13, so that `optimizer.step()` comes first",
        ),
        (
            _FIRST_OF_ROUND + _STEPS,
            "            scheduler.step()\n            optimizer.step()\n",
            "swap this line and line 10, so that `optimizer.step()` comes first",
        ),
        (
            "            scheduler.step()\n",
            "            scheduler.step(\n            )\n",
            "move scheduler.step() below line 14",
        ),
        (
            _STEPS,
            "            scheduler.step()\n            # now\n            optimizer.step()\n",
            "move scheduler.step() below line 14",
        ),
        (
            _FIRST_OF_ROUND + "            scheduler.step()\n",
            "            scheduler.step()\n" + _FIRST_OF_ROUND,
            "move scheduler.step() below line 13",
        ),
    ],
)
def test_the_lines_to_change_are_named(old: str, new: str, told: str) -> None:
    (finding,) = advice("TP603", _SWAPPED.replace(old, new) if old else _SWAPPED)
    assert finding.message.endswith(f"before the optimizer's steps: {told}")


def test_the_lines_of_a_class_are_named() -> None:
    (finding,) = advice("TP603", _IN_CLASS.format("optimizer"))
    assert finding.message.endswith(
        "before the optimizer's steps: swap this line and line 11, so that `self.optimizer.step()` comes first"
    )
    assert not advice("TP603", _IN_CLASS.format("other"))


def test_where_the_rate_is_read_below_the_step_goes_to_the_end() -> None:
    first = "            scheduler.step()\n" + _FIRST_OF_ROUND
    text = _SWAPPED.replace(_FIRST_OF_ROUND + "            scheduler.step()\n", first)
    last = "            optimizer.step()\n"
    (finding,) = advice("TP603", text.replace(last, f"{last}            print(optimizer)\n"))
    assert finding.message.endswith("to the end of each round of the loop in line 8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_STEPS, "            optimizer.step()\n            scheduler.step()\n"),
        (_STEPS, "            scheduler.step()\n            other.step()\n"),
        ("StepLR(optimizer, 3)", "StepLR(other, 3)"),
        ("StepLR(optimizer, 3)", "StepLR(optimizer, 3, last_epoch=2)"),
        ("StepLR(optimizer, 3)", "ReduceLROnPlateau(optimizer)"),
        ("StepLR(optimizer, 3)", "CyclicLR(optimizer, 0.1, 1)"),
        ("StepLR(optimizer, 3)", "own(optimizer)"),
        ("scheduler.step()", "scheduler.step(epoch)"),
        ("    for epoch in range(9):\n", "    scheduler.step()\n    for epoch in range(9):\n"),
        (
            "            loss.backward()\n",
            "            loss.backward()\n            optimizer.step()\n",
        ),
        ("        print(loss)", "        scheduler.step()"),
        (
            _STEPS,
            "            scheduler.step()\n            optimizer.step()\n            print(optimizer)\n",
        ),
        ("    for epoch in range(9):\n        for x, y in loader:", "    if 1:\n        if x:"),
        (
            _STEPS,
            "            def closure():\n                scheduler.step()\n"
            "                loss.backward()\n                return loss\n"
            "            optimizer.step(closure)\n",
        ),
        (
            _STEPS,
            "            def closure():\n                scheduler.step()\n"
            "                loss.backward()\n                return loss\n"
            "            optimizer.step(closure=closure)\n",
        ),
        (
            _STEPS,
            "            if epoch > 5:\n                scheduler.step()\n            optimizer.step()\n",
        ),
    ],
)
def test_of_other_steps_right_above_the_optimizers_nothing_is_said(old: str, new: str) -> None:
    assert old in _SWAPPED
    assert not any("too early" in f.message for f in advice("TP603", _SWAPPED.replace(old, new)))


ANEW = """import torch
def train(model, loader, loss):
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.{}
    {}
    for x, y in loader:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()
{}"""


@pytest.mark.parametrize(
    ("made", "step", "below", "is_told"),
    [
        ("StepLR(optimizer, step_size=30, gamma=0.5)", "scheduler.step()", "", False),
        ("MultiStepLR(optimizer, [30, 60])", "scheduler.step()", "", False),
        # A rate that changes with this step, or with a later one.
        ("StepLR(optimizer, 1)", "scheduler.step()", "", True),
        ("StepLR(optimizer, model.epochs)", "scheduler.step()", "", True),
        ("MultiStepLR(optimizer, [1, 60])", "scheduler.step()", "", True),
        ("ExponentialLR(optimizer, 0.9)", "scheduler.step()", "", True),
        ("StepLR(optimizer, 30, 0.1, model.epoch)", "scheduler.step()", "", True),
        ("StepLR(optimizer, 30)", "scheduler.step()", "    return scheduler\n", True),
    ],
)
def test_one_step_of_a_new_scheduler_may_change_nothing(
    made: str, step: str, below: str, is_told: bool
) -> None:
    found = advice("TP603", ANEW.format(made, step, below))
    assert [f.line for f in found] == ([5] if is_told else [])


_SECOND = """
import torch
from torch.optim.lr_scheduler import StepLR
def run(model, features, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    scheduler = StepLR(optimizer, 2)
    second = None
    for epoch in range(9):
        if epoch == 4:
            second = {made}
            finer = StepLR(torch.optim.SGD(features.parameters(), lr=1), 2)
        scheduler.step()
        if {test}:
            finer.step()
        for x in loader:
            loss = model(features(x)).sum()
            loss.backward()
            optimizer.step()
            if second:
                second.step(){below}
"""
_MADE = "torch.optim.SGD(features.parameters(), lr=1)"


@pytest.mark.parametrize("test", ["second", "second is not None", "(second)"])
def test_the_step_of_a_scheduler_that_a_later_epoch_makes_is_told_as_well(test: str) -> None:
    found = advice("TP603", _SECOND.format(made=_MADE, test=test, below=""))
    assert [each.line for each in found] == [11, 13]
    assert found[1].message.endswith(
        "move finer.step() to the end of each round of the loop in line 7, under "
        f"`if {test.strip('()')}:`"
    )


@pytest.mark.parametrize(
    ("made", "below"),
    [
        ("epoch % 2", ""),
        ("make(features)", ""),
        (_MADE, "\n        second = None"),
    ],
    ids=["a number", "what may be nothing", "set again below"],
)
def test_what_may_be_gone_in_the_next_epoch_tells_of_no_end(made: str, below: str) -> None:
    found = advice("TP603", _SECOND.format(made=made, test="second", below=below))
    assert not any("finer" in each.message for each in found)


@pytest.mark.parametrize(
    ("lines", "also"),
    [
        (["    optimizer.step()"], "so that `optimizer.step()` comes first"),
        (
            ["    if epoch % 2:", "        continue", "    optimizer.step()"],
            "below line {2}, and call it above `continue` in line {1} as well",
        ),
        (
            ["    optimizer.step()", "    if epoch % 2:", "        continue", "    print(1)"],
            "so that `optimizer.step()` comes first",
        ),
        (
            [
                "    for x in loader:",
                "        if x.sum() > 1:",
                "            continue",
                "    TRAIN",
            ],
            "to the end of each round of the loop in line {-2}",
        ),
        (
            ["    if epoch % 2:", "        continue", "    TRAIN"],
            "of the loop in line {-2}, and call it above `continue` in line {1} as well",
        ),
    ],
)
def test_a_step_below_is_called_above_continue_as_well(lines: list[str], also: str) -> None:
    text = textwrap.dedent(
        _script(*_TOP, *lines, head=_OLD.replace(", volatile=True", ""))
    ).lstrip()
    first = text.split("\n").index("    scheduler.step()") + 2
    for index in range(-2, 3):
        also = also.replace(f"{{{index}}}", str(first + index))
    (found,) = [f for f in advice("TP603", text) if "too early" in f.message]
    assert found.message.endswith(also)


_RATE_FIRST = """
import torch
net = torch.nn.Linear(2, 2)
adam = torch.optim.Adam(net.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(adam, 3)
for epoch in range(9):
    {above}
    total = 0
    for x in loader:
        adam.zero_grad()
        loss = net(x).sum()
        loss.backward()
        adam.step()
        total += loss.data[0]
    print(total){below}
"""


@pytest.mark.parametrize(
    ("above", "below", "is_told"),
    [
        ("scheduler.step()", "", False),
        ("print(epoch)", "\n    scheduler.step()", True),
    ],
)
def test_of_a_step_that_is_moved_nothing_is_told_at_its_new_place(
    above: str, below: str, is_told: bool
) -> None:
    migration = migrate_text(_RATE_FIRST.format(above=above, below=below), select())
    assert migration.text.endswith("print(total)\n    scheduler.step()\n")
    told = [f for f in migration.findings if f.code == "TP603" and not f.fixed]
    assert bool(told) is is_told


_CALLED = """
def run(model, loader, other):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 7)
    another = StepLR(optimizer, 9)
    {before}
    for epoch in range(9):
        {first}
        train(model, loader, optimizer, {given})
        {last}


def train(model, loader, optimizer, scheduler):
    scheduler.step()
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ({"first": "scheduler.step()"}, ["scheduler.step()"]),
        ({"first": "print(epoch)"}, ["below the loop"]),
        ({"first": "another.step()"}, ["another.step()", "below the loop"]),
        ({"first": "another.step()", "given": "another"}, ["another.step()"]),
        ({"before": "scheduler.step()"}, ["below the loop"]),
        ({"last": "scheduler.step()"}, ["below the loop"]),
    ],
)
def test_of_two_steps_in_one_round_one_is_told(
    tmp_path: Path, parts: dict[str, str], lines: list[str]
) -> None:
    given = {"before": "pass", "first": "pass", "last": "pass", "given": "scheduler"}
    text = textwrap.dedent(_OLD) + _CALLED.format(**given | parts)
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP603",)), write=False)
    found = [f.message for f in result.findings if "too early" in f.message]
    assert len(found) == len(lines)
    assert all(part in message for part, message in zip(lines, found, strict=True))


_LOOP = ("for epoch in range(start, 9):", "    scheduler.step()", "    TRAIN")


def test_a_scheduler_that_is_told_its_epoch_by_hand_steps_first_as_it_did() -> None:
    text = textwrap.dedent(_script("scheduler.last_epoch = start - 1", *_LOOP))
    result = migrate(text, "TP603")
    assert result.text == text
    assert not result.findings


def test_the_epoch_of_another_scheduler_says_nothing() -> None:
    text = textwrap.dedent(_script("warmup.last_epoch = start - 1", *_LOOP))
    result = migrate(text, "TP603")
    assert result.text.rstrip().endswith("optimizer.step()\n    scheduler.step()")


def _two(*steps: str, second: str = "other = StepLR(optimizer, 3)", end: str = "pass") -> str:
    lines = (second, "for epoch in range(9):", *(f"    {step}" for step in steps), "    TRAIN")
    return textwrap.dedent(_script(*lines, f"    {end}"))


_TURNS = ("scheduler.step()", "other.step()")


def _shared(text: str) -> list[str]:
    return [f.message for f in advice("TP603", text) if "scheduler on optimizer, too" in f.message]


def test_two_schedulers_of_one_optimizer_stay_and_are_told_where_the_second_is_built() -> None:
    text = _two(*_TURNS).lstrip("\n")
    assert migrate(text, "TP603").text == text
    (message,) = _shared(text)
    lines = text.splitlines()
    line = lines.index("scheduler = StepLR(optimizer, 7)") + 1
    step = lines.index("    scheduler.step()") + 1
    assert message.startswith(f"line {line} builds")
    assert f"leave out scheduler.step() in line {step} for the old rates" in message


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (_two(*reversed(_TURNS)), "leave out other.step()"),
        (_two("if epoch < 3: other.step()", "scheduler.step()"), "give optimizer one schedule"),
        # That is the one above the training, if one steps below.
        (_two(_TURNS[0], end="other.step()"), "give optimizer one schedule"),
    ],
)
def test_the_last_step_decided_the_rate(text: str, remedy: str) -> None:
    assert migrate(text, "TP603").text == text
    (message,) = _shared(text)
    assert remedy in message


def test_a_scheduler_that_follows_the_loss_beside_one_by_epochs_is_told() -> None:
    plateau = "other = ReduceLROnPlateau(optimizer)"
    text = _two(_TURNS[0], second=plateau, end="other.step(loss)")
    assert migrate(text, "TP603").text == text
    (message,) = _shared(text)
    assert "give optimizer one schedule" in message


@pytest.mark.parametrize(
    "second",
    [
        "second = optim.SGD(model.parameters(), 1); other = StepLR(second, 3)",
        "scheduler.step; other = StepLR(optim.SGD(model.parameters(), 1), 3)",
    ],
)
def test_each_scheduler_of_its_own_optimizer_steps_last(second: str) -> None:
    text = _two(*_TURNS, second=second)
    result = migrate(text, "TP603").text
    assert not _shared(text)
    assert result.index("optimizer.step()") < result.index("    scheduler.step()")


def test_a_rate_that_the_last_step_sets_by_itself_is_the_same_today() -> None:
    text = _two(*_TURNS, second="other = optim.lr_scheduler.LambdaLR(optimizer, rate)")
    assert not _shared(text)
    assert migrate(text, "TP603").text == text


def test_a_scheduler_whose_turn_comes_in_a_later_loop_stays() -> None:
    loop = ("for epoch in range(9):", "    {0}.step()", "    TRAIN")
    lines = [line.format(name) for name in ("scheduler", "other") for line in loop]
    text = textwrap.dedent(_script("other = StepLR(optimizer, 3)", *lines))
    result = migrate(text, "TP603").text
    assert not _shared(text)
    assert result.partition("    other.step()")[2] == text.partition("    other.step()")[2]


def test_a_scheduler_that_never_steps_changes_no_rate() -> None:
    text = _two(_TURNS[0])
    assert not _shared(text)
    assert migrate(text, "TP603").text.rstrip().endswith("scheduler.step()")


def test_one_of_two_schedulers_is_built() -> None:
    chosen = "if fast: other = StepLR(optimizer, 3)\n            else: other = StepLR(optimizer, 9)"
    text = _two("other.step()", second=chosen)
    assert not _shared(text)
    assert migrate(text, "TP603").text.rstrip().endswith("other.step()")


_TABLE = textwrap.dedent(_OLD).replace("StepLR(optimizer, 7)", "LambdaLR(optimizer, {given})")
_TABLE = _TABLE.replace("import ReduceLROnPlateau, StepLR", "import LambdaLR")
_TABLE += "rates = [0.1 ** n for n in range(epochs)]\n"


def _table(given: str, above: str = "") -> str:
    head, build, rest = _TABLE.partition("scheduler = ")
    build, end, rest = rest.partition("\n")
    text = f"{head}{rest}{above}scheduler = {build}{end}".replace("{given}", given)
    return text.lstrip("\n") + _table_loop(first="scheduler.step()", last="")


def _table_loop(first: str, last: str) -> str:
    parts = [first, "for x in loader:", "    optimizer.zero_grad()"]
    parts += ["    model(x).sum().backward()", "    optimizer.step()", last]
    lines = [f"    {part}\n" for part in parts if part]
    return "for epoch in range(epochs):\n" + "".join(lines)


@pytest.mark.parametrize(
    ("given", "guarded"),
    [
        ("lambda e: rates[e]", "lambda e: rates[min(e, len(rates) - 1)]"),
        ("[lambda e: rates[e]]", "[lambda e: rates[min(e, len(rates) - 1)]]"),
        ("lambda e: rates[e // 30] / 2", "lambda e: rates[min(e // 30, len(rates) - 1)] / 2"),
        ("lambda e: [1, 0.1][int(e / 30)]", "lambda e: [1, 0.1][min(int(e / 30), 1)]"),
    ],
)
def test_the_step_behind_the_last_epoch_gets_the_last_entry_again(given: str, guarded: str) -> None:
    moved = _table_loop(first="", last="scheduler.step()")
    result = migrate(_table(given), "TP603")
    assert f"LambdaLR(optimizer, {guarded})" in result.text
    assert result.text.endswith(moved)
    assert migrate(result.text, "TP603").text == result.text


def test_a_function_with_a_name_is_guarded_where_it_is_written() -> None:
    text = migrate(_table("rate", "def rate(e):\n    return rates[e]\n"), "TP603").text
    assert "    return rates[min(e, len(rates) - 1)]\n" in text
    assert text.endswith("    scheduler.step()\n")


@pytest.mark.parametrize(
    "given",
    [
        "lambda e: 0.9 ** e",
        "lambda e: rates[0] * 0.9 ** e",
        "lambda e: rates[e % 5]",
        "lambda e: rates[min(e, 5)]",
        "lambda e: rates[e] if e < len(rates) else 0",
        "lambda e: known.get(e, 1)",
    ],
)
def test_a_function_that_asks_for_no_entry_more_stays(given: str) -> None:
    text = migrate(_table(given), "TP603").text
    assert f"LambdaLR(optimizer, {given})" in text
    assert text.endswith("    scheduler.step()\n")


@pytest.mark.parametrize(
    ("given", "above"),
    [
        ("lambda e: known[e]", "known = {0: 1, 1: 0.1}\n"),
        ("lambda e: unknown[e]", ""),
        ("lambda e: rates[-1 - e]", ""),
        ("lambda e: rates[e]", "len = 3\n"),
    ],
)
def test_where_no_last_entry_can_be_written_the_step_stays(given: str, above: str) -> None:
    text = _table(given, above)
    assert migrate(text, "TP603").text == text
    (finding,) = advice("TP603", text)
    asked = given.partition(": ")[2]
    line = text[: text.index(given)].count("\n") + 1
    told = f"the last step() asks `{asked}` in line {line} for one entry more than until torch 1.0"
    assert finding.message.endswith(f"{told}: see that there is one")


def test_a_step_at_the_end_of_old_files_is_told_to_ask_for_one_more() -> None:
    text = _table("lambda e: rates[e]")
    text = text.replace(_table_loop("scheduler.step()", ""), _table_loop("", "scheduler.step()"))
    (finding,) = advice("TP603", text)
    assert "leave out the first step()" in finding.message
    assert finding.message.endswith("write `rates[min(e, len(rates) - 1)]`")


@pytest.mark.parametrize(
    ("made", "steps", "told"),
    [
        ("StepLR(optimizer, 3)", ["scheduler.step()", "other.step()"], [[0, 1]]),
        ("StepLR(optimizer, 3)", ["scheduler.step()", "print(1)", "other.step()"], [[0], [2]]),
        ("StepLR(optimizer, 3)", ["scheduler.step(epoch)", "other.step()"], [[0], [1]]),
        ("unknown(optimizer)", ["scheduler.step()", "other.step()"], []),
    ],
    ids=["beside each other", "apart", "one of an epoch", "one that is none"],
)
def test_steps_beside_each_other_are_told_once(
    made: str, steps: list[str], told: list[list[int]]
) -> None:
    lines = [f"    {step}" for step in steps]
    text = _script(f"other = {made}", "for epoch in range(9):", *lines, "    TRAIN")
    text = textwrap.dedent(text).lstrip("\n")
    first = text.splitlines().index(lines[0]) + 1
    found = [f for f in advice("TP603", text) if f.line >= first]
    assert [f.line - first for f in found] == [places[0] for places in told]
    if told == [[0, 1]]:
        assert found[0].message.endswith(
            f"one step() too early, as this and line {first + 1} come before the optimizer's steps:"
            " move scheduler.step() and other.step() to the end of each round of the loop in "
            f"line {first - 1}"
        )


_ONE_OR_OTHER = """import torch
from torch.autograd import Variable
from torch.optim.lr_scheduler import StepLR


def train(model, x):
    optimizer.zero_grad()
    model(Variable(x, volatile=False)).sum().backward()
    optimizer.step()


{around}if mode == 'teacher':
    {indent}optimizer = torch.optim.SGD(teacher.parameters(), lr=0.1)
    {indent}scheduler = StepLR(optimizer, 7)
    {indent}for epoch in range(9):
        {indent}scheduler.step()
        {indent}train(teacher, x)
{indent}{other}
    {indent}optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    {indent}scheduler = StepLR(optimizer, 7)
    {indent}for epoch in range(9):
        {indent}scheduler.step()
        {indent}train(student, x)
"""


def test_of_one_or_the_other_loop_both_step_at_the_end() -> None:
    text = _ONE_OR_OTHER.format(around="", indent="", other="elif mode == 'student':")
    expected = re.sub(r"( +scheduler\.step\(\)\n)( +train\(.*\)\n)", r"\2\1", text)
    assert migrate(text, "TP603").text == expected


@pytest.mark.parametrize(
    ("around", "other"),
    [("", "if mode != 'student':"), ("for mode in modes:\n    ", "elif mode == 'student':")],
)
def test_of_two_loops_that_may_both_run_the_first_steps_as_it_did(around: str, other: str) -> None:
    text = _ONE_OR_OTHER.format(around=around, indent="    " if around else "", other=other)
    first = text[text.index("for epoch") : text.index(other)]
    assert first in migrate(text, "TP603").text
