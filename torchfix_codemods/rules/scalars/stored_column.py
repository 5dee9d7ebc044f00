"""`out[:, i] = fc(x)` of one column: a tensor of shape (n, 1) fits no slice of shape (n)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.losses.questions.single_dimensions import is_one
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.rules.scalars.questions.stored_rows import stored_as_row
from torchfix_codemods.text.wording import worded

_UNKNOWN = (
    "where {of} has {ndim} dimensions, this slice has {less}: since torch 0.4 a tensor of shape "
    "{shape} raises there unless n is 1: append `.squeeze(1)`"
)
_ROW = "a vector of n numbers does not fit a part of shape (n, 1) since torch 0.4"
_MAY_BE_ROW = (
    "where {0} is a vector, it does not fit {1}, which has the shape (n, 1), since torch 0.4: "
    "append `.unsqueeze(1)`"
)


class StoredColumn(Rule):
    """
    ## What it does
    Appends `.squeeze(1)` to a tensor whose second dimension has one element, where it is stored
    into a slice of one dimension less. An `.unsqueeze(1)` that made the second goes. A vector that
    a mask stores into a tensor of shape (n, 1) gets it: `x[mask] = q.max(1)[0].unsqueeze(1)`.

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
    gives seldom are. In files for torch 0.3 a finding tells of a slice of what is not known, by as
    many places as the stored tensor has dimensions. A row of shape (1, n) expands today as well.

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
        row = stored_as_row(facts, node)
        if row == "certainly":
            yield self.found(node.value, _ROW, is_row=True)
        elif row is not None and not facts.era_of(node).needs((0, 4)):
            stored, into = worded(node.value, "this"), worded(target, "its place")
            yield self.advice(node.value, _MAY_BE_ROW.format(stored, into))
        ndim = _ndim(facts, node.value)
        if ndim is None or ndim < 2:
            return
        slice_ndim = _ndim(facts, target)
        if slice_ndim is None and _said_of_unknown(node.value, facts) is not None:
            others = [n.value for n in facts.names.nodes[ast.Assign] if isinstance(n, ast.Assign)]
            told = told_once(
                node.value, facts, self.code, others, lambda each: _said_of_unknown(each, facts)
            )
            if told is not None:
                yield self.advice(node.value, told)
        elif slice_ndim == ndim - 1 and _is_column(facts, node.value, ndim):
            yield self.found(node.value, is_added=_is_added(node.value, facts))

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        assert isinstance(updated, cst.BaseExpression)
        method = updated.func if isinstance(updated, cst.Call) else None
        if isinstance(method, cst.Attribute) and self.data.get("is_added"):
            return method.value
        name = "unsqueeze" if "is_row" in self.data else "squeeze"
        squeeze = cst.Attribute(as_operand(updated), cst.Name(name))
        return cst.Call(squeeze, [cst.Arg(cst.Integer("1"))])


def _said_of_unknown(value: ast.AST, facts: Facts) -> str | None:
    """What is said of what is stored into a slice of what is not known."""
    statement = facts.parent(value)
    if not isinstance(statement, ast.Assign) or not isinstance(value, ast.expr):
        return None
    target, ndim = statement.targets[0], _ndim(facts, value)
    if ndim is None or ndim < 2 or not isinstance(target, ast.Subscript):
        return None
    is_unknown = _ndim(facts, target) is None and _may_be_of_as_many(facts, target, ndim)
    is_old = not facts.era_of(statement).needs((0, 4))
    if not is_unknown or not is_old or not _is_column(facts, value, ndim):
        return None
    of, shape = worded(target.value, "that tensor"), "(n, 1)" if ndim == 2 else "(n, 1, …)"
    return _UNKNOWN.format(of=of, ndim=ndim, less=ndim - 1, shape=shape)


def _ndim(facts: Facts, node: ast.expr) -> int | None:
    value = facts.value(node)
    return value.ndim if isinstance(value, Tensor) else None


def _is_column(facts: Facts, node: ast.expr, ndim: int) -> bool:
    """Whether the second of so many dimensions has one element.

    Where the first has one as well, the tensor fits the slice, with the second and without it.
    """
    if is_one(facts, unwrapped(node)[0], 1, ndim):
        return True
    sizes = sizes_of(facts.inference, node)
    return sizes is not None and len(sizes) == ndim and sizes[1] == 1


def _is_added(node: ast.expr, facts: Facts) -> bool:
    """Whether ``x.unsqueeze(1)`` made the one element, so that ``x`` is without it."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr != "unsqueeze":
        return False
    return facts.name(method) is None


def _may_be_of_as_many(facts: Facts, target: ast.Subscript, ndim: int) -> bool:
    """``x[:, 0, a:b]`` of what is not known: a slice of two dimensions if ``x`` has three."""
    places = target.slice.elts if isinstance(target.slice, ast.Tuple) else []
    if len(places) != ndim or not isinstance(facts.value(target.value), (Tensor, Unknown)):
        return False
    others = [place for place in places if not isinstance(place, ast.Slice)]
    return len(others) == 1 and all(
        whole_number(place) is not None or facts.value(place) == Number("int") for place in others
    )
