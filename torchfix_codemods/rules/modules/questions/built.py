"""Which functions and classes of a project a program certainly runs, and builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES = (ast.If, ast.IfExp, ast.BoolOp, ast.ExceptHandler)
Definition = tuple[Facts, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]


def functions_run(facts: Facts, seed: ast.Call, files: list[Facts]) -> set[ast.AST]:
    """The functions that certainly run where a file does, from its own calls on.

    A call in a branch may not be one of them, nor one whose definition is not certain; the
    function around ``seed`` is, by whomever it is called.
    """
    run = set[ast.AST]()
    around = facts.names.enclosing_function(seed)
    pending: list[tuple[Facts, ast.AST]] = [(facts, facts.tree)]
    if around is not None:
        pending.append((facts, around))
    while pending:
        there, scope = pending.pop()
        if scope not in run:
            run.add(scope)
            for call in _calls_in(scope, there):
                for home, definition in _defined(call, there, files):
                    pending += _bodies(home, definition, files)
    return run


def is_run(node: ast.AST, facts: Facts, run: set[ast.AST]) -> bool:
    """Whether a node of a file stands in no branch of a function that runs, or of the module."""
    around = facts.names.enclosing_function(node)
    return (around is None or around in run) and not _is_in_branch(node, facts)


def _calls_in(scope: ast.AST, facts: Facts) -> Iterator[ast.Call]:
    for call in facts.names.inside(scope, ast.Call):
        around = facts.names.enclosing_function(call)
        if around is (None if isinstance(scope, ast.Module) else scope):
            if not _is_in_branch(call, facts):
                yield call


def _is_in_branch(node: ast.AST, facts: Facts) -> bool:
    """Whether a node stands in a branch of its function, other than that of the main program."""
    for outer in facts.names.ancestors(node):
        if isinstance(outer, (*_FUNCTIONS, ast.Lambda)):
            return isinstance(outer, ast.Lambda)
        if isinstance(outer, _BRANCHES) and "__name__" not in ast.unparse(
            getattr(outer, "test", outer)
        ):
            return True
    return False


def _defined(call: ast.Call, facts: Facts, files: list[Facts]) -> Iterator[Definition]:
    func = call.func
    name = last_name(func)
    owner = facts.names.enclosing_class(call)
    if isinstance(func, ast.Attribute) and isinstance(owner, ast.ClassDef):
        is_own = isinstance(func.value, ast.Name) and func.value.id == "self"
        if is_own:
            yield from ((facts, m) for m in owner.body if _is_called(m, name))
            return
    if isinstance(func, ast.Name) or _is_imported(func, facts):
        yield from _named(name, facts, files)
    for given in call.args:
        # ``spawn(main, …)``: a function that is handed on is run.
        if isinstance(given, ast.Name):
            found = _named(given.id, facts, files)
            yield from (each for each in found if isinstance(each[1], _FUNCTIONS))


def _is_imported(func: ast.expr, facts: Facts) -> bool:
    """Whether what is called is of a module: ``models.Net``, also where ``models`` is set later."""
    root = func
    while isinstance(root, ast.Attribute):
        root = root.value
    found = facts.names.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
    return found is not None and any(binding.kind == "import" for binding in found[1])


def _is_called(
    node: ast.AST, name: str | None
) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, _FUNCTIONS) and node.name == name


def _named(name: str | None, facts: Facts, files: list[Facts]) -> list[Definition]:
    """What a name defines in its file, or in the one other file that defines it."""
    own = _definitions(name, facts)
    if own:
        return own if len(own) == 1 else []
    others = [found for there in files if there is not facts for found in _definitions(name, there)]
    return others if len(others) == 1 else []


def _definitions(name: str | None, facts: Facts) -> list[Definition]:
    return [
        (facts, statement)
        for statement in facts.tree.body
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)) and statement.name == name
    ]


def _bodies(
    facts: Facts, definition: ast.AST, files: list[Facts]
) -> Iterator[tuple[Facts, ast.AST]]:
    """A function, or the constructors of a class and of its bases."""
    if not isinstance(definition, ast.ClassDef):
        yield facts, definition
        return
    yield from ((facts, m) for m in definition.body if _is_called(m, "__init__"))
    for base in definition.bases:
        for home, found in _named(last_name(base), facts, files):
            if found is not definition and isinstance(found, ast.ClassDef):
                yield from ((home, m) for m in found.body if _is_called(m, "__init__"))
