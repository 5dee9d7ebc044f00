"""`zero_grad()` between `backward()` and `step()`: the optimizer steps along nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.statements import with_lines_exchanged
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule


class ClearedBeforeStep(Rule):
    """
    ## What it does
    Moves `optimizer.zero_grad()` in front of `loss.backward()` where it stands between that and
    `optimizer.step()`.

    ## Why
    `zero_grad()` throws away what `backward()` has just computed. The step that follows finds no
    gradients, and nothing is trained.

    ## Example
    ```python
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    ```
    becomes
    ```python
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ```

    ## Numbers
    Changed, as meant: the parameters move along the gradients of the loss.

    ## When it stays its hand
    Where anything between the two may set gradients anew, as another `backward()`, a function or
    `p.grad = …` does; on objects that are not certainly an optimizer. Where several `backward()`
    come before, a finding says what to write.

    ## References
    - https://pytorch.org/docs/stable/optim.html#taking-an-optimization-step
    """

    code = "TP115"
    name = "cleared-before-step"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"zero_grad"})
    message = "the gradients are cleared before the optimizer steps along them"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        statement = facts.parent(call)
        function = call.func
        if not (isinstance(statement, ast.Expr) and isinstance(function, ast.Attribute)):
            return
        if not isinstance(facts.value(function.value), Optimizer):
            return
        block = facts.block(statement)
        index = block.index(statement)
        backward = _backward_above(block[:index], facts)
        if not backward or not _steps_next(block[index + 1 :], function.value, facts):
            return
        first = backward[0]
        # With the statement above, so that comments on the loss stay its own.
        above = max(0, first - 1)
        lines = [s.lineno for s in block[above : index + 2]]
        if len(backward) > 1 or len(set(lines)) < len(lines):
            where = facts.segment(_call(block[first]) or call)
            yield self.advice(call, f"{self.message}: write {facts.segment(call)} before {where}")
        else:
            yield self.found(call, region=block[above : index + 1], index=first - above)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        index = self.data["index"]
        above, (first, *between, cleared) = updated.body[:index], updated.body[index:]
        if not isinstance(first, cst.SimpleStatementLine):
            return updated
        if not isinstance(cleared, cst.SimpleStatementLine):
            return updated
        cleared, first = with_lines_exchanged(cleared, first)
        return updated.with_changes(body=[*above, cleared, first, *between])


def _call(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement is."""
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return statement.value if is_call else None  # type: ignore[attr-defined]


def _method(statement: ast.stmt) -> str | None:
    call = _call(statement)
    is_method = call is not None and isinstance(call.func, ast.Attribute)
    return call.func.attr if is_method else None  # type: ignore[union-attr]


def _backward_above(above: Sequence[ast.stmt], facts: Facts) -> list[int]:
    """Where gradients are computed that nothing has used yet, in the statements ``above``."""
    found: list[int] = []
    for index, statement in enumerate(above):
        if _method(statement) == "backward":
            found.append(index)
        elif _method(statement) in ("step", "zero_grad"):
            found = []
        elif found and not _leaves_gradients(statement, facts):
            return []
    return found


def _steps_next(below: Sequence[ast.stmt], optimizer: ast.expr, facts: Facts) -> bool:
    """Whether the optimizer steps before anything can set its gradients."""
    for statement in below:
        call = _call(statement)
        if call is not None and _method(statement) == "step" and not call.args:
            assert isinstance(call.func, ast.Attribute)
            if ast.dump(call.func.value) == ast.dump(optimizer):
                return not call.keywords
        if not _leaves_gradients(statement, facts):
            return False
    return False


def _leaves_gradients(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement certainly computes no gradients and keeps none: it clips or prints."""
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign)):
        return False
    for node in walk(statement):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            return False
        if isinstance(node, ast.Call) and not _is_harmless(node, facts):
            return False
    return True


def _is_harmless(call: ast.Call, facts: Facts) -> bool:
    function = call.func
    name = facts.name(function)
    if name is not None:
        return name.startswith("torch.nn.utils.clip_grad")
    if isinstance(function, ast.Name):
        return facts.names.builtin(function) in ("print", "float", "len")
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in ("parameters", "zero_grad", "step"):
        return isinstance(facts.value(function.value), (Module, Optimizer))
    return function.attr in ("item", "detach", "format") and not call.args
