"""What is shown to be a number by what took nothing else: ``x.bernoulli_(1 - p)``, a layer."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.classes_elsewhere import super_object
from torchfix_codemods.facts.libraries.in_place import is_given_numbers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Module, Number

#: The layers that are given two sizes first.
_OF_SIZES = ("torch.nn.Linear", "torch.nn.Conv")


def is_given_as_number(name: ast.Name, facts: Facts) -> bool:
    """Whether ``name``, or what is made of it and numbers alone, is given to such as this.

    Elsewhere in the function it is what it is there, unless code asks for its kind.
    """
    scope = facts.names.scope_of(name)
    if name.id in facts.names.kind_checked or facts.is_tensor(name):
        return False
    same = facts.flow.uses_reached_by(facts.flow.reaching(name), scope, name.id)
    found = follow([Place(facts, use) for use in same], _before_method)
    return found is not None and not found.is_cut


def _before_method(use: Use) -> Iterable[Place] | None:
    """None for the argument of such a method or layer; else what is made of it and numbers."""
    facts, by = use.facts, use.by
    if use.kind == "operand" and isinstance(by, ast.BinOp):
        other = by.right if by.left is use.node else by.left
        return use.result() if isinstance(facts.value(other), Number) else ()
    if use.kind == "operand" and isinstance(by, ast.UnaryOp):
        return use.result()
    if use.kind != "argument" or not isinstance(by, ast.Call):
        return ()
    if use.node in by.args[:2] and _makes_layer_of_sizes(by, facts):
        return None
    if use.node not in by.args[:1]:
        return ()
    method = by.func
    is_method = isinstance(method, ast.Attribute) and facts.is_tensor(method.value)
    return None if is_method and is_given_numbers(getattr(method, "attr", "")) else ()


def _makes_layer_of_sizes(call: ast.Call, facts: Facts) -> bool:
    """``nn.Linear(n, m)``, and ``super().__init__(n, m)`` in a class below it."""
    made, method = facts.name(call.func), call.func
    if isinstance(method, ast.Attribute) and method.attr == "__init__":
        above = super_object(facts.inference, method.value)
        made = above.cls if isinstance(above, Module) else None
    is_spread = any(isinstance(each, ast.Starred) for each in call.args[:2])
    return made is not None and made.startswith(_OF_SIZES) and not is_spread
