"""Where the module level gives a flag its value: ``use_cuda = …``, ``args.cuda = …``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import first_line, top_statement
from torchfix_codemods.rules.devices.questions.flags.late_settings import late_setter


def setting_of(test: ast.expr, facts: Facts) -> ast.AST | None:
    """What gives a flag its value, a name of the module level or an attribute of one.

    Of several, the last one, or the ``if`` around it: ``if args.use_cpu: use_gpu = False``.
    None where it is none, and where it may get another value later.
    """
    root = first_name(test)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    if root is None or found is None or found[0] is not facts.names.module:
        return None
    if late_setter(test, facts) is not None:
        return None
    bound = [binding.node for binding in found[1]]
    if not isinstance(test, ast.Attribute):
        uses = list(_uses_of_global(root.id, facts))
        return bound[0] if len(bound) == 1 else _last_setting(bound, uses, facts)
    if len(bound) != 1 or _is_set_out_of_sight(root, facts):
        return None
    assignments = list(_assignments_of(test, facts))
    if not assignments:
        return bound[0]
    last = _last_setting([*bound, *assignments], list(_alike(test, ast.Load, facts)), facts)
    return assignments[0] if last is None and len(assignments) == 1 else last


def _last_setting(
    settings: Sequence[ast.AST], uses: Sequence[ast.expr], facts: Facts
) -> ast.stmt | None:
    """The last statement of the module level that sets a flag, where all uses follow it."""
    if not all(isinstance(setting, ast.Assign) for setting in settings):
        return None
    if any(facts.names.enclosing_function(setting) for setting in settings):
        return None
    outermost = sorted({top_statement(s, facts) for s in settings}, key=lambda s: s.lineno)
    if not all(isinstance(statement, (ast.Assign, ast.If)) for statement in outermost):
        return None
    if not _certainly_sets(outermost[0], settings):
        return None
    last, own = outermost[-1], {*settings, *outermost}
    is_last = all(
        facts.statement(use) in own or first_line(use, facts) > (last.end_lineno or last.lineno)
        for use in uses
    )
    return last if is_last else None


def _certainly_sets(statement: ast.stmt, settings: Sequence[ast.AST]) -> bool:
    """Whether a statement is one of some settings, or an ``if`` with one in either branch."""
    if not isinstance(statement, ast.If):
        return statement in settings
    return all(
        any(_certainly_sets(inner, settings) for inner in branch)
        for branch in (statement.body, statement.orelse)
    )


def _assignments_of(target: ast.Attribute, facts: Facts) -> Iterator[ast.stmt]:
    for node in _alike(target, ast.Store, facts):
        yield facts.statement(node)


def _alike(
    target: ast.Attribute, context: type[ast.expr_context], facts: Facts
) -> Iterator[ast.Attribute]:
    """The attributes of the file that are written as ``target`` is, where they are so used."""
    text = ast.unparse(target)
    for node in facts.names.nodes.get(ast.Attribute, ()):
        if isinstance(node, ast.Attribute) and node.attr == target.attr:
            if isinstance(node.ctx, context) and ast.unparse(node) == text:
                yield node


def _is_set_out_of_sight(options: ast.Name, facts: Facts) -> bool:
    """Whether an object may get attributes that no assignment names.

    ``setattr(opt, key, value)``, ``vars(opt).update(given)``, ``opt.parse(given)``.
    """
    return any(_sets_attributes(use, facts) for use in _uses_of_global(options.id, facts))


def _uses_of_global(name: str, facts: Facts) -> Iterator[ast.Name]:
    return facts.names.uses_of(facts.names.module, name)


def _sets_attributes(use: ast.Name, facts: Facts) -> bool:
    parent = facts.parent(use)
    above = None if parent is None else facts.parent(parent)
    if isinstance(parent, ast.Attribute):
        is_called = isinstance(above, ast.Call) and above.func is parent
        return is_called or (parent.attr == "__dict__" and _is_written(parent, facts))
    if not isinstance(parent, ast.Call) or use not in parent.args:
        return False
    builtin = facts.names.builtin(parent.func)
    if builtin is not None:
        if builtin in ("setattr", "delattr"):
            return not (len(parent.args) > 1 and isinstance(parent.args[1], ast.Constant))
        return builtin == "vars" and _is_written(parent, facts)
    # A function that sets attributes by computed names may do so here.
    return any(
        isinstance(call.args[0], ast.Name) and call.args[0].id not in ("self", use.id)
        for call in _calls_of_setattr(facts)
    )


def _is_written(namespace: ast.expr, facts: Facts) -> bool:
    """Whether a dict of attributes is given to something else than a reader: ``….update(…)``."""
    parent = facts.parent(namespace)
    if isinstance(parent, ast.Attribute):
        return container_methods.alters(parent.attr)
    stored = namespace if isinstance(namespace, ast.Attribute) else None
    target = parent if isinstance(parent, ast.Subscript) else stored
    return target is not None and not isinstance(target.ctx, ast.Load)


def _calls_of_setattr(facts: Facts) -> list[ast.Call]:
    """All ``setattr(x, key, value)`` of which the key is not written out."""
    return [
        parent
        for scope in facts.names.scopes_using("setattr")
        for use in scope.uses["setattr"]
        if isinstance(parent := facts.parent(use), ast.Call) and parent.func is use
        if len(parent.args) > 1 and not isinstance(parent.args[1], ast.Constant)
    ]
