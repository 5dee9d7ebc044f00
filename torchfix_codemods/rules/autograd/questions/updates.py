"""Statements that change parameters through ``.data``: ``p.data.sub_(lr * p.grad.data)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.libraries.initializers import FILLING, INITIALIZERS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.values.lattice import Array, NoneValue, Number, Tensor, Unknown


def updated_tensor(statement: ast.stmt, facts: Facts) -> ast.expr | None:
    """``p`` of a statement ``p.data.mul_(a).add_(b)``, where p is certainly a tensor.

    So it is of ``p.data[i].zero_()``, which sets up a part of a parameter, and of ``p.data -= x``.
    """
    if isinstance(statement, ast.AugAssign):
        return _parameter_of_sum(statement, facts)
    updated = what_is_updated(statement)
    if updated is None:
        return _parameter_of_part(statement, facts)
    return updated if isinstance(facts.value(updated), Tensor) else None


def _parameter_of_part(statement: ast.stmt, facts: Facts) -> ast.expr | None:
    """``w`` of ``w.data[i].fill_(0)``, where ``w[i]`` is memory of w and not a copy."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    part = getattr(statement.value.func, "value", None)
    if not isinstance(part, ast.Subscript) or initialization(statement) is None:
        return None
    assert isinstance(part.value, ast.Attribute)
    indices = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    # What is not known makes no difference: both write into the same part, or into a copy.
    is_part = all(isinstance(facts.value(each), (Number, NoneValue, Unknown)) for each in indices)
    return part.value.value if is_part and is_parameter(part.value.value, facts) else None


