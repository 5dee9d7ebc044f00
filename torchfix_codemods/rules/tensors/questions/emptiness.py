"""Tests for emptiness by the number of dimensions: empty tensors had none until torch 0.3."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import constant, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.facts.values.lattice import Array, Number, Tensor, Unknown
from torchfix_codemods.rules.masks.questions.masks import is_bool, is_uint8

_DIMENSIONS = frozenset({"dim", "ndimension"})

#: What tells no dimensions from some.
_ASKED = ((ast.Eq, 0), (ast.NotEq, 0), (ast.Gt, 0), (ast.LtE, 0), (ast.Lt, 1), (ast.GtE, 1))

_BORN = frozenset(
    f"torch.{kind}Tensor"
    for kind in ("", "Float", "Double", "Half", "Byte", "Char", "Short", "Int", "Long")
)

#: How many names a tensor is followed through.
_LONGEST_CHAIN = 4

Origin = Literal["selected", "squeezed", "born"]
"""How a tensor can have come to be empty: chosen by a mask or by ``nonzero()``, the same after
``squeeze()``, or made as ``torch.Tensor()``."""


def tested_for_dimensions(facts: Facts, call: ast.Call) -> ast.expr | None:
    """``x`` of ``x.dim() == 0``, ``len(x.size()) > 0``, ``if x.size():`` and the like."""
    method = _method(call)
    if method is not None:
        compares = method.attr in _DIMENSIONS and _is_compared(facts, call)
        asks = method.attr in (*_DIMENSIONS, "size") and _is_truth(facts, call)
        return method.value if compares or asks else None
    if len(call.args) != 1 or facts.names.builtin(call.func) != "len":
        return None
    if not (_is_compared(facts, call) or _is_truth(facts, call)):
        return None
    return _sized(facts, call.args[0])


def _method(call: ast.Call) -> ast.Attribute | None:
    """The method of a call without arguments."""
    is_plain = isinstance(call.func, ast.Attribute) and not call.args and not call.keywords
    return call.func if is_plain and isinstance(call.func, ast.Attribute) else None


def _sized(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``x.shape``; of the two, arrays have a shape as well."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "shape" and facts.is_tensor(node.value) else None
    method = _method(node) if isinstance(node, ast.Call) else None
    return method.value if method is not None and method.attr == "size" else None


def _is_compared(facts: Facts, node: ast.expr) -> bool:
    """Whether ``node`` stands in ``node == 0`` or what else tells nothing from something."""
    parent = facts.parent(node)
    if not (isinstance(parent, ast.Compare) and parent.left is node and len(parent.ops) == 1):
        return False
    bound = constant(parent.comparators[0])
    return any(
        isinstance(parent.ops[0], asked) and type(bound) is int and bound == number
        for asked, number in _ASKED
    )


def _is_truth(facts: Facts, node: ast.expr) -> bool:
    """Whether only the truth of ``node`` is asked for."""
    parent = facts.parent(node)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return parent.test is node
    if isinstance(parent, ast.BoolOp):
        return _is_truth(facts, parent)
    return isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)


def is_harmless(facts: Facts, call: ast.Call, tensor: ast.expr) -> bool:
    """Whether all that a test for emptiness spares does nothing to what is empty.

    ``if x.dim() == 0: continue`` above ``for each in x:``, and ``if x.dim() > 0:`` around it. The
    loop may be over the places in it, from the last one on as well. Nor is anything written where a
    mask is true that is true nowhere, or at places of which there are none.
    """
    statement = facts.statement(call)
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    if _is_left(statement.body, facts.parent(statement)):
        block = facts.block(statement)
        spared = block[block.index(statement) + 1 :]
    else:
        spared = statement.body
    tested = ast.unparse(tensor)
    loops, mask = _loops_over(tested), _mask_asked(facts, tensor)
    return bool(spared) and all(
        (isinstance(each, ast.For) and not each.orelse and ast.unparse(each.iter) in loops)
        or (mask is not None and _is_written_through(each, mask))
        or _is_filled_at(facts, each, tested)
        for each in spared
    )


def _mask_asked(facts: Facts, tensor: ast.expr) -> str | None:
    """How the mask is written of which ``mask.nonzero()`` gives the places."""
    if not isinstance(tensor, ast.Call) or tensor.keywords:
        return None
    if facts.name(tensor.func) == "torch.nonzero" and len(tensor.args) == 1:
        return ast.unparse(tensor.args[0])
    method = _method(tensor)
    is_asked = method is not None and method.attr == "nonzero"
    return ast.unparse(method.value) if method is not None and is_asked else None


def _is_written_through(statement: ast.stmt, mask: str) -> bool:
    """``x[mask] = 0``, ``x.masked_fill_(mask, 0)``."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
        return all(isinstance(t, ast.Subscript) and ast.unparse(t.slice) == mask for t in targets)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr == "masked_fill_" and [*map(ast.unparse, call.args[:1])] == [mask]


