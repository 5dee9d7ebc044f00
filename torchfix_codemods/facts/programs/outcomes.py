"""How the test of a branch comes out in each run, by constants that its function shows."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.reached_returns import Constants, outcome, spelled_name
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.kept_constants import kept_constant
from torchfix_codemods.facts.programs.unbound import may_set_names


def outcome_of(test: ast.expr, facts: Facts) -> bool | None:
    """How a test comes out in each run; None where that is not known."""
    return facts.remembered(("outcome", test), lambda: _found_outcome(test, facts))


def _found_outcome(test: ast.expr, facts: Facts) -> bool | None:
    constants: Constants = {}
    for node in walk(test):
        if isinstance(node, ast.Name) and (value := _constant_of(node, facts)) is not None:
            constants[node.id] = value.value
        if isinstance(node, ast.Attribute) and (kept := kept_constant(node, facts)) is not None:
            constants[spelled_name(node)] = kept.value
    constants.update(_just_set(test, facts))
    return outcome(test, constants, facts.names)


def _just_set(test: ast.expr, facts: Facts) -> Constants:
    """The attributes that the lines right above an ``if`` set to a constant: ``self.debug = True``.

    Only what cannot set others may stand between, and a property may give something else.
    """
    above = facts.names.parents.get(test)
    if not isinstance(above, ast.If) or any(isinstance(node, ast.Call) for node in walk(test)):
        return {}
    asked = {spelled_name(node) for node in walk(test) if isinstance(node, ast.Attribute)} - {""}
    if not asked:
        return {}
    found: Constants = {}
    block = facts.block(above)
    for statement in reversed(block[: block.index(above)]):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            break
        if not all(isinstance(t, (ast.Name, ast.Attribute)) for t in statement.targets):
            break
        for target in statement.targets:
            found.setdefault(spelled_name(target), statement.value.value)
    if found.keys().isdisjoint(asked):
        return {}
    functions = facts.names.nodes.get(ast.FunctionDef, ())
    own = {node.name for node in functions if isinstance(node, ast.FunctionDef)}
    if "__setattr__" in own or facts.names.enclosing_function(above) is None:
        return {}
    return {n: found[n] for n in asked & found.keys() if n.partition(".")[2] not in own}


def _constant_of(node: ast.Name, facts: Facts) -> ast.Constant | None:
    """The constant that a name of a function stands for and that nobody sets."""
    found = facts.names.scope_of(node).lookup(node.id)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "assign":
        return None
    holder, (binding,) = found
    value = binding.written()
    if not isinstance(value, ast.Constant) or holder.kind != "function" or may_set_names(facts):
        return None
    if any(node.id in getattr(n, "names", ()) for n in facts.names.nodes.get(ast.Nonlocal, ())):
        return None
    # Decorators, such as those of sacred, may run a body with other values.
    return None if getattr(holder.node, "decorator_list", ()) else value
