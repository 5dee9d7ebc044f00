"""Whether parameters that can be gone through once are gone through again."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import start_of, walk
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.uses import (
    uses_given_by,
    uses_of_attribute,
)
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown
from torchfix_codemods.finding import Numerics

_LAZY = frozenset({"filter", "map", "zip"})

TAKERS = frozenset(
    f"torch.nn.utils.{name}"
    for name in """clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grad.clip_grad_norm
    clip_grad.clip_grad_norm_ clip_grad.clip_grad_value_ parameters_to_vector""".split()
)


def claim(facts: Facts, node: ast.Assign) -> Numerics | None:
    """What a list changes where an assignment should make one; None where it should not."""
    if len(node.targets) != 1 or not _is_lazy(facts, node.value):
        return None
    if facts.names.scope_of(node).lookup("list") is not None:
        return None
    target = node.targets[0]
    if isinstance(target, ast.Name):
        return _claim_of_name(facts, node, target)
    is_kept = isinstance(target, ast.Attribute) and _is_kept_for_more(facts, target)
    return Numerics.CHANGED if is_kept else None


def _is_lazy(facts: Facts, value: ast.expr) -> bool:
    """Whether an expression gives parameters one after the other, and only once."""
    if isinstance(value, ast.GeneratorExp):
        return any(_gives_parameters(facts, part) for part in walk(value))
    if not isinstance(value, ast.Call):
        return False
    if facts.names.builtin(value.func) in _LAZY:
        return any(_gives_parameters(facts, part) for part in walk(value))
    return _gives_parameters(facts, value)


def _gives_parameters(facts: Facts, node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    method = node.func
    if method.attr not in ("parameters", "named_parameters") or facts.name(method) is not None:
        return False
    receiver = facts.value(method.value)
    return isinstance(receiver, Module) or (
        isinstance(receiver, Unknown) and method.attr not in method_names(facts.names)
    )


def _claim_of_name(facts: Facts, statement: ast.Assign, target: ast.Name) -> Numerics | None:
    """What a list changes where a name is certainly gone through twice; None where it is not."""
    uses = uses_given_by(facts, statement, target.id)
    function = facts.names.enclosing_function(statement)
    if any(
        facts.assigned(use) != [statement.value]
        or facts.names.enclosing_function(use) is not function
        or not (_goes_through(facts, use) or _only_asks(facts, use))
        for use in uses
    ):
        return None
    uses = sorted((use for use in uses if _goes_through(facts, use)), key=start_of)
    if not (_is_one_after_another(facts, uses) or _is_repeated(facts, uses, statement)):
        return None
    # An optimizer refuses to be built without parameters.
    is_refused = any(_is_optimizers(facts, use) for use in uses[1:])
    return Numerics.RESTORED if is_refused else Numerics.CHANGED


def _is_one_after_another(facts: Facts, uses: Sequence[ast.expr]) -> bool:
    runs_with = facts.inference.branches.runs_with
    return any(runs_with(first, use) for i, use in enumerate(uses) for first in uses[:i])


def _is_kept_for_more(facts: Facts, target: ast.Attribute) -> bool:
    """Whether other methods go through what ``self.params`` is assigned, whenever they are called.

    One that builds an optimizer may be called just once.
    """
    method = facts.names.enclosing_function(target)
    uses = uses_of_attribute(facts, target)
    if not all(_goes_through(facts, use) or _only_asks(facts, use) for use in uses):
        return False
    return not _is_taken_elsewhere(facts, target.attr) and any(
        facts.names.enclosing_function(use) is not method
        and _goes_through(facts, use)
        and not _is_optimizers(facts, use)
        for use in uses
    )


def _is_taken_elsewhere(facts: Facts, attribute: str) -> bool:
    """Whether another file of the project writes ``next(callback.params)``."""
    if facts.files is None:
        return False
    asking = {*(facts.files.mentioning("next") or ())}
    holding = (facts_of(f) for f in facts.files.mentioning(attribute) or () if f in asking)
    return any(
        isinstance(call := there.parent(node), ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "next"
        for there in holding
        if there is not None
        for node in there.names.attributes(attribute)
    )


def _goes_through(facts: Facts, use: ast.expr) -> bool:
    """Whether the place takes all parameters out of the iterator."""
    parent = facts.parent(use)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    call = call_of(facts, use)
    if call is None:
        return False
    builtin = facts.names.builtin(call.func)
    if builtin is not None:
        return python_functions.exhausts(builtin)
    return facts.name(call.func) in TAKERS or isinstance(facts.value(call), Optimizer)


def call_of(facts: Facts, use: ast.expr) -> ast.Call | None:
    """The call that gets ``use`` as its first argument."""
    parent = facts.parent(use)
    if isinstance(parent, ast.keyword) and parent.arg in ("params", "parameters"):
        call = facts.parent(parent)
        return call if isinstance(call, ast.Call) else None
    return parent if isinstance(parent, ast.Call) and parent.args[:1] == [use] else None


def _only_asks(facts: Facts, use: ast.expr) -> bool:
    """``params is None``."""
    parent = facts.parent(use)
    return isinstance(parent, ast.Compare) and all(
        isinstance(operator, (ast.Is, ast.IsNot)) for operator in parent.ops
    )


def _is_optimizers(facts: Facts, use: ast.expr) -> bool:
    call = call_of(facts, use)
    return call is not None and isinstance(facts.value(call), Optimizer)


def _is_repeated(facts: Facts, uses: Sequence[ast.expr], statement: ast.Assign) -> bool:
    """Whether a loop that does not hold ``statement`` comes by one of the uses again and again."""
    loops = (_loop_around(facts, use) for use in uses)
    return any(
        loop is not None and all(node is not statement for node in walk(loop)) for loop in loops
    )


def _loop_around(facts: Facts, use: ast.expr) -> ast.For | ast.While | None:
    """The innermost loop whose body holds a use."""
    child: ast.AST = use
    for parent in facts.names.ancestors(use):
        if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
            return parent
        child = parent
    return None
