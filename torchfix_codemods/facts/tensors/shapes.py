"""What is certainly a size, and which methods are given sizes."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import is_minus_one, takes_more_than_sizes
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Size, Tensor


def asks_for_shape(view: ast.Call, facts: Facts) -> bool:
    """Whether ``x.view(…)`` certainly gives sizes, and not the dtype to read the bits as."""
    if view.keywords or not view.args or takes_more_than_sizes(view):
        return False
    if len(view.args) > 1:
        return True
    only = view.args[0]
    if isinstance(only, (ast.Starred, ast.BinOp)) or is_minus_one(only):
        return True
    return isinstance(facts.value(only), (Number, Sequence, Size))


def is_size(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a number that can be a size.

    That is a Python integer or what the module uses as one: ``n`` where ``nn.Linear(n, 2)``,
    ``torch.zeros(4 * n, 2)`` or ``range(n)`` stands beside it.
    """
    value = facts.value(node)
    if isinstance(value, Number):
        return value.kind in ("int", None)
    if isinstance(node, ast.BinOp):
        return is_size(node.left, facts) and is_size(node.right, facts)
    if isinstance(node, (ast.Call, ast.Subscript)) and _asks_for_one_size(node, facts):
        return True
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    if isinstance(value, (Tensor, Array, Sequence, Size)):
        return False
    return facts.inference.counts.is_count(node)


def unpacks_sizes(call: ast.Call, facts: Facts) -> bool:
    """Whether a call certainly unpacks more than one size: ``x.new(*(n, m))``."""
    given = [facts.value(a.value) for a in call.args if isinstance(a, ast.Starred)]
    known = [value.items or () for value in given if isinstance(value, Sequence)]
    return any(
        len(items) > 1 and any(isinstance(n, Number) and n.kind in ("int", None) for n in items)
        for items in known
    )


def _asks_for_one_size(node: ast.Call | ast.Subscript, facts: Facts) -> bool:
    """``x.size(0)``, ``x.shape[0]``, ``x.size()[0]`` or ``x.numel()`` of whatever x is."""
    if isinstance(node, ast.Call) and not node.args:
        return _counts(node, facts)
    if isinstance(node, ast.Call):
        is_query = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
        given = node.args
        return is_query and len(given) == 1 and _is_index(given[0]) and not _is_own_size(facts)
    if not _is_index(node.slice):
        return False
    holder = node.value
    if isinstance(holder, ast.Attribute):
        return holder.attr == "shape"
    return (
        isinstance(holder, ast.Call)
        and isinstance(holder.func, ast.Attribute)
        and holder.func.attr == "size"
        and not holder.args
        and not _is_own_size(facts)
    )


def _counts(call: ast.Call, facts: Facts) -> bool:
    """Whether a method is asked that gives a whole number of tensors: ``x.numel()``."""
    if not isinstance(call.func, ast.Attribute) or call.keywords:
        return False
    method = call.func.attr
    if method in method_names(facts.names) or facts.name(call.func) is not None:
        return False
    forms = [form for form in forms_of(f"torch.Tensor.{method}") if len(form.parameters) == 1]
    return bool(forms) and all(form.word == "int" for form in forms)


def _is_own_size(facts: Facts) -> bool:
    return "size" in method_names(facts.names)


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
