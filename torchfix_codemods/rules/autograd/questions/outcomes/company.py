"""What stands beside a value where several go their own ways: a tuple, a loop, a conditional."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.leaves import is_leaf
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.rules.autograd.questions.outcomes.apart import (
    gives_apart,
    is_without_tensors,
    kept_apart,
)


def company_of(use: ast.expr, whole: ast.expr, facts: Facts) -> frozenset[Binding] | None:
    """What other values ``whole`` holds, or is made of one by one, besides that of ``use``.

    ``[net(t) for t in (x, y)]`` is ``net(y)`` as well as ``net(x)``, where ``net(x, y)`` and
    ``net(torch.cat([x, y]))`` are of both, unless ``net`` is a function of the project that gives
    something that ``x`` does not go into.

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
                beside = _beside_in_call(parent, child, beside, facts)
        elif isinstance(parent, COMPREHENSIONS):
            # Each of them goes through what the comprehension calls.
            settled += beside
            beside.clear()
        elif not isinstance(child, ast.Lambda):
            beside += [part for part in kept_apart(parent, facts) if part is not child]
        child = parent
    company: set[Binding] = set()
    for part in (*settled, *beside):
        for name in _tensors(part, facts):
            if not isinstance(name, ast.Name):
                return None
            company.update(facts.flow.reaching(name))
    return frozenset(company)


def _beside_in_call(
    call: ast.Call, given: ast.AST, beside: list[ast.expr], facts: Facts
) -> list[ast.expr]:
    """What a call makes something of without one of its arguments; of all others, it is of both."""
    value = given.value if isinstance(given, ast.keyword) else given
    place = None
    if isinstance(value, (ast.Tuple, ast.List)):
        place = next((i for i, one in enumerate(value.elts) if one not in beside), None)
    others = [other for other in values_given(call) if other is not value]
    if gives_apart(call, value, facts, place):
        return beside + others
    if isinstance(facts.value(call.func), Unknown):
        # Nobody asks for gradients of what goes where none are recorded.
        return [other for other in others if is_leaf(other, facts)]
    return []


def _tensors(part: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """The names in an expression that may hold tensors; the expression where there is none."""
    if isinstance(part, (ast.Constant, ast.Lambda)) or is_without_tensors(part, facts):
        return
    if isinstance(part, ast.Call) and _is_volatile(part, facts):
        return
    names = (n for n in walk(part) if isinstance(n, ast.Name) and not facts.names.builtin(n))
    holding = [name for name in names if not is_without_tensors(name, facts)]
    yield from holding
    calls = (node for node in walk(part) if isinstance(node, ast.Call))
    if not holding and any(facts.names.builtin(call.func) is None for call in calls):
        yield part


def _is_volatile(call: ast.Call, facts: Facts) -> bool:
    if facts.name(call.func) != "torch.autograd.Variable":
        return volatile_passed_on(call, facts.names) is not None
    return any(keyword.arg == "volatile" for keyword in call.keywords)


def given_with(binding: Binding, part: ast.expr) -> ast.expr:
    """What a name is given that holds ``part``: the whole display of ``xs = [x, y]``."""
    value = binding.value
    is_display = isinstance(value, (ast.Tuple, ast.List)) and part in value.elts
    return value if is_display and value is not None else part


def joined_company(
    one: frozenset[Binding] | None, other: frozenset[Binding] | None
) -> frozenset[Binding] | None:
    """What goes with a value on either of two ways; None where that is out of sight."""
    return None if one is None or other is None else one | other