def _parameter_of_sum(statement: ast.AugAssign, facts: Facts) -> ast.expr | None:
    """``p`` of ``p.data -= x``, where ``p -= x`` writes into p as well and binds no other name."""
    data = statement.target
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return None
    if not isinstance(statement.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return None
    held = data.value
    # What is assigned to becomes a name of the function.
    is_own = isinstance(held, ast.Name) and held.id in facts.names.scope_of(held).bindings
    if not is_own and not isinstance(held, ast.Attribute):
        return None
    return held if is_parameter(held, facts) else None


def what_is_updated(statement: ast.stmt) -> ast.expr | None:
    """``p`` of a statement ``p.data.mul_(a).add_(b)``, whatever that is."""
    if not isinstance(statement, ast.Expr):
        return None
    node, calls = statement.value, 0
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not torch_effects.updates(node.func.attr):
            return None
        node, calls = node.func.value, calls + 1
    if not (calls and isinstance(node, ast.Attribute) and node.attr == "data"):
        return None
    return node.value


def is_in_forward(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement runs while a graph is built, which must not see parameters change.

    That is in ``forward``, and in the methods of the same class that ``forward`` calls.
    """
    function = facts.names.enclosing_function(statement)
    owner = None if function is None else facts.parent(function)
    if function is None or not isinstance(owner, ast.ClassDef):
        return function is not None and function.name in _FORWARD
    reached = facts.remembered(("forward", owner), lambda: _reached_from_forward(owner))
    return function.name in reached


_FORWARD = frozenset({"forward", "__call__"})


def _reached_from_forward(owner: ast.ClassDef) -> frozenset[str]:
    """The methods of a class that its ``forward`` calls, directly or not."""
    called = {
        method.name: {
            node.func.attr
            for node in walk(method)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        for method in owner.body
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    reached = set(_FORWARD)
    pending = list(_FORWARD)
    while pending:
        new = called.get(pending.pop(), set()) - reached
        reached |= new
        pending += new
    return frozenset(reached)


def group_of_updates(statement: ast.stmt, facts: Facts) -> list[ast.stmt]:
    """The neighbouring updates that go under one ``no_grad``; empty where one cannot go."""
    block = facts.block(statement)
    first = last = block.index(statement)
    while first and _is_update(block[first - 1], facts):
        first -= 1
    while last + 1 < len(block) and _is_update(block[last + 1], facts):
        last += 1
    return block[first : last + 1] if _is_update(statement, facts) else []


def _is_update(statement: ast.stmt, facts: Facts) -> bool:
    updated = updated_tensor(statement, facts)
    if updated is None or not is_parameter(updated, facts):
        return False
    is_set_up = isinstance(statement, ast.Expr) and initialization(statement) is not None
    return not is_set_up and _has_plain_arguments(statement, facts)


def _has_plain_arguments(statement: ast.stmt, facts: Facts) -> bool:
    """Whether nothing is called that could need the graph."""
    return all(
        _is_plain_call(node, facts) for node in walk(statement) if isinstance(node, ast.Call)
    ) and not any(isinstance(node, ast.NamedExpr) for node in walk(statement))


def _is_plain_call(call: ast.Call, facts: Facts) -> bool:
    name = facts.name(call.func)
    if name is not None:
        return name.startswith(("torch.", "numpy.", "math.")) and "grad" not in name
    if isinstance(call.func, ast.Name):
        shadowed = facts.names.scope_of(call).lookup(call.func.id) is not None
        return python_functions.only_computes(call.func.id) and not shadowed
    if not isinstance(call.func, ast.Attribute):
        return False
    # Whatever ``….data`` is of, that needs no graph.
    if torch_effects.rearranges(call.func.attr) and _is_data(call.func.value):
        return call.func.attr not in method_names(facts.names)
    return isinstance(facts.value(call.func.value), (Tensor, Array)) and (
        call.func.attr != "backward"
    )


def _is_data(node: ast.expr) -> bool:
    """``layer.weight.data``, or that in another shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not torch_effects.rearranges(node.func.attr):
            return False
        node = node.func.value
    return isinstance(node, ast.Attribute) and node.attr == "data"


def whole_loop(group: list[ast.stmt], facts: Facts) -> list[ast.stmt]:
    """The loop over parameters, or their numbers, that only updates them; else the updates."""
    loop = facts.parent(group[0])
    if not isinstance(loop, ast.For) or loop.body != group or loop.orelse:
        return group
    iterated = loop.iter
    parts = [iterated, *(iterated.args if isinstance(iterated, ast.Call) else ())]
    over_parameters = any(_gives_parameters(part, facts) for part in parts)
    return [loop] if over_parameters or _counts(iterated, facts) else group


def _gives_parameters(node: ast.expr, facts: Facts) -> bool:
    """``net.parameters()``, a list of that, a part of the list, or a name for any of them."""
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(
            not isinstance(each, ast.Name) and _gives_parameters(each, facts) for each in made
        )
    if isinstance(node, ast.Subscript):
        return _gives_parameters(node.value, facts)
    if not isinstance(node, ast.Call):
        return False
    if facts.names.builtin(node.func) in ("list", "tuple", "reversed") and len(node.args) == 1:
        return _gives_parameters(node.args[0], facts)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else None
    return method in ("parameters", "named_parameters")


def _counts(iterated: ast.expr, facts: Facts) -> bool:
    """``range(len(params))``, which computes nothing that a graph could record."""
    given = iterated
    for builtin in ("range", "len"):
        if not isinstance(given, ast.Call) or facts.names.builtin(given.func) != builtin:
            return False
        if len(given.args) != 1 or given.keywords:
            return False
        given = given.args[0]
    return isinstance(given, (ast.Name, ast.Attribute))


def tensors_with_data(group: list[ast.stmt], facts: Facts) -> Iterator[str]:
    """The texts of the tensors whose ``.data`` the updates speak of."""
    for statement in group:
        for node in walk(statement):
            if isinstance(node, ast.Attribute) and node.attr == "data":
                if isinstance(facts.value(node.value), Tensor):
                    yield facts.segment(node.value)


def initialization(statement: ast.Expr) -> str | None:
    """The method of ``w.data.uniform_(-1, 1)`` that nn.init has as well."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    method, filled = call.func.attr, call.func.value
    data = filled.value if isinstance(filled, ast.Subscript) else filled
    if method not in INITIALIZERS or getattr(data, "attr", None) != "data":
        return None
    names = INITIALIZERS[method][1]
    allowed = {*names, "value"} if method == "fill_" else set(names)
    if len(values_given(call)) > len(names):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    return method if all(keyword.arg in allowed for keyword in call.keywords) else None


def filled_with(statement: ast.Expr) -> str | None:
    """``zeros_`` or ``ones_`` where ``w.data.fill_(1)`` fills in such a number."""
    if initialization(statement) != "fill_" or not isinstance(statement.value, ast.Call):
        return None
    (number,) = [constant(value) for value in values_given(statement.value)] or [None]
    return FILLING.get(int(number)) if number in (0, 1) and type(number) is not bool else None
