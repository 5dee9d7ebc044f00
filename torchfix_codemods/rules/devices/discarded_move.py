"""`x.cuda()` of a tensor returns a copy: as a statement of its own it does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import lies_with_input, may_be_on_gpu
from torchfix_codemods.facts.values.lattice import Device, Packed, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.devices.questions.lost_moves import remedy_for
from torchfix_codemods.rules.devices.questions.named.parted import stays_behind
from torchfix_codemods.rules.devices.questions.tried_moves import (
    is_made_as_tensor,
    is_shown,
    is_timed,
)
from torchfix_codemods.rules.questions.trials import is_trial


class DiscardedMove(Rule):
    """
    ## What it does
    Assigns the result of `x.cuda()`, `x.cpu()` and `x.to(…)` back, where x is a tensor or a
    packed sequence and the statement drops the result: `x = x.cuda()`.

    ## Why
    A module is moved in place, a tensor is not: the statement makes a copy and throws it away, and
    the next line fails with "expected all tensors to be on the same device", or quietly works on
    the CPU.

    ## Example
    ```python
    for data, target in loader:
        data.cuda()
        output = model(data)
    ```
    becomes
    ```python
    for data, target in loader:
        data = data.cuda()
        output = model(data)
    ```

    ## Numbers
    Changed: from here on x is on the device, or of the dtype, that the line asks for.

    ## When it stays its hand
    On modules, and on all that is not certainly a tensor. Where an assignment would not do what was
    meant, a finding says what to write: for parameters, leaves that an optimizer updates or whose
    gradient is read, tensors that are written to in place and that something else may refer to,
    tensors that are calculated with others that stay on the CPU, names of other scopes, items of a
    tuple, loop variables that are not used any more. A statement that is tried in `try` or timed in
    a loop stays. Nothing is said of what comes from a GPU already, of which no copy is made, of
    what is made of an argument of its function and lies where that does, nor where a cell of a
    notebook ends with the move, shows its result, and nothing reads the tensor below.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.cuda.html
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.cuda
    """

    code = "TP207"
    name = "discarded-move"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"cuda", "cpu", "to"})
    message = "a tensor is not moved in place: the result has to be assigned"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        statement = facts.parent(call)
        if not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute):
            return
        # ``x.uniform_(-1, to=1)`` has the word as well.
        if call.func.attr not in self.words:
            return
        moved = call.func.value
        value = facts.value(moved)
        if not isinstance(value, (Tensor, Packed)) or is_trial(statement, facts):
            return
        if not isinstance(moved, (ast.Name, ast.Attribute, ast.Subscript)):
            return
        if isinstance(moved, ast.Name):
            if not is_made_as_tensor(moved, facts) or is_timed(moved, facts):
                return
        remedy = remedy_for(moved, value, facts)
        if remedy is None:
            remedy = _parting(call, moved, facts)
        if remedy is None:
            yield self.found(call, region=statement)
        elif not is_shown(statement, moved, facts) and not _may_be_there(call, moved, facts):
            yield self.advice(call, f"the moved copy is lost{remedy and f': {remedy}'}")

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        expression = updated.body[0]
        if not isinstance(expression, cst.Expr) or not isinstance(expression.value, cst.Call):
            return updated
        call = expression.value
        if not isinstance(call.func, cst.Attribute):
            return updated
        target = call.func.value
        if not isinstance(target, (cst.Name, cst.Attribute, cst.Subscript)):
            return updated
        assignment = cst.Assign(targets=[cst.AssignTarget(target)], value=call)
        return updated.with_changes(body=[assignment, *updated.body[1:]])


def _parting(call: ast.Call, moved: ast.expr, facts: Facts) -> str | None:
    """What to write where the copy would meet what stays on the CPU; None where it does not."""
    if not isinstance(moved, ast.Name) or not _is_for_gpu(call, facts):
        return None
    if may_be_on_gpu(facts, moved) or (left := stays_behind(moved, facts)) is None:
        return None
    there = ast.unparse(left)
    return (
        f"drop the line, or move {there} as well, which is on the CPU where it meets "
        f"{moved.id} in line {facts.origin(left.lineno)}"
    )


def _may_be_there(call: ast.Call, moved: ast.expr, facts: Facts) -> bool:
    """Whether what is moved to a GPU may lie there already, as what it is made of may."""
    is_for_gpu = _is_for_gpu(call, facts)
    return is_for_gpu and (may_be_on_gpu(facts, moved) or lies_with_input(facts, moved))


def _is_for_gpu(call: ast.Call, facts: Facts) -> bool:
    assert isinstance(call.func, ast.Attribute)
    to = call.args[0] if call.func.attr == "to" and call.args else None
    return call.func.attr == "cuda" or (to is not None and isinstance(facts.value(to), Device))
