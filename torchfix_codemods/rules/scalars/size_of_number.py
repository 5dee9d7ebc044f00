"""`loss.size() == (1,)`, `loss.size(0)`: what holds one number has no dimension since torch 0.4."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.libraries import assertions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.tensors.sizes_of_one import (
    COUNTS,
    SIZES,
    assertions_of_one,
    compared_with_one,
    is_asserted,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.questions.gone_through import holds_number
from torchfix_codemods.text.wording import worded, worded_operand

_NO_SIZE = "{0} has no dimension since torch 0.4, and {1} raises: write {0}.numel()"
_EITHER = "what had one dimension of one element has none since torch 0.4 where it is a number"
_NEVER_HOLDS = "{0} has no dimension since torch 0.4, so that this fails: write {1} for {2}"


class SizeOfNumber(Rule):
    """
    ## What it does
    In files for torch 0.3 and older, asks what holds one number for the size that it has today:
    `loss.size() == torch.Size([1])` becomes `loss.size() == torch.Size([])`, `loss.dim() == 1`
    becomes `loss.dim() == 0`, and `loss.size(0)` becomes `loss.numel()`, or 1 where a method is
    given it. The array of it has no dimension either: `loss.numpy().shape == (1,)` becomes
    `loss.numpy().shape == ()`.

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
    meter.update(loss.data[0], 1)
    ```

    ## Numbers
    Restored: the assertion holds again, and the size is 1 again. Pinned where a comparison decides
    what runs. Where `x.data[0]` follows `assert x.shape == (1,)`, and nothing shows how many
    dimensions x has today, it becomes `assert x.shape in ((), (1,))`, which is what it said.

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
    words = COUNTS | SIZES
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
            if asked.attr in SIZES and _is_first(around.slice):
                yield from self._find_measured(around, asked.value, facts)
            return
        compared = compared_with_one(facts, asking, "size" if asked.attr in SIZES else "count")
        if compared is None:
            return
        comparison, written = compared
        if not _is_number(facts, asked.value) and not _is_array_of_number(facts, asked.value):
            if _is_meant_as_number(facts, asked.value, comparison):
                yield self.found(comparison, _EITHER)
            return
        stops = is_asserted(facts, comparison)
        if facts.numbers_before(comparison, (0, 4)):
            claim = Numerics.RESTORED if stops else Numerics.PINNED
            yield self.found(written, numerics=claim)
        elif stops and not _is_unequal(comparison):
            texts = worded_operand(asked.value, "the tensor"), _today(written), ast.unparse(written)
            yield self.advice(comparison, _NEVER_HOLDS.format(*texts))

    def _find_measured(self, node: ast.expr, tensor: ast.expr, facts: Facts) -> Iterator[Found]:
        is_read = not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
        if not is_read or not facts.is_tensor(tensor):
            return
        if holds_number(facts, tensor) != "certainly":
            return
        if facts.era_of(node).before((0, 4)):
            yield self.found(node, is_given=_is_given(facts, node))
        else:
            texts = worded_operand(tensor, "the tensor"), worded(node, "this")
            yield self.advice(node, _NO_SIZE.format(*texts), fails=True)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if self.data.get("is_given"):
            return cst.Integer("1")
        if isinstance(updated, cst.Comparison):
            return _in_either(updated)
        if isinstance(updated, cst.Integer):
            return updated.with_changes(value="0")
        if isinstance(updated, cst.Subscript):
            return _counted(updated.value)
        if isinstance(updated, cst.BaseExpression) and (none := _of_none(updated)) is not None:
            return none
        return _counted(updated) if isinstance(updated, cst.Call) else updated


def _of_none(size: cst.BaseExpression) -> cst.BaseExpression | None:
    """``()`` for ``(1,)``, ``torch.Size([])`` for ``torch.Size([1])``; None for no such size."""
    if isinstance(size, (cst.List, cst.Tuple)):
        return type(size)([])
    given = size.args[0].value if isinstance(size, cst.Call) and size.args else None
    if isinstance(given, (cst.List, cst.Tuple)):
        return size.with_changes(args=[cst.Arg(type(given)([]))])
    return None


def _in_either(equal: cst.Comparison) -> cst.Comparison:
    """``x.shape in ((), (1,))`` for ``x.shape == (1,)``."""
    asked, written = equal.left, equal.comparisons[0].comparator
    if _of_none(asked) is not None:
        asked, written = written, asked
    none = _of_none(written)
    if none is None:
        return equal
    sizes = cst.Tuple([cst.Element(none), cst.Element(written)])
    target = cst.ComparisonTarget(cst.In(), sizes)
    return equal.with_changes(left=asked, comparisons=[target])


def _counted(sized: cst.BaseExpression) -> cst.BaseExpression:
    """``x.numel()`` for ``x.size(0)``, ``x.size()`` and ``x.shape``."""
    asked = sized.func if isinstance(sized, cst.Call) else sized
    assert isinstance(asked, cst.Attribute)
    return cst.Call(asked.with_changes(attr=cst.Name("numel")))


def _is_first(index: ast.expr) -> bool:
    return whole_number(index) in (0, -1)


def _is_given(facts: Facts, size: ast.expr) -> bool:
    """Whether a size is all of an argument, as for a meter: ``meter.update(loss, loss.size(0))``.

    What is printed or tested asks for it.
    """
    place = facts.parent(size)
    call = facts.parent(place) if isinstance(place, ast.keyword) else place
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(method, ast.Attribute) or size is method or facts.name(method) is not None:
        return False
    return not assertions.values_of(method.attr)


def _is_number(facts: Facts, tensor: ast.expr) -> bool:
    value = facts.value(tensor)
    return isinstance(value, Tensor) and value.ndim == 0 and value.single


def _is_array_of_number(facts: Facts, array: ast.expr) -> bool:
    """Whether an expression is ``loss.numpy()``, or the like: as many dimensions as the tensor."""
    method = array.func if isinstance(array, ast.Call) and not array.args else None
    if not isinstance(method, ast.Attribute) or method.attr != "numpy":
        return False
    return _is_number(facts, method.value)


def _is_meant_as_number(facts: Facts, tensor: ast.expr, comparison: ast.Compare | ast.Call) -> bool:
    """Whether ``x.data[0]`` follows ``assert x.shape == (1,)`` of an x of unknown dimensions."""
    value = facts.value(tensor)
    is_open = isinstance(value, Unknown) or (isinstance(value, Tensor) and value.ndim is None)
    return is_open and any(
        comparison in [*assertions_of_one(facts, unwrapped(node.value)[0])]
        for node in facts.names.nodes.get(ast.Subscript, ())
        if isinstance(node, ast.Subscript) and indexed_scalar(facts, node) in ("maybe", "vector")
    )


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
