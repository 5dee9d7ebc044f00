"""`reduction=` for the flags of losses."""

from __future__ import annotations

from collections.abc import Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument, with_arguments
from torchfix_codemods.edit.parentheses import as_operand, parenthesized, strength


def with_reduction(
    call: cst.Call,
    positions: Sequence[int],
    between: str | None,
    is_bool: bool,
    is_read: bool = False,
) -> cst.Call:
    """A loss with ``reduction=`` for its flags.

    Args:
        call: the call of the loss.
        positions: the places of ``size_average`` and ``reduce`` among its arguments.
        between: the parameter between the two, which has to be named where a flag goes.
        is_bool: whether the flags are certainly True or False: torch takes None for True.
        is_read: whether they are those of another loss, which has a reduction instead.
    """
    average = _taken(call, positions[0], "size_average")
    reduce = _taken(call, positions[1], "reduce")
    flags = [arg for arg in (average, reduce) if arg is not None]
    reduction = _reduction(average, reduce, is_bool)
    if is_read:
        reduction = flags[0].value.with_changes(attr=cst.Name("reduction"))
    kept: list[cst.Arg] = []
    placed = reduction is None
    for arg in call.args:
        if arg not in flags:
            kept.append(_by_keyword_after(arg, call, positions[0], between))
        elif not placed and reduction is not None:
            new = keyword_argument("reduction", reduction)
            kept.append(new.with_changes(comma=arg.comma))
            placed = True
    return with_arguments(call, kept)


def _taken(call: cst.Call, position: int, name: str) -> cst.Arg | None:
    index = index_of_keyword(call, name)
    if index is not None:
        return call.args[index]
    positional = [arg for arg in call.args if arg.keyword is None]
    return positional[position] if position < len(positional) else None


def _by_keyword_after(arg: cst.Arg, call: cst.Call, removed: int, parameter: str | None) -> cst.Arg:
    """A positional argument behind a removed flag has to name its parameter: ignore_index."""
    index = call.args.index(arg)
    if arg.keyword is not None or index <= removed:
        return arg
    assert parameter is not None
    return keyword_argument(parameter, arg.value).with_changes(comma=arg.comma)


def _reduction(
    average: cst.Arg | None, reduce: cst.Arg | None, is_bool: bool
) -> cst.BaseExpression | None:
    """The value of ``reduction=``; None where it is the default, "mean"."""
    if reduce is not None and not _is_true(reduce.value):
        if _is_false(reduce.value):
            return cst.SimpleString('"none"')
        otherwise = '"sum"' if average is not None and _is_false(average.value) else '"mean"'
        return _choice(reduce.value, otherwise, '"none"', is_bool)
    if average is None or _is_true(average.value):
        return None
    if _is_false(average.value):
        return cst.SimpleString('"sum"')
    return _choice(average.value, '"mean"', '"sum"', is_bool)


def _choice(flag: cst.BaseExpression, yes: str, no: str, is_bool: bool) -> cst.IfExp:
    test = flag if strength(flag) > 2 else parenthesized(flag)
    if not is_bool:
        test = as_operand(flag)
        is_none = cst.Comparison(test, [cst.ComparisonTarget(cst.Is(), cst.Name("None"))])
        test = cst.BooleanOperation(left=is_none, operator=cst.Or(), right=test)
    return cst.IfExp(test=test, body=cst.SimpleString(yes), orelse=cst.SimpleString(no))


def _is_true(node: cst.BaseExpression) -> bool:
    return (isinstance(node, cst.Name) and node.value in ("True", "None")) or _is_number(node, "1")


def _is_false(node: cst.BaseExpression) -> bool:
    return (isinstance(node, cst.Name) and node.value == "False") or _is_number(node, "0")


def _is_number(node: cst.BaseExpression, text: str) -> bool:
    return isinstance(node, cst.Integer) and node.value == text
