"""`tensor == None` asks for the elements of a tensor: whether there is one asks `is None`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import NOTHING, Tensor, Value, join, without_none
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class ComparedWithNone(Rule):
    """
    ## What it does
    Writes `is None` and `is not None` where a tensor is compared with `None` by `==` and `!=`.

    ## Why
    `==` of a tensor compares its elements. That it gives `False` for `None` today is the fallback
    of Python for what torch cannot compare; numpy, which did the same, gives an array since 1.13.

    ## Example
    ```python
    if p.grad != None:
        p.grad.zero_()
    ```
    becomes
    ```python
    if p.grad is not None:
        p.grad.zero_()
    ```

    ## Numbers
    Identical: the answer is the same on today's torch.

    ## When it stays its hand
    On what is not certainly a tensor or `None`, and on comparisons in a chain.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.eq.html
    - https://peps.python.org/pep-0008/#programming-recommendations
    """

    code = "TP415"
    name = "compared-with-none"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset({"torch"})
    message = "== asks for the elements of a tensor: is None"

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return
        if constant(node.comparators[0]) is None and _is_tensor_or_none(facts, node.left):
            yield self.found(node)

    def leave_Comparison(self, original: cst.Comparison, updated: cst.Comparison) -> cst.Comparison:
        target = updated.comparisons[0]
        if not isinstance(target.operator, (cst.Equal, cst.NotEqual)):
            return updated
        new = cst.Is() if isinstance(target.operator, cst.Equal) else cst.IsNot()
        return updated.with_changes(comparisons=[target.with_changes(operator=new)])


def _is_tensor_or_none(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a tensor wherever it is not ``None``, and may be one."""
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        return facts.is_tensor(node.value)
    value: Value = NOTHING
    if isinstance(node, ast.Name):
        for binding in facts.flow.reaching(node):
            value = join(value, facts.inference.bound(binding))
    else:
        value = facts.value(node)
    return isinstance(without_none(value), Tensor)
