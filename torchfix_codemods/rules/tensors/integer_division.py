"""`/` of whole numbers gave whole numbers until torch 1.4: now `//`, or `torch.div` that cuts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_arguments
from torchfix_codemods.edit.division import floored
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, is_opaque, written_float
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.defaults import WHOLE, is_converted
from torchfix_codemods.facts.tensors.integers import (
    holds_integers,
    is_float,
    is_integer,
    is_integer_tensor,
    is_not_negative,
    is_used_as_index,
    was_integer_tensor,
)
from torchfix_codemods.facts.tensors.masks import core_of
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.values.lattice import Number, Tensor, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Need, Rule
from torchfix_codemods.rules.tensors.questions.filled import is_filled_with_indices, leaves_rest
from torchfix_codemods.text.wording import is_given_anew, worded

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
    "/ of whole numbers gives fractions since torch 1.5, and gave whole numbers before: write "
    "{0} // {1} if these were meant"
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
    "the quotient of whole numbers is no whole number since torch 1.5: where {} holds such, write "
    'rounding_mode="trunc"'
)


class IntegerDivision(Rule):
    """
    ## What it does
    Keeps the division of integer tensors one of whole numbers: `a / b` becomes `a // b` where
    neither can be negative, else `torch.div(a, b, rounding_mode="trunc")`; `a.div(b)`,
    `torch.div(a, b)`, `torch.div(a, b, out=c)`, `a.div_(b)` and `a /= b` likewise. `a // b` and
    `torch.floor_divide` of numbers that may be negative become that `torch.div` in files for torch
    0.4 to 1.12.

    ## Why
    Until torch 1.4 the quotient of integer tensors was cut to an integer. It is a float today,
    which is no index; in place it fails. `//` cut towards zero until 1.12 and rounds down since.

    ## Example
    ```python
    scores, ids = beam_scores.view(-1).topk(beam)
    prev_k = ids / beam_scores.size(1)
    states = states.index_select(0, prev_k)
    ```
    becomes
    ```python
    scores, ids = beam_scores.view(-1).topk(beam)
    prev_k = ids // beam_scores.size(1)
    states = states.index_select(0, prev_k)
    ```

    ## Numbers
    Restored where the quotient is used as an index or stored in place, both of which fail today.
    Pinned elsewhere: only in files that are for a torch before the change.

    ## When it stays its hand
    Where the operands are not certainly of whole numbers, where the quotient runs today and the
    file's age is not known, and on single numbers that are no index: of a count, today's fraction
    is what was meant, and a finding says in files for torch 0.4 to 1.4 that it was cut. A count
    that is divided in place fails today, as `addcdiv` of whole numbers does, and a finding says
    what to write. `x[0] // 2`, where `x[0]` may be a single number: torch 0.3 made one of Python of
    it, which rounds down, too.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.div.html
    - https://github.com/pytorch/pytorch/releases/tag/v1.5.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.13.0
    """

    code = "TP406"
    name = "integer-division"
    since = "1.8"
    numerics = Numerics.RESTORED
    words = frozenset({"torch", "div", "div_", "floor_divide", "addcdiv", "addcdiv_"})
    message = "the division of integer tensors gives floats since torch 1.5"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        if isinstance(node.op, ast.Div):
            yield from self._find_true(node, node.left, node.right, facts)
        elif isinstance(node.op, ast.FloorDiv):
            yield from self._find_floor(node, node.left, node.right, facts)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        operands = _operands(call, facts)
        if operands is None:
            yield from self._find_into(call, facts)
            yield from self._find_added(call, facts)
            return
        function, left, right = operands
        if function == "div":
            yield from self._find_true(call, left, right, facts)
        elif function == "floor_divide":
            yield from self._find_floor(call, left, right, facts)
        elif is_integer_tensor(facts, left):
            yield from self._find_in_place(call, left, facts.value(left), right, facts)

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        if not (isinstance(node.op, ast.Div) and isinstance(node.target, ast.Name)):
            return
        value = facts.value_before(node, node.target.id)
        if holds_integers(value):
            yield from self._find_in_place(node, node.target, value, node.value, facts)

    def _find_true(
        self, node: ast.expr, left: ast.expr, right: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        is_index = is_used_as_index(facts, node)
        if not is_index and not facts.era_of(node).before((1, 5)):
            if facts.era_of(node).before((1, 7)) and isinstance(facts.value(left), Number):
                yield from self._find_cut(node, left, right, facts)
            elif not facts.era_of(node).needs((1, 5)) and is_not_negative(facts, left):
                yield from self._find_undated(node, left, right, facts)
            return
        if not is_integer_tensor(facts, left) or is_float(facts, right):
            if not is_index:
                yield from self._find_cut(node, left, right, facts)
            return
        if is_index:
            # A divisor that turns out to be a float leaves a float, which fails as before.
            yield from self._divided(node, left, right, Numerics.RESTORED, facts)
        elif is_integer(facts, right) and _has_dimensions(left, facts):
            yield from self._divided(node, left, right, Numerics.PINNED, facts)
        else:
            yield from self._find_cut(node, left, right, facts)

    def _find_cut(
        self, node: ast.expr, left: ast.expr, right: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        """``100 * correct / n``: a whole number in an old file, and today the fraction that is
        mostly meant."""
        # Before 0.4 what held one whole number was a number of Python.
        if facts.era_of(node).before((0, 4)) or is_converted(node, facts, WHOLE):
            return
        if was_integer_tensor(facts, left):
            until = "1.4"
            is_cut = is_integer(facts, right) or (
                facts.era_of(node).before((1, 3)) and isinstance(facts.value(right), Number)
            )
        else:
            until = "1.6"
            is_cut = isinstance(facts.value(left), Number) and was_integer_tensor(facts, right)
        outer = facts.parent(node)
        is_cut_here = isinstance(outer, ast.Call) and facts.names.builtin(outer.func) == "int"
        if is_cut and not is_cut_here:
            parts = worded(left, "a"), worded(right, "b")
            yield self.advice(node, _CUT.format(until, *parts))

    def _find_into(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``torch.div(ids, n, out=beams)``, which fails where ``beams`` holds whole numbers."""
        if [k.arg for k in call.keywords] != ["out"] or facts.name(call.func) != "torch.div":
            return
        if len(call.args) != 2 or is_opaque(call) or facts.era_of(call).needs((1, 5)):
            return
        left, right = call.args
        if is_float(facts, right):
            return
        if is_filled_with_indices(facts, left) or is_integer_tensor(facts, left):
            into = call.keywords[0].value
            is_whole = is_integer_tensor(facts, into) or leaves_rest(facts, left, right)
            if is_whole or facts.era_of(call).before((1, 5)):
                yield self.found(call, function=None)
            else:
                yield self.advice(call, _INTO.format(worded(into, "out=")))

    def _find_added(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``torch.addcdiv(x, a, b)``, which refuses to divide whole numbers by each other."""
        if not isinstance(call.func, ast.Attribute) or len(call.args) < 2 or is_opaque(call):
            return
        if call.func.attr in ("addcdiv", "addcdiv_"):
            divided = call.args[-2:]
            if all(is_integer_tensor(facts, part) for part in divided):
                upper, lower = (worded(p, name) for p, name in zip(divided, "ab", strict=True))
                factor = _factor(call, facts)
                if factor is not None:
                    upper = f"{worded(factor, 'value')} * {upper}"
                yield self.advice(call, _ADDED.format(upper, lower))

    def _find_undated(
        self, node: ast.expr, left: ast.expr, right: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        """Indices that are divided in a file of unknown age: nothing fails, whatever was meant."""
        is_divided = is_integer_tensor(facts, left) and _has_dimensions(left, facts)
        if not is_divided or is_float(facts, right) or is_converted(node, facts, WHOLE):
            return
        if isinstance(node, ast.BinOp):
            yield self.advice(node, _UNDATED.format(worded(left, "a"), worded(right, "b")))

    def _find_floor(
        self, node: ast.expr, left: ast.expr, right: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        # Before 0.4 tensors had no `//`.
        era = facts.era_of(node)
        if not era.before((1, 13)) or era.before((0, 4)):
            return
        if not facts.is_tensor(left) or not isinstance(facts.value(right), (Tensor, Number)):
            return
        # One element was a number of Python in torch 0.3, which may have been forgotten since.
        if isinstance(node, ast.BinOp) and _is_of_elements(left, facts):
            return
        # Until 1.2 whole numbers took a float for a whole number before they were divided by it.
        if era.before((1, 3)) and not is_integer(facts, right) and _may_be_whole(left, facts):
            number = written_float(right)
            if number is not None and number.is_integer() and is_integer_tensor(facts, left):
                yield self.advice(node, _BY_FLOAT.format(worded(left, "a"), int(number)))
            return
        if not (is_not_negative(facts, left) and is_not_negative(facts, right)):
            message = "// of tensors rounds down since torch 1.13, and cut towards zero before"
            yield from self._divided(node, left, right, Numerics.PINNED, facts, message)

    def _divided(
        self,
        node: ast.expr,
        left: ast.expr,
        right: ast.expr,
        numerics: Numerics,
        facts: Facts,
        message: str | None = None,
    ) -> Iterator[Found]:
        if is_not_negative(facts, left) and is_not_negative(facts, right):
            yield self.found(node, message, numerics=numerics, function=None)
        elif not _may_become_number(left, facts):
            function = spell(facts, "torch.div", node)
            if function is not None:
                needs: tuple[Need, ...] = tuple(function.needs)
                yield self.found(
                    node, message, numerics=numerics, needs=needs, function=function.text
                )

    def _find_in_place(
        self,
        node: ast.expr | ast.AugAssign,
        target: ast.expr,
        value: Value,
        divisor: ast.expr,
        facts: Facts,
    ) -> Iterator[Found]:
        if not is_integer(facts, divisor):
            return
        if isinstance(value, Tensor) and value.ndim == 0:
            told = _COUNT if is_given_anew(target) else _COUNT_IN_PART
            yield self.advice(node, told.format(facts.segment(target)))
        else:
            yield self.found(node, function=None)

    def leave_BinaryOperation(
        self, original: cst.BinaryOperation, updated: cst.BinaryOperation
    ) -> cst.BaseExpression:
        function = self.data["function"]
        if function is None:
            return floored(updated)
        return _cut(function, updated.left, updated.right)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        function = self.data["function"]
        method = updated.func
        if isinstance(method, cst.Attribute) and method.attr.value == "floor_divide":
            updated = updated.with_changes(func=method.with_changes(attr=cst.Name("div")))
        elif function is not None and not isinstance(method, cst.Attribute):
            updated = updated.with_changes(func=cst.parse_expression(function))
        return with_arguments(updated, [*updated.args, _cuts()])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        division = updated.body[0]
        if len(updated.body) != 1 or not isinstance(division, cst.AugAssign):
            return updated
        method = cst.Attribute(value=as_operand(division.target), attr=cst.Name("div_"))
        call = cst.Call(method, [cst.Arg(_bare(division.value)), _cuts()])
        return updated.with_changes(body=[cst.Expr(call, semicolon=division.semicolon)])


def _factor(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``value`` of ``torch.addcdiv(x, value, a, b)``, ``x.addcdiv(a, b, value=value)``."""
    before = call.args[:-2] if facts.name(call.func) is None else call.args[1:-2]
    return argument(call, None, "value") or next(iter(before), None)


def _operands(call: ast.Call, facts: Facts) -> tuple[str, ast.expr, ast.expr] | None:
    """Function, dividend and divisor of a division that is written as a call."""
    if is_opaque(call) or call.keywords:
        return None
    name = facts.name(call.func)
    if name in ("torch.div", "torch.floor_divide") and len(call.args) == 2:
        return name.rpartition(".")[2], call.args[0], call.args[1]
    method = call.func
    if name is None and isinstance(method, ast.Attribute) and len(call.args) == 1:
        if method.attr in ("div", "div_", "floor_divide"):
            return method.attr, method.value, call.args[0]
    return None


def _may_be_whole(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor may hold whole numbers."""
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return dtype is None or not dtype.startswith("float")


def _has_dimensions(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is certainly no single number, of which a fraction is wanted."""
    value = facts.value(node)
    return isinstance(value, Tensor) and value.ndim is not None and value.ndim > 0


def _is_of_elements(node: ast.expr, facts: Facts) -> bool:
    """``(width - size[0])``: all tensors in it are elements, which may be single numbers."""
    if isinstance(node, ast.UnaryOp):
        return _is_of_elements(node.operand, facts)
    if isinstance(node, ast.BinOp):
        tensors = [part for part in (node.left, node.right) if facts.is_tensor(part)]
        return bool(tensors) and all(_is_of_elements(part, facts) for part in tensors)
    is_element = isinstance(node, ast.Subscript) and not _is_slice(node.slice)
    return is_element and not _has_dimensions(node, facts)


def _is_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


def _may_become_number(node: ast.expr, facts: Facts) -> bool:
    """Whether another rule may make a Python number of ``node``, which ``torch.div`` refuses."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim == 0:
        return True
    core = core_of(node)
    return isinstance(core, ast.Subscript) and indexed_scalar(facts, core) is not None


def _cuts() -> cst.Arg:
    return keyword_argument("rounding_mode", cst.SimpleString('"trunc"'))


def _cut(function: str, left: cst.BaseExpression, right: cst.BaseExpression) -> cst.Call:
    arguments = [
        cst.Arg(_bare(left), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))),
        cst.Arg(_bare(right), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))),
        _cuts(),
    ]
    return cst.Call(cst.parse_expression(function), arguments)


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """An operand as an argument, where it needs no parentheses of its own."""
    return node.with_changes(lpar=[], rpar=[])
