"""Flags that TP102 cannot follow: options of ``Variable`` in a dict, and what a helper returns."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_HEAD = "import torch\nfrom torch.autograd import Variable\n"

_RUN = (
    _HEAD
    + """
def run(net, loader, train):
    for x, y in loader:
        options = {"volatile": not train, "requires_grad": False}
        x, y = Variable(x, **options), Variable(y, **options)
        loss = net(x, y)
"""
)


@pytest.mark.parametrize(
    "text",
    [
        _RUN,
        _RUN.replace("not train", "True"),
        _RUN.replace('{"volatile": not train, "requires_grad": False}', "dict(volatile=True)"),
        _HEAD + "def f(net, x):\n\n\n    return net(Variable(x, **{'volatile': True}))\n",
    ],
)
def test_options_that_hold_the_flag_are_reported_once(text: str) -> None:
    (finding,) = advice("TP102", text)
    assert finding.line == 6
    assert finding.message.startswith("volatile= has no effect since 0.4: drop it")
    assert migrate(text, "TP102").text == text


@pytest.mark.parametrize(
    "text",
    [
        _RUN.replace("not train", "False"),
        _RUN.replace('"volatile"', "volatile"),
        _RUN.replace('"volatile"', '"pinned"'),
        _RUN.replace("**options", "options"),
        _RUN.replace(" Variable(", " make(").replace("(Variable(", "(make("),
        _RUN.replace('{"volatile"', 'f({"volatile"').replace("False}", "False})"),
        _RUN.replace('{"volatile": not train, "requires_grad": False}', "dict(volatile=False)"),
        _HEAD + "settings = dict(volatile=True)\n",
        _HEAD + "x = Variable(x, **(dict(volatile=False) if y else dict(requires_grad=False)))\n",
        _HEAD + 'settings = {"volatile": True}\n',
        _HEAD + 'Variable({"volatile": True})\n',
    ],
)
def test_other_dicts_are_no_finding(text: str) -> None:
    assert not advice("TP102", text)


@pytest.mark.parametrize("options", ["dict(volatile=True)", '{"volatile": True}'])
def test_options_that_a_test_chooses_are_reported(options: str) -> None:
    """Which calls ask for them is not followed."""
    text = _HEAD + (
        "def load(x, volatile=False):\n"
        f"    options = {options} if volatile else dict(requires_grad=False)\n"
        "    return Variable(x, **options)\n"
    )
    (finding,) = advice("TP102", text)
    assert (finding.line, finding.message) == (
        4,
        "volatile= has no effect since 0.4: drop it; what only evaluates goes under "
        "`with torch.no_grad():`",
    )


_HELPER = (
    _HEAD
    + """
def wrap(x, requires_grad=None, volatile=False):
    needed = not volatile if requires_grad is None else requires_grad
    x = Variable(x, requires_grad=needed, volatile=volatile)
    return x.cuda() if torch.cuda.is_available() else x

def test(net, x):
    return net(wrap(x, volatile=True))
"""
)


@pytest.mark.parametrize(
    "text",
    [
        _HELPER,
        _HELPER.replace("return x.cuda() if torch.cuda.is_available() else x", "return x"),
        _HELPER.replace("return x.cuda() if torch.cuda.is_available() else x", "return x.cuda()"),
        _HELPER.replace("x.cuda() if torch.cuda.is_available() else x", "x.to(device).float()"),
        _HELPER.replace(
            "    x = Variable(x, requires_grad=needed, volatile=volatile)\n"
            "    return x.cuda() if torch.cuda.is_available() else x",
            "    return Variable(x, requires_grad=needed, volatile=volatile).cuda()",
        ),
    ],
)
def test_a_block_in_a_helper_does_nothing_for_its_callers(text: str) -> None:
    assert migrate(text, "TP102").text == text
    assert [f.line for f in advice("TP102", text)] == [6]


def test_a_helper_that_runs_a_network_holds_the_block() -> None:
    text = _HELPER.replace("return x.cuda()", "return net(x.cuda())").replace("else x", "else None")
    block = "    with torch.set_grad_enabled(torch.is_grad_enabled() and not volatile):\n"
    assert block in migrate(text, "TP102").text
