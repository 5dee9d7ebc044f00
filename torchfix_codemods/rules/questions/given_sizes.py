"""Sizes that are handed over: no None, which stands for other sizes today, or more than one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import are_first_two, whole_number
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import runs_with, uses_of
from torchfix_codemods.facts.values.lattice import Maybe, NoneValue, Sequence, Unknown


def are_sizes_given(facts: Facts, node: ast.expr) -> bool:
    """Whether an argument that may be None, or empty, is certainly not.

    A parameter without None as its default counts as given.
    """
    return come_from([Place(facts, node)], _before_sizes)


def are_several(facts: Facts, node: ast.expr) -> bool:
    """Whether sizes are no single number: each that is seen is a list, or one is taken before."""
    return _is_sequence_above(facts, node) or come_from([Place(facts, node)], _before_list)


def are_cut(node: ast.expr) -> bool:
    """Whether sizes are the first two of others: ``shape[:2]``, ``info[:2] / info[2]``."""
    if isinstance(node, ast.BinOp):
        return are_cut(node.left) or are_cut(node.right)
    return are_first_two(node)


def _is_sequence_above(facts: Facts, node: ast.expr) -> bool:
    """Whether the same function takes sizes for a sequence before it comes to this use of them."""
    function = facts.names.enclosing_function(node)
    if function is None:
        return False
    return any(
        (use.lineno, use.col_offset) < (node.lineno, node.col_offset)
        and _is_used_as_sequence(facts, use)
        and runs_with(use, function, facts)
        for use in _read_alike(facts, node)
    )


def _read_alike(facts: Facts, node: ast.expr) -> Iterable[ast.expr]:
    """What reads the same name, or an attribute ``config.SIZE`` that nothing here sets."""
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        uses = uses_of(facts, bindings[0]) if bindings else ()
        return [use for use in uses if {*facts.flow.reaching(use)} == {*bindings}]
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return []
    named = facts.names.attributes(node.attr)
    if any(not isinstance(each.ctx, ast.Load) for each in named):
        return []
    bindings = facts.flow.reaching(node.value)
    return [
        each
        for each in named
        if same_expression(each, node)
        and isinstance(each.value, ast.Name)
        and {*facts.flow.reaching(each.value)} == {*bindings}
    ]


def _is_used_as_sequence(facts: Facts, use: ast.expr) -> bool:
    """``size[0]``, ``size + (3,)``."""
    around = facts.parent(use)
    if isinstance(around, ast.Subscript):
        return around.value is use and whole_number(around.slice) is not None
    if not isinstance(around, ast.BinOp) or not isinstance(around.op, ast.Add):
        return False
    other = around.right if around.left is use else around.left
    return isinstance(other, (ast.Tuple, ast.List))


def _before_list(place: Place) -> Iterable[Place] | None:
    """Where sizes come from; None for what may be a number, or is out of sight."""
    facts, node = place.facts, place.node
    if isinstance(node, (ast.Tuple, ast.List)) and not place.content:
        is_known = not any(isinstance(each, ast.Starred) for each in node.elts)
        return () if is_known and len(node.elts) > 1 else None
    before = behind(place, by_name=False)
    is_name = isinstance(node, ast.Name)
    known = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return before if before and (not is_name or len(before) >= len(known)) else None


def _before_sizes(place: Place) -> Iterable[Place] | None:
    """None for what may be no sizes; else what sizes of unknown value come from."""
    facts, node = place.facts, place.node
    if place.content:
        return sources(place)
    value = facts.inference.possible(node)
    if isinstance(value, (Maybe, NoneValue)):
        return None
    if isinstance(value, Sequence):
        return None if value.items == () else ()
    if not isinstance(value, Unknown):
        return ()
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        is_parameter = bool(bindings) and all(b.kind == "parameter" for b in bindings)
        return () if is_parameter else sources(place)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("size", "tolist"):
            return ()
    is_shape = isinstance(node, ast.Attribute) and node.attr == "shape"
    return () if is_shape or isinstance(node, ast.BinOp) else sources(place)
