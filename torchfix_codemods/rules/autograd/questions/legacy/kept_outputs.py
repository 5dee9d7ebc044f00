"""What ``forward`` of a legacy function keeps of what it returns.

Since 0.4 the tensor that ``forward`` returns is the one that gets the graph, and the graph has
``ctx``: kept in ``ctx``, it keeps itself until the garbage collector runs, a view of it for ever.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from torchfix_codemods.edit.static_methods import Kept
from torchfix_codemods.facts.language.nodes import own_nodes, without_items
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.uses import bindings_by
from torchfix_codemods.facts.paths.writes import is_written_into
from torchfix_codemods.rules.autograd.questions.legacy.held_objects import Object, Objects

Methods = Mapping[str, ast.FunctionDef]

#: By which attributes of a tensor code gets at the function that made it.
_WAYS_TO_FUNCTION = ("grad_fn", "creator")

_SAVING = frozenset({"save_for_backward", "saved_tensors", "saved_variables"})


def kept_outputs(facts: Facts, methods: Methods) -> Kept:
    """What becomes of what ``forward`` keeps of its results.

    Args:
        facts: what is known of the file.
        methods: those of a legacy function, each with a first parameter.
    """
    held = sorted(set(_holding(facts, methods["forward"])))
    dropped = frozenset(name for name in held if _is_unread(facts, methods, name))
    rest = [name for name in held if name not in dropped]
    if not rest:
        return Kept(dropped)
    if len(rest) == 1 and _can_be_saved(facts, methods, rest[0]):
        return Kept(dropped, saved=rest[0])
    return Kept(left=rest[0])


def _holding(facts: Facts, forward: ast.FunctionDef) -> Iterator[str]:
    """The attributes that hold a tensor that ``forward`` returns, or a view of it."""
    own = _self_of(forward)
    returned = _returned(facts, forward)
    objects = Objects(facts, own, with_views=True)
    for node in own_nodes(forward):
        if isinstance(node, ast.Assign):
            names = [target for target in node.targets if isinstance(target, ast.Name)]
            also = {b for name in names for b in bindings_by(facts, node, name.id)}
            for target in node.targets:
                for attribute, value in _set_parts(target, own, node.value):
                    if (objects.of(value) | also | {attribute}) & returned:
                        yield attribute
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = node.func.value
            if _is_own(holder, own) and container_methods.adds(node.func.attr):
                if any(objects.of(argument) & returned for argument in node.args):
                    yield holder.attr


def _set_parts(target: ast.expr, own: str, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The attributes of ``self`` that an assignment sets, or sets a part of, and what they get."""
    if isinstance(target, (ast.Tuple, ast.List)):
        given = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        values = given if len(given) == len(target.elts) else [value] * len(target.elts)
        for item, part in zip(target.elts, values, strict=True):
            yield from _set_parts(item, own, part)
        return
    target = without_items(target)
    if _is_own(target, own):
        yield target.attr, value


def _returned(facts: Facts, forward: ast.FunctionDef) -> set[Object]:
    """The objects that ``forward`` returns and that get a graph."""
    own = _self_of(forward)
    objects = Objects(facts, own, with_views=False)
    result: set[Object] = set()
    marked: dict[str, set[Object]] = {"mark_dirty": set(), "mark_non_differentiable": set()}
    for node in own_nodes(forward):
        if isinstance(node, ast.Return) and node.value is not None:
            result |= objects.of(node.value)
        if isinstance(node, ast.Call) and _is_own(node.func, own) and node.func.attr in marked:
            marked[node.func.attr].update(*(objects.of(argument) for argument in node.args))
    # An input that was not written into is returned as another object.
    inputs = {o for o in result if isinstance(o, Binding) and o.kind == "parameter"}
    return result - (inputs - marked["mark_dirty"]) - marked["mark_non_differentiable"]


def _is_unread(facts: Facts, methods: Methods, name: str) -> bool:
    """Whether nothing reads an attribute, and each statement that sets it can go."""
    for role, method in methods.items():
        allowed = ast.Constant if role == "__init__" else (ast.Constant, ast.Name)
        for node in _uses(method, name):
            if isinstance(node.ctx, ast.Load) or not isinstance(_set_alone(facts, node), allowed):
                return False
            if role != "__init__" and _is_all_of_block(facts, facts.statement(node)):
                return False
    return not _is_asked_from_outside(facts, name)


def _is_all_of_block(facts: Facts, statement: ast.stmt) -> bool:
    return any(block == [statement] for _, block in ast.iter_fields(facts.names.parents[statement]))


def _can_be_saved(facts: Facts, methods: Methods, name: str) -> bool:
    """Whether ``save_for_backward`` certainly does what an attribute did."""
    forward, backward = methods["forward"], methods.get("backward")
    if backward is None or _is_asked_from_outside(facts, name):
        return False
    nodes = [node for method in methods.values() for node in ast.walk(method)]
    if any(isinstance(node, ast.Attribute) and node.attr in _SAVING for node in nodes):
        return False
    if any(getattr(node, "id", getattr(node, "arg", None)) == name for node in ast.walk(backward)):
        return False
    if any(
        not isinstance(node.ctx, ast.Load) or is_written_into(facts, node)
        for node in _uses(backward, name)
    ):
        return False
    constructor = methods.get("__init__")
    if constructor is not None and not all(
        isinstance(_set_alone(facts, node), ast.Constant) for node in _uses(constructor, name)
    ):
        return False
    stores = _uses(forward, name)
    return len(stores) == 1 and _always_returns(facts, forward, stores[0])


def _always_returns(facts: Facts, forward: ast.FunctionDef, store: ast.Attribute) -> bool:
    """Whether ``forward`` always comes to ``self.output = output``, and returns just that."""
    statement, value = facts.parent(store), _set_alone(facts, store)
    if statement not in forward.body or not isinstance(value, ast.Name):
        return False
    bindings = set(facts.flow.reaching(value))
    returns = [node for node in own_nodes(forward) if isinstance(node, ast.Return)]
    return bool(returns) and all(
        node.lineno > store.lineno
        and any(
            isinstance(item, ast.Name) and set(facts.flow.reaching(item)) == bindings
            for item in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
        )
        for node in returns
    )


def _set_alone(facts: Facts, target: ast.Attribute) -> ast.expr | None:
    """What a statement gives an attribute where it does no more, and no comment is about it."""
    statement = facts.parent(target)
    if not isinstance(statement, ast.Assign) or statement.targets != [target]:
        return None
    line = facts.lines[statement.lineno - 1]
    own = line.encode("utf-8")[statement.col_offset : statement.end_col_offset].decode("utf-8")
    above = facts.lines[statement.lineno - 2].strip() if statement.lineno > 1 else ""
    is_alone = line.strip() == own and not above.startswith("#")
    return statement.value if is_alone else None


def _is_asked_from_outside(facts: Facts, name: str) -> bool:
    """Whether code may ask the function of a tensor for an attribute: ``y.grad_fn.output``."""
    return any(
        bool(there.names.attributes(way)) and bool(there.names.attributes(name))
        for way in _WAYS_TO_FUNCTION
        for there in (facts, *others_with(way, facts))
    )


def _uses(method: ast.FunctionDef, name: str) -> list[ast.Attribute]:
    own = _self_of(method)
    return [n for n in ast.walk(method) if _is_own(n, own) and n.attr == name]


def _is_own(node: ast.AST, own: str) -> TypeGuard[ast.Attribute]:
    """``self.name``, which is set or read."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == own
    )


def _self_of(method: ast.FunctionDef) -> str:
    return method.args.args[0].arg
