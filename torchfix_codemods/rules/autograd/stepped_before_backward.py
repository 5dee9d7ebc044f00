"""`opt_D.step()` before the `backward()` of a loss that `D` gave already: torch 1.5 refuses it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.language.branches import run_in_one_round
from torchfix_codemods.facts.language.jumps import leaves
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding, element_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import model_stepped
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.gradients.run_models import (
    may_be_loaded,
    runs_model,
)


class SteppedBeforeBackward(Rule):
    """
    ## What it does
    Finds `backward()` of what a model computed before its optimizer's last step.

    ## Why
    The step changes the weights in place, and the gradients need them as they were. Until torch 1.4
    they were calculated from the new weights and the old activations, without a word; since 1.5
    `backward()` fails there. Programs of 2017 trained GANs that way.

    ## Example
    ```python
    prob_fake = D(fake)
    D_loss = -torch.mean(torch.log(D(real)) + torch.log(1 - prob_fake))
    G_loss = torch.mean(torch.log(1 - prob_fake))
    D_loss.backward(retain_graph=True)
    opt_D.step()
    G_loss.backward()
    ```
    is reported: write
    ```python
    opt_D.step()
    prob_fake = D(fake)
    G_loss = torch.mean(torch.log(1 - prob_fake))
    G_loss.backward()
    ```

    ## Numbers
    Nothing is rewritten: the numbers of old were a mixture that nobody meant.

    ## When it stays its hand
    Where a branch decides what runs before what, other than `i % 2 == 0` and `i % 3 == 0`, which
    are true in one round; where the optimizer is not certainly that model's;
    where the model has one layer with weights only, or its layers are not known; where the loss is
    computed anew or from what was detached.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.5.0
    - https://pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
    """

    code = "TP116"
    name = "stepped-before-backward"
    since = "1.5"
    numerics = Numerics.ADVICE
    words = frozenset({"backward"})
    message = "the weights have changed in place since this loss was computed"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        statement = facts.parent(call)
        if not (isinstance(statement, ast.Expr) and isinstance(call.func, ast.Attribute)):
            return
        if call.func.attr != "backward":
            return
        for step, optimizer in _steps_above(statement, facts):
            model = model_stepped(optimizer, facts)
            runs = None if model is None else _Runs(model, step, facts, facts.block(statement))
            run = None if runs is None else runs.before(call.func.value)
            if model is not None and run is not None:
                stepped = f"{ast.unparse(step)} in line {facts.origin(step.lineno)}"
                is_always = facts.block(step) in _blocks(statement, facts)
                is_looped = not is_always and isinstance(facts.parent(step), ast.For)
                place = "the loop" if is_looped else "it"
                is_loaded = may_be_loaded(facts.flow.reaching_before(step, model), facts)
                unless = " (unless torch.load() gave another)" if is_loaded else ""
                yield self.advice(
                    call,
                    f"{stepped if is_always else f'where {stepped} runs first, it'} has changed "
                    f"{model} in place{unless}, and backward() through what it gave before fails "
                    f"since torch 1.5: write {_first_line(facts, run)}, and the rest of the loss, "
                    f"anew below {place}",
                    fails=_has_changed_weights(model, step, facts),
                )
                return


def _blocks(statement: ast.stmt, facts: Facts) -> list[list[ast.stmt]]:
    """The blocks that a statement stands in, as far as they run but once in a round."""
    blocks = [facts.block(statement)]
    around = facts.parent(statement)
    while isinstance(around, (ast.If, ast.With)):
        blocks.append(facts.block(around))
        around = facts.parent(around)
    return blocks


def _steps_above(statement: ast.stmt, facts: Facts) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """The calls of ``step()`` that may run before a statement in one round, with the optimizers."""
    blocks = _blocks(statement, facts)
    for above in itertools.chain.from_iterable(blocks):
        is_left = isinstance(above, ast.If) and leaves(above.body, facts.names)
        # In the last round of a loop that breaks off there may be no step.
        is_left = is_left or (isinstance(above, ast.For) and _breaks_off(above))
        inside = (
            above.body if isinstance(above, (ast.If, ast.With, ast.For)) and not is_left else []
        )
        for step in [above, *inside]:
            call = step.value if isinstance(step, ast.Expr) else None
            if step.lineno >= statement.lineno or not isinstance(call, ast.Call):
                continue
            function = call.func
            if not isinstance(function, ast.Attribute) or function.attr != "step":
                continue
            if run_in_one_round(facts.names, step, statement):
                yield step, function.value


def _breaks_off(loop: ast.For) -> bool:
    """Whether a round of a loop may end early."""
    return any(isinstance(node, (ast.Break, ast.Continue)) for node in walk(loop))


def _has_changed_weights(model: str, step: ast.stmt, facts: Facts) -> bool:
    """Whether there certainly were gradients to step along: none of the weights is frozen."""
    return not facts.is_mentioned("requires_grad") and any(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "backward"
        and _Runs(model, step, facts).before(statement.value.func.value) is not None
        for block in _blocks(step, facts)
        for statement in block
        if statement.lineno < step.lineno
    )


class _Runs:
    """Where a model gave what a loss is computed from, before a step of its optimizer.

    Args:
        model: how the model is written.
        step: the step.
        facts: the facts of the module.
        below: the block of what is called below the step, which may stand in a loop above it.
    """

    def __init__(
        self, model: str, step: ast.stmt, facts: Facts, below: Sequence[ast.stmt] = ()
    ) -> None:
        self._model = model
        self._step = step
        self._facts = facts
        self._below = below
        self._blocks = _blocks(step, facts)
        self._known: dict[ast.AST, ast.stmt | None] = {}

    def before(self, value: ast.expr) -> ast.stmt | None:
        """The statement above the step in which the model gave what ``value`` is computed from."""
        nodes = list(walk(value))
        # ``self.device`` is no attribute of what is computed.
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        if any(map(torch_effects.cuts_graph, attributes - {"device", "dtype", "layout", "name"})):
            return None
        for node in nodes:
            statement = self._facts.statement(node)
            if isinstance(node, ast.Call) and self._is_above(statement):
                if runs_model(node, self._model, self._facts):
                    return statement
            found = self._bound(node) if isinstance(node, ast.Name) else None
            if found is not None:
                return found
        return None

    def _is_above(self, statement: ast.stmt) -> bool:
        """Whether a statement runs before the step whenever that runs."""
        is_above = statement.lineno < self._step.lineno
        return is_above and any(statement in block for block in self._blocks)

    def _bound(self, name: ast.Name) -> ast.stmt | None:
        """The same of a name, whichever of its values it has."""
        return self._each(self._facts.flow.reaching(name))

    def _each(self, bindings: tuple[Binding, ...]) -> ast.stmt | None:
        found = [self._assigned(binding) for binding in bindings]
        return found[0] if found and None not in found else None

    def _assigned(self, binding: Binding) -> ast.stmt | None:
        assigned, source = binding.node, binding.value
        if binding.kind not in ("assign", "augassign") or not isinstance(assigned, ast.stmt):
            return None
        if assigned not in self._known:
            self._known[assigned] = None
            if binding.kind == "augassign":
                # What is added to keeps the graph that it has.
                above = self._facts.flow.reaching_before(assigned, binding.name)
                self._known[assigned] = self._each(above)
                return self._known[assigned]
            for index in binding.path:
                if isinstance(source, ast.Tuple):
                    source = element_for(source, index)
            if source is not None and self._is_in_same_round(assigned):
                self._known[assigned] = self.before(source)
        return self._known[assigned]

    def _is_in_same_round(self, assigned: ast.stmt) -> bool:
        is_below = assigned in self._below and assigned.lineno > self._step.lineno
        return is_below or self._blocks[-1] == _blocks(assigned, self._facts)[-1]


def _first_line(facts: Facts, statement: ast.stmt) -> str:
    return facts.lines[statement.lineno - 1].partition("#")[0].strip()
