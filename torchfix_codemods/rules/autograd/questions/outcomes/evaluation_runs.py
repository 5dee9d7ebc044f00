"""Runs of models that ``model.eval()`` of the same block has reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.nodes import first_name, same_expression, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import model_of
from torchfix_codemods.facts.programs.modes import mode_calls, mode_of
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.programs.training_calls import is_training_call
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad

#: Hooks, and layers that take another path in evaluation mode where no gradients are recorded.
_OTHER_WAYS = ("register_forward_hook", "register_hook", "TransformerEncoder", "MultiheadAttention")


def opens_evaluation(call: ast.Call, facts: Facts) -> bool:
    """Whether ``model.eval()`` is a statement, the first such one of its block, of a kind to see.

    The others of the block are looked at together with it.
    """
    if not _sets_mode(facts.statement(call), "eval", facts) or is_version_checked(facts, call):
        return False
    block = facts.block(facts.statement(call))
    first = next(s for s in block if _sets_mode(s, "eval", facts))
    if first is not facts.statement(call) or has_own_ways(call, facts):
        return False
    if any(_trains(statement, facts) for statement in block[block.index(first) :]):
        return False
    function = facts.names.enclosing_function(call)
    if function is None:
        return True
    sites = call_sites(facts.inference, function)
    return not sites or not all(is_under_no_grad(site, facts) for site in sites)


def _sets_mode(statement: ast.stmt, mode: str, facts: Facts) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    return mode_of(statement.value, facts) == mode


def _trains(statement: ast.stmt, facts: Facts) -> bool:
    """Whether gradients are asked for: what its block does before is part of a step of training."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    method = getattr(call.func, "attr", "")
    # A scheduler steps once an epoch, behind the evaluation.
    is_own = is_training_call(call, facts) and method != "step"
    return is_own or (method == "backward" and trains([statement], facts))


def has_own_ways(call: ast.Call, facts: Facts) -> bool:
    """Whether gradients are switched by other means, or outputs are caught on their way."""
    if any(map(facts.speaks_of, _OTHER_WAYS)):
        return True
    for node in facts.names.nodes.get(ast.Expr, ()):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if facts.name(node.value.func) == "torch.set_grad_enabled":
                return True
    around: ast.AST = facts.names.enclosing_function(call) or facts.tree
    return facts.speaks_of("volatile") and any(map(_is_volatile, walk(around)))


def _is_volatile(node: ast.AST) -> bool:
    """The flag of 0.3, which TP102 knows how to replace."""
    if isinstance(node, ast.keyword):
        is_off = isinstance(node.value, ast.Constant) and not node.value.value
        return node.arg == "volatile" and not is_off
    return isinstance(node, ast.Attribute) and node.attr == "volatile"


def runs_after(call: ast.Call, facts: Facts) -> list[ast.Call]:
    """The runs of models that an ``eval()`` of the same block has certainly reached."""
    block = facts.block(facts.statement(call))
    # Asked of one call of the block after the other.
    return facts.remembered(("runs after", block[0]), lambda: _runs_after(block, facts))


def _runs_after(block: list[ast.stmt], facts: Facts) -> list[ast.Call]:
    runs: list[ast.Call] = []
    for statement in block:
        if not _sets_mode(statement, "eval", facts):
            continue
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        receiver = statement.value.func
        assert isinstance(receiver, ast.Attribute)
        model = receiver.value
        for later in block[block.index(statement) + 1 :]:
            if _trains_again(later, model, facts):
                break
            runs += [run for run in _runs_in(later, model, facts) if run not in runs]
    return runs


def _trains_again(statement: ast.stmt, model: ast.expr, facts: Facts) -> bool:
    inside, root = set(walk(statement)), first_name(model)
    return any(mode == "train" and call in inside for call, mode in mode_calls(facts)) or any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and root is not None
        and node.id == root.id
        for node in inside
    )


def _runs_in(statement: ast.stmt, model: ast.expr, facts: Facts) -> Iterator[ast.Call]:
    owner, known = facts.names.enclosing_function(model), model_of(facts, model)
    for node in walk(statement):
        if not isinstance(node, ast.Call) or facts.names.enclosing_function(node) is not owner:
            continue
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("forward", "module"):
            function = function.value
        is_variable = isinstance(function, (ast.Name, ast.Attribute))
        is_same = is_variable and (
            same_expression(model, function)
            or (known is not None and model_of(facts, function) == known)
        )
        if is_same and not is_under_no_grad(node, facts):
            yield node
