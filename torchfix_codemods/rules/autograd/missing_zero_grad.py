"""Gradients that nobody clears add up from one step of the optimizer to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import models_of
from torchfix_codemods.facts.programs.training import called_function, loop_around
from torchfix_codemods.facts.values.lattice import Module, Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: Words whose use in a function shows that it cares for gradients itself.
_CARES = frozenset({"zero_grad", "grad", "zero_gradients", "clear_grad", "reset_grad"})

_LEAVES = (ast.Break, ast.Return, ast.Raise)


class MissingZeroGrad(Rule):
    """
    ## What it does
    Says where a loop calls `backward()` and `optimizer.step()` and nothing ever clears the
    gradients of the optimizer's parameters: neither its `zero_grad()`, nor that of the model, nor
    that of another optimizer of the same parameters.

    ## Why
    `backward()` adds to the gradients that are there. Without `zero_grad()` each step goes along
    the sum of all gradients since the start.

    ## Example
    ```python
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    ```
    should be
    ```python
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    ```

    ## Numbers
    Nothing is rewritten.

    ## When it stays its hand
    Where the function, or one that it calls, clears or reads gradients in any way, where the
    optimizer or the model is given to code that cannot be seen, where the loop makes a new
    optimizer in each round, where it steps only in some rounds (gradients that add up on purpose),
    and where `step` takes a closure.

    ## References
    - https://pytorch.org/docs/stable/optim.html#taking-an-optimization-step
    - https://pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
    """

    code = "TP108"
    name = "missing-zero-grad"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"step"})
    message = "gradients add up from one step to the next"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        optimizer = _stepped(call, facts)
        loop = None if optimizer is None else loop_around(call, facts)
        if optimizer is None or loop is None or not _is_older(optimizer, loop, facts):
            return
        if not any(_is_backward(node) for node in walk(loop)):
            return
        if any(isinstance(statement, _LEAVES) for statement in loop.body):
            # ``break`` at its end: nothing adds up in one round.
            return
        function = facts.names.enclosing_function(loop)
        nodes = facts.names.own_nodes(facts.tree if function is None else function)
        cleared = _cleared(nodes, facts)
        if cleared is None or _may_be_cleared_elsewhere(nodes, facts):
            return
        if cleared and not _leaves_out(optimizer, cleared, facts):
            return
        written = ast.unparse(optimizer)
        yield self.advice(
            call,
            f"nothing clears the gradients that {written} steps along, so they add up: "
            f"call {written}.zero_grad() before backward()",
        )


def _stepped(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``optimizer`` of ``optimizer.step()``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return None
    if call.args or call.keywords:
        return None
    return call.func.value if isinstance(facts.value(call.func.value), Optimizer) else None


def _is_older(optimizer: ast.expr, loop: ast.stmt, facts: Facts) -> bool:
    """Whether an optimizer was certainly made before a loop, so that it outlives its rounds."""
    if not isinstance(optimizer, ast.Name):
        return False
    bindings = facts.flow.reaching(optimizer)
    return bool(bindings) and not any(
        loop in facts.names.ancestors(binding.node) for binding in bindings
    )


def _is_backward(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
    )


def _cleared(nodes: Iterable[ast.AST], facts: Facts) -> list[ast.expr] | None:
    """The optimizers whose ``zero_grad()`` is called; None where more is done about gradients."""
    cleared = []
    for node in nodes:
        if not isinstance(node, ast.Attribute) or node.attr not in _CARES:
            continue
        if node.attr != "zero_grad" or not isinstance(facts.value(node.value), Optimizer):
            return None
        cleared.append(node.value)
    return cleared


def _may_be_cleared_elsewhere(nodes: Iterable[ast.AST], facts: Facts) -> bool:
    """Whether a function that is called may clear gradients."""
    return any(isinstance(node, ast.Call) and _may_clear(node, facts) for node in nodes)


def _may_clear(call: ast.Call, facts: Facts) -> bool:
    """Whether a call may clear gradients: ``prepare(model)``, ``model.apply(clear)``."""
    given = values_given(call)
    if any(_is_clearing(node, facts) for node in given):
        return True
    if called_function(call, facts) is not None:
        return _is_clearing(call.func, facts)
    name = facts.name(call.func)
    if name is not None:
        return not (name.startswith(("torch.", "torchvision.")) or is_foreign(name))
    return any(isinstance(facts.value(node), (Module, Optimizer)) for node in given)


def _is_clearing(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a function of this file that may clear gradients."""
    is_written = isinstance(node, ast.Lambda)
    function = node if is_written else classes_elsewhere.function_here(facts.inference, node)
    return function is not None and any(
        (isinstance(part, ast.Attribute) and part.attr in _CARES)
        or (isinstance(part, ast.Call) and called_function(part, facts) not in (None, function))
        for part in walk(function)
    )


def _leaves_out(optimizer: ast.expr, cleared: list[ast.expr], facts: Facts) -> bool:
    """Whether the parameters of an optimizer are certainly none of those that are cleared."""
    own = models_of(optimizer, facts)
    return bool(own) and all(
        bool(others := models_of(other, facts))
        and not any(_is_part(a, b) or _is_part(b, a) for a in own for b in others)
        for other in cleared
    )


def _is_part(part: str, whole: str) -> bool:
    return part == whole or part.startswith((whole + ".", whole + "["))
