"""`x[:-1] = x[1:]` reads and writes the same memory at once, which torch refuses since 1.3."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import calling
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.wording import worded, worded_operand

_SHIFTED = (
    "{0} and {1} share memory{2}, which torch 1.3 and newer refuse to read while they change "
    "it{3}: {4}{1}.clone()"
)
_WHERE = " where {0} is positive"
#: Of each row a part: torch sees of one row alone that they overlap.
_PARTS = ", or read in whatever order"
_EXPANDED = (
    "{0} is what expand() gave: where that repeats elements, torch 1.1 and newer refuse to change "
    "them in place: write {1}.clone()"
)

#: What may give something else the next time.
_CALCULATED = (ast.Await, ast.Call, ast.NamedExpr, ast.Yield, ast.YieldFrom)

#: Methods that calculate all elements anew; `fill_` and `zero_` are let through.
_IN_PLACE = frozenset("copy_ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ atan2_".split())


class OverlappingWrite(Rule):
    """
    ## What it does
    Copies what a tensor is shifted to the front by, `x[:-1] = x[1:]`, `x[:, :-n] = x[:, n:]`,
    `x[:-1] += x[1:]` or `x[:-1].copy_(x[1:])`. Finds a shift to the back, `x[1:] = x[:-1]`, and
    what changes the result of `expand` in place as a whole.

    ## Why
    What was read had been written already, or not yet. Torch 1.3 and newer refuse it ("some
    elements of the input tensor and the written-to tensor refer to a single memory location") where
    they see it, and 1.1 the write into expanded elements. Of parts of several rows they do not see
    it, and read in whatever order.

    ## Example
    ```python
    history = torch.zeros(n, k)
    history[:-1] = history[1:]
    ```
    becomes
    ```python
    history = torch.zeros(n, k)
    history[:-1] = history[1:].clone()
    ```

    ## Numbers
    Restored: on the CPU old torch went from the front to the back, so each element was read before
    it was written. To the back, `x[1:] = x[:-1]`, the copy gives the shifted numbers, which old
    torch may not have given: a finding says what to write.

    ## When it stays its hand
    Where the tensor is not certainly one: arrays of numpy copy by themselves. Where the two slices
    are not such a pair, written down or by the same name or attribute, and where something is
    calculated from what is read.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.3.0
    - https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html
    """

    code = "TP425"
    name = "overlapping-write"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = _IN_PLACE | {"torch"}
    message = "torch refuses to read memory while it changes it: .clone()"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if len(node.targets) == 1:
            yield from self._find_shifted(node, node.targets[0], node.value, facts)

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        yield from self._find_shifted(node, node.target, node.value, facts)
        if isinstance(node.target, ast.Name):
            bindings = facts.flow.reaching_before(node, node.target.id)
            values = [None if b.path or b.kind != "assign" else b.value for b in bindings]
            yield from self._find_expanded(node, node.target, values, facts)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr not in _IN_PLACE:
            return
        if call.args:
            yield from self._find_shifted(call, method.value, call.args[0], facts)
        if isinstance(method.value, ast.Name):
            bindings = facts.flow.reaching(method.value)
            values = [None if b.path or b.kind != "assign" else b.value for b in bindings]
            yield from self._find_expanded(call, method.value, values, facts)
        else:
            yield from self._find_expanded(call, method.value, [method.value], facts)

    def _find_shifted(
        self, node: ast.stmt | ast.expr, written: ast.expr, read: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        if not isinstance(written, ast.Subscript) or not isinstance(read, ast.Subscript):
            return
        shift = _shift(written.slice, read.slice)
        if (
            shift is None
            or ast.dump(written.value) != ast.dump(read.value)
            or not facts.is_tensor(read.value)
        ):
            return
        condition = _WHERE.format(facts.segment(shift.by)) if shift.by else ""
        parts = _PARTS if isinstance(read.slice, ast.Tuple) else ""
        names = (facts.segment(written), facts.segment(read), condition, parts)
        if shift.to_front:
            yield self.found(read, _SHIFTED.format(*names, ""))
        else:
            yield self.advice(node, _SHIFTED.format(*names, "write "))

    def leave_Subscript(self, original: cst.Subscript, updated: cst.Subscript) -> cst.Call:
        return calling(updated, "clone")

    def _find_expanded(
        self,
        node: ast.stmt | ast.expr,
        written: ast.expr,
        values: list[ast.expr | None],
        facts: Facts,
    ) -> Iterator[Found]:
        if len(values) == 1 and values[0] is not None and _is_expanded(values[0], facts):
            made = worded_operand(values[0], "x.expand(...)")
            yield self.advice(node, _EXPANDED.format(worded(written, "this"), made))


class _Shift(NamedTuple):
    """From one slice to the other of the same tensor.

    Attributes:
        to_front: whether elements go to where an index is smaller.
        by: how far, where that is not written down.
    """

    to_front: bool
    by: ast.expr | None


def _shift(written: ast.expr, read: ast.expr) -> _Shift | None:
    """How a tensor is shifted within itself along one dimension: ``[:, :-1]`` by ``[:, 1:]``."""
    if isinstance(written, ast.Tuple) and isinstance(read, ast.Tuple):
        if len(written.elts) != len(read.elts) or not all(map(_is_fixed, written.elts)):
            return None
        pairs = zip(written.elts, read.elts, strict=True)
        differing = [pair for pair in pairs if ast.dump(pair[0]) != ast.dump(pair[1])]
        return _shift(*differing[0]) if len(differing) == 1 else None
    if not (isinstance(written, ast.Slice) and isinstance(read, ast.Slice)):
        return None
    to_front = written.lower is None
    start, end = (read, written) if to_front else (written, read)
    # ``n:`` and ``:-n``
    if start.step or end.step or start.upper or end.lower or not start.lower:
        return None
    cut = end.upper
    if not isinstance(cut, ast.UnaryOp) or not isinstance(cut.op, ast.USub):
        return None
    if ast.dump(cut.operand) != ast.dump(start.lower) or not _is_fixed(start.lower):
        return None
    number = whole_number(start.lower)
    if number is not None:
        return _Shift(to_front, None) if number > 0 else None
    return None if isinstance(start.lower, ast.Constant) else _Shift(to_front, start.lower)


def _is_fixed(node: ast.AST) -> bool:
    """Whether an expression gives the same each time that it is written."""
    return not any(isinstance(part, _CALCULATED) for part in ast.walk(node))


def _is_expanded(node: ast.expr, facts: Facts) -> bool:
    """``x.expand(2, 3)`` of a tensor."""
    method = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(method, ast.Attribute)
        and method.attr in ("expand", "expand_as")
        and facts.is_tensor(method.value)
        and facts.is_tensor(node)
    )
