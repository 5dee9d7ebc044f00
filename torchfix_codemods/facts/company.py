"""What stands beside a value where several go their own ways: a tuple, a loop, a conditional."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.integers import holds_integers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.nodes import walk
from torchfix_codemods.facts.scopes import Binding
from torchfix_codemods.facts.values import Array, Device, Module, NoneValue, Number, Text
from torchfix_codemods.facts.wrapped_variables import volatile_passed_on

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

#: Functions of Python's that keep apart what they are given.
_KEEPING_APART = frozenset("dict enumerate filter iter list map reversed set tuple zip".split())

#: Without any tensor, so that nothing that needs a graph comes of them alone.
_NO_TENSORS = (Array, Device, Module, NoneValue, Number, Text)


def company_of(use: ast.expr, whole: ast.expr, facts: Facts) -> frozenset[Binding] | None:
    """What other values ``whole`` holds, or is made of one by one, besides that of ``use``.

    ``[net(t) for t in (x, y)]`` is ``net(y)`` as well as ``net(x)``, where ``net(x, y)`` and
    ``net(torch.cat([x, y]))`` are of both.

    Args:
        use: an expression that gives a value.
        whole: an expression around it, or itself.
        facts: the facts of the module.

    Returns:
        the bindings of the names that stand for these; None where one of them has no name.
    """
    beside: list[ast.expr] = []
    settled: list[ast.expr] = []
    child: ast.AST = use
    for parent in facts.names.ancestors(use):
        if child is whole:
            break
        if isinstance(parent, ast.Call) and facts.names.builtin(parent.func) is None:
            if child is not parent.func:
                beside.clear()
        elif isinstance(parent, _COMPREHENSIONS):
            # Each of them goes through what the comprehension calls.
            settled += beside
            beside.clear()
        elif not isinstance(child, ast.Lambda):
            beside += [part for part in _kept_apart(parent, facts) if part is not child]
        child = parent
    company: set[Binding] = set()
    for part in (*settled, *beside):
        for name in _tensors(part, facts):
            if not isinstance(name, ast.Name):
                return None
            company.update(facts.flow.reaching(name))
    return frozenset(company)


def _kept_apart(node: ast.AST, facts: Facts) -> list[ast.expr]:
    """The values that an expression gives side by side, or one of which it gives."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) in _KEEPING_APART:
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _tensors(part: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """The names in an expression that may hold tensors; the expression where there is none."""
    if isinstance(part, (ast.Constant, ast.Lambda)) or _is_without_tensors(part, facts):
        return
    if isinstance(part, ast.Call) and _is_volatile(part, facts):
        return
    names = (n for n in walk(part) if isinstance(n, ast.Name) and not facts.names.builtin(n))
    holding = [name for name in names if not _is_without_tensors(name, facts)]
    yield from holding
    calls = (node for node in walk(part) if isinstance(node, ast.Call))
    if not holding and any(facts.names.builtin(call.func) is None for call in calls):
        yield part


def _is_volatile(call: ast.Call, facts: Facts) -> bool:
    if facts.name(call.func) != "torch.autograd.Variable":
        return volatile_passed_on(call, facts.names) is not None
    return any(keyword.arg == "volatile" for keyword in call.keywords)


def _is_without_tensors(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, _NO_TENSORS) or holds_integers(value)
