"""Python 2: loops through dicts that a function has for itself need no list."""

from __future__ import annotations

import textwrap

import pytest

from torchfix_codemods.documents.python2 import to_python3

pytest.importorskip("fissix")


def _loop(lines: str) -> str:
    text = f"print 1\n{textwrap.dedent(lines).strip()}\n"
    return next(line for line in to_python3(text).text.splitlines() if "for " in line)


@pytest.mark.parametrize(
    "made",
    ["{}", "{1: 2}", "dict(net.named_parameters())", "OrderedDict()", "collections.OrderedDict(x)"],
)
@pytest.mark.parametrize("done", ["yield v", "v.remove()", "g(k, d[k])", "d[k] = g(v)"])
def test_what_is_called_does_not_see_a_dict_that_nobody_is_given(made: str, done: str) -> None:
    loop = _loop(
        f"def f(net, x):\n    d = {made}\n    d[3] = x\n    for k, v in d.items():\n        {done}"
    )
    assert loop.strip() == "for k, v in d.items():"


@pytest.mark.parametrize(
    "lines",
    [
        "d = {}\nx(d)\nfor k, v in d.items():\n    yield v",
        "d = x.d = {}\nfor k, v in d.items():\n    yield v",
        "d = {}\nx.d = d\nfor k, v in d.items():\n    yield v",
        "d = {}\nd = x\nfor k, v in d.items():\n    yield v",
        "d = {}\nif x:\n    d = {}\nfor k, v in d.items():\n    yield v",
        "d = x or {}\nfor k, v in d.items():\n    yield v",
        "d = dict\nfor k, v in d.items():\n    yield v",
        "d = dict(x).y()\nfor k, v in d.items():\n    yield v",
        "d = defaultdict(list)\nfor k, v in d.items():\n    yield d[0]",
        "d = {}\nfor k, v in d.items():\n    d.pop(k)",
        "d = {}\nfor k, v in d.items():\n    del d[k]",
        "d = {}\nfor k, v in d.items():\n    d[v] = k\n    yield v",
        "d = {}\ndef g(k): d[k] = 1\nfor k, v in d.items():\n    g(v)",
        "d = {}\ng = lambda k: d.setdefault(k, 1)\nfor k, v in d.items():\n    g(v)",
        "global d\nd = {}\nfor k, v in d.items():\n    x(v)",
        "d, e = {}, d\nfor k, v in d.items():\n    yield v",
    ],
)
def test_what_others_may_change_is_gone_through_in_a_list(lines: str) -> None:
    loop = _loop("def f(x):\n" + textwrap.indent(lines, "    "))
    assert loop.strip() == "for k, v in list(d.items()):"


def test_a_dict_of_the_module_is_gone_through_in_a_list() -> None:
    assert _loop("d = {}\nfor k, v in d.items():\n    g(v)") == "for k, v in list(d.items()):"


def test_a_new_dict_of_collections_is_another_one_than_that_which_a_loop_goes_through() -> None:
    lines = "def f(x):\n    d = collections.OrderedDict()\n    for k, v in x['a'].items():\n        d[k] = v"
    assert _loop(lines).strip() == "for k, v in x['a'].items():"
