"""`x[1:] = x[:-1]` reads and writes the same memory at once, which torch refuses since 1.3."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.wording import worded, worded_operand

_SHIFTED = (
    "{0} and {1} share memory, which torch 1.3 and newer refuse to read while they change it: "
    "write {1}.clone()"
)
_EXPANDED = (
    "{0} is what expand() gave: where that repeats elements, torch 1.1 and newer refuse to change "
    "them in place: write {1}.clone()"
)

#: Methods that calculate all elements anew; `fill_` and `zero_` are let through.
_IN_PLACE = frozenset("copy_ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ atan2_".split())


class OverlappingWrite(Rule):
    """
    ## What it does
    Finds a tensor that is shifted within itself, `x[1:] = x[:-1]`, `x[:-1] += x[1:]` or
    `x[1:].copy_(x[:-1])`, and what changes the result of `expand` in place as a whole.

    ## Why
    What was read had been written already, or not yet: old torch gave numbers that depended on the
    order. Torch 1.3 and newer refuse it ("some elements of the input tensor and the written-to
    tensor refer to a single memory location"), and 1.1 the write into expanded elements.

    ## Example
    ```python
    history = torch.zeros(n, k)
    history[1:] = history[:-1]
    ```
    is reported: write
    ```python
    history = torch.zeros(n, k)
    history[1:] = history[:-1].clone()
    ```

    ## Numbers
    Nothing is rewritten: the copy gives the shifted numbers, which old torch may not have given.

    ## When it stays its hand
    Where the tensor is not certainly one: arrays of numpy copy by themselves. Where the two slices
    are not such a pair, written down, and where something is calculated from what is read.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.3.0
    - https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html
    """

    code = "TP425"
    name = "overlapping-write"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = _IN_PLACE | {"torch"}
    message = "torch refuses to read memory while it changes it"

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
        if ast.dump(written.value) == ast.dump(read.value) and facts.is_tensor(read.value):
            ends = {_end(written.slice), _end(read.slice)}
            # x[1:] and x[:-1]
            if None not in ends and sum(filter(None, ends)) == 0:
                yield self.advice(
                    node, _SHIFTED.format(facts.segment(written), facts.segment(read))
                )

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


def _end(index: ast.expr) -> int | None:
    """``1`` of ``1:`` and ``-1`` of ``:-1``: how many are left out at the start, or at the end."""
    if not isinstance(index, ast.Slice) or index.step is not None:
        return None
    if (index.lower is None) == (index.upper is None):
        return None
    end = whole_number(index.lower or index.upper)
    return end if end is not None and (end > 0) == (index.lower is not None) else None


def _is_expanded(node: ast.expr, facts: Facts) -> bool:
    """``x.expand(2, 3)`` of a tensor."""
    method = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(method, ast.Attribute)
        and method.attr in ("expand", "expand_as")
        and facts.is_tensor(method.value)
        and facts.is_tensor(node)
    )
