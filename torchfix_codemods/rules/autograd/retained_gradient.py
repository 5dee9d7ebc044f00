"""`h.retain_grad()` and `h.mul_(3)`: since torch 1.13 `h.grad` is the gradient of the changed h."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.changed_in_place import change_by

_CHANGED = (
    "{0}.grad is the gradient of what {0} becomes here since torch 1.13, and was that of {0} at "
    "retain_grad(): write changed = {0}.clone() above, and changed for {0} from here on, except in "
    "{0}.grad"
)

_STRAIGHT = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.With)
_SUMS = (ast.Add, ast.Sub)


class RetainedGradient(Rule):
    """
    ## What it does
    Finds a tensor whose gradient is kept by `retain_grad()` and which is changed in place
    afterwards, in files that were written for torch 1.12 or older.

    ## Why
    `retain_grad()` kept the gradient of the tensor as it was at that line. Since torch 1.13 it
    keeps the gradient of what the tensor holds when `backward()` runs, so that `h.grad` is another
    number: without the factor 3 of `h.mul_(3)`, without the zeros of `F.relu(h, inplace=True)`.

    ## Example
    ```python
    h = layer(x)
    h.retain_grad()
    h *= 3
    h.sum().backward()
    print(h.grad)
    ```
    is reported: write
    ```python
    h = layer(x)
    h.retain_grad()
    changed = h.clone()
    changed *= 3
    changed.sum().backward()
    print(h.grad)
    ```

    ## Numbers
    Nothing is rewritten: the gradient of the old tensor may be what is wanted, or that of the new.

    ## When it stays its hand
    In files that may be for torch 1.13 or newer, where something is only added or subtracted, which
    leaves the gradient as it is, under `no_grad` and through `.data`, where the name gets another
    tensor or something back-propagates before, and where the change stands in another block.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution
    - https://pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html
    """

    code = "TP122"
    name = "retained-gradient"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"retain_grad"})
    message = "retain_grad() keeps the gradient of what is changed in place afterwards"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        method, statement = call.func, facts.parent(call)
        if not isinstance(method, ast.Attribute) or method.attr != "retain_grad":
            return
        tensor = method.value
        if not isinstance(statement, ast.Expr) or not _is_plain(tensor):
            return
        if _is_tensor(tensor, facts):
            change = _next_change(statement, tensor, facts)
            if change is not None and facts.numbers_before(change, (1, 13)):
                yield self.advice(change, _CHANGED.format(facts.segment(tensor)))


def _is_plain(node: ast.expr) -> bool:
    """``h``, ``self.h``."""
    return isinstance(getattr(node, "value", node), ast.Name)


def _is_tensor(node: ast.expr, facts: Facts) -> bool:
    """Whether what is told to keep its gradient is a tensor: nothing but the user's has that."""
    names = facts.names
    is_of_users = may_be_of_project(names, "retain_grad")
    value = facts.value(node)
    return isinstance(value, Tensor) or (isinstance(value, Unknown) and not is_of_users)


def _next_change(retaining: ast.stmt, tensor: ast.expr, facts: Facts) -> ast.expr | ast.stmt | None:
    """What certainly changes a tensor in place below, while its name holds that very tensor."""
    block, text = facts.block(retaining), ast.unparse(tensor)
    for statement in block[block.index(retaining) + 1 :]:
        uses = [node for node in ast.walk(statement) if _is_of(node, text)]
        changes = [c for use in uses if (c := _changed_by(use, facts)) is not None]
        for change in changes if isinstance(statement, _STRAIGHT) else ():
            if facts.inference.branches.runs_with(change, retaining):
                return change
        if changes or any(_is_bound(use, facts) for use in uses) or trains([statement], facts):
            return None
    return None


def _is_of(node: ast.AST, text: str) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == text


def _is_bound(use: ast.Name | ast.Attribute, facts: Facts) -> bool:
    return not isinstance(use.ctx, ast.Load) and not isinstance(facts.parent(use), ast.AugAssign)


def _changed_by(use: ast.Name | ast.Attribute, facts: Facts) -> ast.expr | ast.stmt | None:
    """What gives the tensor that is used there another gradient; a sum has that of its parts."""
    if is_under_no_grad(use, facts):
        return None
    statement = facts.parent(use)
    if isinstance(statement, ast.AugAssign) and statement.target is use:
        return None if isinstance(statement.op, _SUMS) else statement
    change = change_by(use, facts)
    if change is None:
        return None
    if isinstance(change, ast.Subscript):
        storing = facts.parent(change)
        is_sum = isinstance(storing, ast.AugAssign) and isinstance(storing.op, _SUMS)
        return None if is_sum else change
    return None if _keeps_gradient(change) else change


def _keeps_gradient(change: ast.expr) -> bool:
    """``h.add_(1)``, ``h.detach_()``."""
    method = getattr(getattr(change, "func", None), "attr", "")
    return "add" in method or "sub" in method or torch_effects.changes_object(method)
