"""Which tensors the code takes as one number, so that they have one element or it raises."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.reductions import of_same_shape


def is_taken_as_number(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor is one number for certain: ``x.item()``, ``if x > y:``, ``float(x)``.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor, or an array.
    """
    found = follow([Place(facts, node)], _before_number)
    return found is not None and not found.is_cut


def takes_one_number(call: ast.Call) -> bool:
    """``x.item()``, and ``x.backward()`` without a gradient."""
    method = getattr(call.func, "attr", "")
    return method == "item" or (method == "backward" and not call.args)


def _before_number(use: Use) -> Iterable[Place] | None:
    """None of what takes one number; else what has no fewer elements."""
    by = use.by
    if use.place.content:
        return ()
    if use.kind == "tested":
        return None
    if use.kind == "method" and isinstance(by, ast.Call) and takes_one_number(by):
        return None
    if use.kind == "argument" and isinstance(by, ast.Call):
        if use.facts.names.builtin(by.func) in ("float", "int"):
            return None
    if use.kind in ("argument", "method", "attribute") and isinstance(by, ast.expr):
        return use.result() if of_same_shape(use.facts, by) is use.node else ()
    if use.kind == "operand":
        is_product = isinstance(by, ast.BinOp) and isinstance(by.op, ast.MatMult)
        return () if is_product else use.result()
    if use.kind in ("chosen", "compared"):
        return use.result()
    # An attribute of that name may be of another object.
    is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
    return use.held() if use.kind == "bound" and is_named else ()
