"""A long loop that infers in a few of its lines is not indented for them."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import torch\nfrom torch.autograd import Variable\n"


def _play(lines: int, before: str = "") -> str:
    reads = "".join(f"            total += float(action[{i}])\n" for i in range(lines))
    return (
        f"{_HEAD}def play(net, envs, seen):\n    total = 0\n{before}    for game in envs:\n"
        "        for step in range(5):\n"
        "            action = net(Variable(seen[step], volatile=True))\n"
        f"{reads}            print(total)\n    return total\n"
    )


def test_the_call_alone_goes_under_no_grad() -> None:
    migrated = migrate(_play(8)).text
    block = (
        "            with torch.no_grad():\n"
        "                action = net(seen[step])\n"
        "            total += float(action[0])\n"
    )
    assert block in migrated


@pytest.mark.parametrize("text", [_play(1), _play(8, "    net.eval()\n")])
def test_a_short_loop_and_one_that_evaluates_go_there_whole(text: str) -> None:
    head, _, body = migrate(text).text.partition("    for step")
    assert "torch.no_grad()" in head
    assert "no_grad" not in body
