"""An Adagrad is built for a model that is moved to its device only afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.statements import with_lines_exchanged
from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Scheduler
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MOVES = frozenset({"cuda", "to"})


class OptimizerBeforeMove(Rule):
    """
    ## What it does
    Moves `model.cuda()` and `model.to(…)` above the line that builds the Adagrad of the model,
    where only optimizers and schedulers are built in between.

    ## Why
    Adagrad makes its state when it is built, and fails at the first step if the parameters are on
    another device by then.

    ## Example
    ```python
    optimizer = optim.Adagrad(model.parameters())
    model.cuda()
    ```
    becomes
    ```python
    model.cuda()
    optimizer = optim.Adagrad(model.parameters())
    ```

    ## Numbers
    Identical where the optimizer worked before: building it draws no random numbers.

    ## When it stays its hand
    Where other lines stand in between, or the block to move ends with a comment, a finding names
    the line to move. All other optimizers of torch make their state in the first step, and moving
    a model keeps the parameters that they were given, so their order is left as it is. It says
    nothing of models that were moved before the optimizer was built as well, of models that are
    built anew in between, and of classes that say themselves what moving them means.

    ## References
    - https://pytorch.org/docs/stable/optim.html#constructing-it
    """

    code = "TP205"
    name = "optimizer-before-move"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = _MOVES
    message = "a model is moved to its device before its optimizer is built"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not facts.remembered("has optimizers", lambda: _has_optimizers(facts)):
            return
        move = _move_of(call, facts)
        if move is None:
            return
        block = facts.block(move)
        end = block.index(move)
        built = _optimizer_above(call, block[:end], facts)
        if built is None or _is_moved_above(call, block[built], facts):
            return
        if isinstance(move, ast.If) and _is_found_by_another(call, move, block[:end], facts):
            return
        if not any(_makes_state(s, facts) for s in block[built:end]):
            # The parameters stay the objects that they were, and state is made by the first step.
            return
        between = block[built + 1 : end]
        stored = {ast.unparse(t) for s in block[built:end] for t in ast.walk(s) if _is_stored(t)}
        used = {ast.unparse(n) for n in ast.walk(move) if isinstance(n, (ast.Name, ast.Attribute))}
        can_go = all(_builds_optimizer(s, facts) for s in between) and not stored & used
        if can_go and not _ends_with_comment(move, facts):
            # With the statement above, so that comments on the optimizer stay its own.
            above = max(0, built - 1)
            region = block[above : end + 1]
            yield self.found(call, region=region, index=built - above, count=len(region))
        else:
            assert isinstance(call.func, ast.Attribute)
            model = ast.unparse(call.func.value)
            told = "build it below that" if stored & used else f"move {model} first"
            yield self.advice(
                call,
                f"the optimizer in line {facts.origin(block[built].lineno)} is built before "
                f"{model} is moved: {told}",
            )

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        index = self.data["index"]
        if len(updated.body) != self.data["count"]:
            # Some of the statements stand on one line.
            return updated
        above, (first, *built, move) = updated.body[:index], updated.body[index:]
        if not isinstance(first, cst.SimpleStatementLine) or first is move:
            return updated
        if not isinstance(move, (cst.SimpleStatementLine, cst.If)):
            return updated
        move, first = with_lines_exchanged(move, first)
        return updated.with_changes(body=[*above, move, first, *built])


def _has_optimizers(facts: Facts) -> bool:
    return any(
        isinstance(statement, ast.Assign) and _builds_optimizer(statement, facts)
        for statement in facts.names.nodes.get(ast.Assign, ())
    )


def _move_of(call: ast.Call, facts: Facts) -> ast.stmt | None:
    """The statement that moves a model: the call alone, assigned back, or under one ``if``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVES:
        return None
    model = call.func.value
    if not isinstance(model, (ast.Name, ast.Attribute)):
        return None
    value = facts.value(model)
    if not isinstance(value, Module) or any(
        method_of(facts.inference, value, name) for name in _MOVES
    ):
        return None
    statement = facts.parent(call)
    if isinstance(statement, ast.Assign):
        if [ast.unparse(target) for target in statement.targets] != [ast.unparse(model)]:
            return None
    elif not isinstance(statement, ast.Expr):
        return None
    guard = facts.parent(statement)
    if not isinstance(guard, ast.If):
        return statement
    is_alone = not guard.orelse and not isinstance(facts.parent(guard), ast.If)
    return guard if is_alone and all(_only_moves(s) for s in guard.body) else None


def _ends_with_comment(move: ast.stmt, facts: Facts) -> bool:
    """Whether comments of the block of an ``if`` stand below its last statement."""
    for line in facts.lines[move.end_lineno or move.lineno :]:
        text = line.lstrip()
        if not text.startswith("#"):
            return False
        if len(line) - len(text) > move.col_offset:
            return True
    return False


def _only_moves(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    return value.func.attr in _MOVES


def _optimizer_above(call: ast.Call, above: list[ast.stmt], facts: Facts) -> int | None:
    """The first statement that builds an optimizer of the model, with no other model below it."""
    assert isinstance(call.func, ast.Attribute)
    model = ast.unparse(call.func.value)
    first = None
    for index in reversed(range(len(above))):
        statement = above[index]
        if _builds_optimizer_of(statement, model, facts):
            first = index
        if any(_is_stored(node) and ast.unparse(node) == model for node in ast.walk(statement)):
            break
    return first


def _builds_optimizer(statement: ast.stmt, facts: Facts) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and (facts.name(statement.value.func) or "").startswith("torch.optim.")
        and isinstance(facts.value(statement.value), (Optimizer, Scheduler))
    )


def _makes_state(statement: ast.stmt, facts: Facts) -> bool:
    """Whether an optimizer is built that keeps numbers beside the parameters from the start."""
    return (
        _builds_optimizer(statement, facts)
        and isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and facts.name(statement.value.func) == "torch.optim.Adagrad"
    )


def _builds_optimizer_of(statement: ast.stmt, model: str, facts: Facts) -> bool:
    return _builds_optimizer(statement, facts) and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parameters"
        and ast.unparse(node.func.value) == model
        for node in ast.walk(statement)
    )


def _is_moved_above(call: ast.Call, built: ast.stmt, facts: Facts) -> bool:
    """Whether a model was moved before its optimizer was built, too."""
    assert isinstance(call.func, ast.Attribute)
    scope = facts.names.scope_of(call)
    return any(
        isinstance(other.func, ast.Attribute)
        and ast.dump(other.func.value) == ast.dump(call.func.value)
        and facts.names.scope_of(other) is scope
        and other.lineno < built.lineno
        for method in _MOVES
        for other in facts.names.method_calls(method)
    ) or _is_built_moved(call, facts)


def _is_built_moved(call: ast.Call, facts: Facts) -> bool:
    """``model = Net().cuda()``."""
    assert isinstance(call.func, ast.Attribute)
    model = call.func.value
    assigned = facts.assigned(model) if isinstance(model, ast.Name) else None
    return any(
        isinstance(node, ast.Attribute) and node.attr in _MOVES
        for value in assigned or ()
        for node in ast.walk(value)
    )


def _is_found_by_another(
    call: ast.Call, guard: ast.If, above: list[ast.stmt], facts: Facts
) -> bool:
    """Whether an earlier move under the same ``if`` speaks for all of it."""
    for statement in guard.body:
        value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        if value is call:
            return False
        if isinstance(value, ast.Call) and _move_of(value, facts) is guard:
            if _optimizer_above(value, above, facts) is not None:
                return True
    return False


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
