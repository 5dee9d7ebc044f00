"""Where a value is certainly not ``None``, or no number: by its use, or because it was asked."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import statements_above, tests_around
from torchfix_codemods.facts.language.jumps import JUMPS
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values.lattice import Module

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_not_none(inference: Inference, node: ast.AST) -> bool:
    """Whether an expression that may be None elsewhere is not None at this place."""
    return _is_used_as_object(inference, node) or _is_guarded(inference.names, node, _path(node))


def is_never_none_at(inference: Inference, node: ast.AST, uses: Sequence[ast.Name]) -> bool:
    """Whether a name certainly is not None where ``node`` runs, which need not use it.

    By a test around or above it, or because what has run by then would have raised for None.

    Args:
        inference: what is known of the file.
        node: a place in the code.
        uses: those of the name, all of what it holds there.
    """
    if not uses:
        return False
    names, name = inference.names, uses[0].id
    above = list(statements_above(names, node))
    if _is_guarded(names, node, name) or any(_replaces_none(earlier, name) for earlier in above):
        return True
    run = {*above, node, *names.ancestors(node)}
    return any(
        _is_used_as_object(inference, use)
        and inference.branches.runs_with(use, node)
        and _statement_run_with(names, use) in run
        for use in uses
    )


def _statement_run_with(names: Names, use: ast.Name) -> ast.AST | None:
    """The statement that evaluates a use whenever it is run; not what a loop repeats."""
    for around in names.ancestors(use):
        if isinstance(around, (ast.stmt, ast.comprehension, *COMPREHENSIONS)):
            return around if isinstance(around, ast.stmt) else None
    return None


#: What a number can be asked for.
_OF_NUMBERS = frozenset(
    """real imag conjugate numerator denominator is_integer bit_length as_integer_ratio hex
    to_bytes""".split()
)


def is_no_number(names: Names, node: ast.AST) -> bool:
    """Whether the place of an expression would raise for a Python number."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    return isinstance(parent, ast.Attribute) and parent.attr not in _OF_NUMBERS


def is_replaced(inference: Inference, use: ast.Name, binding: Binding) -> bool:
    """Whether None from a binding ends before a use: ``if x is None: x = …`` stands between."""
    bound_at = getattr(binding.node, "lineno", 0)
    return any(
        earlier.lineno > bound_at and _replaces_none(earlier, use.id)
        for earlier in statements_above(inference.names, use)
    )


def _replaces_none(statement: ast.stmt, name: str) -> bool:
    """``if name is None:`` with a body that gives it another value, or leaves."""
    if isinstance(statement, ast.Assert):
        return _implies(statement.test, name, True)
    if not (isinstance(statement, ast.If) and _implies(statement.test, name, False)):
        return False
    if isinstance(statement.body[-1], JUMPS):
        return True
    return any(
        isinstance(inner, ast.Assign) and any(_path(target) == name for target in inner.targets)
        for inner in statement.body
    )


def _is_used_as_object(inference: Inference, node: ast.AST) -> bool:
    """Whether the place of ``node`` would raise for None."""
    parent = inference.names.parents.get(node)
    if isinstance(parent, (ast.Attribute, ast.Subscript, ast.Starred)):
        return parent.value is node
    if isinstance(parent, ast.BinOp):
        return not (isinstance(parent.op, ast.Mod) and parent.right is node)
    if isinstance(parent, ast.AugAssign):
        return True
    if isinstance(parent, ast.UnaryOp):
        return not isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.Compare):
        return all(isinstance(operator, _ORDER) for operator in parent.ops)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is node
    if isinstance(parent, ast.Call):
        return parent.func is node or (
            parent.args[:1] == [node] and _wants_tensor(inference, parent)
        )
    return False


def _wants_tensor(inference: Inference, call: ast.Call) -> bool:
    """Whether a call is one of torch that takes a tensor first."""
    name = inference.names.name(call.func)
    if name is not None:
        return name.startswith(("torch.nn.functional.", "torch.nn.init."))
    callee = inference.value(call.func)
    return isinstance(callee, Module) and (callee.cls or "").startswith("torch.nn.")


def _is_guarded(names: Names, node: ast.AST, path: str | None) -> bool:
    return path is not None and any(
        _implies(test, path, outcome) for test, outcome in tests_around(names, node)
    )


def _implies(test: ast.expr, path: str, outcome: bool) -> bool:
    """Whether a test that came out so tells that ``path`` is not None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _implies(test.operand, path, not outcome)
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) is outcome and any(
            _implies(value, path, outcome) for value in test.values
        )
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _path(test.left) == path:
        against = test.comparators[0]
        if constant(against) is None:
            return isinstance(test.ops[0], (ast.IsNot, ast.NotEq) if outcome else (ast.Is, ast.Eq))
        return False
    if outcome and isinstance(test, ast.Call) and len(test.args) == 2:
        is_check = isinstance(test.func, ast.Name) and test.func.id == "isinstance"
        return is_check and _path(test.args[0]) == path and _leaves_out_none(test.args[1])
    return outcome and _path(test) == path


def _leaves_out_none(classes: ast.expr) -> bool:
    """Whether None is of none of the classes, as far as their names tell: ``type(None)`` is one."""
    if isinstance(classes, ast.Tuple):
        return all(map(_leaves_out_none, classes.elts))
    name = (_path(classes) or "").rpartition(".")[2]
    is_constant = name.isupper() and len(name) > 1
    return bool(name) and not is_constant and name not in ("object", "NoneType")


def _path(node: ast.AST) -> str | None:
    """``self.hidden`` as it is written, for a name or an attribute of one."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _path(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None
