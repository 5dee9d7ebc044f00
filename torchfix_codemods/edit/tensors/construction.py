"""Calls that make tensors, rewritten with libcst."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added, with_arguments
from torchfix_codemods.edit.below import code_of
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import numbers_in
from torchfix_codemods.facts.tensors.constructors import Chain, dtype_of_cast
from torchfix_codemods.facts.values.dtypes import named
from torchfix_codemods.record import record

#: A longer list of integers keeps them and gets ``dtype=torch.float``.
_MOST_REWRITTEN = 8

#: As many characters of sizes stand in one line, whatever their number of lines before.
_SHORT = 40


_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@record
class Factory:
    """What to write instead of a legacy constructor."""

    function: str
    """``torch.zeros``, or ``new_zeros`` where it is a method of the tensor."""
    dtype: str | None = None
    makes_floats: bool = False
    """Integers are written as floats, so that torch infers the default type."""


def calls_in_chain(node: cst.Call, count: int) -> list[cst.Call] | None:
    """The last ``count`` calls of ``x.a().b()``, innermost first; None where there are fewer."""
    calls = [node]
    while len(calls) < count:
        function = calls[0].func
        if not (isinstance(function, cst.Attribute) and isinstance(function.value, cst.Call)):
            return None
        calls.insert(0, function.value)
    return calls


def packed(args: list[cst.Arg]) -> cst.Arg:
    """Sizes one by one as one argument: ``(n, m)``, on one line where it is a short one."""
    is_short = sum(len(code_of(arg.value)) for arg in args) < _SHORT
    elements: list[cst.BaseElement] = []
    for arg in args:
        is_last = arg is args[-1]
        comma = arg.comma
        if is_last:
            comma = cst.Comma() if len(args) == 1 else cst.MaybeSentinel.DEFAULT
        elif is_short and isinstance(comma, cst.Comma) and not _holds_comment(comma):
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        make = cst.StarredElement if arg.star else cst.Element
        elements.append(make(arg.value, comma=comma))
    return cst.Arg(cst.Tuple(elements))


def _holds_comment(comma: cst.Comma) -> bool:
    return "#" in code_of(comma)


def with_floats(node: cst.BaseExpression) -> cst.BaseExpression:
    """A number, or a list of numbers, with ``1.0`` for each ``1``."""
    if isinstance(node, cst.Integer):
        text = node.value if node.value.isdecimal() else str(node.evaluated_value)
        return cst.Float(f"{text}.0", lpar=node.lpar, rpar=node.rpar)
    if isinstance(node, cst.UnaryOperation):
        return node.with_changes(expression=with_floats(node.expression))
    if isinstance(node, (cst.List, cst.Tuple)):
        elements = [e.with_changes(value=with_floats(e.value)) for e in node.elements]
        return node.with_changes(elements=elements)
    return node


def factory_for(dtype: str, chain: Chain) -> Factory:
    """What makes a tensor of a type from the values or sizes that a constructor is given."""
    if chain.given == "range":
        # Until torch 0.4 ``arange`` gave floats: without a dtype it would be taken for such a one.
        return Factory("torch.arange", dtype)
    given_values = chain.given in ("list", "array") and chain.fill is None
    return _factory_of_values(dtype, chain) if given_values else _factory_of_sizes(dtype, chain)


def _factory_of_values(dtype: str, chain: Chain) -> Factory:
    if chain.given == "array":
        return Factory("torch.as_tensor", None if named(dtype) == chain.said else dtype)
    numbers = numbers_in(chain.calls[0].args[0])
    kinds = None if numbers is None else {type(number) for number in numbers}
    if dtype == "torch.long" and kinds == {int}:
        return Factory("torch.tensor")
    if dtype == "torch.float" and numbers is not None and kinds is not None:
        if float in kinds or len(numbers) <= _MOST_REWRITTEN:
            return Factory("torch.tensor", makes_floats=float not in kinds)
    if dtype == "torch.float" and float in _kinds_in(chain.calls[0].args[0]):
        return Factory("torch.tensor")
    return Factory("torch.tensor", dtype)


def _kinds_in(values: ast.expr) -> set[type]:
    """The types of the literals that a list is calculated of; none where it holds anything else.

    A float is one whatever else it is added to, multiplied by or divided by: ``3 / 5.``.
    """
    kinds: set[type] = set()
    pending = [values]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.List, ast.Tuple)):
            pending += node.elts
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            pending.append(node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            sides = (node.left, node.right)
            if any(isinstance(side, (ast.List, ast.Tuple)) for side in sides):
                # Of ``[1] + 0 * [0.5]`` the float is gone.
                return set()
            pending += sides
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            kinds.add(type(node.value))
        else:
            return set()
    return kinds


def _factory_of_sizes(dtype: str, chain: Chain) -> Factory:
    function = f"torch.{chain.fill or 'empty'}"
    if chain.fill == "randint":
        return Factory(function)
    dtype = dtype if chain.cast is None else dtype_of_cast(chain.cast)
    if dtype != "torch.float":
        return Factory(function, dtype)
    if chain.fill != "full":
        return Factory(function)
    is_literal = numbers_in(chain.calls[chain.filling].args[0]) is not None
    return Factory(function, None if is_literal else dtype, makes_floats=is_literal)


def arguments_of(calls: Sequence[cst.Call], chain: Chain, makes_floats: bool) -> list[cst.Arg]:
    """What the factory is given for the arguments of a chain of calls."""
    args = list(calls[chain.sizes].args)
    if chain.given == "nothing":
        return [cst.Arg(cst.Integer("0"))]
    if chain.given == "like":
        args = [cst.Arg(cst.Call(cst.Attribute(as_operand(args[0].value), cst.Name("size"))))]
    if chain.given == "array" and isinstance(array := args[0].value, cst.Call) and chain.fill:
        return [cst.Arg(array.args[0].value)]
    if chain.given == "range":
        return list(_range_in(args[0].value).args)
    if chain.given == "list":
        return [args[0].with_changes(value=with_floats(args[0].value))] if makes_floats else args
    if chain.fill not in ("full", "randint"):
        return args
    if chain.given == "sizes":
        args = [packed(args)]
    given = calls[chain.filling].args
    if chain.fill == "randint":
        return [*given, *args]
    value = with_floats(given[0].value) if makes_floats else given[0].value
    return [*args, cst.Arg(value)]


def made_by_factory(made: cst.Call, chain: Chain, factory: Factory) -> cst.Call:
    """What is written for a chain of calls.

    Args:
        made: the last call of the chain.
        chain: what was found of it.
        factory: what makes the tensor, its names as they are spelled in the file.

    Returns:
        The call of the factory, or ``made`` where that is not the chain that was found.
    """
    calls = calls_in_chain(made, len(chain.calls))
    if calls is None:
        return made
    arguments = arguments_of(calls, chain, factory.makes_floats)
    if factory.function.endswith("_like"):
        arguments = [cst.Arg(_imitated(calls[0].func))]
    result = with_arguments(calls[chain.sizes], arguments)
    if factory.dtype:
        dtype = keyword_argument("dtype", cst.parse_expression(factory.dtype))
        result = with_argument_added(result, dtype)
    function = _with_name(calls[0].func, factory.function)
    return result.with_changes(func=function, lpar=made.lpar, rpar=made.rpar)


def made_on_device(
    made: cst.Call, chain: Chain, factory: Factory, device: cst.BaseExpression
) -> cst.Call:
    """The same of a factory with a device: ``torch.zeros(n, device=device)``.

    Args:
        made: the last call of the chain.
        chain: what was found of it.
        factory: what makes the tensor.
        device: what the device is, or chooses it.
    """
    result = made_by_factory(made, chain, factory)
    if result is made:
        return made
    return with_argument_added(result, keyword_argument("device", device))


def _with_name(old: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """The function to call: ``torch.zeros``, or a method beside ``x.new``."""
    if name.startswith("new_") and isinstance(old, cst.Attribute):
        return old.with_changes(attr=cst.Name(name))
    return cst.parse_expression(name)


def _range_in(numbers: cst.BaseExpression) -> cst.Call:
    """``range(n)`` of ``list(range(n))``."""
    assert isinstance(numbers, cst.Call)
    inner = numbers.args[0].value
    is_list = isinstance(numbers.func, cst.Name) and numbers.func.value == "list"
    return inner if is_list and isinstance(inner, cst.Call) else numbers


def _imitated(new: cst.BaseExpression) -> cst.BaseExpression:
    """``x`` of ``x.data.new``."""
    assert isinstance(new, cst.Attribute)
    data = new.value
    return data.value if isinstance(data, cst.Attribute) and data.attr.value == "data" else data
