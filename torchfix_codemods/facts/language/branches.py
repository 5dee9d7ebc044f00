"""Which parts of a module may be left out when it runs, and what runs only together with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.jumps import JUMPS
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, same_expression
from torchfix_codemods.record import record

_CHOICES = frozenset(
    {ast.If, ast.IfExp, ast.BoolOp, ast.ExceptHandler, ast.FunctionDef, ast.Lambda, ast.match_case}
)


@record(eq=False)
class Branch:
    """A part that may be left out: a branch, a handler, a function's body."""

    around: Branch | None
    """The one that it lies in itself."""


class Branches:
    """The branches of one module, each found when it is first asked for.

    Args:
        names: the scopes of the module.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._of_node: dict[ast.AST, Branch | None] = {}
        self._of_choice: dict[tuple[ast.AST, str], Branch] = {}

    def of(self, node: ast.AST) -> Branch | None:
        """The innermost branch that holds ``node``; None for what always runs."""
        if node in self._of_node:
            return self._of_node[node]
        way = []
        current: ast.AST | None = node
        while current is not None and current not in self._of_node:
            way.append(current)
            current = self._names.parents.get(current)
        branch = None if current is None else self._of_node[current]
        for child in reversed(way):
            parent = self._names.parents.get(child)
            if parent is not None and parent.__class__ in _CHOICES:
                part = _part(parent, child)
                if part is not None:
                    key = parent, part
                    if key not in self._of_choice:
                        self._of_choice[key] = Branch(branch)
                    branch = self._of_choice[key]
            self._of_node[child] = branch
        return self._of_node[node]

    def runs_with(self, other: ast.AST, node: ast.AST) -> bool:
        """Whether ``other`` runs whenever ``node`` does, as far as branches decide."""
        wanted = self.of(other)
        branch = self.of(node)
        while branch is not wanted and branch is not None:
            branch = branch.around
        return branch is wanted


def statements_above(names: Names, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that stand above a node in the blocks around it, up to its function."""
    child = node
    for parent in names.ancestors(node):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and child in block:
                yield from block[: block.index(child)]
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        child = parent


def tests_around(names: Names, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The tests of a node's function that let it run, each with how it came out for that."""
    child = node
    for parent in names.ancestors(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and child is not parent.test:
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            yield parent.test, child in body
        elif isinstance(parent, ast.BoolOp) and isinstance(child, ast.expr):
            for earlier in parent.values[: parent.values.index(child)]:
                yield earlier, isinstance(parent.op, ast.And)
        elif isinstance(parent, COMPREHENSIONS):
            for generator in parent.generators:
                yield from ((test, True) for test in generator.ifs if test is not child)
        child = parent


def is_of_program_alone(names: Names, node: ast.AST) -> bool:
    """Whether something runs where its file is the program: ``if __name__ == "__main__":``."""
    return any(outcome and asks_for_program(test) for test, outcome in tests_around(names, node))


def asks_for_program(test: ast.expr) -> bool:
    """``__name__ == "__main__"``"""
    names = (node.id for node in ast.walk(test) if isinstance(node, ast.Name))
    is_equal = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq)
    return is_equal and "__name__" in names


def are_exclusive(names: Names, one: ast.AST, other: ast.AST) -> bool:
    """Whether one test decides which of two nodes runs: they stand in two branches of it."""
    parts: dict[ast.AST, str | None] = {}
    for node in (one, other):
        child = node
        for parent in names.ancestors(node):
            if isinstance(parent, (ast.If, ast.IfExp)):
                part = _part(parent, child)
                if part is not None and parts.setdefault(parent, part) != part:
                    return True
            child = parent
    return False


def run_in_one_round(names: Names, first: ast.AST, second: ast.AST) -> bool:
    """Whether there certainly are rounds in which the second of two nodes runs behind the first.

    Of a node that stands under tests of its own they have to be written alike, or to count alike:
    ``i % 2 == 0`` and ``i % 3 == 0``.

    Args:
        names: the scopes of the module.
        first: a node whose own tests have to let it run.
        second: a node that may have tests of its own where the first has none.
    """
    around = [list(tests_around(names, node)) for node in (first, second)]
    own, others = ([each for each in one if each not in two] for one, two in (around, around[::-1]))
    return all(
        _counts(test) is not None if not others else _come_out_alike(test, outcome, others)
        for test, outcome in own
    )


def _come_out_alike(test: ast.expr, outcome: bool, others: list[tuple[ast.expr, bool]]) -> bool:
    counted = _counts(test) if outcome else None
    return all(
        outcome == way
        and (same_expression(test, other) or (counted is not None and _counts(other) == counted))
        for other, way in others
    )


def _counts(test: ast.expr) -> str | None:
    """``i`` of ``i % n == 0``."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    rest, other = test.left, test.comparators[0]
    is_nothing = isinstance(other, ast.Constant) and other.value == 0
    if len(test.ops) > 1 or not is_nothing or not isinstance(rest, ast.BinOp):
        return None
    return ast.unparse(rest.left) if isinstance(rest.op, ast.Mod) else None


def is_let_through_alike(names: Names, node: ast.AST, other: ast.AST) -> bool:
    """Whether all tests around ``node`` are written around ``other``, too.

    Whether they come out alike is for the caller to judge: their names may have new values by then.
    """
    within = set(names.ancestors(other))
    if any(
        isinstance(around, (ast.ExceptHandler, ast.match_case)) and around not in within
        for around in names.ancestors(node)
    ):
        return False
    known = list(tests_around(names, other))
    return all(
        any(outcome == way and same_expression(test, asked) for asked, way in known)
        for test, outcome in tests_around(names, node)
    )


def tests_passed(names: Names, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The tests around a node, and those above that end its function, its loop or the program."""
    yield from tests_around(names, node)
    for statement in statements_above(names, node):
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], JUMPS):
            yield statement.test, False
        elif isinstance(statement, ast.Assert):
            yield statement.test, True


def _part(choice: ast.AST, child: ast.AST) -> str | None:
    """The part of a choice that holds its child; None for what runs in any case."""
    if isinstance(choice, ast.BoolOp):
        return None if child is choice.values[0] else "rest"
    if child is getattr(choice, "test", None):
        return None
    orelse = getattr(choice, "orelse", None)
    in_orelse = child in orelse if isinstance(orelse, list) else child is orelse
    return "orelse" if in_orelse else "body"
