"""Whether a tensor is only ever read: nothing writes into its memory, wherever it goes."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import (
    augmented,
    bindings_by,
    bindings_given,
    is_formatting,
    uses_of,
)
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Array, Function, Module, Number, Tensor, Text

#: Methods that make another tensor of the same type, whatever the numbers are.
_NEW = torch_api.NEW_METHODS | {"new"}
_FRESH_LAYERS = (
    torch_api.FRESH_LAYERS | torch_api.RECURRENT | torch_api.RECURRENT_CELLS | {"LSTMCell"}
)
_IN_TORCHVISION = frozenset({"torchvision.utils.save_image", "torchvision.utils.make_grid"})


def is_query(name: str) -> bool:
    """Whether a method or an attribute of a tensor does not touch what it holds."""
    return name in _NEW or torch_effects.tells(name)


def gives_fresh_tensor(name: str) -> bool:
    """Whether the result of an operation is a tensor in memory of its own, or several."""
    return torch_effects.is_fresh(name) and torch_effects.reads_only(name) and name not in _NEW


def _gives_nothing_of_it(name: str) -> bool:
    """Whether the result of a method has nothing to do with the tensor's memory.

    An array of numpy has, but is only read.
    """
    return gives_fresh_tensor(name) or is_query(name) or torch_effects.leaves_torch(name)


def is_only_read(
    facts: Facts, node: ast.expr, strict: bool, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether nothing is ever written into the memory of the tensor ``node``, as far as it goes.

    Args:
        facts: the facts of the module.
        node: an expression whose value shares memory with a tensor of the graph.
        strict: that tensor may change later (a parameter does), so that autograd must not keep
            it either.
        seen: what has been looked at on the way here.
    """
    parent = facts.parent(node)
    if parent is None or node in seen or len(seen) > 20:
        return False
    seen = seen | {node}
    if isinstance(parent, ast.Attribute):
        return _attribute_reads(facts, parent, strict, seen)
    if isinstance(parent, ast.Subscript):
        if parent.slice is node:
            return isinstance(parent.ctx, ast.Load)
        return isinstance(parent.ctx, ast.Load) and is_only_read(facts, parent, strict, seen)
    if isinstance(parent, ast.Slice):
        return True
    if isinstance(parent, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
    if isinstance(parent, ast.BinOp):
        other = parent.right if parent.left is node else parent.left
        return is_formatting(facts, parent, node) or not strict or _has_no_graph(facts, other)
    if isinstance(parent, (ast.UnaryOp, ast.FormattedValue, ast.Expr, ast.If, ast.Assert)):
        return True
    if isinstance(parent, ast.AugAssign):
        return parent.value is node and not strict
    if isinstance(parent, (ast.Tuple, ast.List)):
        return _container_reads(facts, parent, strict)
    if isinstance(parent, ast.Call):
        return parent.func is not node and _call_reads(facts, parent, node, None, strict, seen)
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        assert call is None or isinstance(call, (ast.Call, ast.ClassDef))
        return isinstance(call, ast.Call) and _call_reads(
            facts, call, node, parent.arg, strict, seen
        )
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return _target_reads(facts, parent, strict, seen)
    return False


def _attribute_reads(
    facts: Facts, attribute: ast.Attribute, strict: bool, seen: frozenset[ast.AST]
) -> bool:
    call = facts.parent(attribute)
    if not (isinstance(call, ast.Call) and call.func is attribute):
        if is_query(attribute.attr):
            return True
        return attribute.attr in ("data", "T") and is_only_read(facts, attribute, strict, seen)
    if _gives_nothing_of_it(attribute.attr):
        arguments = values_given(call)
        return not strict or all(_has_no_graph(facts, argument) for argument in arguments)
    return torch_effects.gives_alias(attribute.attr) and is_only_read(facts, call, strict, seen)


def _has_no_graph(facts: Facts, node: ast.expr) -> bool:
    value = facts.value(node)
    return isinstance(value, (Number, Array, Text)) or (
        isinstance(value, Tensor) and value.grad is False
    )


def _container_reads(facts: Facts, node: ast.Tuple | ast.List, strict: bool) -> bool:
    """``"%s" % (x, y)`` and ``torch.cat([x, y])``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node)
    if not (isinstance(parent, ast.Call) and parent.args and parent.args[0] is node):
        return False
    return facts.name(parent.func) in ("torch.cat", "torch.stack") and (
        not strict or all(_has_no_graph(facts, element) for element in node.elts)
    )


def _call_reads(
    facts: Facts,
    call: ast.Call,
    node: ast.expr,
    keyword: str | None,
    strict: bool,
    seen: frozenset[ast.AST],
) -> bool:
    name = facts.name(call.func)
    if name is not None:
        return _named_call_reads(facts, name, call, keyword, strict, seen)
    function = call.func
    builtin = facts.names.builtin(function)
    if builtin is not None:
        return python_functions.reports(builtin)
    callee = facts.value(function)
    if isinstance(callee, Function):
        return _parameter_reads(facts, callee.definition, call, node, keyword, strict, seen)
    if isinstance(callee, Module):
        return _module_reads(facts, callee, call, node, keyword, strict, seen)
    if isinstance(function, ast.Attribute):
        return keyword != "out" and _method_reads(facts, function, call, strict)
    return False


def _named_call_reads(
    facts: Facts,
    name: str,
    call: ast.Call,
    keyword: str | None,
    strict: bool,
    seen: frozenset[ast.AST],
) -> bool:
    if name == "torch.autograd.Variable":
        if any(k.arg == "requires_grad" for k in call.keywords):
            return False
        # What leaves the function as a Variable without history is meant to be one.
        leaves = isinstance(facts.parent(call), ast.Return) and not strict
        return leaves or is_only_read(facts, call, strict, seen)
    module, _, function = name.rpartition(".")
    if module in ("torch", "torch.nn.functional"):
        if function.endswith("_") or keyword == "out" or function[:1].isupper():
            return False
        if any(k.arg in ("inplace", "out") for k in call.keywords):
            return False
        if torch_effects.gives_alias(name) or function == "from_numpy":
            return is_only_read(facts, call, strict, seen)
        arguments = values_given(call)
        return not strict or all(_has_no_graph(facts, a) or _is_alias(a) for a in arguments)
    return name.startswith(("numpy.", "math.", "matplotlib.")) or name in _IN_TORCHVISION


def _is_alias(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _parameter_reads(
    facts: Facts,
    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    call: ast.Call,
    node: ast.expr,
    keyword: str | None,
    strict: bool,
    seen: frozenset[ast.AST],
    bound: bool = False,
) -> bool:
    """Whether a function of this file only reads the parameter that ``node`` is given for."""
    if definition in seen:
        return False
    bindings = bindings_given(facts, definition, call, node, keyword, bound)
    seen = seen | {definition}
    return bool(bindings) and all(_binding_reads(facts, b, strict, seen) for b in bindings)


def _module_reads(
    facts: Facts,
    module: Module,
    call: ast.Call,
    node: ast.expr,
    keyword: str | None,
    strict: bool,
    seen: frozenset[ast.AST],
) -> bool:
    if strict:
        return False
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        return forward is not None and _parameter_reads(
            facts, forward, call, node, keyword, strict, seen, bound=True
        )
    if module.call is None or module.cls is None:
        return False
    if module.cls == "torch.nn.Sequential":
        first = module.call.args[0] if module.call.args else None
        layer = facts.value(first) if first is not None else None
        return isinstance(layer, Module) and _module_reads(
            facts, layer, call, node, keyword, strict, seen
        )
    layer_name = module.cls.rpartition(".")[2]
    if module.cls in torch_api.LOSSES or layer_name in _FRESH_LAYERS:
        return True
    return layer_name in torch_api.LAYERS and not _is_in_place(module.call)


def _is_in_place(layer: ast.Call) -> bool:
    """``ReLU(True)``, ``LeakyReLU(0.2, inplace=True)``: any flag that may be ``inplace``."""
    return any(keyword.arg in ("inplace", None) for keyword in layer.keywords) or any(
        not isinstance(argument, ast.Constant) or argument.value is True for argument in layer.args
    )


def _method_reads(facts: Facts, function: ast.Attribute, call: ast.Call, strict: bool) -> bool:
    """``a.eq(x.data)``, ``a.copy_(x.data)``: x is read."""
    receiver = facts.value(function.value)
    if isinstance(receiver, (Array, Text)):
        return True
    if not isinstance(receiver, Tensor):
        return False
    if torch_effects.compares(function.attr) or is_query(function.attr):
        return True
    if function.attr in ("expand_as", "view_as", "type_as", "copy_"):
        return True
    if not _gives_nothing_of_it(function.attr) and not function.attr.endswith("_"):
        return False
    return not strict or receiver.grad is False


def _target_reads(
    facts: Facts, statement: ast.Assign, strict: bool, seen: frozenset[ast.AST]
) -> bool:
    target = statement.targets[0]
    if isinstance(target, ast.Subscript):
        # Written into another tensor or array, not kept.
        return isinstance(facts.value(target.value), (Tensor, Array)) and not strict
    if not isinstance(target, ast.Name) or statement in seen:
        return False
    return all(
        _binding_reads(facts, binding, strict, seen | {statement})
        for binding in bindings_by(facts, statement, target.id)
    )


def _binding_reads(facts: Facts, binding: Binding, strict: bool, seen: frozenset[ast.AST]) -> bool:
    if augmented(facts, binding):
        return False
    return all(is_only_read(facts, use, strict, seen) for use in uses_of(facts, binding))


def is_used_for_new(facts: Facts, node: ast.expr) -> bool:
    """Whether code that stands around ``node`` makes another tensor object of it.

    Without gradients, that one has no graph: ``x.max(1)``, ``x[0] > 2``, ``torch.sum(x)``.
    """
    parent = facts.parent(node)
    if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        return not (isinstance(parent, ast.BinOp) and is_formatting(facts, parent, node))
    if isinstance(parent, ast.AugAssign):
        return parent.value is node
    if isinstance(parent, ast.Call) and node in parent.args:
        name = facts.name(parent.func) or ""
        is_function = name.startswith("torch.") and not name.rpartition(".")[2][:1].isupper()
        return is_function and gives_fresh_tensor(name)
    if not (isinstance(parent, ast.Attribute) and parent.value is node):
        return False
    call = facts.parent(parent)
    if not (isinstance(call, ast.Call) and call.func is parent):
        return False
    if torch_effects.may_be_itself(parent.attr):
        return is_used_for_new(facts, call)
    is_new = _gives_nothing_of_it(parent.attr) or torch_effects.gives_alias(parent.attr)
    return is_new and parent.attr not in ("data", "numpy")
