"""`MultiStepLR(optimizer, [0.5 * epochs])`: what is no whole number is never reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, written_float
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_SCHEDULER = "torch.optim.lr_scheduler.MultiStepLR"


class FractionalMilestones(Rule):
    """
    ## What it does
    Writes `math.ceil` around milestones of `MultiStepLR` that are a share of something:
    `0.75 * args.epochs`.

    ## Why
    Until torch 1.3 the rate fell in the first epoch at or above a milestone: at 37.5 in epoch 38.
    Since 1.4 the milestones are counted, and the rate falls only where one *is* the epoch: 37.5
    never comes, and the rate stays high for good.

    ## Example
    ```python
    scheduler = MultiStepLR(optimizer, milestones=[0.5 * n, 0.75 * n])
    ```
    becomes
    ```python
    scheduler = MultiStepLR(optimizer, milestones=[math.ceil(0.5 * n), math.ceil(0.75 * n)])
    ```

    ## Numbers
    Pinned: the first whole epoch at or above the share, as it was. Where the share is whole, the
    same.

    ## When it stays its hand
    Where the code may be for torch 1.4 or newer: of a milestone that is certainly no whole number
    a finding tells. Where all numbers are written down, and the share is whole. Where a share is
    made by `/`, which gave whole numbers in Python 2.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.4.0
    - https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiStepLR.html
    """

    code = "TP612"
    name = "fractional-milestones"
    since = "0.2"
    numerics = Numerics.PINNED
    changed_in = "1.4"
    words = frozenset({"MultiStepLR"})
    message = "a milestone that is no whole number is never reached since torch 1.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != _SCHEDULER or is_opaque(call):
            return
        milestones = argument(call, 1, "milestones")
        if not isinstance(milestones, (ast.List, ast.Tuple)):
            return
        ceil = spell(facts, "math.ceil", call)
        is_old = facts.numbers_before(call, (1, 4))
        for each in milestones.elts:
            share = _share(each, facts)
            if share == 0 or not isinstance(each, (ast.BinOp, ast.Constant)):
                continue
            if is_old and ceil is not None:
                yield self.found(each, needs=ceil.needs, ceil=ceil.text)
            elif share is not None:
                yield self.advice(each, f"{self.message}, and was rounded up before")

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(updated, cst.BaseExpression)
        bare = updated.with_changes(lpar=[], rpar=[])
        return cst.Call(cst.parse_expression(self.data["ceil"]), [cst.Arg(bare)])


def _share(node: ast.expr, facts: Facts) -> float | None:
    """What a milestone has beside a whole number: 0 where it is whole, None where nobody knows.

    0 of all but numbers that are written down and their products with other numbers.
    """
    number = written_float(node)
    if number is not None:
        return number % 1
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return 0
    factors = [written_float(side) for side in (node.left, node.right)]
    known = [factor for factor in factors if factor is not None]
    if not known or known[0] % 1 == 0:
        return 0
    other = node.right if factors[0] is not None else node.left
    whole = _written(other, facts)
    return None if whole is None else known[0] * whole % 1


def _written(node: ast.expr, facts: Facts) -> float | None:
    """A number that is written down, where it stands or where the one value of a name does."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    number = constant(made[0]) if made and len(made) == 1 else None
    return number if isinstance(number, (int, float)) else None
