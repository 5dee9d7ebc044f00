"""Where ``.data`` says nothing: nothing is asked of the numbers, or there is no graph to leave."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.tensors.integers import is_used_as_index
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor
from torchfix_codemods.rules.autograd.questions.graphless.gradients import (
    holds_plain_grad,
    is_plain_grad,
)
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.graphless.of_no_matter import is_graph_of_no_matter
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import (
    gives_new,
    is_without_grad,
    was_made_without_grad,
)
from torchfix_codemods.rules.autograd.questions.indexed_data import whole_index
from torchfix_codemods.rules.autograd.questions.named_data import (
    PASSING,
    has_no_name_of_its_own,
    is_wrapped,
)
from torchfix_codemods.rules.autograd.questions.new_tensors import (
    asks_for_numbers,
    is_made_there,
    is_named_for_others,
    is_only_counted,
    is_query,
    is_unnamed,
    is_used_for_new,
)
from torchfix_codemods.rules.autograd.questions.whole_numbers import (
    are_classes,
    gives_whole_numbers,
    is_index,
)

_COMPARING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_needless(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` says no more than ``x`` does, whatever becomes of it.

    Args:
        node: the attribute, of a tensor.
        facts: the facts of the module.
    """
    return (
        _asks_for_no_data(node, facts)
        or _is_initialized(node, facts)
        or _is_compared(node, facts)
        or _is_new_without_history(node, facts)
        or is_index(node, facts)
    )


