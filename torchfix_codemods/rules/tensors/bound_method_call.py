"""`x.max.item()`, `loss.item`, `optimizer.step`: the method itself, which nobody called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.libraries import python_functions, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Tensor, Text
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_OF_TENSORS = torch_table.called_with_nothing("torch.Tensor")
_OF_MODULES = torch_table.called_with_nothing("torch.nn.Module") | {"zero_grad"}
_MODES = frozenset({"train", "eval", "zero_grad"})
_OF_OPTIMIZERS = frozenset({"step", "zero_grad"})
#: What a condition asks for that names a method which sets the mode.
_MODE_ASKED = {"train": "{}.training", "eval": "not {}.training"}
#: What even a method has.
_OF_METHODS = frozenset({"__name__", "__qualname__", "__doc__", "__self__", "__func__"})


class BoundMethodCall(Rule):
    """
    ## What it does
    Finds methods of tensors, modules and optimizers that are named but not called, where the
    method itself is certainly not what is meant: `x.max.item()`, `total += loss.item`,
    `print(loss.item)`, `if mask.any:`, and `optimizer.step` on a line of its own.

    ## Why
    Some of these fail when they run. The others do not: a method is always true, prints as
    `<built-in method item …>`, and a line that names `model.eval` leaves the model in train mode.

    ## Example
    ```python
    if hx.max.item() > 10:
        optimizer.step
    ```
    is reported: write
    ```python
    if hx.max().item() > 10:
        optimizer.step()
    ```
    `if model.train:` is reported with `model.training`, which tells the mode.

    ## Numbers
    Nothing is rewritten: the program that runs today is another one than the one that was meant.

    ## When it stays its hand
    Where the method is passed on, stored or compared by `is`, where the receiver is not certainly
    one of torch's, and on attributes that are no methods.

    ## References
    - https://pytorch.org/docs/stable/tensors.html
    """

    code = "TP412"
    name = "bound-method-call"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = _OF_TENSORS | _OF_MODULES | _OF_OPTIMIZERS
    message = "this is the method itself, which is not called"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.ctx, ast.Load):
            return
        place = _place(node, facts)
        if place is not None and node.attr in _methods_of(node.value, facts):
            method = facts.segment(node)
            instead = facts.segment(place).replace(method, f"{method}()", 1)
            if node.attr in _MODE_ASKED and _is_tested(node, facts):
                instead = _MODE_ASKED[node.attr].format(facts.segment(node.value))
            yield self.advice(
                node,
                f"{method} is the method itself, which is not called: write {instead}",
                fails=_fails(node, facts),
            )


def _methods_of(node: ast.expr, facts: Facts) -> frozenset[str]:
    value = facts.value(node)
    if isinstance(value, Tensor):
        return _OF_TENSORS
    if isinstance(value, Optimizer):
        return _OF_OPTIMIZERS
    if isinstance(value, Module) and value.definition is not None:
        return _MODES - set(facts.classes.attribute_names(value.definition))
    return _OF_MODULES if isinstance(value, Module) and value.cls else frozenset()


def _place(node: ast.Attribute, facts: Facts) -> ast.expr | None:
    """What a method would have to be called in; None where the method itself may be meant."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute):
        call = facts.parent(parent)
        is_called = isinstance(call, ast.Call) and call.func is parent
        whole = call if isinstance(call, ast.Call) and is_called else parent
        return None if parent.attr in _OF_METHODS else whole
    if isinstance(parent, ast.Subscript):
        return parent if parent.value is node else None
    if isinstance(parent, ast.Compare):
        ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        return parent if all(isinstance(op, ordered) for op in parent.ops) else None
    if isinstance(parent, ast.Call):
        return node if _shows(parent, node, facts) else None
    is_number = isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.FormattedValue))
    is_found = is_number or isinstance(parent, ast.Expr) or _is_tested(node, facts)
    return node if is_found else None


def _fails(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a method in the place of what it gives raises TypeError or AttributeError: printed,
    or asked whether it is true, it does not."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute):
        return not parent.attr.startswith("__")
    if isinstance(parent, ast.BinOp):
        # "%s" % loss.item
        return not isinstance(parent.op, ast.Mod) or parent.left is node
    if isinstance(parent, ast.UnaryOp):
        return not isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.FormattedValue):
        return parent.format_spec is not None and parent.conversion == -1
    if isinstance(parent, ast.Call):
        function = facts.names.builtin(parent.func)
        if function == "format":
            return len(parent.args) > 1
        return node in parent.args and python_functions.takes_data(function)
    return isinstance(parent, (ast.Subscript, ast.Compare, ast.AugAssign))


def _is_tested(node: ast.expr, facts: Facts) -> bool:
    """Whether a condition, or a part of one, is that the expression is true."""
    child, parent = node, facts.parent(node)
    while isinstance(parent, ast.BoolOp):
        child, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    return isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is child


def _shows(call: ast.Call, node: ast.expr, facts: Facts) -> bool:
    """Whether a function that only a value can be meant for gets the method."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr == "format" and isinstance(facts.value(function.value), Text)
    return node in call.args and python_functions.shows(facts.names.builtin(function))
