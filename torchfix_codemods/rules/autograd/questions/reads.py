"""Whether a tensor is only ever read: nothing writes into its memory, wherever it goes."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from types import NoneType

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.libraries import losses, python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import reads_of_kept
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.shapes import is_size
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Array, Module, Number, Tensor, Text
from torchfix_codemods.rules.autograd.questions.new_tensors import gives_nothing_of_it, is_query

_RECURRENT = torch_api.RECURRENT | torch_api.RECURRENT_CELLS | {"LSTMCell"}
_FRESH_LAYERS = torch_api.FRESH_LAYERS | _RECURRENT
_READING = ("numpy.", "math.", "matplotlib.", "sklearn.metrics.")
_IN_TORCHVISION = frozenset({"torchvision.utils.save_image", "torchvision.utils.make_grid"})


def is_only_read(facts: Facts, node: ast.expr, strict: bool) -> bool:
    """Whether nothing is ever written into the memory of the tensor ``node``, as far as it goes.

    Args:
        facts: the facts of the module.
        node: an expression whose value shares memory with a tensor of the graph.
        strict: that tensor may change later (a parameter does), so that autograd must not keep
            it either.
    """
    question = functools.partial(may_write, strict)
    return follow([Place(facts, node)], question) is None


def is_made_number(node: ast.expr, facts: Facts) -> bool:
    """``float(x)``, ``int(x)``: whether a number of Python is made of an expression at once."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or call.args != [node]:
        return False
    return facts.names.builtin(call.func) in ("float", "int")


def may_write(strict: bool, use: Use) -> Iterable[Place] | None:
    """None for what may write, or keep; else where the same memory is reached from.

    Args:
        strict: as for :func:`is_only_read`.
        use: what a tensor is used for.
    """
    if use.place.content:
        return None
    if use.kind in ("compared", "formatted", "statement"):
        return ()
    if use.kind == "tested":
        return () if isinstance(use.by, (ast.If, ast.Assert, ast.UnaryOp)) else None
    if use.kind == "asked":
        return None if use.is_for_identity else ()
    if use.kind == "index":
        is_read = isinstance(use.by, ast.Subscript) and isinstance(use.by.ctx, ast.Load)
        return () if is_read or isinstance(use.facts.parent(use.node), ast.Slice) else None
    if use.kind == "item":
        return use.result()
    if use.kind == "iterated":
        # Other elements are for the rule for elements that were numbers.
        are_numbers = all(is_made_number(each.node, each.facts) for each in use.named())
        return () if are_numbers else None
    if use.kind == "attribute":
        assert isinstance(use.by, ast.Attribute)
        if is_query(use.by.attr):
            return ()
        return use.result() if use.by.attr in ("data", "T") else None
    if use.kind == "operand":
        return () if not strict or _has_no_graph(use.facts, _beside(use)) else None
    if use.kind == "added":
        return None if strict else ()
    if use.kind == "element":
        return () if _is_only_put_together(use, strict) else None
    if use.kind == "method" and isinstance(use.by, ast.Call):
        return _of_method(use, use.by, strict)
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        return _of_argument(use, use.by, strict)
    return _of_assignment(use, strict) if use.kind == "bound" else None


def _beside(use: Use) -> ast.expr | None:
    """The other operand; None of ``-x``."""
    if not isinstance(use.by, ast.BinOp):
        return None
    return use.by.right if use.by.left is use.node else use.by.left


def _has_no_graph(facts: Facts, node: ast.expr | None) -> bool:
    value = None if node is None else facts.value(node)
    if isinstance(value, (NoneType, Number, Array, Text)):
        return True
    if isinstance(value, Tensor):
        return value.grad is False
    return node is not None and is_size(node, facts)


def _is_only_put_together(use: Use, strict: bool) -> bool:
    """``torch.cat([x, y])``, ``self.lstm(x, (h, c))``."""
    parent = use.facts.parent(use.by)
    if not isinstance(use.by, (ast.Tuple, ast.List)) or not isinstance(parent, ast.Call):
        return False
    callee = None if strict else use.facts.value(parent.func)
    if isinstance(callee, Module):
        return (callee.cls or "").rpartition(".")[2] in _RECURRENT
    if parent.args[:1] != [use.by]:
        return False
    return use.facts.name(parent.func) in ("torch.cat", "torch.stack") and (
        not strict or all(_has_no_graph(use.facts, element) for element in use.by.elts)
    )


def _of_method(use: Use, call: ast.Call, strict: bool) -> Iterable[Place] | None:
    assert isinstance(call.func, ast.Attribute)
    method = call.func.attr
    if gives_nothing_of_it(method):
        has_no_graph = all(_has_no_graph(use.facts, value) for value in values_given(call))
        return () if not strict or has_no_graph else None
    return use.result() if torch_effects.gives_alias(method) else None


