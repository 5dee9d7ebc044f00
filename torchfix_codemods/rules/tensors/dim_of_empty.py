"""`x.dim() == 0` asked whether x is empty until torch 0.3: today that asks `x.numel() == 0`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.emptiness import (
    is_harmless,
    origin_of,
    tested_for_dimensions,
)
from torchfix_codemods.text.wording import worded, worded_operand

_MAY_BE_EMPTY = (
    "an empty tensor has dimensions since torch 0.4, not none, as that of {1} has: write "
    "{0}.numel() to ask whether {0} is empty"
)
_CONSTANT = (
    "{1} is always {2}, as what a mask or nonzero() selects has a dimension also where it is "
    "empty: {0}.numel() tells whether it is"
)


class DimOfEmpty(Rule):
    """
    ## What it does
    Asks `x.numel()` where code for torch 0.3 asks `x.dim()`, `x.size()` or `len(x.size())` to know
    whether a tensor is empty: one that a mask or `nonzero()` selects, or that was made empty.

    ## Why
    Until torch 0.3 an empty tensor had no dimension, and its size was `()`. Since 0.4 it has one or
    more, and a tensor of one number has none: `x.nonzero().squeeze()` of one row has 0 dimensions.
    The test takes the wrong branch, and nothing tells.

    ## Example
    ```python
    boxes = candidates[scores.gt(0.5)]
    if boxes.dim() == 0:
        continue
    if torch.nonzero(labels < 0).size():
        crowds = find_crowds(labels)
    ```
    becomes
    ```python
    boxes = candidates[scores.gt(0.5)]
    if boxes.numel() == 0:
        continue
    if torch.nonzero(labels < 0).numel():
        crowds = find_crowds(labels)
    ```

    ## Numbers
    Pinned: the test gives what it gave in torch 0.3.

    ## When it stays its hand
    In files that may be for torch 0.4 or newer: a finding tells of a test that gives the same for
    all that a mask selects, unless the elements are counted beside it (`len(x) and x.dim()`), or
    unless only a loop over x follows, which is left out where x is empty anyway.
    Where the tensor comes in several ways, and the project makes an empty one on one of them, a
    finding in files for torch 0.3 says what to write. After `squeeze()` newer code may well ask
    for a tensor without dimensions.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Support for 0-dimensional (scalar)
      Tensors")
    - https://github.com/pytorch/pytorch/issues/7240
    """

    code = "TP418"
    name = "dim-of-empty"
    since = "0.4"
    numerics = Numerics.PINNED
    words = frozenset({"dim", "ndimension", "size", "len"})
    message = "an empty tensor has dimensions since torch 0.4, not none: numel() tells it"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        tensor = tested_for_dimensions(facts, call)
        if tensor is None:
            return
        origin = origin_of(facts, tensor)
        worded_tensor = worded_operand(tensor, "x")
        if not facts.numbers_before(call, (0, 4)):
            is_idle = _is_counted_beside(facts, call, tensor) or is_harmless(facts, call, tensor)
            if origin == "selected" and not is_idle:
                test, result = _outcome(facts, call)
                yield self.advice(call, _CONSTANT.format(worded_tensor, test, result))
        elif origin is not None:
            yield self.found(call)
        elif _may_be_tensor(facts, call, tensor):
            empty = found_behind([Place(facts, tensor)], _before_empty)
            if empty is not None and not _is_joined_in_vain(facts, call, tensor, empty):
                line = line_named(empty.node, empty.facts, facts)
                yield self.advice(call, _MAY_BE_EMPTY.format(worded_tensor, line))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        asked: cst.BaseExpression = updated
        if isinstance(updated.func, cst.Name) and len(updated.args) == 1:
            asked = updated.args[0].value
        method = asked.func if isinstance(asked, cst.Call) else asked
        if not isinstance(method, cst.Attribute):
            return updated
        counted = method.with_changes(attr=cst.Name("numel"))
        return cst.Call(counted, lpar=updated.lpar, rpar=updated.rpar)


def _is_counted_beside(facts: Facts, call: ast.Call, tensor: ast.expr) -> bool:
    """``len(x) > 0 and x.dim() > 0``, where the other part tells whether x is empty."""
    asked = facts.parent(call)
    whole = facts.parent(asked) if isinstance(asked, ast.Compare) else asked
    if not isinstance(whole, ast.BoolOp):
        return False
    text = ast.unparse(tensor)
    counts = (f"len({text})", f"{text}.numel()", f"{text}.nelement()", f"{text}.size(0)")
    others = [value for value in whole.values if value not in (call, asked)]
    return any(ast.unparse(n) in counts for o in others for n in ast.walk(o))


def _outcome(facts: Facts, call: ast.Call) -> tuple[str, str]:
    """A test for dimensions, and what comes of it where there are some."""
    test = facts.parent(call)
    if not isinstance(test, ast.Compare):
        return worded(call, "this"), "true"
    is_false = isinstance(test.ops[0], (ast.Eq, ast.LtE, ast.Lt))
    return worded(test, "this test"), str(not is_false)


def _may_be_tensor(facts: Facts, call: ast.Call, tensor: ast.expr) -> bool:
    """Whether what is asked for its dimensions can be an empty tensor."""
    value = facts.value(tensor)
    if isinstance(value, Tensor):
        return value.ndim is None and not value.single
    method = call.func.attr if isinstance(call.func, ast.Attribute) else "size"
    if not isinstance(value, Unknown) or defines_method(facts.names, method):
        return False
    # Queues and memories have a size as well.
    return method != "size" or _is_calculated_with(facts, tensor)


def _before_empty(place: Place) -> Iterable[Place] | None:
    """None for what a mask chose, or what was made empty; else what a tensor is elsewhere."""
    if place.content:
        return behind(place)
    core = core_of(place.node)
    return None if origin_of(place.facts, core) else behind(Place(place.facts, core))


def _is_joined_in_vain(facts: Facts, call: ast.Call, tensor: ast.expr, empty: Place) -> bool:
    """``cat([h, x], 1)`` under the test, ``cat([h], 1)`` otherwise: ``Tensor()`` adds nothing."""
    statement = facts.statement(call)
    if origin_of(empty.facts, core_of(empty.node)) != "born" or not isinstance(statement, ast.If):
        return False
    with_it, without = (
        [_joined(facts, each, tensor) for each in block]
        for block in (statement.body, statement.orelse)
    )
    return bool(with_it) and with_it == without


def _joined(facts: Facts, statement: ast.stmt, tensor: ast.expr) -> str:
    """A statement as it is without a tensor that it joins with others."""
    left = copy.deepcopy(statement)
    for node, twin in zip(ast.walk(statement), [*ast.walk(left)], strict=True):
        if isinstance(node, ast.Call) and isinstance(twin, ast.Call) and twin.args:
            parts = twin.args[0]
            if facts.name(node.func) == "torch.cat" and isinstance(parts, (ast.List, ast.Tuple)):
                text = ast.unparse(tensor)
                parts.elts = [each for each in parts.elts if ast.unparse(each) != text]
    return ast.unparse(left)


def _is_calculated_with(facts: Facts, tensor: ast.expr) -> bool:
    """Whether what a name holds is also compared or calculated with, or given to torch."""
    if not isinstance(tensor, ast.Name):
        return False
    for use in facts.names.uses_of(facts.names.scope_of(tensor), tensor.id):
        parent = facts.parent(use)
        if isinstance(parent, ast.BinOp) or (
            isinstance(parent, ast.Compare) and not isinstance(parent.ops[0], (ast.Is, ast.IsNot))
        ):
            return True
        if isinstance(parent, ast.Call) and (facts.name(parent.func) or "").startswith("torch."):
            return True
    return False
