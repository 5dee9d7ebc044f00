"""What names, attributes and functions hold and return."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TypeGuard

from torchfix_codemods.facts.evaluation import (
    classes_elsewhere,
    elsewhere,
    handed,
    operations,
    outside,
    parameters,
    stores,
)
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values import dtypes, standard_library
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    ClassObject,
    Foreign,
    Function,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Tensor,
    Unknown,
    Value,
    element_of,
    item_at,
    join,
    of_any_caller,
)


def bound(inference: Inference, binding: Binding) -> Value:
    """The value that a binding gives to its name."""
    node = binding.node
    if binding.kind == "assign" and _is_list(written := binding.written()):
        return stores.refine_list(inference, binding, inference.value(written))
    if binding.kind in ("assign", "walrus") and binding.value is not None:
        value = inference.possible(binding.value)
        is_open = isinstance(value, Unknown) or (isinstance(value, Tensor) and value.ndim is None)
        if is_open and (summed := _summed_up(binding)) is not None:
            total = _sum(inference, *summed)
            return value if isinstance(total, Unknown) else total
        return _follow(value, binding)
    if binding.kind == "augassign" and isinstance(node, ast.AugAssign):
        result: Value = NOTHING
        for total in _totals(inference, node, binding, inference.bound):
            result = join(result, total)
        return result
    if binding.kind == "for" and binding.value is not None:
        return _follow(element_of(inference.value(binding.value)), binding)
    if binding.kind == "with" and binding.value is not None and not binding.path:
        entered = inference.value(binding.value)
        return entered if isinstance(entered, Foreign) else UNKNOWN
    if binding.kind == "function" and isinstance(node, ast.FunctionDef):
        return Function(node)
    if binding.kind == "class" and isinstance(node, ast.ClassDef):
        return ClassObject(node)
    if binding.kind == "parameter" and isinstance(node, ast.arg):
        return stores.refine_parameter(inference, binding, parameters.parameter(inference, node))
    if binding.kind == "import":
        name = binding.qualified or ""
        if name.startswith("numpy") or is_foreign(name):
            constant = standard_library.constant(name)
            return Foreign(name) if isinstance(constant, Unknown) else constant
        return elsewhere.imported(inference.files, binding)
    return UNKNOWN


def _is_list(node: ast.expr | None) -> TypeGuard[ast.expr]:
    """``[a, b]``, and ``[0] * n``, whose elements others may replace."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return isinstance(node.left, ast.List) or isinstance(node.right, ast.List)
    return isinstance(node, ast.List)


def _totals(
    inference: Inference, node: ast.AugAssign, binding: Binding, before: Callable[[Binding], Value]
) -> Iterator[Value]:
    """What ``name += value`` leaves, for each binding that it may start from.

    One by one: a sum that starts as 0 is a tensor once a tensor was added.
    """
    added = inference.value(node.value)
    for earlier in inference.flow.reaching_before(node, binding.name):
        yield operations.in_place(node.op, before(earlier), added)


def _summed_up(binding: Binding) -> tuple[ast.BinOp, ast.Name, ast.expr] | None:
    """``total`` and ``value`` of ``total = total + value``, which is a sum as ``+=`` makes it."""
    added = binding.written() if binding.kind == "assign" else None
    if not isinstance(added, ast.BinOp) or not isinstance(added.op, ast.Add):
        return None
    if isinstance(added.left, ast.Name) and added.left.id == binding.name:
        return added, added.left, added.right
    return None


def _sum(inference: Inference, node: ast.BinOp, total: ast.Name, added: ast.expr) -> Value:
    """What ``total + value`` gives, for each binding that it may start from."""
    value = inference.value(added)
    result: Value = NOTHING
    for earlier in inference.flow.reaching(total):
        result = join(result, operations.arithmetic(node.op, inference.bound(earlier), value))
    return result


def no_number(inference: Inference, binding: Binding) -> Value:
    """What a binding gives to its name where that is certainly no number."""
    value, node = inference.bound(binding), binding.node
    if isinstance(value, Number):
        return NOTHING
    if not isinstance(value, Unknown) or not isinstance(node, ast.AugAssign):
        return value
    return inference.total(node, binding)


