"""`out[:, i] = fc(x)` of one column: a tensor of shape (n, 1) fits no slice of shape (n)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.losses.questions.single_dimensions import is_one


class StoredColumn(Rule):
    """
    ## What it does
    Appends `.squeeze(1)` to a tensor of two dimensions, of which the second has one element, where
    it is stored into a slice of one dimension. An `.unsqueeze(1)` that made the second goes.

    ## Why
    Until torch 0.3 what was stored into a tensor that was no Variable only had to have as many
    elements as the slice. Since 0.4 it has to expand to its shape, and this raises
    `RuntimeError: expand(torch.FloatTensor{[4, 1]}, size=[4])`.

    ## Example
    ```python
    fc = nn.Linear(8, 1)
    out = torch.zeros(4, 3)
    for step in range(3):
        out[:, step] = fc(torch.ones(4, 8))
    ```
    becomes
    ```python
    fc = nn.Linear(8, 1)
    out = torch.zeros(4, 3)
    for step in range(3):
        out[:, step] = fc(torch.ones(4, 8)).squeeze(1)
    ```

    ## Numbers
    Restored: the same elements in the same order. Where there is one row, the old line works, and
    stores the same.

    ## When it stays its hand
    Where the dimensions of the slice or of what is stored are not certain: those of what a model
    gives seldom are. A row of shape (1, n) expands today as well.

    ## References
    - https://pytorch.org/docs/stable/notes/broadcasting.html ("Backwards compatibility")
    """

    code = "TP432"
    name = "stored-column"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"torch"})
    message = "a tensor of shape (n, 1) does not fit a slice of shape (n) since torch 0.4"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Subscript):
            return
        if _ndim(facts, target) != 1 or _ndim(facts, node.value) != 2:
            return
        if is_one(facts, unwrapped(node.value)[0], 1, 2):
            yield self.found(node.value)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        assert isinstance(updated, cst.BaseExpression)
        method = updated.func if isinstance(updated, cst.Call) else None
        if isinstance(method, cst.Attribute) and method.attr.value == "unsqueeze":
            return method.value
        squeeze = cst.Attribute(as_operand(updated), cst.Name("squeeze"))
        return cst.Call(squeeze, [cst.Arg(cst.Integer("1"))])


def _ndim(facts: Facts, node: ast.expr) -> int | None:
    value = facts.value(node)
    return value.ndim if isinstance(value, Tensor) else None
