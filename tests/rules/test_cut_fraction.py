from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

OLD = Options(era=Era((1, 0), (1, 0)))

test_rewrites = rewrites(
    "TP424",
    {
        "statements": (
            """
            import torch
            steps = torch.arange(5)
            steps *= 2.0
            steps += -3.  # back
            steps -= 1e1
            """,
            """
            import torch
            steps = torch.arange(5)
            steps *= 2
            steps += -3  # back
            steps -= 10
            """,
        ),
        "methods": (
            """
            import torch
            def f(x: torch.Tensor):
                return x.long().mul_(2.0), x.topk(3)[1].add_(1.).sub_(-2.)
            """,
            """
            import torch
            def f(x: torch.Tensor):
                return x.long().mul_(2), x.topk(3)[1].add_(1).sub_(-2)
            """,
        ),
    },
)

LOOP = """
import torch
def f(x, n):
    counts = torch.randperm(3)
    {}
    return counts
"""

KEPT = {
    name: LOOP.format(step)
    for name, step in {
        "a whole number": "counts *= 2",
        "a fraction": "counts *= 0.5",
        "a quotient": "counts /= 2.0",
        "a new tensor": "counts = counts * 2.0",
        "floats": "x = torch.ones(3); x *= 2.0",
        "anything": "x *= 2.0; n.mul_(2.0)",
        "a number": "n = 3; n += 2.0",
        "floats on one way": "counts = counts if n else torch.ones(3); counts *= 2.0",
        "an element": "x[0] += 2.0",
        "what is filled": "counts.fill_(2.0)",
        "with a factor": "counts.add_(2.0, alpha=3)",
        "a comment": "# counts *= 2.0",
    }.items()
}
KEPT["another library"] = LOOP.format("counts *= 2.0").replace(
    "import torch", "import numpy as torch"
)
KEPT["a function of the file"] = LOOP.format("counts *= 2.0").replace(
    "import torch\n", "class torch:\n    randperm = list\n"
)

test_keeps = keeps("TP424", KEPT)


@pytest.mark.parametrize(
    "step",
    [
        "counts *= 0.5",
        "counts.add_(0.5)",
        "counts -= torch.rand(1)",
        "counts += torch.rand(2).mean()",
    ],
)
def test_a_fraction_in_place_fails_whatever_the_age(step: str) -> None:
    (finding,) = advice("TP424", LOOP.format(step))
    assert "takes in no fractions since torch 1.3" in finding.message
    assert "write counts = counts " in finding.message


@pytest.mark.parametrize(
    ("expression", "cut", "until"),
    [
        ("counts * 0.5", "counted 0.5 as 0", (1, 2)),
        ("-1.5 + counts", "counted -1.5 as -1", (1, 2)),
        ("2.5 - counts", "counted 2.5 as 2", (1, 2)),
        ("counts.mul(0.5)", "counted 0.5 as 0", (1, 2)),
        ("counts // 2.5", "counted 2.5 as 2", (1, 2)),
        ("counts % 2.5", "counted 2.5 as 2", (1, 4)),
        ("counts ** 0.5", "", (1, 5)),
        ("counts.pow(0.5)", "", (1, 5)),
        ("counts < 0.5", "counted 0.5 as 0", (1, 2)),
        ("0.5 > counts", "counted 0.5 as 0", (1, 2)),
        ("counts >= 0.5", "counted 0.5 as 0", (1, 2)),
        ("counts > -0.5", "counted -0.5 as 0", (1, 2)),
        ("counts == 1.5", "counted 1.5 as 1", (1, 2)),
        ("counts.ne(1.5)", "counted 1.5 as 1", (1, 2)),
    ],
)
def test_what_counted_is_said_in_old_files(
    expression: str, cut: str, until: tuple[int, int]
) -> None:
    text = LOOP.format(f"x = {expression}")
    for newest in ((0, 3), (0, 4), (1, 2), (1, 4), (1, 5), (1, 6)):
        found = advice("TP424", text, options=Options(era=Era(newest, newest)))
        assert len(found) == ((0, 4) <= newest <= until), newest
        assert all(cut in f.message for f in found)
    assert not advice("TP424", text)


def test_a_root_was_cut_itself_once_the_power_was_not() -> None:
    text = LOOP.format("x = counts ** 0.5")
    (older,) = advice("TP424", text, options=OLD)
    (newer,) = advice("TP424", text, options=Options(era=Era((1, 4), (1, 4))))
    assert "counted 0.5 as 0" in older.message
    assert "the power 0.5 of whole numbers was cut" in newer.message


@pytest.mark.parametrize(
    "expression",
    [
        "counts * 2.0",
        "counts * n",
        "counts > 0.5",
        "counts <= 0.5",
        "counts < -0.5",
        "0.5 < counts",
        "counts.gt(0.5)",
        "counts.float() * 0.5",
        "n * 0.5",
        "len(x) * 0.5",
        "counts.size(0) * 0.5",
        "counts.sum().item() * 0.5",
        "0 < counts < 0.5",
        "counts * float('inf')",
        "counts < 1e999",
    ],
)
def test_nothing_is_said_of_what_was_not_cut(expression: str) -> None:
    assert not migrate(LOOP.format(f"x = {expression}"), "TP424", options=OLD).findings


def test_a_mask_cut_fractions_while_it_was_of_bytes() -> None:
    text = LOOP.format("x = (counts > 0) * 0.5")
    for newest in ((1, 1), (1, 2)):
        found = advice("TP424", text, options=Options(era=Era(newest, newest)))
        assert len(found) == (newest < (1, 2))
    assert not advice("TP424", text)


@pytest.mark.parametrize("part", ["ids.view(-1)", "ids[0]", "ids.data"])
def test_a_part_of_a_tensor_is_not_given_anew(part: str) -> None:
    text = f"import torch\nids = torch.zeros(3, 4).long()\n{part}.mul_(0.5)\n"
    (finding,) = advice("TP424", text)
    assert f"{part} =" not in finding.message
    assert finding.message.endswith(f"call .float() where the tensor of {part} is made")
