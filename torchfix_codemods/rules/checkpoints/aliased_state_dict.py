"""`best = model.state_dict()` goes on training with the model: `copy.deepcopy` keeps the best."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.branches import is_let_through_alike
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import (
    uses_given_by,
    uses_of_attribute,
)
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.programs.training_calls import is_step
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule


class AliasedStateDict(Rule):
    """
    ## What it does
    Copies the `state_dict()` that is kept in a name over more training, and loaded into the same
    model afterwards; and one that an object keeps of its own model, and another method loads.
    `model.state_dict().copy()` is taken for what it is: another dict of the same tensors.

    ## Why
    A `state_dict` holds the tensors of the model, no copies of them. Training writes into these
    tensors, so that the "best" weights are the last ones, and loading them does nothing.

    ## Example
    ```python
    for epoch in range(epochs):
        train(model)
        accuracy = evaluate(model)
        if accuracy > best_accuracy:
            best_accuracy = accuracy
            best_weights = model.state_dict()
    model.load_state_dict(best_weights)
    ```
    becomes
    ```python
    for epoch in range(epochs):
        train(model)
        accuracy = evaluate(model)
        if accuracy > best_accuracy:
            best_accuracy = accuracy
            best_weights = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_weights)
    ```

    ## Numbers
    Changed: the weights that are loaded are those of the moment in which they were kept.

    ## When it stays its hand
    Where no optimizer's step, and no round of training, is certain between the two (a state that is
    put back around one forward and backward), where the state is loaded into another model only,
    where it is changed or handed to other functions, and where it is copied already.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
    - https://pytorch.org/tutorials/beginner/saving_loading_models.html
    """

    code = "TP504"
    name = "aliased-state-dict"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"state_dict"})
    message = "a state_dict is the very tensors that change later: copy.deepcopy keeps their values"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        region = _copied_or(facts, call)
        statement = facts.parent(region)
        if not (isinstance(statement, ast.Assign) and _asks_for_state(facts, call)):
            return
        if not any(
            _is_after_training(facts, call, load) for load in _loads(facts, call, statement)
        ):
            if not _is_loaded_by_another_method(facts, call, statement):
                return
        path = spell(facts, "copy.deepcopy", call)
        if path is not None:
            is_copied = region is not call
            yield self.found(
                call, region=region, needs=path.needs, path=path.text, is_copied=is_copied
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        state: cst.BaseExpression = updated
        if self.data["is_copied"]:
            if not isinstance(updated.func, cst.Attribute):
                return updated
            state = updated.func.value
        bare = state.with_changes(lpar=[], rpar=[])
        function = cst.parse_expression(self.data["path"])
        return cst.Call(function, [cst.Arg(bare)], lpar=updated.lpar, rpar=updated.rpar)


def _asks_for_state(facts: Facts, call: ast.Call) -> bool:
    """``model.state_dict()`` of a module or an optimizer."""
    if not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return False
    if facts.name(call.func) is not None:
        return False
    owner = facts.value(call.func.value)
    return isinstance(owner, (Module, Optimizer)) or (
        isinstance(owner, Unknown) and "state_dict" not in method_names(facts.names)
    )


def _copied_or(facts: Facts, call: ast.Call) -> ast.Call:
    """``model.state_dict().copy()``, which copies no tensor, or the call itself."""
    method = facts.parent(call)
    copied = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_copied = isinstance(method, ast.Attribute) and method.attr == "copy"
    if is_copied and isinstance(copied, ast.Call) and not copied.args and not copied.keywords:
        return copied
    return call


def _loads(facts: Facts, call: ast.Call, statement: ast.Assign) -> list[ast.Call]:
    """Where the owner of the state gets it back; none where the state has other uses, too."""
    target, uses = statement.targets[0], list[ast.expr]()
    if len(statement.targets) == 1 and isinstance(target, ast.Name):
        uses += uses_given_by(facts, statement, target.id)
    elif len(statement.targets) == 1 and isinstance(target, ast.Attribute):
        uses += uses_of_attribute(facts, target)
        if len(uses) != _reads(facts, target.attr) or facts.is_used_elsewhere(target.attr):
            return []
    assert isinstance(call.func, ast.Attribute)
    loads = []
    for use in uses:
        taker = facts.parent(use)
        if _only_asks(taker):
            continue
        if not isinstance(taker, ast.Call) or taker.args[:1] != [use]:
            return []
        function = taker.func
        if isinstance(function, ast.Attribute) and function.attr == "load_state_dict":
            if ast.dump(function.value) == ast.dump(call.func.value):
                loads.append(taker)
        elif facts.name(function) != "torch.save":
            return []
    return loads


def _only_asks(taker: ast.AST | None) -> bool:
    """``if best is not None:``, ``if best:``."""
    if isinstance(taker, ast.Compare):
        return isinstance(taker.ops[0], (ast.Is, ast.IsNot))
    # No use of a name is a statement of the body.
    return isinstance(taker, (ast.If, ast.BoolOp)) or (
        isinstance(taker, ast.UnaryOp) and isinstance(taker.op, ast.Not)
    )


def _reads(facts: Facts, attribute: str) -> int:
    """How often the file reads an attribute of that name, of whatever object."""
    return sum(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def _is_loaded_by_another_method(facts: Facts, call: ast.Call, statement: ast.Assign) -> bool:
    """``self.model.load_state_dict(self.best)`` of the very model whose state was kept."""
    target = statement.targets[0]
    assert isinstance(call.func, ast.Attribute)
    model, method = call.func.value, facts.names.enclosing_function(statement)
    owner = None if method is None else facts.parent(method)
    if not isinstance(target, ast.Attribute) or not isinstance(owner, ast.ClassDef):
        return False
    if not isinstance(model, ast.Attribute) or ast.dump(model.value) != ast.dump(
        ast.Name(ast.unparse(target.value), ast.Load())
    ):
        return False
    made = facts.classes.attribute_sources(owner, model.attr)
    methods = {facts.names.enclosing_function(source.node) for source in made}
    return len(methods) == 1 and any(
        facts.names.enclosing_function(load) not in (method, *methods)
        for load in _loads(facts, call, statement)
    )


def _is_after_training(facts: Facts, kept: ast.Call, load: ast.Call) -> bool:
    """Whether the owner certainly changes between the place that keeps its state and the load."""
    function = facts.names.enclosing_function(kept)
    if function is not facts.names.enclosing_function(load):
        return False
    if any(_changes(facts, statement, kept) for statement in _between(facts, kept, load)):
        return True
    if kept.lineno < load.lineno and is_let_through_alike(facts.names, kept, load):
        around = [p for p in facts.names.ancestors(load) if isinstance(p, (ast.For, ast.While))]
    else:
        around = []
    return any(
        loop not in around and trains(loop.body, facts) and not _is_left_at_once(facts, kept)
        for loop in facts.names.ancestors(kept)
        if isinstance(loop, (ast.For, ast.While))
        and facts.names.enclosing_function(loop) is function
    )


def _between(facts: Facts, kept: ast.Call, load: ast.Call) -> Iterator[ast.stmt]:
    """The statements that run after ``kept`` and before ``load``, in whatever round."""
    above = [facts.statement(load), *facts.names.ancestors(facts.statement(load))]
    for child in (facts.statement(kept), *facts.names.ancestors(kept)):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(child, ast.stmt):
            later = [s for s in facts.block(child) if child.lineno < s.lineno < load.lineno]
            for statement in later:
                if statement not in above or isinstance(statement, (ast.For, ast.While)):
                    yield statement


def _changes(facts: Facts, statement: ast.stmt, kept: ast.Call) -> bool:
    """Whether a statement steps, or loads something else into the owner of the state.

    What only runs forward and backward writes into no weight. It does write the statistics of a
    `BatchNorm`, which whoever puts back weights around it wants to keep.
    """
    assert isinstance(kept.func, ast.Attribute)
    owner = ast.dump(kept.func.value)
    return trains([statement], facts, by=is_step) or any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "load_state_dict"
        and ast.dump(call.func.value) == owner
        for call in walk(statement)
    )


def _is_left_at_once(facts: Facts, kept: ast.Call) -> bool:
    """Whether the loop ends where the state is kept: nothing trains any more."""
    return isinstance(facts.block(facts.statement(kept))[-1], (ast.Break, ast.Return, ast.Raise))
