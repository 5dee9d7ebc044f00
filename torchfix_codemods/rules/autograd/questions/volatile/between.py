"""What stands between lines that need no graph, and is calculated for them alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Set

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import own_nodes, walk
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.called import functions_run
from torchfix_codemods.facts.paths.fresh import has_out, is_in_place
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.cut_off import cuts
from torchfix_codemods.facts.values.lattice import Array, Module, Sequence, Tensor
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.outcomes.kept_to_itself import (
    gives_new,
    is_passing,
    just_returns,
    keeps_to_itself,
)
from torchfix_codemods.rules.autograd.questions.outcomes.plain_uses import is_read_without_graph


def calculated_for(
    place: ast.stmt, needs_no_graph: Collection[ast.expr], facts: Facts
) -> frozenset[ast.expr]:
    """What in a function is only wanted by what has no graph, or without the graph it has.

    ``lengths, _ = net.lengths()`` of ``infer(volatile, lengths)``; ``net.lengths()[0].data``.

    Args:
        place: a statement of the function.
        needs_no_graph: expressions whose results have no graph anyway.
        facts: the facts of the module.
    """
    found, calculated = set(needs_no_graph), [*_calculated(place, facts)]
    while True:
        more = {
            value
            for value, bindings in calculated
            if value not in found and _is_for(value, bindings, found, facts)
        }
        if not more:
            return frozenset(found)
        found |= more


def _calculated(place: ast.stmt, facts: Facts) -> Iterator[tuple[ast.expr, list[Binding]]]:
    """What a function gives names to, where that is known to calculate and no more."""
    function = facts.names.enclosing_function(place)
    for statement in () if function is None else own_nodes(function):
        if not isinstance(statement, ast.Assign):
            continue
        scope = facts.names.scope_of(statement)
        bound = [b for each in scope.bindings.values() for b in each if b.node is statement]
        targets = [n for target in statement.targets for n in walk(target)]
        if scope.kind != "function" or len(bound) != len(_stored(targets)):
            continue
        if all(_just_calculates(n, facts) for n in walk(statement.value)):
            yield statement.value, bound


def _stored(targets: Iterable[ast.AST]) -> list[ast.AST]:
    return [
        node
        for node in targets
        if isinstance(getattr(node, "ctx", None), ast.Store)
        and not isinstance(node, (ast.List, ast.Starred, ast.Tuple))
    ]


def _just_calculates(node: ast.AST, facts: Facts) -> bool:
    if isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    if not isinstance(node, ast.Call):
        return True
    if isinstance(module := facts.value(node.func), Module):
        return keeps_to_itself(module, facts) is True
    name = facts.name(node.func)
    if name is not None and name.startswith("torch."):
        is_own = is_passing(name) and not has_out(node)
        return is_own and torch_effects.reads_only(name) and not is_in_place(name, node)
    found = function_named(node.func, facts)
    if found is not None:
        home, function = found
        is_as_said = not home.classes.is_wrapped(function) and just_returns(function, home)
        return is_as_said and not _writes(function, home, frozenset())
    if name is not None or not isinstance(node.func, ast.Attribute):
        return False
    method = node.func.attr
    is_asked = facts.is_tensor(node.func.value) or method in ("cpu", "cuda")
    return is_asked and gives_new(method) and torch_effects.reads_only(method)


def _writes(function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]) -> bool:
    """Whether a function, or one that it calls, changes in place what something may hold."""
    for call in (node for node in walk(function) if isinstance(node, ast.Call)):
        method = call.func
        if isinstance(method, ast.Attribute) and not isinstance(method.value, ast.Call):
            if method.attr.endswith("_") and not method.attr.startswith("_"):
                return True
        for home, body in functions_run(call, facts):
            if body not in seen and _writes(body, home, seen | {function, body}):
                return True
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        for node in walk(function)
    )


def _is_for(value: ast.expr, bindings: list[Binding], wanted: Set[ast.expr], facts: Facts) -> bool:
    """Whether a value has no graph, or all uses of its names are in what is wanted."""
    if _is_cut(value) or (isinstance(value, ast.Call) and is_without_graph(value, facts)):
        return True
    scope = facts.names.scope_of(facts.statement(value))
    uses = [
        use
        for binding in bindings
        for use in facts.names.uses_of(scope, binding.name)
        if binding in facts.flow.reaching(use) or _is_deferred(use, scope, facts)
    ]
    is_added_to = any(
        isinstance(other.node, ast.AugAssign)
        for binding in bindings
        for other in scope.bindings[binding.name]
    )
    if not bindings or is_added_to:
        return False
    return not any(
        _is_deferred(use, scope, facts)
        or (
            wanted.isdisjoint(_around(use, facts))
            and follow([Place(facts, use)], _before_cut) is not None
        )
        for use in uses
    )


def _is_cut(value: ast.expr) -> bool:
    """``x.data``, ``x.data[0].cpu()``, ``x.detach()``: what is asked of it adds no graph."""
    node = value
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if cuts(node):
            return True
        if isinstance(node, ast.Call) and values_given(node):
            return False
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _is_deferred(use: ast.Name, scope: Scope, facts: Facts) -> bool:
    """Whether a name is read in a function or lambda inside, which may run anywhere."""
    own = facts.names.scope_of(use)
    return own is not scope and own.kind != "comprehension"


def _before_cut(use: Use) -> Iterable[Place] | None:
    """None for what may calculate with a graph; else what has a value, or its parts, next."""
    if use.kind == "attribute" and isinstance(use.by, ast.Attribute):
        return () if torch_effects.cuts_graph(use.by.attr) else None
    if use.kind == "method" and isinstance(use.by, ast.Call):
        method = getattr(use.by.func, "attr", "")
        if torch_effects.tells(method) and not torch_effects.is_recorded(method):
            return ()
    if use.kind == "index" and isinstance(use.by, ast.Subscript):
        # What says which part is meant is a whole number, or a mask.
        return () if _is_part(use.by, use.facts) else None
    if isinstance(use.node, ast.Name) and is_read_without_graph(use.node, use.facts):
        return ()
    if use.kind in ("iterated", "unpacked"):
        return use.named()
    return use.result() if use.kind == "item" else None


def _is_part(item: ast.Subscript, facts: Facts) -> bool:
    """Whether an expression reads a part of a tensor or a list: of a dict it could be any key."""
    index = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
    has_parts = isinstance(facts.value(item.value), (Array, Sequence, Tensor))
    is_part = has_parts or any(isinstance(one, ast.Slice) for one in index)
    return is_part and isinstance(item.ctx, ast.Load)


def _around(use: ast.Name, facts: Facts) -> Iterator[ast.AST]:
    """The expressions that a name stands in."""
    for node in facts.names.ancestors(use):
        if isinstance(node, ast.stmt):
            return
        yield node
