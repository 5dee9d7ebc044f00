"""Statements that only make volatile values: no block around them keeps a graph away."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import argument, constant, values_given
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.libraries.torch_effects import moves_or_casts
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.paths.wrapping import (
    computes_nothing,
    had_no_graph,
    is_moved_for_variable,
    only_moves,
)
from torchfix_codemods.facts.values.lattice import Method, Tensor
from torchfix_codemods.rules.autograd.questions.volatile.calls import helper_called
from torchfix_codemods.rules.autograd.questions.volatile.given import VARIABLE, is_still_flagged
from torchfix_codemods.rules.autograd.questions.volatile.quiet import calls_nothing


def only_wraps(statement: ast.stmt, facts: Facts) -> bool:
    """``x = Variable(x, volatile=True)``, with nothing around it that could record a graph.

    So does a choice between such lines: what its test calculates is not kept.
    """
    if isinstance(statement, ast.If):
        return all(only_wraps(one, facts) for one in (*statement.body, *statement.orelse))
    if not isinstance(statement, (ast.Assign, ast.Return)) or statement.value is None:
        return False
    parts = value.elts if isinstance(value := statement.value, (ast.Tuple, ast.List)) else [value]
    if not all(isinstance(part, ast.Name) or _has_no_graph(part, facts) for part in parts):
        return False
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    return all(_records_nothing(call, facts) for call in calls)


def _has_no_graph(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Call) and volatile_passed_on(node, facts.names) is not None:
        return True
    if isinstance(node, ast.Call) and only_moves(node, facts):
        return _has_no_graph(node.args[0], facts)
    value = facts.value(node)
    return isinstance(value, Tensor) and value.grad is False


def _records_nothing(call: ast.Call, facts: Facts) -> bool:
    """A call of torch, or of a method of a tensor; not ``net(x).data``, nor what fills ``out=``."""
    if any(keyword.arg == "out" for keyword in call.keywords):
        return False
    if facts.name(call.func) is not None or volatile_passed_on(call, facts.names) is not None:
        return True
    if isinstance(call.func, ast.Name):
        return facts.names.builtin(call.func) is not None or only_moves(call, facts)
    is_method = isinstance(facts.value(call.func), Method) or is_moved_for_variable(call, facts)
    return is_method or calls_nothing(call)


def only_makes(statement: ast.stmt, facts: Facts) -> bool:
    """Whether no block around a statement keeps a graph of a volatile value away."""
    return only_wraps(statement, facts) or only_makes_leaves(statement, facts)


def only_makes_leaves(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement makes volatile values, moves them and keeps them, and does nothing else.

    ``return to_var(x, volatile=flag), y.cuda()`` does, and ``out.append(to_var(x))``.

    Args:
        statement: a statement that volatile values flow through.
        facts: the facts of the module.
    """
    if isinstance(statement, ast.Expr):
        return _is_appended(statement.value, facts)
    if not isinstance(statement, (ast.Assign, ast.Return)) or statement.value is None:
        return False
    return all(_is_leaf(part, facts) for part in _parts(statement.value))


def _is_appended(call: ast.expr, facts: Facts) -> bool:
    """``out.append(to_var(x))``."""
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return False
    is_kept = container_methods.keeps_whole(method.attr) and isinstance(method.value, ast.Name)
    is_kept = is_kept and facts.name(method) is None
    return is_kept and all(_is_leaf(given, facts) for given in values_given(call))


def _parts(value: ast.expr) -> Sequence[ast.expr]:
    """What is made: the elements of what is written out as a list or a dict."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        return value.values
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        asked = [part for given in value.generators for part in (given.iter, *given.ifs)]
        return [value.elt] if all(map(calls_nothing, asked)) else [value]
    return [value]


def _is_leaf(part: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a name, or what ``Variable`` or a helper makes, at most moved.

    What is moved is no more volatile than before: its graph is that of others, if it has one.
    """
    while isinstance(part, ast.Call) and _is_move(part, facts):
        part = part.func.value  # type: ignore[attr-defined]
    if not isinstance(part, ast.Call):
        return isinstance(part, (ast.Name, ast.Constant))
    asked = (node for given in (part.func, *values_given(part)) for node in ast.walk(given))
    if not all(_records_nothing(each, facts) for each in asked if isinstance(each, ast.Call)):
        return False
    if facts.name(part.func) == VARIABLE:
        wanted = constant(argument(part, 1, "requires_grad"))
        is_flagged = bool(part.args) and is_still_flagged(part) and wanted in (..., False)
        return is_flagged and had_no_graph(part.args[0], facts)
    found = helper_called(part, facts)
    return found is not None and all(_is_only_made(made, found[1]) for made in found[0].variables())


def _is_move(call: ast.Call, facts: Facts) -> bool:
    """``x.cuda()``, and not ``self.cuda(x)``."""
    method = call.func
    if not isinstance(method, ast.Attribute) or not moves_or_casts(method.attr):
        return False
    is_of_value = facts.name(method) is None and not is_self(facts, method.value)
    return (
        is_of_value
        and computes_nothing(method.attr)
        and all(map(calls_nothing, values_given(call)))
    )


def _is_only_made(made: ast.Call, facts: Facts) -> bool:
    """Whether all that is done with a value is to wrap it, to move it and to give it back."""
    pending = [facts.statement(made)]
    for statement in pending:
        if not only_makes(statement, facts):
            return False
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if len(statement.targets) != 1 or not isinstance(target, ast.Name):
                return False
            uses = uses_given_by(facts, statement, target.id)
            pending += {facts.statement(use) for use in uses}.difference(pending)
    return True
