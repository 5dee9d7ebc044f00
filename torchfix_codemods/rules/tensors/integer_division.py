"""`/` of whole numbers gave whole numbers until torch 1.4: now `//`, or `torch.div` that cuts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_arguments
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tensors.division import cut_in_place, cut_quotient, cutting, floored
from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import holds_integers, is_float, is_used_as_index
from torchfix_codemods.facts.values.lattice import Number, Tensor, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.divisions import (
    are_whole_as_index,
    has_dimensions,
    is_of_elements,
    may_be_whole,
    may_become_number,
    operands_of,
)
from torchfix_codemods.rules.tensors.questions.filled import is_filled_with_indices, leaves_rest
from torchfix_codemods.rules.tensors.questions.signs import (
    is_count,
    is_made_of_sizes,
    is_not_negative,
)
from torchfix_codemods.rules.tensors.questions.told_quotients import (
    CUT_UNTIL,
    about_added,
    about_count,
    about_cut,
    about_float_divisor,
    about_goal,
    about_undated,
)
from torchfix_codemods.rules.tensors.questions.whole_numbers import is_integer, is_integer_tensor


class IntegerDivision(Rule):
    """
    ## What it does
    Keeps the division of integer tensors one of whole numbers: `a / b` becomes `a // b` where
    neither can be negative, as where what `topk` gives is divided to be an index, else
    `torch.div(a, b, rounding_mode="trunc")`; `a.div(b)`, `torch.div(a, b)`, `a.div_(b)`, `a /= b`
    and `torch.div(a, b, out=c)` likewise. `a // b` and `torch.floor_divide` of numbers that may be
    negative become that `torch.div` in files for torch 0.4 to 1.12.

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
    is what was meant, and a finding says in files for torch 0.4 to 1.4 that it was cut, but where a
    float stands beside it: `100. * correct / n`. A count that is divided in place fails today, as
    `addcdiv` of whole numbers does, and a finding says what to write. `x[0] // 2`, where `x[0]` may
    be a single number: torch 0.3 made one of Python of it, which rounds down, too.

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
    message = "the division of integer tensors gives floats since torch 1.7"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        if isinstance(node.op, ast.Div):
            yield from self._find_true(node, node.left, node.right, facts)
        elif isinstance(node.op, ast.FloorDiv):
            yield from self._find_floor(node, node.left, node.right, facts)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        operands = operands_of(call, facts)
        if operands is None:
            yield from self._find_into(call, facts)
            yield from self._told(call, about_added(facts, call))
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
        if not is_index and whole_number(right) in (1, -1):
            return  # It is whole all the same.
        if not is_index and not facts.era_of(node).before((1, 5)):
            if facts.era_of(node).before((1, 7)) and isinstance(facts.value(left), Number):
                yield from self._told(node, about_cut(facts, node, left, right))
            elif not facts.era_of(node).needs((1, 5)) and is_not_negative(facts, left):
                yield from self._told(node, about_undated(facts, node, left, right))
            return
        if not are_whole_as_index(facts, left, is_index) or is_float(facts, right):
            if not is_index:
                yield from self._told(node, about_cut(facts, node, left, right))
            return
        if is_index:
            # A divisor that turns out to be a float leaves a float, which fails as before.
            yield from self._divided(node, left, right, Numerics.RESTORED, facts)
        elif (
            is_integer(facts, right)
            and has_dimensions(left, facts)
            and not facts.has_moved_on(CUT_UNTIL)
        ):
            yield from self._divided(node, left, right, Numerics.PINNED, facts)
        else:
            yield from self._told(node, about_cut(facts, node, left, right))

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
                yield self.advice(call, about_goal(into))

    def _find_floor(
        self, node: ast.expr, left: ast.expr, right: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        # Before 0.4 tensors had no `//`.
        era = facts.era_of(node)
        if not era.before((1, 13)) or era.before((0, 4)):
            return
        if not facts.is_tensor(left) or not isinstance(facts.value(right), (Tensor, Number)):
            return
        if facts.has_moved_on((1, 13)):
            return
        # One element was a number of Python in torch 0.3, which may have been forgotten since.
        if isinstance(node, ast.BinOp) and is_of_elements(left, facts):
            return
        # Until 1.2 whole numbers took a float for a whole number before they were divided by it.
        if era.before((1, 3)) and not is_integer(facts, right) and may_be_whole(left, facts):
            yield from self._told(node, about_float_divisor(facts, left, right))
            return
        # What a size is divided by is no number below zero.
        are_positive = is_not_negative(facts, left) and is_not_negative(facts, right)
        if not are_positive and not is_made_of_sizes(facts, left):
            message = "// of tensors rounds down since torch 1.13, and cut towards zero before"
            yield from self._divided(node, left, right, Numerics.PINNED, facts, message)

    def _told(self, node: ast.expr, told: str | None) -> Iterator[Found]:
        if told is not None:
            yield self.advice(node, told)

    def _divided(
        self,
        node: ast.expr,
        left: ast.expr,
        right: ast.expr,
        numerics: Numerics,
        facts: Facts,
        message: str | None = None,
    ) -> Iterator[Found]:
        if is_not_negative(facts, left) and is_count(facts, right, numerics is Numerics.RESTORED):
            yield self.found(node, message, numerics=numerics, function=None)
        elif not may_become_number(left, facts):
            function = spell(facts, "torch.div", node)
            if function is not None:
                name, needs = function.text, tuple(function.needs)
                yield self.found(node, message, numerics=numerics, needs=needs, function=name)

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
            yield self.advice(node, about_count(facts, target))
        else:
            yield self.found(node, function=None)

    def leave_BinaryOperation(
        self, original: cst.BinaryOperation, updated: cst.BinaryOperation
    ) -> cst.BaseExpression:
        function = self.data["function"]
        if function is None:
            return floored(updated)
        return cut_quotient(function, updated.left, updated.right)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        function = self.data["function"]
        method = updated.func
        if isinstance(method, cst.Attribute) and method.attr.value == "floor_divide":
            updated = updated.with_changes(func=method.with_changes(attr=cst.Name("div")))
        elif function is not None and not isinstance(method, cst.Attribute):
            updated = updated.with_changes(func=cst.parse_expression(function))
        return with_arguments(updated, [*updated.args, cutting()])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        division = updated.body[0]
        if len(updated.body) != 1 or not isinstance(division, cst.AugAssign):
            return updated
        return updated.with_changes(body=[cut_in_place(division)])
