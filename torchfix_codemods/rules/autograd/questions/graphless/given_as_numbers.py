"""What is shown to be a number by a method that took nothing else: ``x.bernoulli_(1 - p)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries.in_place import is_given_numbers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Number


def is_given_as_number(name: ast.Name, facts: Facts) -> bool:
    """Whether ``name``, or what is made of it and numbers alone, is given to such a method.

    Elsewhere in the function it is what it is there, unless code asks for its kind.
    """
    scope = facts.names.scope_of(name)
    if name.id in facts.names.kind_checked or facts.is_tensor(name):
        return False
    same = facts.flow.uses_reached_by(facts.flow.reaching(name), scope, name.id)
    found = follow([Place(facts, use) for use in same], _before_method)
    return found is not None and not found.is_cut


def _before_method(use: Use) -> Iterable[Place] | None:
    """None for the argument of such a method; else what is made of it and numbers."""
    facts, by = use.facts, use.by
    if use.kind == "operand" and isinstance(by, ast.BinOp):
        other = by.right if by.left is use.node else by.left
        return use.result() if isinstance(facts.value(other), Number) else ()
    if use.kind == "operand" and isinstance(by, ast.UnaryOp):
        return use.result()
    if use.kind != "argument" or not isinstance(by, ast.Call) or use.node not in by.args[:1]:
        return ()
    method = by.func
    is_method = isinstance(method, ast.Attribute) and facts.is_tensor(method.value)
    return None if is_method and is_given_numbers(getattr(method, "attr", "")) else ()
