"""`opt_D.step()` before the `backward()` of a loss that `D` gave already: torch 1.5 refuses it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import element_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function, models_of
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


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
    Where not all of it stands in one block; where the optimizer is not certainly that model's;
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
        block = facts.block(statement)
        for step in block[: block.index(statement)]:
            stepped = _stepped(step, facts)
            run = None if stepped is None else _run_before(call.func.value, stepped[1], step, facts)
            if stepped is not None and run is not None:
                optimizer, model = stepped
                yield self.advice(
                    call,
                    f"{optimizer}.step() in line {facts.origin(step.lineno)} has changed {model} "
                    "in place, and backward() through what it gave before fails since "
                    f"torch 1.5: write {_first_line(facts, run)}, and the rest of the loss, "
                    "anew below it",
                    fails=_has_changed_weights(model, step, facts),
                )
                return


def _has_changed_weights(model: str, step: ast.stmt, facts: Facts) -> bool:
    """Whether there certainly were gradients to step along: none of the weights is frozen."""
    block = facts.block(step)
    return not facts.is_mentioned("requires_grad") and any(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "backward"
        and _run_before(statement.value.func.value, model, step, facts) is not None
        for statement in block[: block.index(step)]
    )


def _stepped(statement: ast.stmt, facts: Facts) -> tuple[str, str] | None:
    """The optimizer that a statement steps, and its one model."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    optimizer = call.func.value
    if call.func.attr != "step" or not isinstance(facts.value(optimizer), Optimizer):
        return None
    models = models_of(optimizer, facts) or _models_of_attribute(optimizer, facts)
    return (ast.unparse(optimizer), min(models)) if len(models) == 1 else None


def _models_of_attribute(optimizer: ast.expr, facts: Facts) -> set[str]:
    """``self.G`` of ``self.optimizer = Adam(self.G.parameters())``, where that is all of both."""
    built = _only_value_of(optimizer, facts)
    given = built.args[0] if isinstance(built, ast.Call) and built.args else None
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return set()
    model = given.func.value
    if given.func.attr != "parameters" or _only_value_of(model, facts) is None:
        return set()
    return {ast.unparse(model)}


def _only_value_of(attribute: ast.expr, facts: Facts) -> ast.expr | None:
    """What ``self.x`` is assigned, if its class does so once and no other file speaks of it."""
    if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.value, ast.Name):
        return None
    cls = facts.names.enclosing_class(attribute)
    stores = [
        facts.parent(node)
        for node in facts.names.attributes(attribute.attr)
        if not isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == ast.unparse(attribute)
        and facts.names.enclosing_class(node) is cls
    ]
    if cls is None or len(stores) != 1 or facts.is_used_elsewhere(attribute.attr):
        return None
    statement = stores[0]
    return statement.value if isinstance(statement, ast.Assign) else None


def _run_before(
    value: ast.expr,
    model: str,
    step: ast.stmt,
    facts: Facts,
    seen: frozenset[ast.AST] = frozenset(),
) -> ast.stmt | None:
    """The statement above ``step`` in which ``model`` gave what ``value`` is computed from."""
    nodes = list(walk(value))
    # ``self.device`` is no attribute of what is computed.
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if any(map(torch_effects.cuts_graph, attributes - {"device", "dtype", "layout", "name"})):
        return None
    for node in nodes:
        statement = facts.statement(node)
        is_above = statement.lineno < step.lineno and statement in facts.block(step)
        if isinstance(node, ast.Call) and is_above and _runs(node, model, facts):
            return statement
        bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].node in seen:
            continue
        assigned, source = bindings[0].node, bindings[0].value
        for index in bindings[0].path:
            if isinstance(source, ast.Tuple):
                source = element_for(source, index)
        if source is not None and assigned in facts.block(step):
            found = _run_before(source, model, step, facts, seen | {assigned})
            if found is not None:
                return found
    return None


def _runs(call: ast.Call, model: str, facts: Facts, inside: bool = False) -> bool:
    """Whether a call applies a model of several layers, itself or in a function of this file."""
    if ast.unparse(call.func) == model:
        return _has_several_layers(facts.value(call.func), facts)
    function = None if inside else called_function(call, facts)
    return function is not None and any(
        isinstance(node, ast.Call) and _runs(node, model, facts, inside=True)
        for node in walk(function)
    )


def _has_several_layers(model: object, facts: Facts) -> bool:
    """Whether the gradients certainly need weights of the model: those of its second layer."""
    if not isinstance(model, Module):
        return False
    built: ast.AST | None = model.definition
    if built is None and model.cls == "torch.nn.Sequential":
        built = model.call
    return (
        built is not None
        and sum(
            isinstance(node, ast.Call) and facts.name(node.func) in torch_api.LAYERS_WITH_WEIGHTS
            for node in walk(built)
        )
        > 1
    )


def _first_line(facts: Facts, statement: ast.stmt) -> str:
    return facts.lines[statement.lineno - 1].partition("#")[0].strip()
