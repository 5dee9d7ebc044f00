"""Tensors that training updates and that are no buffers."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.containers import is_of_another, is_used_elsewhere


def may_be_updated(name: str, facts: Facts) -> bool:
    """Whether attributes of that name are set twice, in a file that asks for the mode."""
    stores = (isinstance(node.ctx, ast.Store) for node in facts.names.attributes(name))
    return bool(facts.names.attributes("training")) and sum(stores) > 1


def is_unsaved_state(
    target: ast.Attribute, value: ast.Call, owner: ast.ClassDef, facts: Facts
) -> bool:
    """Whether a tensor gathers what evaluation needs, and is no buffer: ``running_mean``."""
    if not facts.is_tensor(value):
        return False
    name = facts.name(value.func)
    if name is None or name == "torch.nn.Parameter" or is_used_elsewhere(target.attr, facts):
        return False
    updates, reads = 0, 0
    for use in facts.names.attributes(target.attr):
        method = facts.names.enclosing_function(use)
        if use is target or is_of_another(use, method, owner, facts):
            continue
        if not isinstance(method, ast.FunctionDef) or facts.parent(method) is not owner:
            return False
        statement = facts.statement(use)
        if _is_under_training(statement, method, facts):
            updates += _updates(statement, use)
        elif isinstance(use.ctx, ast.Load) and method.name != "__init__":
            reads += isinstance(statement, (ast.Assign, ast.AugAssign, ast.Return))
        else:
            # Reset, moved or registered in another way.
            return False
    return updates > 0 and reads > 0


def _is_under_training(statement: ast.stmt, method: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a statement only runs ``if self.training``."""
    child: ast.AST = statement
    for around in facts.names.ancestors(statement):
        if around is method:
            return False
        if isinstance(around, ast.If) and child in around.body:
            test = around.test
            if isinstance(test, ast.Attribute) and test.attr == "training":
                return True
        child = around
    return False


def _updates(statement: ast.stmt, use: ast.Attribute) -> bool:
    """Whether a statement computes the new value of ``use`` from the old one."""
    if isinstance(statement, ast.AugAssign):
        return statement.target is use
    if isinstance(statement, ast.Assign) and statement.targets == [use]:
        written = ast.unparse(use)
        return any(
            isinstance(node, ast.Attribute) and ast.unparse(node) == written
            for node in ast.walk(statement.value)
        )
    return False
