"""Comments beside rewritten code stay in their column as far as there is room."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate, twice_migrated
from torchfix_codemods.edit.tidying.trailing_comments import in_column


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a = f(x)    # y", "a = t.f(x)    # y", "a = t.f(x)  # y"),
        ("a = f(x)     # y", "a = t.f(x)     # y", "a = t.f(x)   # y"),
        ("a = f(x)   # y", "a = t.ff(x)   # y", "a = t.ff(x)  # y"),
        ("a = f(x)   # y", "a = (x)   # y", "a = (x)    # y"),
        # A line that moves takes its comment along.
        ("    a = f(x)    # y", "a = f(x)    # y", "a = f(x)    # y"),
        ("    a = f(x)    # y", "a = (x)    # y", "a = (x)     # y"),
        # In no column.
        ("a = f(x)  # y", "a = t.f(x)  # y", "a = t.f(x)  # y"),
        ("a = f(x) # y", "a = (x) # y", "a = (x) # y"),
        ("a = f(x)\t   # y", "a = t.f(x)\t   # y", "a = t.f(x)\t   # y"),
        ("        # y", "    # y", "    # y"),
        # Another comment, and none.
        ("a = f(x)    # y", "a = t.f(x)    # z", "a = t.f(x)    # z"),
        ("a = f(x)    # y", "a = t.f(x)", "a = t.f(x)"),
    ],
)
def test_in_column(before: str, after: str, expected: str) -> None:
    assert in_column(before, after, "# y") == expected


HEAD = "import torch\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "out = F.tanh(net(x))      # (?, 1)\nout = F.relu(out)         # (?, 1)\n",
            "out = torch.tanh(net(x))  # (?, 1)\nout = F.relu(out)         # (?, 1)\n",
        ),
        (
            "y = F.tanh(F.sigmoid(x))                # both\n",
            "y = torch.tanh(torch.sigmoid(x))        # both\n",
        ),
        (
            "y = f(F.tanh(x),       # one\n      F.sigmoid(x),    # two\n      3)         # three\n",
            "y = f(torch.tanh(x),   # one\n      torch.sigmoid(x),  # two\n      3)         # three\n",
        ),
        ("y = F.tanh(x); z = 1      # one\n", "y = torch.tanh(x); z = 1  # one\n"),
        ("y = F.tanh('a    # b')\n", "y = torch.tanh('a    # b')\n"),
        ("y = F.tanh(x) # one\n", "y = torch.tanh(x) # one\n"),
        ("if F.tanh(x):      # one\n    y = 1\n", "if torch.tanh(x):  # one\n    y = 1\n"),
    ],
)
def test_renamed_functions(before: str, after: str) -> None:
    assert migrate(HEAD + before, "TP306").text.endswith(after)


@pytest.mark.parametrize(("end", "spaces"), [("\r\n", 6), ("\r", 10)])
def test_lines_may_end_as_on_windows(end: str, spaces: int) -> None:
    before = (HEAD + "y = F.tanh(x)          # one\n").replace("\n", end)
    assert migrate(before, "TP306").text.endswith(f"y = torch.tanh(x){' ' * spaces}# one{end}")


def test_what_is_written_in_the_place_of_less() -> None:
    head = "import torch\nfrom torch.autograd import Variable\n"
    before = (
        head + "x = Variable(torch.ones(2))      # one\ny = x + 1                        # two\n"
    )
    after = migrate(before, "TP101").text
    assert (
        "x = torch.ones(2)                # one\ny = x + 1                        # two\n" in after
    )


def test_lines_that_move_and_are_rewritten_again() -> None:
    """A line leaves the top of the loop; the first rewrite is longer than what comes of it."""
    before = """
    plan = torch.optim.lr_scheduler.StepLR(opt, 1)
    for epoch in range(3):
        plan.step()
        right = total = 0
        for x, y in [(torch.ones(3, 2), torch.ones(3).long())]:
            guess = net(x)
            loss = nn.functional.cross_entropy(guess, y)
            right += guess.data.max(1)[1].eq(y.data).sum()   # one
            total += loss.data[0]                    # two
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(right / 3, total)
    """
    head = "import torch\nimport torch.nn as nn\n\nnet = nn.Linear(2, 2)\n"
    after = twice_migrated(head + "opt = torch.optim.SGD(net.parameters(), lr=1)\n", before)
    assert (
        "        right += guess.argmax(1).eq(y).sum().item()      # one\n"
        "        total += loss.item()                     # two\n"
    ) in after
    assert after.endswith("    print(right / 3, total)\n    plan.step()\n")
