"""Which assignments a use of a name may read."""

from __future__ import annotations

import ast
import sys

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts


def _reaching(text: str) -> set[str]:
    """What the argument of the last ``look(…)`` may be, as it was written; ``-`` for parameters."""
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    use = max(looks, key=lambda c: c.lineno).args[0]
    assert isinstance(use, ast.Name)
    return {ast.unparse(b.value) if b.value is not None else "-" for b in facts.flow.reaching(use)}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x = 1\nx = 2\nlook(x)", "2"),
        ("x = 1\nif a:\n    x = 2\nlook(x)", "1 2"),
        ("x = 1\nif a:\n    x = 2\nelse:\n    x = 3\nlook(x)", "2 3"),
        ("x = 1\nif a:\n    x = 2\n    raise b\nlook(x)", "1"),
        ("x = 1\nif a:\n    pass\nelse:\n    x = 2\n    raise b\nlook(x)", "1"),
        (
            "x = 1\nif a:\n    x = 2\n    if b:\n        raise b\n    else:\n        raise c\nlook(x)",
            "1",
        ),
        ("x = 1\nif a:\n    x = 2\n    if b:\n        raise b\nlook(x)", "1 2"),
        ("x = 1\nif a:\n    x = 2\n    with b:\n        raise b\nlook(x)", "1"),
        ("import sys\nx = 1\nif a:\n    x = 2\nelse:\n    sys.exit('no')\nlook(x)", "2"),
        ("x = 1\nif a:\n    x = 2\nelse:\n    print(a)\n    exit()\nlook(x)", "2"),
        ("x = 1\nif a:\n    x = 2\nelse:\n    exit(1)\n    print(a)\nlook(x)", "1 2"),
        ("exit = 0\nx = 1\nif a:\n    x = 2\nelse:\n    exit()\nlook(x)", "1 2"),
        ("import sys\nx = 1\nif a:\n    x = 2\nelse:\n    sys.exc_info()\nlook(x)", "1 2"),
        (
            "x = 1\nfor i in y:\n    look(x)\n    if a:\n        x = 2\n    else:\n        quit()",
            "1 2",
        ),
        ("try:\n    x = 1\nexcept E:\n    quit()\nlook(x)", "1"),
        ("x = 1\nfor i in y:\n    x = 2\nlook(x)", "1 2"),
        ("x = 1\nfor i in y:\n    look(x)\n    x = 2", "1 2"),
        ("x = 1\nfor i in y:\n    look(x)\n    x = 2\n    x = 3", "1 3"),
        (
            "x = 1\nfor i in y:\n    look(x)\n    x = 2\n    if a:\n        continue\n    x = 3",
            "1 2 3",
        ),
        ("x = 1\nfor i in y:\n    look(x)\n    x = 2\n    x = 3\nfor i in z:\n    continue", "1 3"),
        ("for i in y:\n    continue\nx = 1\nfor i in y:\n    look(x)\n    x = 2\n    x = 3", "1 3"),
        (
            "x = 1\nfor i in y:\n    look(x)\n    x = 2\n    for j in z:\n        continue\n    x = 3",
            "1 3",
        ),
        (
            "x = 1\nfor i in y:\n    look(x)\n    x = 2\n    for j in z:\n        pass\n    else:\n"
            "        continue\n    x = 3",
            "1 2 3",
        ),
        ("x = 1\nfor i in y:\n    x = 2\n    x = 3\nlook(x)", "1 3"),
        ("x = 1\nfor i in y:\n    x = 2\n    if a:\n        break\n    x = 3\nlook(x)", "1 2 3"),
        ("for i in y:\n    if a:\n        continue\n    x = 2\n    x = 3\nlook(x)", "3"),
        (
            "x = 1\nfor i in y:\n    look(x)\n    if a:\n        continue\n    x = 2\n    x = 3",
            "1 3",
        ),
        ("while b:\n    x = 2\n    x = 3\n    if a:\n        continue\n    x = 4\nlook(x)", "3 4"),
        (
            "for i in y:\n    if a:\n        x = 2\n        x = 4\n        break\n    x = 3\nlook(x)",
            "3 4",
        ),
        ("for x in y:\n    if a:\n        break\n    x = 2\nlook(x)", "2 y"),
        (
            "for i in y:\n    try:\n        x = 2\n        break\n    finally:\n        x = 4\n"
            "    x = 3\nlook(x)",
            "2 3 4",
        ),
        (
            "for i in y:\n    with b:\n        x = 2\n        if a:\n            continue\n"
            "    x = 3\nlook(x)",
            "2 3",
        ),
        (
            "for i in y:\n    try:\n        x = 2\n    except b:\n        x = 4\n        break\n"
            "    x = 3\nlook(x)",
            "2 3 4",
        ),
        (
            "for i in y:\n    for j in z:\n        x = 2\n    else:\n        continue\n"
            "    x = 3\nlook(x)",
            "2 3",
        ),
        ("x = 1\nwhile b:\n    x = 2\n    if a:\n        continue\n    x = 3\nlook(x)", "1 2 3"),
        (
            "x = 1\nfor i in y:\n    x = 2\n    for j in z:\n        break\n    x = 3\nlook(x)",
            "1 3",
        ),
        (
            "x = 1\nfor i in y:\n    x = 2\n    for j in z:\n        pass\n    else:\n        break\n"
            "    x = 3\nlook(x)",
            "1 2 3",
        ),
        ("x = 1\nfor x in y:\n    x = 2\nlook(x)", "1 2"),
        ("x = 1\nfor x in y:\n    if a:\n        x = 2\nlook(x)", "1 2 y"),
        ("x = 1\nfor i in y:\n    x = 2\nelse:\n    x = 3\nlook(x)", "1 2 3"),
        ("x = 1\nfor i in y:\n    x = 2\n    if a:\n        return\n    x = 3\nlook(x)", "1 3"),
        ("x = 1\nfor i in y:\n    x = 2\n    break\nelse:\n    look(x)", "1 2"),
        ("x = 1\nfor x in y:\n    look(x)", "y"),
        ("x = 1\nfor x in y:\n    pass\nlook(x)", "1 y"),
        ("x = 1\nfor x in y:\n    pass\nelse:\n    look(x)", "1 y"),
        ("x = 1\nwhile a:\n    look(x)\n    x = 2", "1 2"),
        ("x = 1\nwhile look(x):\n    x = 2", "1 2"),
        ("x = 1\nwhile look(x):\n    x = 2\n    x = 3", "1 3"),
        ("x = 1\nwhile look(x):\n    x = 2\n    if a:\n        continue\n    x = 3", "1 2 3"),
        ("x = 1\nwhile look(x):\n    y = 2\nelse:\n    x = 2", "1"),
        ("x = 1\nif look(x):\n    x = 2", "1"),
        ("x = 1\nfor i in look(x):\n    x = 2", "1"),
        ("x = 1\nwith a:\n    x = 2\nlook(x)", "2"),
        ("x = 1\nwith a:\n    if b:\n        x = 2\nlook(x)", "1 2"),
        ("x = 1\nwith a as x:\n    look(x)", "a"),
        ("x = 1\nwith a as x:\n    pass\nlook(x)", "a"),
        ("x = 1\nwith a as x:\n    if b:\n        x = 2\nlook(x)", "a 2"),
        ("x = 1\nwith a as x:\n    x = 2\nlook(x)", "2"),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    look(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\n    x = 3\nexcept E:\n    look(x)", "1 2 3"),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    pass\nlook(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    raise\nlook(x)", "2"),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    x = 3\nlook(x)", "2 3"),
        ("x = 1\ntry:\n    pass\nfinally:\n    x = 2\nlook(x)", "2"),
        ("x = 1\ntry:\n    x = 2\nfinally:\n    look(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    pass\nelse:\n    look(x)", "1 2"),
        ("x = 1\ntry:\n    look(x)\n    x = 2\nfinally:\n    pass", "1"),
        ("x = 1\ntry:\n    pass\nexcept E as x:\n    look(x)", "-"),
        ("x = 1\nmatch a:\n    case 1:\n        x = 2\nlook(x)", "1 2"),
        ("x = 1\nmatch a:\n    case 1:\n        x = 2\n        look(x)", "2"),
        ("x = 1\nmatch a:\n    case 1:\n        x = 2\n    case 2:\n        look(x)", "1"),
        ("def f(x):\n    look(x)", "-"),
        ("def f(x):\n    if a:\n        x = 1\n    look(x)", "- 1"),
        ("def f(x):\n    x = 1\n    look(x)", "1"),
        ("x = 1\nx = 2\nl = [look(x) for i in y]", "2"),
        ("x = 1\nx = 2\nl = [[look(x) for j in i] for i in y]", "2"),
        ("x = 1\nx = 2\ndef f():\n    look(x)", "2"),
        ("x = 1\nx = 2\nclass A:\n    def f(self):\n        look(x)", "2"),
        ("x = 1\nif a:\n    x = 2\ndef f():\n    look(x)", "1 2"),
        ("x = 1\nx = 2\ndef f():\n    look(x)\nx = 3", "2 3"),
        ("x = 1\nx = 2\ndef f():\n    look(x)\nif a:\n    x = 3", "2 3"),
        ("x = 1\nif a:\n    x = 2\n    def f():\n        look(x)\nelse:\n    x = 3", "2 3"),
        ("x = 1\nx = 2\nfor i in a:\n    def f():\n        look(x)", "1 2"),
        ("x = 1\nx = 2\nf = lambda: look(x)", "1 2"),
        ("def g():\n    x = 1\n    x = 2\n    def f():\n        look(x)", "1 2"),
        ("try:\n    x = 1\nexcept E:\n    x = 2\ndef f():\n    look(x)", "1 2"),
        ("x = 1\ndef g():\n    global x\n    x = 2\nx = 3\ndef f():\n    look(x)", "1 2 3"),
        ("x = 1\ndef f():\n    global x\n    x = 2\nx = 3\nlook(x)", "1 2 3"),
        ("x = 1\nx = 2\nlook((x := 3) and x)\nlook(x)", "1 2 3"),
        ("class A:\n    x = 1\n    x = 2\n    look(x)", "1 2"),
        ("x = 1\nx = 2\nwith a:\n    look(x)", "2"),
        ("look(x)\nx = 1\nx = 2", ""),
        ("look(x)", ""),
    ],
)
def test_assignments_that_reach(text: str, read: str) -> None:
    assert _reaching(text) == set(read.split())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is of Python 3.11")
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x = 1\ntry:\n    x = 2\nexcept* E:\n    look(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\nexcept* E:\n    pass\nlook(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\nexcept* E:\n    pass\nelse:\n    look(x)", "1 2"),
        ("x = 1\ntry:\n    x = 2\nexcept* E:\n    raise\nlook(x)", "2"),
    ],
)
def test_assignments_that_reach_around_groups_of_errors(text: str, read: str) -> None:
    assert _reaching(text) == set(read.split())


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("x = 1\nx = 2\nx += 3", "2"),
        ("x = 1\nif a:\n    x = 2\nx += 3", "1 2"),
        ("x = 1\nx = 2\ndef f():\n    global x\n    x += 3", "1 2 3"),
        ("import y\ny.x += 1", ""),
    ],
)
def test_assignments_that_reach_a_statement(text: str, before: str) -> None:
    facts = WholeFacts(ast.parse(text), text)
    statement = next(n for n in ast.walk(facts.tree) if isinstance(n, ast.AugAssign))
    found = facts.flow.reaching_before(statement, "x")
    assert {ast.unparse(b.value) for b in found if b.value is not None} == set(before.split())