def has_nothing_to_detach(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data``, of which nothing is changed, says no more than ``x`` does.

    Args:
        node: the attribute, of a tensor.
        facts: the facts of the module.
    """
    return (
        is_plain_grad(node.value, facts)
        or holds_plain_grad(node.value, facts)
        or _never_had_history(node, facts)
        or (is_without_grad(node, facts) and _makes_new(node, facts))
        or was_made_without_grad(node.value, facts)
        or _is_detached(node, facts)
        or is_graph_of_no_matter(node, facts)
        or gives_whole_numbers(node.value, facts)
        or is_used_as_index(facts, node)
        or are_classes(node.value, facts)
        or (has_no_name_of_its_own(node, facts) and is_without_graph(node.value, facts))
    )


def _asks_for_no_data(node: ast.Attribute, facts: Facts) -> bool:
    """``x.data.size(0)``, ``y.view_as(x.data)``: nothing of what the tensor holds is read."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Assign):
        return is_named_for_others(parent, facts)
    if isinstance(parent, ast.Compare):
        return parent.left is node and _is_compared_to_none(parent)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _gives_numbers(whole_index(parent, facts), facts)
    if isinstance(parent, (ast.For, ast.comprehension, ast.Call)) and is_only_counted(node, facts):
        return True
    return asks_for_form(node, facts) or _gives_numbers(node, facts)


def asks_for_form(node: ast.Attribute, facts: Facts) -> bool:
    """``x.data.size(0)``, ``y.view_as(x.data)``: only the shape or the type of x matters.

    Args:
        node: the attribute.
        facts: the facts of the module.
    """
    parent = facts.parent(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        function = parent.func
        if isinstance(function, ast.Name) and function.id == "isinstance":
            return parent.args[0] is node
        if facts.name(function) in _SHAPE_FUNCTIONS:
            return parent.args[0] is node
        return isinstance(function, ast.Attribute) and _takes_for_shape(function.attr)
    if not isinstance(parent, ast.Attribute):
        return False
    # ``x.type()`` names the type.
    return is_query(parent.attr) or (parent.attr == "type" and _is_called_bare(parent, facts))


def _is_compared_to_none(asked: ast.Compare) -> bool:
    """``x.data is None``, which neither is of a tensor x."""
    against = asked.comparators[0]
    is_one = len(asked.ops) == 1 and isinstance(asked.ops[0], (ast.Is, ast.IsNot))
    return is_one and isinstance(against, ast.Constant) and against.value is None


def _gives_numbers(node: ast.expr, facts: Facts) -> bool:
    """Whether ``item()`` or ``tolist()`` is called, which leave the graph by themselves."""
    method = facts.parent(node)
    is_one = isinstance(method, ast.Attribute) and method.attr in ("item", "tolist")
    return is_one and _is_called_bare(method, facts)


def _is_called_bare(method: ast.AST | None, facts: Facts) -> bool:
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_call = isinstance(call, ast.Call) and call.func is method
    return isinstance(call, ast.Call) and is_call and not call.args and not call.keywords


def _is_detached(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data.detach()`` says it twice, as a wrapper leaves it that went earlier.

    So does ``(x.data + eta).detach()``: what is computed of x there has no other name.
    """
    whole: ast.expr = node
    while isinstance(around := facts.parent(whole), (ast.BinOp, ast.UnaryOp)):
        whole = around
    method = facts.parent(whole)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_call = isinstance(call, ast.Call) and call.func is method
    return isinstance(method, ast.Attribute) and method.attr == "detach" and is_call


#: Functions that take their first argument for its shape and type only.
_SHAPE_FUNCTIONS = frozenset(f"torch.{name}" for name in torch_api.LIKE)


def _takes_for_shape(method: str) -> bool:
    """Whether a method takes a tensor for its shape or type only: ``y.view_as(x)``."""
    is_like_other = method.removesuffix("_").endswith("_as") and torch_effects.is_known(method)
    return is_like_other or method in ("new_zeros", "new_ones", "new_empty")


def _is_compared(node: ast.Attribute, facts: Facts) -> bool:
    """``x.data[i] > 0.5``, ``x.data.ne(y.data)``: what a comparison gives is part of no graph."""
    parent = facts.parent(_whole_view(node, facts))
    if isinstance(parent, ast.Compare):
        is_of_numbers = all(isinstance(op, _COMPARING) for op in parent.ops)
        return is_of_numbers and asks_for_numbers(parent, facts)
    call = facts.parent(parent) if isinstance(parent, ast.Attribute) else parent
    if not isinstance(call, ast.Call) or call.keywords or parent not in (call, call.func):
        return False
    function = call.func
    if not isinstance(function, ast.Attribute) or not torch_effects.compares(function.attr):
        return False
    return facts.name(function) == f"torch.{function.attr}" or facts.is_tensor(function.value)


def _whole_view(node: ast.expr, facts: Facts) -> ast.expr:
    """``x.data[i].view(3)`` around ``x.data``: parts and views of it, with no name of their own."""
    outer = facts.parent(node)
    while isinstance(outer, (ast.Subscript, ast.Attribute)) and outer.value is node:
        view: ast.expr = outer
        if isinstance(outer, ast.Attribute):
            call = facts.parent(outer)
            is_called = isinstance(call, ast.Call) and call.func is outer
            if not (is_called and torch_effects.gives_alias(outer.attr)):
                return node
            assert isinstance(call, ast.Call)
            view = call
        node, outer = view, facts.parent(view)
    return node


def _is_initialized(node: ast.Attribute, facts: Facts) -> bool:
    """``nn.init.normal_(w.data)``: these functions work under ``no_grad`` anyway.

    They return what they are given, which is to stay without history where it is used.
    """
    call = facts.parent(node)
    if not (isinstance(call, ast.Call) and call.args and call.args[0] is node):
        return False
    if not isinstance(facts.parent(call), ast.Expr):
        return False
    name = facts.name(call.func) or ""
    return name.startswith("torch.nn.init.") and is_parameter(node.value, facts)


def _never_had_history(node: ast.Attribute, facts: Facts) -> bool:
    """``pred.eq(target.data)`` with a target from the loader: there is nothing to detach."""
    parent = facts.parent(node)
    if isinstance(parent, (ast.List, ast.Tuple)) and isinstance(facts.parent(parent), ast.Call):
        parent = facts.parent(parent)
    in_passing = isinstance(parent, PASSING) or (
        isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
    )
    return in_passing and _may_be_left_out(node.value, facts) and _has_no_graph(node, facts)


def _may_be_left_out(tensor: ast.expr, facts: Facts) -> bool:
    """Whether ``.data`` of what has no history can go: of a name, and of whole numbers in one."""
    if isinstance(tensor, ast.Subscript):
        value = facts.value(tensor)
        return isinstance(value, Tensor) and value.dtype in WITHOUT_HISTORY
    return isinstance(tensor, ast.Name)


def _is_new_without_history(node: ast.Attribute, facts: Facts) -> bool:
    """``torch.max(x, 1)[1].data``, or ``torch.sigmoid(x).data`` where gradients are off.

    What is asked has no other name, and nothing to detach.
    """
    if is_unnamed(node.value) and _has_no_graph(node, facts):
        return True
    is_off = is_made_there(node.value) and is_without_grad(node, facts)
    return is_off and gives_new(node.value, facts) and not is_wrapped(node, facts)


def _has_no_graph(node: ast.Attribute, facts: Facts) -> bool:
    value = facts.value(node.value)
    return isinstance(value, Tensor) and value.grad is False and not is_wrapped(node, facts)


def _makes_new(node: ast.Attribute, facts: Facts) -> bool:
    """``out.data.topk(1)``, ``F.relu(out).data``: what is new without gradients has no graph."""
    return is_used_for_new(facts, node) or gives_new(node.value, facts)