def _is_filled_at(facts: Facts, statement: ast.stmt, places: str) -> bool:
    """``x.index_fill_(0, places.squeeze(), 0)``; what comes of a tensor has to fit its places."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not (name := last_name(call.func) or "").endswith("_"):
        return False
    if torch_table.place_of(f"torch.Tensor.{name}", "index") != len(call.args) - 1:
        return False
    index, written = call.args[-2:]
    return isinstance(facts.value(written), Number) and ast.unparse(core_of(index)) == places


def _loops_over(tensor: str) -> frozenset[str]:
    """What loops over a tensor go through, as it is written: themselves, or their places."""
    counts = [form.format(tensor) for form in ("{}.size(0)", "{}.shape[0]", "len({})")]
    forms = ("range({})", "range(0, {})", "range({} - 1, -1, -1)", "reversed(range({}))")
    return frozenset({tensor, *(form.format(count) for form in forms for count in counts)})


def _is_left(body: list[ast.stmt], around: ast.AST | None) -> bool:
    """Whether a block only goes to where the statements around it end anyway."""
    if isinstance(around, (ast.For, ast.While)):
        return isinstance(body[0], ast.Continue)
    is_function = isinstance(around, ast.FunctionDef)
    return is_function and isinstance(body[0], ast.Return) and body[0].value is None


def origin_of(facts: Facts, node: ast.expr, depth: int = 0) -> Origin | None:
    """How what is certainly a tensor can have come to be empty; None where that is not known."""
    if depth > _LONGEST_CHAIN:
        return None
    if isinstance(node, ast.Name):
        return _origin_of_name(facts, node, depth)
    if isinstance(node, ast.Attribute):
        return origin_of(facts, node.value, depth) if node.attr == "data" else None
    if isinstance(node, ast.Subscript):
        return "selected" if _is_selection(facts, node) else None
    return _origin_of_call(facts, node, depth) if isinstance(node, ast.Call) else None


def _origin_of_name(facts: Facts, name: ast.Name, depth: int) -> Origin | None:
    values = facts.assigned(name)
    if values is None:
        return None
    origins = [origin_of(facts, value, depth + 1) for value in values]
    known = [
        origin is not None or facts.is_tensor(value)
        for origin, value in zip(origins, values, strict=True)
    ]
    if not all(known):
        return None
    if None in origins or "born" in origins:
        # What else it holds decides with it.
        return "born" if any(origins) else None
    return "squeezed" if "squeezed" in origins else "selected"


def _is_selection(facts: Facts, item: ast.Subscript) -> bool:
    """``x[mask]``."""
    mask = item.slice
    if not isinstance(mask, (ast.Name, ast.Call, ast.Compare, ast.BinOp, ast.UnaryOp)):
        return False
    if isinstance(facts.value(item.value), Array):
        return False
    known = facts.value(mask)
    if isinstance(known, Tensor) and (known.dtype or not isinstance(mask, ast.Name)):
        return is_bool(facts, mask) or is_uint8(facts, mask)
    values = facts.assigned(mask) if isinstance(mask, ast.Name) else [mask]
    return values is not None and all(_is_compared_by_method(facts, value) for value in values)


def _is_compared_by_method(facts: Facts, node: ast.expr) -> bool:
    """``x.gt(0.5)``, where nothing is known of x: arrays have no such methods."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or facts.name(method) is not None:
        return False
    is_own = defines_method(facts.names, method.attr)
    is_unknown = isinstance(facts.value(method.value), (Tensor, Unknown))
    return torch_effects.compares(method.attr) and is_unknown and not is_own


def _origin_of_call(facts: Facts, call: ast.Call, depth: int) -> Origin | None:
    name = facts.name(call.func)
    if is_opaque(call):
        return None
    if name is not None:
        if name == "torch.squeeze" and len(call.args) == 1 and not call.keywords:
            return _squeezed(origin_of(facts, call.args[0], depth))
        if name == "torch.autograd.Variable" and call.args:
            return origin_of(facts, call.args[0], depth)
        if name in _BORN:
            return "born" if not call.args or _is_nothing(call.args[0]) else None
        if name in ("torch.empty", "torch.tensor") and call.args:
            # What is written for them today, also by this run.
            is_size = name == "torch.empty" and whole_number(call.args[0]) == 0
            return "born" if is_size or _is_nothing(call.args[0]) else None
        chosen = name in ("torch.nonzero", "torch.masked_select") and not call.keywords
        return "selected" if chosen else None
    method = call.func
    if not isinstance(method, ast.Attribute) or call.keywords:
        return None
    if method.attr == "masked_select" and facts.is_tensor(method.value):
        return "selected"
    if method.attr in ("nonzero", "new") and not call.args:
        origin: Origin = "born" if method.attr == "new" else "selected"
        is_tensor = facts.is_tensor(method.value) or _is_compared_by_method(facts, method.value)
        return origin if is_tensor else None
    # It leaves an empty tensor empty, and no other; all but ``squeeze`` leave dimensions.
    if not torch_effects.does(method.attr, "keeps", "reshapes", "casts"):
        return None
    before = origin_of(facts, method.value, depth)
    return _squeezed(before) if method.attr == "squeeze" else before


def _squeezed(origin: Origin | None) -> Origin | None:
    return "squeezed" if origin == "selected" else origin


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts
