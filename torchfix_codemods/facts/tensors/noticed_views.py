"""Which uses of a tensor may write into its memory, or show how it lies there."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.layers import first_layer
from torchfix_codemods.facts.libraries import losses, python_functions, torch_effects, torch_layers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import (
    INDEPENDENT_LAYERS,
    has_out,
    is_in_place,
    is_independent,
    may_be_in_place,
)
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import Question
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Tensor


def may_be_noticed(facts: Facts, node: ast.expr, layout_matters: bool) -> Question:
    """Whether a use may write into a tensor, or also whether it may show how that lies in memory.

    The function of ``node`` may return the tensor where only writing matters.
    """
    home = facts.names.enclosing_function(node)
    return functools.partial(_may_notice, home, layout_matters)


def _may_notice(home: ast.AST | None, layout_matters: bool, use: Use) -> Iterable[Place] | None:
    kind, by = use.kind, use.by
    if kind == "returned":
        if use.facts.names.enclosing_function(by) is not home:
            return [*use.returned()] or None
        return None if layout_matters else ()
    if use.place.content:
        return _of_part(use, layout_matters)
    if kind in ("asked", "formatted", "index", "statement", "tested"):
        return ()
    if kind in ("compared", "operand"):
        return use.result() if layout_matters else ()
    if kind in ("chosen", "item"):
        return None if isinstance(by, ast.Starred) else use.result()
    if kind == "attribute" and isinstance(by, ast.Attribute):
        if torch_effects.gives_no_memory(by.attr):
            return ()
        return use.result() if by.attr == "data" else None
    if kind == "method" and isinstance(by, ast.Call):
        return _of_method(use, by, layout_matters)
    if kind == "argument" and isinstance(by, ast.Call):
        return _of_argument(use, by, layout_matters)
    if kind == "element":
        return use.result()
    if kind in ("bound", "unpacked"):
        return _of_assignment(use)
    return use.named() if kind == "iterated" else None


def _of_part(use: Use, layout_matters: bool) -> Iterable[Place] | None:
    """``torch.cat((x, y))``, ``print((x, y))``, ``a, b = x, y``."""
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if use.facts.name(use.by.func) in ("torch.cat", "torch.stack") and not has_out(use.by):
            return [Place(use.facts, use.by)] if layout_matters else ()
        return () if python_functions.reports(use.facts.names.builtin(use.by.func)) else None
    if use.kind in ("element", "item"):
        return use.result()
    if use.kind in ("bound", "unpacked"):
        return _of_assignment(use)
    if use.kind == "iterated":
        return use.named()
    return () if use.kind == "statement" else None


def _of_method(use: Use, call: ast.Call, layout_matters: bool) -> Iterable[Place] | None:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if has_out(call):
        return None
    if torch_api.query_result(method, len(call.args)) is not None:
        return None if method in ("data_ptr", "stride", "is_contiguous") else ()
    return _of_operation(use, method, layout_matters)


def _of_operation(use: Use, operation: str, layout_matters: bool) -> Iterable[Place] | None:
    """Whether a method or a function of torch reads only, and what its result may show."""
    if is_independent(operation):
        return ()
    if operation in ("view", "view_as"):
        return None if layout_matters else use.result()
    name = torch_effects.of_any(operation)
    if not torch_effects.reads_only(name) or torch_effects.may_do(name, "leaves", "autograd"):
        return None
    # Others may lay their result out as what they are given lies.
    return use.result() if layout_matters or torch_effects.gives_alias(name) else ()


def _of_argument(use: Use, call: ast.Call, layout_matters: bool) -> Iterable[Place] | None:
    if has_out(call):
        return None
    facts, function = use.facts, call.func
    name = facts.name(function)
    if name is not None:
        module, _, operation = name.rpartition(".")
        if name == "torch.autograd.Variable":
            return use.result()
        is_torch = module in ("torch", "torch.nn.functional") and not is_in_place(name, call)
        return _of_operation(use, operation, layout_matters) if is_torch else None
    if python_functions.reports(facts.names.builtin(function)):
        return ()
    if isinstance(function, ast.Attribute) and isinstance(facts.value(function.value), Tensor):
        # An in-place method writes into its receiver and reads its arguments.
        return _of_operation(use, function.attr.rstrip("_"), layout_matters)
    callee = facts.value(function)
    if isinstance(callee, Module) and callee.cls is not None:
        return _of_layer(use, callee, layout_matters)
    return use.taken() if use.parameters() else None


def _of_layer(use: Use, layer: Module, layout_matters: bool) -> Iterable[Place] | None:
    bare = (layer.cls or "").rpartition(".")[2]
    if layer.cls in losses.LOSSES or bare in INDEPENDENT_LAYERS:
        return ()
    if bare == "Sequential":
        value = first_layer(use.facts.inference, layer)
        return _of_layer(use, value, layout_matters) if isinstance(value, Module) else None
    if bare not in torch_api.LAYERS:
        return None
    if torch_layers.may_work_in_place(bare) and (layer.call is None or may_be_in_place(layer.call)):
        return None
    return use.result() if layout_matters or "Dropout" in bare else ()


def _of_assignment(use: Use) -> Iterable[Place] | None:
    """``y[0] = x`` copies x; ``self.y = x`` keeps it."""
    is_known = isinstance(use.by, ast.Assign) and all(
        isinstance(target, ast.Name)
        or (isinstance(target, ast.Subscript) and isinstance(use.facts.value(target.value), Tensor))
        for target, _ in use.targets()
    )
    return use.named() if is_known else None
