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


def _show(lines: int, last: str = "flip(out).data.numpy()") -> str:
    shown = "".join(f"    print('{i}',\n          'of {i}')\n" for i in range(lines))
    return (
        f"{_HEAD}def flip(x):\n    return x.index_select(0, Variable(torch.arange(3).long()))\n\n"
        "def show(net, image):\n    image = Variable(image, volatile=True)\n"
        f"    out = net(image)\n{shown}    score = {last}\n    print(score)\n"
    )


@pytest.mark.parametrize("lines", [2, 5])
def test_a_long_end_that_shows_results_stays_outside(lines: int) -> None:
    migrated = migrate(_show(lines)).text
    assert "    with torch.no_grad():\n        out = net(image)\n    print('0'" in migrated
    assert "\n    score = flip(out)" in migrated


@pytest.mark.parametrize("lines", [0, 1])
def test_so_does_a_short_one(lines: int) -> None:
    migrated = migrate(_show(lines)).text
    assert "    with torch.no_grad():\n        out = net(image)\n    " in migrated
    assert "\n    score = " in migrated


@pytest.mark.parametrize("last", ["net(out).data", "net(flip(out)).data.numpy()"])
def test_an_end_that_calls_a_model_goes_inside(last: str) -> None:
    migrated = migrate(_show(1, last)).text
    assert "    with torch.no_grad():\n        out = net(image)\n        print" in migrated
    assert "\n        score = " in migrated
    assert migrated.count("no_grad") == 1


@pytest.mark.parametrize("last", ["net(out).data", "net(flip(out)).data.numpy()"])
def test_a_function_that_would_be_indented_nearly_whole_is_decorated(last: str) -> None:
    text = _show(5, last)
    migrated = migrate(text).text
    kept = text[text.index("    out = ") :].replace("Variable(image, volatile=True)", "image")
    assert migrated.endswith("@torch.no_grad()\ndef show(net, image):\n" + kept)


def _test(end: str) -> str:
    return (
        f"{_HEAD}def test(net, loader, count):\n    net.eval()\n    correct = 0\n"
        "    for x, y in loader:\n        correct += count(net(Variable(x, volatile=True)), y)\n"
        f"    n = len(loader.dataset)\n    {end}\n    print(n)\n    return 1\n"
    )


@pytest.mark.parametrize(
    "end", ["accuracy = correct / n", "accuracy = 100.0 * correct / n", "correct /= len(loader)"]
)
def test_results_are_divided_by_numbers_outside(end: str) -> None:
    migrated = migrate(_test(end)).text
    assert "    with torch.no_grad():\n        for x, y in loader:\n" in migrated
    assert f"\n    n = len(loader.dataset)\n    {end}\n" in migrated


@pytest.mark.parametrize(
    "end", ["error = correct * net.scale", "error = n - net(correct)", "error = loader.w - correct"]
)
def test_what_else_is_made_of_results_goes_inside(end: str) -> None:
    migrated = migrate(_test(end)).text
    assert f"        n = len(loader.dataset)\n        {end}\n    print(n)" in migrated
