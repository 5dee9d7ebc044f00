"""Flags that a function is given, or sets itself: ``def train(args, use_cuda):``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit.insertions import line_in_function
from torchfix_codemods.facts.language.nodes import first_name, same_expression, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import without_not
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_for_place

_CHAINS = (ast.Name, ast.Attribute)


def local_flag(test: ast.expr, facts: Facts) -> Flag | None:
    """The flag of a test, where its function is given it or sets it once above all that reads it.

    ``use_cuda``, ``args.cuda`` and ``not args.cpu`` of a parameter, or of
    ``args = parser.parse_args()``.
    """
    asked = without_not(test)
    root = first_name(asked)
    function = facts.names.enclosing_function(test)
    if root is None or not isinstance(function, ast.FunctionDef) or root.id in ("self", "cls"):
        return None
    if asks_for_place(asked, facts):
        return None
    found = facts.names.scope_of(root).lookup(root.id)
    if found is None or found[0] is not facts.names.scopes.get(function) or len(found[1]) != 1:
        return None
    bound = found[1][0].node
    is_given = isinstance(bound, ast.arg)
    if is_given and isinstance(asked, ast.Attribute) and _may_be_none(bound, function):
        return None
    settings: list[ast.AST] = [] if is_given else [bound]
    settings += _assignments_of(asked, facts)
    if not all(isinstance(setting, ast.Assign) for setting in settings):
        return None
    own = [statement for statement in function.body if statement in settings]
    if len(own) < len(settings):
        return None
    after = own[-1] if own else None
    line = line_in_function(function, after, facts)
    reads = (use for use in _reads_of(asked, function) if facts.statement(use) not in own)
    if line is None or any(use.lineno <= line for use in reads):
        return None
    return Flag(facts.segment(test), after, function)


def _may_be_none(parameter: ast.AST, function: ast.FunctionDef) -> bool:
    """Whether a parameter has a default, of which nothing can be asked."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    with_default = positional[len(positional) - len(given.defaults) :]
    named = [a for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    return parameter in (*with_default, *named, given.vararg, given.kwarg)


def _assignments_of(test: ast.expr, facts: Facts) -> list[ast.AST]:
    """What sets an attribute of that name in the file, of whatever."""
    if not isinstance(test, ast.Attribute):
        return []
    return [
        facts.statement(node)
        for node in facts.names.attributes(test.attr)
        if isinstance(node.ctx, ast.Store)
    ]


def _reads_of(test: ast.expr, function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Where a function asks a flag, in its own lines."""
    for statement in function.body:
        for node in walk(statement):
            if isinstance(node, _CHAINS) and isinstance(node.ctx, ast.Load):
                if same_expression(node, test):
                    yield node