def total(inference: Inference, node: ast.AugAssign, binding: Binding) -> Value:
    """What ``name += value`` leaves where that is certainly no number."""
    result: Value = NOTHING
    for total in _totals(inference, node, binding, functools.partial(no_number, inference)):
        result = join(result, total)
    for total in _totals(inference, node, binding, functools.partial(_number_of, inference)):
        if not isinstance(total, Number):
            result = join(result, total)
    return result


def _number_of(inference: Inference, binding: Binding) -> Value:
    """A number where a binding may give one."""
    return Number() if isinstance(inference.bound(binding), (Number, Unknown)) else NOTHING


def _follow(value: Value, binding: Binding) -> Value:
    for step in binding.path:
        value = Sequence(element_of(value)) if step == "*" else item_at(value, step)
    return value


def returned(inference: Inference, function: ast.AST) -> Value:
    """What calling a function of this file returns."""
    if isinstance(function, ast.Lambda):
        return inference.possible(function.body)
    if not isinstance(function, ast.FunctionDef) or inference.classes.is_wrapped(function):
        return UNKNOWN
    returns = []
    for node in inference.exits.get(function, ()):
        if not isinstance(node, ast.Return):
            return Sequence()
        returns.append(node.value)
    result = joined(inference, returns)
    if isinstance(function.body[-1], ast.Raise):
        # What a subclass has to define.
        return UNKNOWN if isinstance(result, Nothing) else result
    is_empty = isinstance(result, Nothing) and not inference.is_open()
    return NoneValue() if is_empty else result


def joined(inference: Inference, returned: Iterable[ast.expr | None]) -> Value:
    """What a function gives that returns one of some values."""
    result: Value = NOTHING
    for value in returned:
        result = join(result, NoneValue() if value is None else inference.possible(value))
    return result


def attribute(inference: Inference, definition: ast.ClassDef, name: str, is_number: bool) -> Value:
    """What ``self.name`` holds in instances of a class of this file."""
    if inference.is_asked_by_others and outside.is_set_by_others(inference, name):
        return UNKNOWN
    result: Value = NOTHING
    for source in inference.classes.attribute_sources(definition, name):
        if isinstance(source.node, ast.AugAssign):
            value = _added_to(inference, source.node, definition, name, is_number)
        elif source.value is None:
            return UNKNOWN
        else:
            stored = handed.handed_to_base(inference, definition, source) or source.value
            value = _follow(inference.possible(stored), source)
            if isinstance(source.written(), (ast.List, ast.ListComp)):
                value = stores.refine_list_attribute(inference, source, name, value)
        if is_number or not isinstance(value, Number):
            result = join(result, value)
    for buffer in inference.classes.buffers(definition, name):
        result = join(result, dtypes.unless_converted(inference.value(buffer)))
    result = join(result, classes_elsewhere.inherited_attribute(inference, definition, name))
    if isinstance(result, Nothing) and not inference.is_open():
        return UNKNOWN
    if inference.classes.kind(definition) == "unknown":
        # A base out of sight may set it as well.
        result = of_any_caller(result)
    return stores.refine_by_stores(inference, definition, name, result)


def number_of_class(inference: Inference, definition: ast.ClassDef, name: str) -> Value:
    """The kind of number that ``Settings.name`` is, which the body of a plain class sets.

    What the class is made of may give it anything else: the names of an enum are no numbers.
    """
    is_plain = not (definition.decorator_list or definition.keywords) and all(
        isinstance(base, ast.Name) and base.id == "object" for base in definition.bases
    )
    bound = inference.names.scopes[definition].bindings.get(name, ())
    are_plain = all(each.kind == "assign" and not each.path for each in bound)
    if not (is_plain and bound and are_plain) or inference.names.scopes_using("setattr"):
        return UNKNOWN
    if inference.files is not None and outside.is_set_by_others(inference, name):
        return UNKNOWN
    value = inference.attribute(definition, name)
    return value if isinstance(value, Number) else UNKNOWN


def _added_to(
    inference: Inference, node: ast.AugAssign, definition: ast.ClassDef, name: str, is_number: bool
) -> Value:
    """What ``self.name += value`` leaves, whatever it was before."""
    added = inference.value(node.value)
    before = inference.attribute(definition, name, is_number)
    result = operations.in_place(node.op, before, added)
    if is_number or isinstance(before, Unknown):
        return result
    return join(result, operations.arithmetic(node.op, Number(), added))
