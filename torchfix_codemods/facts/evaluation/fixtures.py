"""What a test gets for its parameters: what the fixtures of pytest of that name return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.values.lattice import NOTHING, UNKNOWN, Value, join

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference

_FIXTURES = frozenset({"pytest.fixture", "pytest.yield_fixture"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def requested(inference: Inference, function: _Function, parameter: ast.arg) -> Value:
    """What pytest passes for a parameter of a test or a fixture; Nothing where it may not."""
    names = inference.names
    if not _is_run_by_pytest(names, function) or names.scopes_using("pytestmark"):
        return NOTHING
    if any(d.arg == parameter.arg for d in _with_default(function)):
        return NOTHING
    if not all(
        _passes_by(names, decorator, parameter.arg) for decorator in function.decorator_list
    ):
        return NOTHING
    result: Value = NOTHING
    for fixture in _fixtures_named(names, parameter.arg):
        if fixture is function:
            # It asks for the one of a ``conftest.py``.
            return NOTHING
        result = join(result, inference.provided(fixture))
    return result


def is_fixture(names: Names, function: ast.AST) -> bool:
    """Whether a function is a fixture that tests ask for by its own name."""
    decorators: list[ast.expr] = getattr(function, "decorator_list", [])
    return len(decorators) == 1 and _is_fixture_decorator(names, decorators[0])


def _is_fixture_decorator(names: Names, decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    is_renamed = any(keyword.arg in ("name", None) for keyword in keywords)
    return names.name(called) in _FIXTURES and not is_renamed


def _fixtures_named(names: Names, name: str) -> Iterator[ast.FunctionDef]:
    for node in names.nodes.get(ast.FunctionDef, ()):
        if isinstance(node, ast.FunctionDef) and node.name == name and is_fixture(names, node):
            yield node


def _is_run_by_pytest(names: Names, function: _Function) -> bool:
    owner = names.parents.get(function)
    if not isinstance(owner, (ast.Module, ast.ClassDef)):
        return False
    return function.name.startswith("test") or is_fixture(names, function)


def _with_default(function: _Function) -> list[ast.arg]:
    positional = [*function.args.posonlyargs, *function.args.args]
    count = len(function.args.defaults)
    return [*positional[len(positional) - count :], *function.args.kwonlyargs]


def _passes_by(names: Names, decorator: ast.expr, parameter: str) -> bool:
    """Whether a decorator leaves it to a fixture what the parameter is."""
    if _is_fixture_decorator(names, decorator):
        return True
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = names.name(called) or ""
    if not name.startswith("pytest.mark."):
        return False
    texts = {n.value for n in ast.walk(decorator) if isinstance(n, ast.Constant)}
    is_parametrized = name == "pytest.mark.parametrize"
    return not is_parametrized or not any(
        isinstance(text, str) and parameter in text.replace(",", " ").split() for text in texts
    )


def provided(inference: Inference, fixture: ast.FunctionDef) -> Value:
    """What a fixture returns, or yields."""
    result: Value = NOTHING
    for node in inference.exits.get(fixture, ()):
        if isinstance(node, ast.YieldFrom):
            return UNKNOWN
        if node.value is not None:
            result = join(result, inference.possible(node.value))
    return result