def _of_argument(use: Use, call: ast.Call, strict: bool) -> Iterable[Place] | None:
    facts, function = use.facts, call.func
    keyword = next((k.arg for k in call.keywords if k.value is use.node), None)
    name = facts.name(function)
    if name is not None and not use.parameters():
        return _of_function(use, call, name, keyword, strict)
    builtin = facts.names.builtin(function)
    if builtin is not None:
        return () if python_functions.reports(builtin) else None
    callee = facts.value(function)
    if isinstance(callee, Module):
        return None if strict else _of_module(use, callee)
    if use.parameters():
        return use.taken()
    is_read = (
        isinstance(function, ast.Attribute)
        and keyword != "out"
        and _method_reads(facts, function, strict)
    )
    return () if is_read else None


def _of_function(
    use: Use, call: ast.Call, name: str, keyword: str | None, strict: bool
) -> Iterable[Place] | None:
    facts = use.facts
    if name == "torch.autograd.Variable":
        if any(k.arg == "requires_grad" for k in call.keywords):
            return None
        # What leaves the function as a Variable without history is meant to be one.
        leaves = isinstance(facts.parent(call), ast.Return) and not strict
        return () if leaves else use.result()
    module, _, function = name.rpartition(".")
    if module in ("torch", "torch.nn.functional"):
        if function.endswith("_") or keyword == "out" or function[:1].isupper():
            return None
        if any(k.arg in ("inplace", "out") for k in call.keywords):
            return None
        if use.node not in call.args[:1] and _may_write_others(name):
            return None
        if torch_effects.gives_alias(name) or function == "from_numpy":
            return use.result()
        arguments = values_given(call)
        is_kept = strict and not all(_has_no_graph(facts, a) or _is_alias(a) for a in arguments)
        return None if is_kept else ()
    return () if name.startswith(_READING) or name in _IN_TORCHVISION else None


def _may_write_others(name: str) -> bool:
    """Whether an operation may write into another tensor than its input: ``batch_norm``."""
    found = torch_effects.effects_of(name)
    return any(not each.startswith(("input", "out")) for one in found for each in one.writes)


def _is_alias(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _of_module(use: Use, module: Module) -> Iterable[Place] | None:
    if use.parameters():
        return use.taken()
    if module.call is None or module.cls is None:
        return None
    if module.cls == "torch.nn.Sequential":
        first = module.call.args[0] if module.call.args else None
        layer = use.facts.value(first) if first is not None else None
        return _of_module(use, layer) if isinstance(layer, Module) else None
    layer_name = module.cls.rpartition(".")[2]
    if module.cls in losses.LOSSES or layer_name in _FRESH_LAYERS:
        return ()
    return () if layer_name in torch_api.LAYERS and not _is_in_place(module.call) else None


def _is_in_place(layer: ast.Call) -> bool:
    """``ReLU(True)``, ``LeakyReLU(0.2, inplace=True)``: any flag that may be ``inplace``."""
    return any(keyword.arg in ("inplace", None) for keyword in layer.keywords) or any(
        not isinstance(argument, ast.Constant) or argument.value is True for argument in layer.args
    )


def _method_reads(facts: Facts, function: ast.Attribute, strict: bool) -> bool:
    """``a.eq(x.data)``, ``a.copy_(x.data)``: x is read."""
    receiver = facts.value(function.value)
    if isinstance(receiver, (Array, Text)):
        return True
    if not isinstance(receiver, Tensor):
        return False
    if torch_effects.compares(function.attr) or is_query(function.attr):
        return True
    if function.attr == "backward" and not strict:
        # Where a backward pass starts from.
        return True
    if function.attr in ("expand_as", "view_as", "type_as", "copy_"):
        return True
    if not gives_nothing_of_it(function.attr) and not function.attr.endswith("_"):
        return False
    return not strict or receiver.grad is False


def _of_assignment(use: Use, strict: bool) -> Iterable[Place] | None:
    if not isinstance(use.by, ast.Assign) or len(use.by.targets) != 1:
        return None
    target = use.by.targets[0]
    if isinstance(target, ast.Subscript):
        # Written into another tensor or array, not kept.
        is_copied = isinstance(use.facts.value(target.value), (Tensor, Array)) and not strict
        return () if is_copied else None
    if isinstance(target, ast.Attribute):
        return reads_of_kept(use.facts, target, in_project=True)
    return use.held() if isinstance(target, ast.Name) else None
