"""Whether new tensors have another type or device than torch gives them by itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import augmented, bindings_by, uses_of
from torchfix_codemods.facts.values.lattice import Number

#: Methods that convert to whole numbers: what was cut off by them does not matter.
WHOLE = frozenset({"long", "int"})

_MAX_DEPTH = 4


def may_change_default_type(facts: Facts) -> bool:
    """Whether the project says that new tensors are of another type than ``float32``."""
    return any(
        facts.is_mentioned(word) for word in ("set_default_tensor_type", "set_default_dtype")
    )


def may_change_default_device(facts: Facts) -> bool:
    """Whether the project says that ``torch.empty(2)`` is not to be on the CPU."""
    return facts.is_mentioned("set_default_device") or any(
        isinstance(item.context_expr, ast.Call)
        and facts.name(item.context_expr.func) == "torch.device"
        for statement in facts.names.nodes.get(ast.With, ())
        if isinstance(statement, ast.With)
        for item in statement.items
    )


def is_converted(
    call: ast.expr, facts: Facts, methods: frozenset[str] | None = None, depth: int = 0
) -> bool:
    """``torch.range(0, 3).view(1, 3).long()``: the dtype of the range itself does not matter.

    Args:
        call: what makes the tensor.
        facts: the facts of the module.
        methods: the methods that may convert it; any, and ``copy_`` and assignments into tensors,
            where None.
        depth: how many names were followed.
    """
    user = facts.parent(call)
    if isinstance(user, ast.Call):
        if facts.name(user.func) == "torch.autograd.Variable" and call in user.args[:1]:
            return is_converted(user, facts, methods, depth)
        result = _result_of_named_method(user, call, facts)
        if result is not None:
            return is_converted(result, facts, methods, depth)
        return methods is None and _copies(user, call)
    if isinstance(user, ast.Subscript):
        return user.value is call and is_converted(user, facts, methods, depth)
    if isinstance(user, ast.Assign):
        if user.value is not call or depth > _MAX_DEPTH:
            return False
        is_stored = methods is None and _is_stored_in_tensor(user, facts)
        return is_stored or _is_converted_by_name(user, facts, methods, depth + 1)
    outer = None if user is None else facts.parent(user)
    if not (isinstance(user, ast.Attribute) and isinstance(outer, ast.Call)):
        return False
    if outer.func is not user:
        return False
    if torch_effects.rearranges(user.attr) or (
        user.attr == "to" and not _gives_dtype(outer, facts)
    ):
        return is_converted(outer, facts, methods, depth)
    # ``x.type()`` names the type.
    is_given = user.attr in ("type", "type_as", "to") and bool(values_given(outer))
    converts = torch_effects.does(user.attr, "casts") or user.attr == "to"
    is_meant = converts if methods is None else user.attr in methods
    return is_meant and (is_given or not (outer.args or user.attr == "type"))


def _result_of_named_method(got: ast.Call, source: ast.expr, facts: Facts) -> ast.Call | None:
    """``getattr(x, ("cpu", "cuda")[y.is_cuda])()``, whichever of the methods lays x out anew."""
    result = facts.parent(got)
    if not (isinstance(result, ast.Call) and result.func is got) or values_given(result):
        return None
    if (
        facts.names.builtin(got.func) != "getattr"
        or len(got.args) != 2
        or got.args[0] is not source
    ):
        return None
    names = _texts_of(got.args[1])
    return result if names and all(map(torch_effects.rearranges, names)) else None


def _texts_of(node: ast.expr) -> set[str]:
    """The texts that an expression chooses from; none where it may be another one."""
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Tuple, ast.List)):
        parts = node.value.elts
    else:
        parts = [node]
    texts = {p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)}
    return texts if len(texts) == len({ast.dump(part) for part in parts}) else set()


def _is_converted_by_name(
    statement: ast.Assign, facts: Facts, methods: frozenset[str] | None, depth: int
) -> bool:
    """``x = torch.arange(3)`` in a function that has no other use for it than ``x.long()``."""
    target, scope = statement.targets[0], facts.names.scope_of(statement)
    if len(statement.targets) != 1 or not isinstance(target, ast.Name):
        return False
    if scope.kind != "function" or target.id not in scope.bindings:
        return False
    given = bindings_by(facts, statement, target.id)
    uses = [use for binding in given for use in uses_of(facts, binding)]
    return (
        bool(uses)
        and not any(augmented(facts, binding) for binding in given)
        and all(is_converted(use, facts, methods, depth) for use in uses)
    )


def _gives_dtype(call: ast.Call, facts: Facts) -> bool:
    """``x.to(torch.float)``, ``x.to(y)``; not ``x.to(device)``."""
    given = call.args[:1]
    if len(call.args) > 1 or any(keyword.arg in ("dtype", "other") for keyword in call.keywords):
        return True
    return any(facts.is_tensor(one) or facts.name(one) is not None for one in given)


def _is_stored_in_tensor(statement: ast.Assign, facts: Facts) -> bool:
    """``x[0] = …``, which converts to what ``x`` is of; a list keeps what it gets.

    So does no mask and no tensor of indices: these want the dtype of ``x``.
    """
    return all(
        isinstance(target, ast.Subscript)
        and facts.is_tensor(target.value)
        and all(_is_plain_index(index, facts) for index in _indices(target.slice))
        for target in statement.targets
    )


def _indices(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _is_plain_index(index: ast.expr, facts: Facts) -> bool:
    return isinstance(index, ast.Slice) or isinstance(facts.value(index), Number)


def _copies(call: ast.Call, source: ast.expr) -> bool:
    """``x.copy_(source)``, which converts to what ``x`` is of."""
    function = call.func
    is_copy = isinstance(function, ast.Attribute) and function.attr == "copy_"
    return is_copy and source in call.args[:1]
