"""What is said of quotients of whole numbers where none is written anew."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque, written_float
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.defaults import WHOLE, is_converted
from torchfix_codemods.facts.tensors.integers import is_float
from torchfix_codemods.facts.values.lattice import Number, Unknown
from torchfix_codemods.rules.tensors.questions.divisions import has_dimensions
from torchfix_codemods.rules.tensors.questions.lost_dimensions import expanded
from torchfix_codemods.rules.tensors.questions.whole_numbers import (
    counts_integers,
    is_integer,
    is_integer_tensor,
)
from torchfix_codemods.text.wording import is_given_anew, worded, worded_operand

_COUNT = (
    "whole numbers cannot be divided in place since torch 1.6: write {0} = {0} / … for the "
    'fraction, torch.div({0}, …, rounding_mode="trunc") for what torch 0.4 to 1.4 gave'
)

_COUNT_IN_PART = (
    "whole numbers cannot be divided in place since torch 1.6: call .float() where the tensor of "
    '{0} is made for the fraction, torch.div({0}, …, rounding_mode="trunc") gives what torch 0.4 '
    "to 1.4 gave"
)

_UNDATED = (
    "/ of whole numbers gives fractions since torch 1.7, and gave whole numbers until 1.5: write "
    "{0} // {1} if these were meant"
)

_OF_RANGE = (
    "torch.arange gives whole numbers since torch 0.4.1, which / cut to whole ones until 1.5, and "
    "gives fractions of since 1.7: write {0} // {1} if these were meant"
)

_CUT = (
    "whole numbers gave a whole quotient in torch 0.4 to {0}, and give the fraction today: write "
    'torch.div({1}, {2}, rounding_mode="trunc") for the whole one'
)

_ADDED = (
    "whole numbers cannot be divided by addcdiv since torch 1.6: add torch.div({}, {}, "
    'rounding_mode="trunc") for what torch 1.4 gave'
)

_BY_FLOAT = (
    "whole numbers // a float gave whole numbers, cut towards zero, until torch 1.2: write "
    'torch.div({}, {}, rounding_mode="trunc") for them'
)

_INTO = (
    "the quotient of whole numbers is no whole number since torch 1.7: where {} holds such, write "
    'rounding_mode="trunc"'
)


#: Since this torch whole numbers give fractions; until then they gave whole numbers or failed.
CUT_UNTIL = (1, 7)


def about_cut(facts: Facts, node: ast.expr, left: ast.expr, right: ast.expr) -> str | None:
    """What is said of ``100 * correct / n``: a whole number in an old file, and today the fraction
    that is mostly meant."""
    # Before 0.4 what held one whole number was a number of Python.
    is_old = facts.era_of(node).before((0, 4)) or _keeps_dimensions(facts)
    are_several = has_dimensions(left, facts)
    if (is_old and not are_several) or is_converted(node, facts, WHOLE):
        return None
    # What a float stands beside, ``correct * 1.0 / n``, was cut until 1.2, and meant as today.
    if counts_integers(facts, left):
        until = "1.4"
        # Any number gave several whole ones a whole quotient, and a tensor of floats raised.
        is_open = are_several and isinstance(facts.value(right), Unknown)
        is_cut = is_integer(facts, right) or (is_open and facts.era_of(node).before((1, 3)))
    else:
        until = "1.6"
        is_cut = isinstance(facts.value(left), Number) and counts_integers(facts, right)
    outer = facts.parent(node)
    is_cut_here = isinstance(outer, ast.Call) and facts.names.builtin(outer.func) == "int"
    if not is_cut or is_cut_here or facts.has_moved_on(CUT_UNTIL):
        return None
    return _CUT.format(until, worded(left, "a"), worded(right, "b"))


def _keeps_dimensions(facts: Facts) -> bool:
    """Whether a file needs what torch 0.1 left of ``x.sum(1)``: it ran with no later one."""
    calls = (call for name in ("expand", "expand_as") for call in facts.names.method_calls(name))
    return any(expanded(facts, call) for call in calls)


def about_undated(facts: Facts, node: ast.expr, left: ast.expr, right: ast.expr) -> str | None:
    """What is said of indices that are divided in a file of unknown age: nothing fails, whatever
    was meant."""
    is_divided = is_integer_tensor(facts, left) and has_dimensions(left, facts)
    if not is_divided or is_float(facts, right) or is_converted(node, facts, WHOLE):
        return None
    if not isinstance(node, ast.BinOp) or facts.has_moved_on(CUT_UNTIL):
        return None
    told = _OF_RANGE if _is_range(facts, left) else _UNDATED
    return told.format(worded_operand(left, "a"), worded_operand(right, "b"))


def _is_range(facts: Facts, node: ast.expr) -> bool:
    """Whether ``torch.arange`` makes whole numbers without being asked for such."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return any(
        isinstance(part, ast.Call)
        and facts.name(part.func) == "torch.arange"
        and argument(part, None, "dtype") is None
        and not is_converted(part, facts, WHOLE)
        for each in made or ()
        for part in ast.walk(each)
    )


def about_float_divisor(facts: Facts, left: ast.expr, right: ast.expr) -> str | None:
    """What is said of whole numbers ``// 2.0``, which was a whole number itself."""
    number = written_float(right)
    if number is None or not number.is_integer() or not is_integer_tensor(facts, left):
        return None
    return _BY_FLOAT.format(worded(left, "a"), int(number))


def about_added(facts: Facts, call: ast.Call) -> str | None:
    """What is said of ``torch.addcdiv(x, a, b)``, which refuses to divide whole numbers."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) < 2 or is_opaque(call):
        return None
    if call.func.attr not in ("addcdiv", "addcdiv_"):
        return None
    divided = call.args[-2:]
    if not all(is_integer_tensor(facts, part) for part in divided):
        return None
    upper, lower = (worded(p, name) for p, name in zip(divided, "ab", strict=True))
    factor = _factor(call, facts)
    if factor is not None:
        upper = f"{worded(factor, 'value')} * {worded_operand(divided[0], 'a')}"
    return _ADDED.format(upper, lower)


def _factor(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``value`` of ``torch.addcdiv(x, value, a, b)``, ``x.addcdiv(a, b, value=value)``."""
    before = call.args[:-2] if facts.name(call.func) is None else call.args[1:-2]
    return argument(call, None, "value") or next(iter(before), None)


def about_goal(into: ast.expr) -> str:
    """What is said of ``out=`` that may hold whole numbers."""
    return _INTO.format(worded(into, "out="))


def about_count(facts: Facts, target: ast.expr) -> str:
    """What is said of one whole number that is divided in place."""
    told = _COUNT if is_given_anew(target) else _COUNT_IN_PART
    return told.format(facts.segment(target))
