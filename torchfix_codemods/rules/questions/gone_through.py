"""``for value in loss.data.numpy()``: one number that is gone through, which has no dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from torchfix_codemods.facts.evaluation.reached_returns import is_left_out
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.tensors.called_numbers import method_gives_number
from torchfix_codemods.facts.tensors.scalars import is_number
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Maybe, Tensor, Unknown

Held = Literal["certainly", "on a way"]

#: Functions of Python that go through all that they are given.
_WALKERS = frozenset("enumerate list reversed tuple zip".split())
_OF_TENSORS = frozenset({"cpu", "detach", "numpy"})
_MAX_DEPTH = 4


def gone_through(facts: Facts, iterated: ast.expr) -> Iterator[ast.expr]:
    """What a loop goes through: ``x`` and ``y`` of ``enumerate(zip(x, y))``."""
    if isinstance(iterated, ast.Call) and facts.names.builtin(iterated.func) in _WALKERS:
        for argument in iterated.args:
            yield from gone_through(facts, argument)
    elif not isinstance(iterated, ast.Starred):
        yield iterated


def holds_number(facts: Facts, node: ast.expr) -> Held | None:
    """Whether what is gone through is a tensor of no dimension, or an array or list of it.

    "on a way" where it is one by one of the ways to it, which no test around the place and no
    constant that a function is called with shuts out; so what comes by another way may be asked
    for the dimensions here.
    """
    core, wrappers = unwrapped(node)
    if isinstance(core, (*COMPREHENSIONS, ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple)):
        return None
    # Of what is not known, these methods show it to be a tensor.
    is_shown = not wrappers.isdisjoint(_OF_TENSORS)
    held: Held | None
    is_certain = (is_shown and is_number(facts, core)) or method_gives_number(facts, core)
    held = "certainly" if is_certain else _held(facts, core, None, 0)
    if held is None:
        return None
    tests = {test for test, _ in tests_passed(facts.names, node)}
    if any(ast.dump(part) == ast.dump(core) for test in tests for part in ast.walk(test)):
        return None
    if held == "certainly":
        return held
    asked = {ast.unparse(part) for test in tests for part in _parts(test)}
    deciding = {ast.unparse(part) for part in _deciding(facts, core, tests, 0)}
    return held if asked.isdisjoint(deciding) else None


def _held(facts: Facts, node: ast.expr, call: ast.Call | None, depth: int) -> Held | None:
    """The same for the tensor; ``call`` is that of the function that the expression stands in."""
    if _is_method_of_project(node, facts):
        return None
    value = facts.inference.possible(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return "certainly" if value.ndim == 0 and value.single else None
    if not isinstance(value, (Tensor, Unknown, Maybe)) or depth > _MAX_DEPTH:
        return None
    found = [_held(there, way, of, depth + 1) for there, way, of in _ways(facts, node, call)]
    return "on a way" if any(found) else None


def _is_method_of_project(node: ast.expr, facts: Facts) -> bool:
    """Whether ``x.mean()`` of an x that is not known may be a method that a class has here."""
    if isinstance(node, ast.Name):
        made = [b.value for b in facts.flow.reaching(node) if b.value is not None]
        cores = (unwrapped(value)[0] for value in made)
        return any(isinstance(c, ast.Call) and _is_method_of_project(c, facts) for c in cores)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_own = may_be_of_project(facts.names, node.func.attr)
    return is_own and isinstance(facts.value(node.func.value), Unknown)


def _ways(
    facts: Facts, node: ast.expr, call: ast.Call | None
) -> Iterator[tuple[Facts, ast.expr, ast.Call | None]]:
    """The expressions that a name is assigned, or that a function returns to a call."""
    if isinstance(node, ast.Name):
        for binding in facts.flow.reaching(node):
            is_plain = binding.kind == "assign" and not binding.path
            if is_plain and binding.value is not None:
                if call is None or not _is_left_out(facts, binding.node, call):
                    yield facts, binding.value, call
    elif isinstance(node, ast.IfExp):
        yield facts, node.body, call
        yield facts, node.orelse, call
    elif isinstance(node, ast.Call):
        found = function_named(node.func, facts)
        if found is None or found[0].classes.is_wrapped(found[1]):
            return
        there = found[0]
        for exit_ in there.inference.exits.get(found[1], ()):
            if isinstance(exit_, ast.Return) and exit_.value is not None:
                if not _is_left_out(there, exit_, node):
                    yield there, exit_.value, node


def _is_left_out(facts: Facts, node: ast.AST, call: ast.Call) -> bool:
    function = facts.names.enclosing_function(node)
    return isinstance(function, ast.FunctionDef) and is_left_out(
        facts.inference, function, call, node
    )


def _deciding(
    facts: Facts, node: ast.expr, passed: set[ast.expr], depth: int
) -> Iterator[ast.expr]:
    """What decides which way a value comes: what is tested before it, and what a call is given.

    ``passed`` are the tests that let the place run that is asked about: what stands under the same
    test comes there always.
    """
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, ast.Name):
        for binding in facts.flow.reaching(node):
            for test, _ in tests_passed(facts.names, binding.node):
                yield from _parts(test) if test not in passed else ()
            if binding.value is not None:
                yield from _deciding(facts, binding.value, passed, depth + 1)
    elif isinstance(node, ast.IfExp):
        yield from _parts(node.test)
    elif isinstance(node, ast.Call):
        for given in values_given(node):
            yield from _parts(given)


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The names in an expression, and the attributes where they are asked for one."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield node
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, (ast.Name, ast.Attribute)):
        for child in ast.iter_child_nodes(node):
            yield from _parts(child)
