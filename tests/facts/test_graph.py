"""Where a value goes: the ways of Python, one step at a time."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.whole import WholeFacts


def _looked_at(text: str) -> list[str]:
    """What ``look(…)`` gets of what ``made()`` gives, whole and not as a part of something."""
    facts = WholeFacts(ast.parse(textwrap.dedent(text)), textwrap.dedent(text))
    made = (n for n in ast.walk(facts.tree) if isinstance(n, ast.Call))
    start = next(call for call in made if ast.unparse(call) == "made()")
    found: list[str] = []

    def question(use: Use) -> list[Place]:
        if use.kind == "argument" and ast.unparse(getattr(use.by, "func", use.by)) == "look":
            if not use.place.content:
                found.append(ast.unparse(use.node))
        return list(use.onward())

    assert follow([Place(facts, start)], question) is None
    return sorted(found)


@pytest.mark.parametrize(
    ("text", "looked_at"),
    [
        ("look(made())", ["made()"]),
        ("x = made()\nlook(x)", ["x"]),
        ("x = made()\nx = 1\nlook(x)", []),
        ("x = y = made()\nlook(y)\nlook(x)", ["x", "y"]),
        ("a, b = 1, made()\nlook(a)\nlook(b)", ["b"]),
        ("a, (b, c) = 1, (2, made())\nlook(a)\nlook(b)\nlook(c)", ["c"]),
        ("pair = 1, made()\nlook(pair[0])\nlook(pair[1])\nlook(pair)", ["pair[1]"]),
        ("pair = 1, made()\na, b = pair\nlook(a)\nlook(b)", ["b"]),
        ("first, *rest = made(), 2\nlook(first)", ["first"]),
        ("d = {'a': made(), 'b': 1}\nlook(d['a'])\nlook(d['b'])\nlook(d[k])", ["d['a']", "d[k]"]),
        ("d = {}\nd['a'] = made()\nlook(d['a'])\nlook(d['b'])", ["d['a']"]),
        ("xs = []\nxs.append(made())\nfor x in xs:\n    look(x)", ["x"]),
        ("xs = [made()]\nfor i, x in enumerate(xs):\n    look(i)\n    look(x)", ["x"]),
        ("xs = [made()]\nfor x, y in zip(ys, xs):\n    look(x)\n    look(y)", ["y"]),
        ("xs = [made() for _ in n]\nlook(xs[0])\nlook(xs)", ["xs[0]"]),
        ("look([x for x in [made()]][0])", ["[x for x in [made()]][0]"]),
        ("net.x = made()\nlook(net.x)\nlook(net.y)", ["net.x"]),
        ("x = made() if k else 1\nlook(x)", ["x"]),
        ("if (x := made()):\n    look(x)", ["x"]),
        ("with made() as x:\n    look(x)", ["x"]),
        ("x = made()\nx += 1\nlook(x)", ["x"]),
        ("def f(a, b):\n    look(a)\n    look(b)\nf(1, made())", ["b"]),
        ("def f(a, b=1):\n    look(b)\nf(1, b=made())", ["b"]),
        ("def f():\n    return made()\nlook(f())", ["f()"]),
        ("def f():\n    return 1, made()\na, b = f()\nlook(a)\nlook(b)", ["b"]),
        ("def f():\n    yield made()\nfor x in f():\n    look(x)", ["x"]),
        (
            """
            class A:
                def get(self):
                    return {"x": made()}
                def use(self):
                    look(self.get()["x"])
                    look(self.get()["y"])
            """,
            ["self.get()['x']"],
        ),
        ("def f(x):\n    return f(x)\nlook(f(made()))", ["f(made())"]),
    ],
)
def test_where_a_value_goes(text: str, looked_at: list[str]) -> None:
    assert _looked_at(text) == looked_at


_BY_FLAG = """
def f({parameters}):
    if log:
        x = 1
    else:
        x = made()
    {between}
    return x
look(f({given}))
"""


@pytest.mark.parametrize(
    ("parameters", "between", "given", "arrives"),
    [
        ("log=False", "x = x + 1", "log=True", False),
        ("log=True", "", "", False),
        ("log=False", "", "", True),
        ("log=False", "", "log=False", True),
        ("log=False", "", "log=flag", True),
        ("log=False", "", "**given", True),
        ("log=False", "log = not log", "log=True", False),
        # What another call has made and kept is given by this one, too.
        ("self, log=False", "self.x = x; x = self.x", "net, log=True", True),
        ("log=False, y=0", "x = x + y", "True, f(False)", True),
    ],
)
def test_a_call_that_leaves_out_what_makes_a_value_does_not_give_it(
    parameters: str, between: str, given: str, arrives: bool
) -> None:
    text = _BY_FLAG.format(parameters=parameters, between=between or "pass", given=given)
    assert _looked_at(text) == ([f"f({given})"] if arrives else [])


def test_what_a_flag_was_before_it_is_bound_anew_leaves_nothing_out() -> None:
    text = _BY_FLAG.format(parameters="log=False", between="pass", given="log=True")
    assert _looked_at(text.replace("    if log", "    log = not log\n    if log")) == [
        "f(log=True)"
    ]


def test_the_way_to_an_answer() -> None:
    text = "x = made()\ny = x + 1\nz = y\nend(z)\n"
    facts = WholeFacts(ast.parse(text), text)
    start = facts.tree.body[0]
    assert isinstance(start, ast.Assign)
    trail = follow(
        [Place(facts, start.value)],
        lambda use: None if "end" in ast.unparse(use.by) else use.onward(),
    )
    assert trail is not None and not trail.is_cut
    assert trail.names() == {"x": 1, "y": 2, "z": 3}
    assert ast.unparse(trail.end.by) == "end(z)"


def test_what_goes_on_for_ever_is_cut() -> None:
    text = "x0 = made()\n" + "".join(f"x{i + 1} = x{i}\n" for i in range(600))
    facts = WholeFacts(ast.parse(text), text)
    start = facts.tree.body[0]
    assert isinstance(start, ast.Assign)
    trail = follow([Place(facts, start.value)], lambda use: use.onward())
    assert trail is not None and trail.is_cut
