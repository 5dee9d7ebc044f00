"""Branches for Variables that call their own function for the data, a tensor as well today."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_table import is_method
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import (
    ends_its_function,
    start_of_chain,
)

_NOTHING_FOLLOWS = (
    "nothing below says what becomes of a tensor, so let it do that itself, with {}.detach()"
)
_IN_PLACE = "drop it, and put the rest of the function under `with torch.no_grad():`"
_INITIALISED = "drop it, as `torch.nn.init` records nothing"

_BACK = ", with `return {}` at its end"
_PUT_BACK = "put what the function does with the data into one of its own, and call that here"


def without_recursion(branch: ast.If, subject: str, facts: Facts) -> str:
    """What to write, so that a function goes on with a tensor without its graph.

    Args:
        branch: where the function calls itself for the data of the tensor.
        subject: the name of the tensor.
        facts: the facts of the module.
    """
    if _puts_back(branch):
        return _PUT_BACK
    start, _ = start_of_chain(branch, facts)
    detached = f"{subject} = {subject}.detach()"
    if start is branch and not branch.orelse:
        if ends_its_function(branch, facts):
            return _NOTHING_FOLLOWS.format(subject)
        if _returns(branch, subject):
            if _never_changes(branch, subject, facts):
                return "drop it"
            is_initialised = _is_only_initialised(branch, subject, facts)
            back = "" if _gives_back(branch, subject, facts) else _BACK.format(subject)
            return (_INITIALISED if is_initialised else _IN_PLACE) + back
        return f"in the place of its body, write {detached}"
    line = facts.origin(start.lineno)
    test = f"if isinstance({subject}, torch.Tensor)"
    return f"above line {line}, write `{test}: {detached}`, and take this branch out"


def _puts_back(branch: ast.If) -> bool:
    """``x.data = f(x.data)``: the tensor stays what it is, with its graph, and gets other data."""
    nodes = (node for statement in branch.body for node in ast.walk(statement))
    return any(
        isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Store)
        for node in nodes
    )


def _returns(branch: ast.If, subject: str) -> bool:
    """Whether a branch gives back what it was asked of, after something changed it in place."""
    last = branch.body[-1]
    if not isinstance(last, ast.Return) or last.value is None or len(branch.body) == 1:
        return False
    return ast.unparse(last.value) == subject


def _gives_back(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether the function returns something at its end: what the branch gave back is wanted."""
    function = facts.names.enclosing_function(branch)
    last = None if isinstance(function, (ast.Lambda, type(None))) else function.body[-1]
    return isinstance(last, ast.Return) and not (last.value is None or constant(last.value) is None)


def _never_changes(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether all that would change the tensor stands below what always raises."""
    block = facts.block(branch)
    rest = [n for each in block[block.index(branch) + 1 :] for n in ast.walk(each)]
    changes = [node for node in rest if _may_change(node, subject)]
    return bool(changes) and not reached(changes, facts)


def _may_change(node: ast.AST, subject: str) -> bool:
    """``x[i] = y``, ``x.data = y``, ``x += y``, ``x.zero_()``, ``f(x)``."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.AugAssign):
        return True
    if not isinstance(node, ast.Call):
        return False
    given = {ast.unparse(each) for each in values_given(node)}
    return subject in given or bool(torch_effects.writes(last_name(node.func) or ""))


def _is_only_initialised(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether all that follows in the function is what ``torch.nn.init`` does to the tensor."""
    block = facts.block(branch)
    rest = block[block.index(branch) + 1 :]
    if not isinstance(facts.parent(branch), ast.FunctionDef):
        return False
    nodes = [node for statement in rest for node in ast.walk(statement)]
    return not any(_may_record(node, subject, facts) for node in nodes)


def _may_record(node: ast.AST, subject: str, facts: Facts) -> bool:
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Return):
        return node.value is None or ast.unparse(node.value) != subject
    if not isinstance(node, ast.Call) or (facts.name(node.func) or "").startswith("torch.nn.init."):
        return False
    method = node.func
    is_of_tensor = isinstance(method, ast.Attribute) and ast.unparse(method.value) == subject
    if not isinstance(method, ast.Attribute) or not is_of_tensor or not is_method(method.attr):
        return True
    return bool(torch_effects.writes(method.attr))
