"""Code that runs on Windows alone, or nowhere on it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.module import Facts

#: What Windows answers, and what other systems do not.
_WINDOWS = {"sys.platform": "win32", "os.name": "nt", "platform.system": "Windows"}
_OTHERS = frozenset({"linux", "linux2", "darwin", "cygwin", "posix", "Linux", "Darwin"})


def is_on_windows(node: ast.AST, facts: Facts) -> bool | None:
    """Whether code runs on Windows alone; False: not there; None: no test around it asks.

    Args:
        node: the code.
        facts: the facts of the module.
    """
    for test, holds in tests_around(facts.names, node):
        system = _asked_for(test, facts)
        if system in _OTHERS and holds:
            return False
        if system in _WINDOWS.values():
            return holds
    return None


def _asked_for(test: ast.expr, facts: Facts) -> str | None:
    """The system that a test asks for: ``sys.platform == "win32"``, ``os.name == "nt"``.

    ``sys.platform.startswith("win")``, ``"linux"`` and the like ask for one as well.
    """
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_asked = isinstance(test.ops[0], ast.Eq) and _is_system(test.left, facts)
        system = constant(test.comparators[0]) if is_asked else None
        return system if isinstance(system, str) else None
    if not (isinstance(test, ast.Call) and len(test.args) == 1):
        return None
    function = test.func
    if not isinstance(function, ast.Attribute) or function.attr != "startswith":
        return None
    start = constant(test.args[0]) if _is_system(function.value, facts) else None
    return "win32" if start == "win" else start if isinstance(start, str) else None


def _is_system(asked: ast.expr, facts: Facts) -> bool:
    named = asked.func if isinstance(asked, ast.Call) and not asked.args else asked
    return facts.name(named) in _WINDOWS
