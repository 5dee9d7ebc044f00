"""`loss.size() == (1,)`, `loss.size(0)`: what holds one number has no dimension since torch 0.4."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import is_one, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.questions.gone_through import holds_number
from torchfix_codemods.text.wording import worded

_NO_SIZE = "{0} has no dimension since torch 0.4, and {1} raises: write {0}.numel()"
_NEVER_HOLDS = "{0} has no dimension since torch 0.4, so that this fails: write {1} for {2}"

_COUNTS = frozenset({"dim", "ndim", "ndimension"})
_SIZES = frozenset({"shape", "size"})
_ASSERTS = frozenset("assertEqual assertEquals assertListEqual assertTupleEqual".split())

_Shown = Literal["count", "list", "size"]
"""How code asks for dimensions: ``len(x.size())``, ``list(x.size())``, ``x.size()``."""


class SizeOfNumber(Rule):
    """
    ## What it does
    In files for torch 0.3 and older, asks what holds one number for the size that it has today:
    `loss.size() == torch.Size([1])` becomes `loss.size() == torch.Size([])`, `loss.dim() == 1`
    becomes `loss.dim() == 0`, and `loss.size(0)` becomes `loss.numel()`.

    ## Why
    Until torch 0.3 a loss and what sums over everything had one dimension, of one element. Since
    0.4 they have none: the comparison is false, and `loss.size(0)` raises `IndexError: Dimension
    specified as 0 but tensor has no dimensions`.

    ## Example
    ```python
    assert loss.size() == torch.Size([1])
    meter.update(loss.data[0], loss.size(0))
    ```
    becomes
    ```python
    assert loss.size() == torch.Size([])
    meter.update(loss.data[0], loss.numel())
    ```

    ## Numbers
    Restored: the assertion holds again, and the size is 1 again. Pinned where a comparison decides
    what runs.

    ## When it stays its hand
    Where the tensor is not certainly one of no dimension, where a test around asks about it, and
    where the torch that runs is asked for its version. In files that may be for torch 0.4 or newer
    a finding tells of what certainly raises, and of assertions that fail; other comparisons may be
    there for both.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Support for 0-dimensional (scalar)
      Tensors")
    """

    code = "TP430"
    name = "size-of-number"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = _COUNTS | _SIZES
    message = "what holds one number has no dimension since torch 0.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr not in self.words:
            return
        if call.keywords or call.args[1:]:
            return
        if call.args:
            if method.attr == "size" and _is_first(call.args[0]):
                yield from self._find_measured(call, method.value, facts)
        elif method.attr not in ("shape", "ndim"):
            yield from self._find_asked(call, method, facts)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr in ("shape", "ndim"):
            yield from self._find_asked(node, node, facts)

    def _find_asked(self, asking: ast.expr, asked: ast.Attribute, facts: Facts) -> Iterator[Found]:
        around = facts.parent(asking)
        if isinstance(around, ast.Subscript) and around.value is asking:
            if asked.attr in _SIZES and _is_first(around.slice):
                yield from self._find_measured(around, asked.value, facts)
            return
        compared = _compared(facts, asking, "size" if asked.attr in _SIZES else "count")
        if compared is None or not _is_number(facts, asked.value):
            return
        comparison, written = compared
        is_asserted = _is_asserted(facts, comparison)
        if facts.numbers_before(comparison, (0, 4)):
            claim = Numerics.RESTORED if is_asserted else Numerics.PINNED
            yield self.found(written, numerics=claim)
        elif is_asserted and not _is_unequal(comparison):
            texts = worded(asked.value, "the tensor"), _today(written), ast.unparse(written)
            yield self.advice(comparison, _NEVER_HOLDS.format(*texts))

    def _find_measured(self, node: ast.expr, tensor: ast.expr, facts: Facts) -> Iterator[Found]:
        is_read = not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
        if not is_read or not facts.is_tensor(tensor):
            return
        if holds_number(facts, tensor) != "certainly":
            return
        if facts.era_of(node).before((0, 4)):
            yield self.found(node)
        else:
            texts = worded(tensor, "the tensor"), worded(node, "this")
            yield self.advice(node, _NO_SIZE.format(*texts), fails=True)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if isinstance(updated, cst.Integer):
            return updated.with_changes(value="0")
        if isinstance(updated, cst.Tuple):
            return cst.Tuple([])
        if isinstance(updated, cst.List):
            return cst.List([])
        if isinstance(updated, cst.Subscript):
            return _counted(updated.value)
        if isinstance(updated, cst.Call):
            given = updated.args[0].value
            if isinstance(given, (cst.List, cst.Tuple)):
                return updated.with_changes(args=[cst.Arg(type(given)([]))])
            return _counted(updated)
        return updated


def _counted(sized: cst.BaseExpression) -> cst.BaseExpression:
    """``x.numel()`` for ``x.size(0)``, ``x.size()`` and ``x.shape``."""
    asked = sized.func if isinstance(sized, cst.Call) else sized
    assert isinstance(asked, cst.Attribute)
    return cst.Call(asked.with_changes(attr=cst.Name("numel")))


def _is_first(index: ast.expr) -> bool:
    return whole_number(index) in (0, -1)


def _is_number(facts: Facts, tensor: ast.expr) -> bool:
    value = facts.value(tensor)
    return isinstance(value, Tensor) and value.ndim == 0 and value.single


def _compared(
    facts: Facts, asking: ast.expr, shown: _Shown
) -> tuple[ast.Compare | ast.Call, ast.expr] | None:
    """What compares a size to that of one element, with that size: ``(1,)`` of a comparison."""
    around = facts.parent(asking)
    if isinstance(around, ast.Call) and around.args == [asking] and shown == "size":
        builtin = facts.names.builtin(around.func)
        if builtin in ("len", "list", "tuple"):
            shown = "count" if builtin == "len" else "list" if builtin == "list" else "size"
            asking, around = around, facts.parent(around)
    sides: list[ast.expr] = []
    if isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.Eq, ast.NotEq)):
        sides = [around.left, *around.comparators]
    elif isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):
        sides = around.args[:2] if around.func.attr in _ASSERTS else []
    if len(sides) != 2 or asking not in sides:
        return None
    other = sides[1] if sides[0] is asking else sides[0]
    assert isinstance(around, (ast.Compare, ast.Call))
    return (around, other) if _is_of_one(facts, other, shown) else None


def _is_of_one(facts: Facts, written: ast.expr, shown: _Shown) -> bool:
    """Whether a size is written down that says one dimension, of one element."""
    if shown == "count":
        return isinstance(written, ast.Constant) and is_one(written)
    if shown == "size" and isinstance(written, ast.Call) and len(written.args) == 1:
        if facts.name(written.func) != "torch.Size":
            return False
        written = written.args[0]
        return isinstance(written, (ast.List, ast.Tuple)) and _is_single(written)
    kind = ast.List if shown == "list" else ast.Tuple
    return isinstance(written, kind) and _is_single(written)


def _is_single(sizes: ast.List | ast.Tuple) -> bool:
    return len(sizes.elts) == 1 and is_one(sizes.elts[0])


def _is_asserted(facts: Facts, comparison: ast.Compare | ast.Call) -> bool:
    """Whether the program stops where a comparison does not hold."""
    if isinstance(comparison, ast.Call):
        return isinstance(facts.parent(comparison), ast.Expr)
    around = facts.parent(comparison)
    while isinstance(around, ast.BoolOp) and isinstance(around.op, ast.And):
        around = facts.parent(around)
    return isinstance(around, ast.Assert)


def _is_unequal(comparison: ast.Compare | ast.Call) -> bool:
    return isinstance(comparison, ast.Compare) and isinstance(comparison.ops[0], ast.NotEq)


def _today(written: ast.expr) -> str:
    """The size of no dimension in the same form."""
    if isinstance(written, ast.Call):
        given = "()" if isinstance(written.args[0], ast.Tuple) else "[]"
        return f"{ast.unparse(written.func)}({given})"
    if isinstance(written, ast.Constant):
        return "0"
    return "[]" if isinstance(written, ast.List) else "()"
