"""Guards that stay around what is only there where they let it run (TP201, TP202)."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_CLASS = """
    import torch
    from torch import nn

    class Base(object):
        def __init__(self):
            self.inherited = nn.Linear(2, 3)

    class Agent({base}):
        def __init__(self, args):
            self.args = args
            {above}
            if self.args.cuda:
                self.net.cuda()
            {below}

        def make(self):
            {made}
"""
_FUNCTION = """
    import torch

    def run(args, make):
        {above}
        if args.cuda:
            net.cuda()
        {below}
        return net
"""
_NET = "self.net = torch.nn.Linear(2, 3)"


def _class(above: str, below: str, base: str = "object", made: str = "pass") -> str:
    text = textwrap.dedent(_CLASS).format(base=base, above=above, below=below, made=made)
    return text.lstrip("\n")


def _function(above: str, below: str) -> str:
    return textwrap.dedent(_FUNCTION).format(above=above, below=below).lstrip("\n")


_UNDER_TEST = "if self.args.cuda:\n            "


@pytest.mark.parametrize(
    "text",
    [
        _class("pass", _NET),
        _class("pass", f"self.net = None\n        {_NET}"),
        _class("self.make()", _NET),
        _class("super(Agent, self).__init__()", _NET, "Base"),
        _class("super(Agent, self).__init__()", _NET, "nn.Module"),
        _class("pass", _NET, made=_NET),
        _class(f"{_UNDER_TEST}{_NET}", "pass"),
        _class(f"{_UNDER_TEST}{_NET}", _NET),
        _function("pass", "net = torch.nn.Linear(2, 3)"),
        _function("if args.cuda:\n        net = torch.nn.Linear(2, 3)", "net = make()"),
    ],
)
def test_a_guard_stays_around_what_is_not_there_without_it(text: str) -> None:
    assert migrate(text, "TP201", "TP202").text == text


@pytest.mark.parametrize(
    "text",
    [
        _class(_NET, "pass"),
        _class(
            f"if self.args.cuda:\n            {_NET}\n        else:\n            {_NET}", "pass"
        ),
        _class(_NET, "self.net = nn.DataParallel(self.net)"),
        _class("self.make()", "self.net = nn.DataParallel(self.net)", made=_NET),
        _class("self.net = None", "pass", made="pass").replace("None", "nn.Linear(2, 3)"),
        _function("net = torch.nn.Linear(2, 3)", "net = torch.nn.DataParallel(net)"),
    ],
)
def test_a_guard_goes_from_around_what_is_there(text: str) -> None:
    assert ".cuda()" not in migrate(text, "TP201", "TP202").text


def test_a_guard_stays_around_what_it_makes_itself() -> None:
    made = "self.net = torch.nn.Linear(4, 3)\n            self.net"
    text = _class("self.net = None", "pass").replace("self.net.cuda", f"{made}.cuda")
    assert migrate(text, "TP201", "TP202").text == text
