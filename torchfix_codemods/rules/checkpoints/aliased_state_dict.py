"""`best = model.state_dict()` goes on training with the model: `copy.deepcopy` keeps the best."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import (
    uses_given_by,
    uses_of_attribute,
)
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.checkpoints.questions.kept_states import (
    is_after_training,
    is_never_set_again,
)
from torchfix_codemods.text.wording import worded

_SET_ONCE = (
    "{0} is never set again, and holds the very tensors that change later: loading it does "
    "nothing. To keep the best state, set it where that is found; to go back to this one, keep "
    "it here; both with copy.deepcopy"
)


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
    where it is changed or handed to other functions, and where it is copied already. A state that
    is kept once before training, and loaded once behind it, is told: whether the best state or
    the first one is wanted is not known.

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
        loads = _effective_loads(facts, call, statement)
        if loads and all(is_never_set_again(facts, statement, load) for load in loads):
            yield self.advice(call, _SET_ONCE.format(worded(statement.targets[0], "this")))
            return
        if not loads:
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


def _effective_loads(facts: Facts, call: ast.Call, statement: ast.Assign) -> list[ast.Call]:
    """The loads before which the owner of the state changes."""
    loads = _loads(facts, call, statement)
    after = [load for load in loads if is_after_training(facts, call, load)]
    return after or _loads_by_others(facts, call, statement, loads)


def _loads_by_others(
    facts: Facts, call: ast.Call, statement: ast.Assign, loads: list[ast.Call]
) -> list[ast.Call]:
    """``self.model.load_state_dict(self.best)`` of the very model whose state was kept."""
    target = statement.targets[0]
    assert isinstance(call.func, ast.Attribute)
    model, method = call.func.value, facts.names.enclosing_function(statement)
    owner = None if method is None else facts.parent(method)
    if not isinstance(target, ast.Attribute) or not isinstance(owner, ast.ClassDef):
        return []
    if not isinstance(model, ast.Attribute) or ast.dump(model.value) != ast.dump(
        ast.Name(ast.unparse(target.value), ast.Load())
    ):
        return []
    made = facts.classes.attribute_sources(owner, model.attr)
    methods = {facts.names.enclosing_function(source.node) for source in made}
    if len(methods) != 1:
        return []
    return [load for load in loads if facts.names.enclosing_function(load) not in (method, *methods)]
