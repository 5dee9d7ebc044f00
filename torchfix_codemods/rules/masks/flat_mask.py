"""`loss[positive] = 0` by a mask of another shape that has as many elements: it raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.masks.questions.mask_wants import place_of


class FlatMask(Rule):
    """
    ## What it does
    Gives a mask the shape of the tensor it selects from, where `x[mask] = 0` stores by a mask
    of two dimensions into a column of as many elements.

    ## Why
    Until torch 0.3 a mask only had to have as many elements as the tensor. Since 0.4 it has to have
    its shape: "The shape of the mask [32, 8732] at index 0 does not match the shape of the indexed
    tensor [279424, 1] at index 0". The loss of the Single Shot MultiBox Detector and of its forks
    is written so.

    ## Example
    ```python
    labels = torch.LongTensor([[0, 2, 1], [1, 0, 0]])
    positive = labels > 0
    scores = torch.randn(6, 3)
    loss = scores.logsumexp(1, keepdim=True) - scores.gather(1, labels.view(-1, 1))
    loss[positive] = 0
    ```
    becomes
    ```python
    labels = torch.LongTensor([[0, 2, 1], [1, 0, 0]])
    positive = labels > 0
    scores = torch.randn(6, 3)
    loss = scores.logsumexp(1, keepdim=True) - scores.gather(1, labels.view(-1, 1))
    loss[positive.view_as(loss)] = 0
    ```

    ## Numbers
    Restored: the same elements in the order of the rows, as they were taken then.

    ## When it stays its hand
    Where the number of elements is not certain: it is where the tensor is calculated with
    `x.gather(1, labels.view(-1, 1))`, and the mask is a comparison of the same `labels`, which have
    two dimensions. Where the tensor may have more dimensions than that column, in files that are
    not certainly for torch 0.3 or older. Where elements are read: two shapes that fit each other
    were expanded then.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    - https://pytorch.org/docs/stable/tensor_view.html
    """

    code = "TP422"
    name = "flat-mask"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"gather"})
    message = "a mask needs the shape of the tensor since torch 0.4, not only as many elements"

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        tensor, mask = node.value, node.slice
        if not (isinstance(tensor, ast.Name) and isinstance(mask, ast.Name)):
            return
        compared = _compared(_only_value(mask, facts), facts)
        calculated = _only_value(tensor, facts)
        labels = None if calculated is None else _gathered_column(calculated, facts)
        if compared is None or labels is None or not _hold_the_same(compared, labels, facts):
            return
        if place_of(facts, mask) == "stored" and _is_column(tensor, calculated, facts):
            shape = facts.value(mask)
            is_contiguous = isinstance(shape, Tensor) and shape.contiguous
            method = "view_as" if is_contiguous else "reshape_as"
            yield self.found(mask, method=method, tensor=tensor.id)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        method = cst.Attribute(updated, cst.Name(self.data["method"]))
        return cst.Call(method, [cst.Arg(cst.Name(self.data["tensor"]))])


def _only_value(name: ast.Name, facts: Facts) -> ast.expr | None:
    """What a name is assigned, where that happens at one place."""
    bindings = facts.flow.reaching(name)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path:
        return None
    return bindings[0].value


def _compared(mask: ast.expr | None, facts: Facts) -> ast.Name | None:
    """``labels`` of two dimensions, of ``labels > 0`` and ``labels.gt(0)``."""
    compared: ast.expr | None = None
    if isinstance(mask, ast.Compare):
        compared = mask.left
    elif isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute):
        compared = mask.func.value if torch_effects.compares(mask.func.attr) else None
    if mask is None or not isinstance(compared, ast.Name):
        return None
    shapes = facts.value(mask), facts.value(compared)
    is_flat = all(isinstance(shape, Tensor) and shape.ndim == 2 for shape in shapes)
    return compared if is_flat else None


def _gathered_column(calculated: ast.expr, facts: Facts) -> ast.Name | None:
    """``labels`` of ``x - y.gather(1, labels.view(-1, 1))``."""
    for operand in _operands(calculated):
        index = _index_of_gather(operand, facts)
        if not (isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute)):
            continue
        sizes = [whole_number(size) for size in index.args]
        column = index.func.value
        if index.func.attr in ("view", "reshape") and sizes == [-1, 1] and not index.keywords:
            return column if isinstance(column, ast.Name) else None
    return None


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ELEMENTWISE):
        return [node.left, node.right]
    return [node]


def _index_of_gather(call: ast.expr, facts: Facts) -> ast.expr | None:
    if not isinstance(call, ast.Call) or is_opaque(call):
        return None
    name = facts.name(call.func)
    if name is not None:
        return argument(call, 2, "index") if name == "torch.gather" else None
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "gather":
        return None
    return argument(call, 1, "index") if facts.is_shown_tensor(call.func.value) else None


def _hold_the_same(one: ast.Name, other: ast.Name, facts: Facts) -> bool:
    bindings = facts.flow.reaching(one)
    return bool(bindings) and set(bindings) == set(facts.flow.reaching(other))


def _is_column(tensor: ast.Name, calculated: ast.expr | None, facts: Facts) -> bool:
    """Whether the column kept its two dimensions in what was calculated with it."""
    value = facts.value(tensor)
    if not isinstance(value, Tensor):
        return False
    if value.ndim is not None:
        return value.ndim == 2
    # Old code ran, so there were no more elements than the mask has.
    return facts.era_of(tensor).before((0, 4)) or (
        calculated is not None and _is_of_rows(calculated, facts)
    )


def _is_of_rows(calculated: ast.expr, facts: Facts) -> bool:
    """``log_sum_exp(y) - y.gather(…)``: what a function makes of each row of the same scores."""
    rows: list[ast.Name] = []
    for operand in _operands(calculated):
        if not isinstance(operand, ast.Call) or is_opaque(operand):
            return False
        given = next(iter(operand.args), None)
        if _index_of_gather(operand, facts) is not None and facts.name(operand.func) is None:
            assert isinstance(operand.func, ast.Attribute)
            given = operand.func.value
        if isinstance(given, ast.Name):
            rows.append(given)
    return len(rows) == 2 and _hold_the_same(rows[0], rows[1], facts)
