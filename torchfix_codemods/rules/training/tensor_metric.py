"""`correct += (pred == y).sum()` counts in a tensor: `.item()` makes it a number again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.counted_totals import (
    adds_whole_number,
    becomes_number,
    was_number,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.scopes import Scope
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_CUT = (
    "a count added up in a tensor: add .item(); its quotients, which torch 0.4 to 1.4 cut to whole "
    "numbers, stay the fractions that they are today"
)


class TensorMetric(Rule):
    """
    ## What it does
    Appends `.item()` to a count of matches that is added to a Python number:
    `correct += (predicted == labels).sum()`.

    ## Why
    Until 0.3 `.sum()` of a tensor was a Python number, and so was the total. Now the total is a
    tensor: on the GPU if the data is, printed as `tensor(97)`, rounded to float32 when divided,
    and cut to an integer by the division of torch 0.4 to 1.4.

    ## Example
    ```python
    correct = 0
    for images, labels in loader:
        predicted = model(images).max(1)[1]
        correct += (predicted == labels).sum()
    print(100. * correct / total)
    ```
    becomes
    ```python
    correct = 0
    for images, labels in loader:
        predicted = model(images).max(1)[1]
        correct += (predicted == labels).sum().item()
    print(100. * correct / total)
    ```

    ## Numbers
    Identical: the count is the same whole number, now of type `int` (`float` after `.float()`).
    What is computed from it is computed in double precision instead of float32, so a percentage
    that is no exact float32 can differ from the eighth digit on, as it did in 0.3. Restored where
    the total is divided in place (`correct /= total`), which a tensor of whole numbers refuses. In
    a file for torch 0.4 to 1.4 the finding says where a quotient of the total was cut.

    ## When it stays its hand
    Where the total does not start as a number or gets anything else, where a method of a tensor is
    called on it or on what is computed from it (`correct.item()`, `correct.double()`), where it
    is handed to code that is not known or kept under another name inside the loop, and where what
    is added is not certainly a count. In a file for torch 0.3 none of that matters for a count of
    what was no Variable (`predicted.eq(y.data).sum()`, `(predicted == y).data.sum()`): it was a
    number.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """

    code = "TP606"
    name = "tensor-metric"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"sum"})
    message = "a count added up in a tensor: add .item()"

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        if not becomes_number(node, facts):
            return
        assert isinstance(node.target, ast.Name)
        found = facts.names.scope_of(node).lookup(node.target.id)
        if found is None or was_number(node, facts):
            yield self.found(node, region=node.value)
            return
        # Whole numbers take no fraction in place: torch refuses that since 1.5.
        is_refused = adds_whole_number(node, facts) and any(
            _divides_in_place(binding.node) for binding in found[1]
        )
        numerics = Numerics.RESTORED if is_refused else Numerics.IDENTICAL
        message = _CUT if _was_cut(node, found[0], facts) else None
        yield self.found(node, message, region=node.value, numerics=numerics)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return cst.Call(cst.Attribute(value=as_operand(updated), attr=cst.Name("item")))


def _was_cut(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """Whether the torch of the file cut a quotient of the total to a whole number."""
    assert isinstance(node.target, ast.Name)
    era = facts.era_of(node)
    if not era.before((1, 5)) or era.before((0, 4)) or not adds_whole_number(node, facts):
        return False
    return any(_is_divided(use, facts) for use in facts.names.uses_of(scope, node.target.id))


def _is_divided(use: ast.expr, facts: Facts) -> bool:
    """Whether a total stands above the line: ``100. * correct / n``."""
    part: ast.AST = use
    while isinstance(outer := facts.parent(part), ast.BinOp):
        if isinstance(outer.op, ast.Div) and outer.left is part:
            return True
        part = outer
    return False


def _divides_in_place(node: ast.AST) -> bool:
    return isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div)
