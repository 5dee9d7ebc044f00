"""`counts * 0.5` of whole numbers: 0.5 counted as 0 until torch 1.2; in place it raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import isfinite

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import written_float
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import holds_integers, is_float
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.masks.questions.masks import is_bool
from torchfix_codemods.rules.tensors.questions.whole_numbers import is_integer_tensor
from torchfix_codemods.text.wording import is_given_anew, worded

_CUT = "torch 0.4 to {2} counted {0} as {1} beside whole numbers, and today's counts it in full"
_ROOT = (
    "the power {0} of whole numbers was cut to whole numbers until torch 1.5, and is a fraction "
    "today"
)
_IN_PLACE = (
    "a tensor of whole numbers takes in no fractions since torch 1.3, which cut {1} before: write "
    "{0} = {0} {2} … for them"
)
_INTO_PART = (
    "a tensor of whole numbers takes in no fractions since torch 1.3, which cut {1} before: call "
    ".float() where the tensor of {0} is made"
)

#: The first torch that took a fraction for what it is.
_SINCE: dict[type[ast.operator], tuple[int, int]] = {
    ast.Add: (1, 3),
    ast.Sub: (1, 3),
    ast.Mult: (1, 3),
    ast.FloorDiv: (1, 3),
    ast.Mod: (1, 5),
    ast.Pow: (1, 6),
}
_METHODS: dict[str, type[ast.operator | ast.cmpop]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "remainder": ast.Mod,
    "fmod": ast.Mod,
    "pow": ast.Pow,
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_IN_PLACE_METHODS = {"add_": "+", "sub_": "-", "mul_": "*"}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


class CutFraction(Rule):
    """
    ## What it does
    Writes a float that is a whole number as one where it is added to, taken from or multiplied
    into a tensor of whole numbers in place: `counts *= 2.0` becomes `counts *= 2`. Says where a
    fraction met whole numbers, which old torch cut.

    ## Why
    Until torch 1.2 a Python float was cut to the type of the tensor: `counts * 0.5` was
    `counts * 0`, and `counts < 0.5` asked for less than 0. Today the result is of floats, and in
    place that fails: "result type Float can't be cast to the desired output type Long".

    ## Example
    ```python
    steps = torch.arange(5)
    steps *= 2.0
    ```
    becomes
    ```python
    steps = torch.arange(5)
    steps *= 2
    ```

    ## Numbers
    Restored: torch 1.2 and older took the float for that whole number, and newer ones fail.

    ## When it stays its hand
    Where the tensor is not certainly one of whole numbers. A real fraction is never cut: in place,
    where it fails, and in files for torch before 1.3 a finding says what was counted with.
    Nothing is said of comparisons whose answer is the same, such as `mask > 0.5`.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.3.0
    - https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
    """

    code = "TP424"
    name = "cut-fraction"
    since = "1.0"
    numerics = Numerics.RESTORED
    words = frozenset({"torch", *_METHODS, *_IN_PLACE_METHODS})
    message = "whole numbers take in no floats in place since torch 1.3"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        if type(node.op) not in _SINCE:
            return
        yield from self._find_fraction(node, type(node.op), node.left, node.right, facts)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            yield from self._find_fraction(node, type(node.op), node.right, node.left, facts)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if len(node.ops) != 1:
            return
        asked, right = type(node.ops[0]), node.comparators[0]
        yield from self._find_compared(node, asked, node.left, right, facts)
        turned = _TURNED.get(asked, asked)
        yield from self._find_compared(node, turned, right, node.left, facts)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or len(call.args) != 1 or call.keywords:
            return
        tensor, number = function.value, call.args[0]
        asked = _METHODS.get(function.attr)
        if asked is not None and issubclass(asked, ast.operator):
            yield from self._find_fraction(call, asked, tensor, number, facts)
        elif asked is not None:
            yield from self._find_compared(call, asked, tensor, number, facts)
        elif function.attr in _IN_PLACE_METHODS and is_float(facts, number):
            if is_integer_tensor(facts, tensor):
                sign = _IN_PLACE_METHODS[function.attr]
                yield from self._find_in_place(call, tensor, number, sign, facts)

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        sign = _SIGNS.get(type(node.op))
        if sign is None or not isinstance(node.target, ast.Name) or not is_float(facts, node.value):
            return
        value = facts.value_before(node, node.target.id)
        if holds_integers(value):
            yield from self._find_in_place(node, node.target, node.value, sign, facts)

    def _find_in_place(
        self,
        node: ast.expr | ast.AugAssign,
        target: ast.expr,
        added: ast.expr,
        sign: str,
        facts: Facts,
    ) -> Iterator[Found]:
        number = written_float(added)
        if number is not None and number.is_integer():
            yield self.found(node, region=added, number=int(number))
        else:
            told = _IN_PLACE if is_given_anew(target) else _INTO_PART
            yield self.advice(node, told.format(worded(target, "x"), worded(added, "them"), sign))

    def _find_fraction(
        self,
        node: ast.expr,
        operator: type[ast.operator],
        tensor: ast.expr,
        number: ast.expr,
        facts: Facts,
    ) -> Iterator[Found]:
        fraction = _fraction(number)
        if fraction is None:
            return
        # Before 0.4 such tensors took no floats.
        era = facts.era_of(node)
        if era.before((0, 4)) or not _was_whole(facts, tensor):
            return
        if not facts.numbers_before(node, _SINCE[operator]):
            return
        if operator is ast.Pow and not era.before((1, 3)):
            yield self.advice(node, _ROOT.format(fraction))
        else:
            until = "1.4" if operator is ast.Mod else "1.2"
            yield self.advice(node, _CUT.format(fraction, int(fraction), until))

    def _find_compared(
        self,
        node: ast.expr,
        asked: type[ast.operator | ast.cmpop],
        tensor: ast.expr,
        number: ast.expr,
        facts: Facts,
    ) -> Iterator[Found]:
        fraction = _fraction(number)
        if fraction is None:
            return
        if not facts.numbers_before(node, (1, 3)) or facts.era_of(node).before((0, 4)):
            return
        # Whole numbers are above 0.5 where they are above 0.
        differs = (ast.Lt, ast.GtE) if fraction > 0 else (ast.Gt, ast.LtE)
        if asked in (ast.Eq, ast.NotEq, *differs) and _was_whole(facts, tensor):
            yield self.advice(node, _CUT.format(fraction, int(fraction), "1.2"))

    def leave_Float(self, original: cst.Float, updated: cst.Float) -> cst.BaseExpression:
        return _whole(self.data["number"])

    def leave_UnaryOperation(
        self, original: cst.UnaryOperation, updated: cst.UnaryOperation
    ) -> cst.BaseExpression:
        return _whole(self.data["number"])


def _was_whole(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression certainly gave whole numbers, as masks were, too, until 1.1."""
    return is_integer_tensor(facts, node) or (
        facts.era_of(node).before((1, 2)) and is_bool(facts, node)
    )


def _fraction(node: ast.expr) -> float | None:
    """The number that is written down, where it is no whole one."""
    number = written_float(node)
    return None if number is None or not isfinite(number) or number.is_integer() else number


def _whole(number: int) -> cst.BaseExpression:
    return cst.parse_expression(str(number))
