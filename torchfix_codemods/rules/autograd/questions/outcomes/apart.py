"""Functions of the project that keep apart what they are given: ``return net(x), net(y)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_bound, run_by_call
from torchfix_codemods.facts.evaluation.parameters import parameters_given
from torchfix_codemods.facts.language.arguments import constant, is_opaque, values_given
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.values.lattice import Array, Device, Module, NoneValue, Number, Text
from torchfix_codemods.record import record

#: Functions of Python's that keep apart what they are given.
_KEEPING_APART = frozenset("dict enumerate filter iter list map reversed set tuple zip".split())

#: Without any tensor, so that nothing that needs a graph comes of them alone.
_NO_TENSORS = (Array, Device, Module, NoneValue, Number, Text)


def kept_apart(node: ast.AST, facts: Facts) -> list[ast.expr]:
    """The values that an expression gives side by side, or one of which it gives."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) in _KEEPING_APART:
        return values_given(node)
    return []


def is_without_tensors(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression gives nothing that could need a graph."""
    value = facts.value(node)
    return isinstance(value, _NO_TENSORS) or holds_integers(value)


@record
class _Given:
    """What is asked about: parameters, or, where they get several values, the one at a place."""

    parameters: tuple[ast.arg, ...]
    place: int | None

    def is_taken_by(self, name: ast.Name, binding: Binding, facts: Facts) -> bool:
        """Whether a name may hold it: not ``y`` of ``x, y = pair``, nor ``pair`` of ``pair[1]``."""
        if binding.node not in self.parameters:
            return False
        item = facts.parent(name)
        if isinstance(item, ast.Subscript) and item.value is name:
            return self.is_at(constant(item.slice))
        return True

    def is_at(self, place: object) -> bool:
        """Whether it may stand at a place of a parameter, or ``...`` where that is not known."""
        return self.place is None or not isinstance(place, int) or place == self.place


def gives_apart(call: ast.Call, given: ast.AST, facts: Facts, place: int | None = None) -> bool:
    """Whether a function of the project also gives what is made without one of its arguments.

    Args:
        call: a call of it.
        given: the argument.
        facts: the facts of the file of the call.
        place: of what the argument holds, which is asked about; None for all of it.
    """
    callee = facts.value(call.func)
    found = run_by_call(facts.inference, callee)
    home = None if found is None else facts_of(found[0])
    if found is None or home is None or is_opaque(call):
        return False
    owner, function = found
    if owner.classes.is_wrapped(function):
        return False
    bound = is_bound(owner, callee, function)
    asked = _Given(parameters_given(function, given, call, bound), place)
    return any(
        _is_made_without(part, asked, home)
        for node in owner.exits.get(function, ())
        for part in _parts(node.value, home)
    )


def _parts(value: ast.expr | None, facts: Facts) -> Iterator[ast.expr]:
    """What a function gives side by side: ``a`` and ``b`` of ``both = [a, b]; return both``."""
    if isinstance(value, ast.Name):
        for binding in facts.flow.reaching(value):
            if binding.kind == "assign" and not binding.path and binding.value is not None:
                yield from kept_apart(binding.value, facts)
                if isinstance(binding.value, COMPREHENSIONS):
                    yield binding.value
    elif value is not None:
        yield from kept_apart(value, facts) or [value]


def _is_made_without(
    part: ast.expr, given: _Given, facts: Facts, seen: frozenset[Binding] = frozenset()
) -> bool:
    """Whether something with a graph of its own may be calculated, and not of what is given.

    What a function hands on as it got it keeps its graph, whatever it runs under.
    """
    if isinstance(part, ast.Name):
        return any(
            _is_made_without(binding.value, given, facts, seen | {binding})
            for binding in facts.flow.reaching(part)
            if binding not in seen and binding.value is not None
        )
    calculates = any(isinstance(n, (ast.Call, ast.BinOp, ast.UnaryOp)) for n in walk(part))
    if not calculates or _is_cut(part) or is_without_tensors(part, facts):
        return False
    is_one_by_one = given.place is not None and isinstance(part, COMPREHENSIONS)
    return is_one_by_one or not _is_made_of(part, given, facts, seen)


def _is_made_of(part: ast.expr, given: _Given, facts: Facts, seen: frozenset[Binding]) -> bool:
    """Whether what is given goes into an expression, whichever way its names are bound."""
    for name in (node for node in walk(part) if isinstance(node, ast.Name)):
        new = [b for b in facts.flow.reaching(name) if b not in seen and not _is_constant(b)]
        if new and all(
            given.is_taken_by(name, binding, facts)
            or _is_bound_to(binding, given, facts, seen | {*new})
            for binding in new
        ):
            return True
    return False


def _is_bound_to(binding: Binding, given: _Given, facts: Facts, seen: frozenset[Binding]) -> bool:
    value = binding.value
    if value is None or not _is_made_of(value, given, facts, seen):
        return False
    is_unpacked = isinstance(value, ast.Name) and len(binding.path) == 1
    return not is_unpacked or given.is_at(binding.path[0])


def _is_constant(binding: Binding) -> bool:
    """``total = 0``, which something is added to."""
    return isinstance(binding.written(), ast.Constant)


def _is_cut(part: ast.expr) -> bool:
    """``y.size(0)``, ``loss.item()``."""
    function = part.func if isinstance(part, ast.Call) else part
    return isinstance(function, ast.Attribute) and torch_effects.cuts_graph(function.attr)
