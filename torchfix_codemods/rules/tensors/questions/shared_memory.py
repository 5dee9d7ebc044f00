"""Whether anybody could notice that a tensor is a view of another and no copy."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import (
    is_fresh,
    is_method_result_fresh,
)
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.noticed_views import may_be_noticed
from torchfix_codemods.facts.values.lattice import Function, Module


def may_share_unnoticed(copy: ast.expr, source: ast.expr, facts: Facts) -> bool:
    """Whether it could matter that ``copy`` is not a contiguous copy of ``source`` but a view.

    A copy that is used up where it is made only has to be read. One that gets a name, or is part
    of something that does, lives on while its source may be written to: no one else may know the
    source then.
    """
    root = _root(source)
    if isinstance(root, ast.Name):
        inside = set(ast.walk(copy))
        others = (
            place
            for binding in facts.flow.reaching(root)
            for place in reads(facts, binding)
            if place.node not in inside
        )
        if follow(others, may_be_noticed(facts, copy, layout_matters=False)) is not None:
            return True
    if _lives_on(copy, facts) and not _is_own(root, facts):
        return True
    return (
        follow([Place(facts, copy)], may_be_noticed(facts, copy, layout_matters=True)) is not None
    )


def _lives_on(node: ast.expr, facts: Facts) -> bool:
    """Whether the memory of a value may still be referred to after the statement it stands in."""
    return follow([Place(facts, node)], _keeps) is not None


def _keeps(use: Use) -> Iterable[Place] | None:
    """None for what keeps the memory of a value; else what may have the same memory then."""
    by = use.by
    if use.kind in ("compared", "asked", "tested", "formatted", "index", "statement"):
        return ()
    if use.kind == "operand":
        return use.result() if isinstance(getattr(by, "op", None), ast.UAdd) else ()
    if isinstance(by, ast.Attribute):
        return () if torch_effects.gives_no_memory(by.attr) else use.result()
    if isinstance(by, ast.Call):
        is_method = use.kind == "method"
        is_gone = is_method_result_fresh(by) if is_method else _is_used_up_by(by, use.facts)
        return () if is_gone else use.result()
    return use.result() if use.kind in ("chosen", "element", "item") else None


def _is_used_up_by(call: ast.Call, facts: Facts) -> bool:
    """Whether the result of a call has nothing to do with the memory of its arguments.

    Functions and modules of this file count: that they only read is asked of them elsewhere.
    """
    if is_fresh(call, facts):
        return True
    if isinstance(call.func, ast.Name) and python_functions.reports(call.func.id):
        return True
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        return callee.definition is not None
    return isinstance(callee, Function)


def _is_own(node: ast.expr, facts: Facts) -> bool:
    """Whether what an expression refers to is known by its names here only, which only read it."""
    return come_from([Place(facts, node)], functools.partial(_before_own, node))


def _before_own(asked: ast.expr, place: Place) -> Iterable[Place] | None:
    """None for memory that others may know; else what has the same memory before."""
    facts, node = place.facts, place.node
    if isinstance(node, ast.Name):
        is_known = all(
            not binding.is_shared and (node is asked or _is_only_read(facts, binding, node))
            for binding in facts.flow.reaching(node)
        )
        return sources(place) if is_known else None
    root = _root(node)
    if root is not node:
        return [Place(facts, root)]
    if is_fresh(node, facts):
        return ()
    # What a function gives, it may keep.
    return None if isinstance(node, ast.Call) else sources(place)


def is_nowhere_else(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor lies in memory that its expression makes: nothing else can read it."""
    return is_fresh(_root(node), facts)


def _root(node: ast.expr) -> ast.expr:
    """The tensor that a chain of views starts from: ``x`` of ``x.t()[1:].data``."""
    while True:
        if isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr == "data"
        ):
            node = node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and torch_effects.gives_alias(node.func.attr)
        ):
            node = node.func.value
        else:
            return node


def _is_only_read(facts: Facts, binding: Binding, node: ast.Name) -> bool:
    question = may_be_noticed(facts, node, layout_matters=False)
    return follow(reads(facts, binding), question) is None
