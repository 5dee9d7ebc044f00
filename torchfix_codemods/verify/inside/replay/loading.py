"""The names of a file, without running what it does.

Files of packages are imported. Of a script the definitions are taken, the imports and what is
assigned at its margin; what cannot be computed there (the data is not there, an option is missing)
leaves its names without a value.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import importlib
import io
import os
import signal
import sys
import types
from typing import Any, Iterator

from .. import compiling
from ..trace import Trace

#: One statement at the margin of a script may take so many seconds.
STATEMENT_SECONDS = 10.0


class TooLongError(BaseException):
    """It took too long. No ``except Exception`` of the program's may catch it."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what takes too long.

    Raises:
        TooLongError: it did.
    """

    def end(number: int, frame: Any) -> None:
        raise TooLongError(f"it took longer than {seconds:.0f} s")

    known = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, known)


class Loader:
    """Gives the modules of files.

    Args:
        trace: the record, which knows the tree; nothing is told of loading.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[str, Any] = {}

    def module(self, path: str) -> Any:
        """The module of a file.

        Args:
            path: the file, within the tree.

        Raises:
            Exception: a file of a package cannot be imported, or is no Python.
        """
        if path not in self._known:
            with self._trace.quiet(), contextlib.redirect_stdout(io.StringIO()):
                self._known[path] = self._loaded(path)
        return self._known[path]

    def _loaded(self, path: str) -> Any:
        full = os.path.join(self._trace.tree, path)
        folder, parts = os.path.dirname(full), [os.path.splitext(os.path.basename(full))[0]]
        while os.path.exists(os.path.join(folder, "__init__.py")):
            parts.insert(0, os.path.basename(folder))
            folder = os.path.dirname(folder)
        for place in (os.getcwd(), folder):
            if place not in sys.path:
                sys.path.insert(0, place)
        if parts[-1] == "__init__":
            parts.pop()
        if len(parts) > 1 or full.endswith("__init__.py"):
            return importlib.import_module(".".join(parts))
        return self._definitions(full, path, parts[0])

    def _definitions(self, full: str, path: str, name: str) -> Any:
        module = types.ModuleType(name)
        module.__file__ = full
        # What it defines may be looked for there by whoever imports it, or copies it.
        sys.modules[name] = module
        sys.argv = [full]
        with open(full, "rb") as file:
            tree = ast.parse(file.read(), full)
        flags = _flags(tree)
        tree.body = [statement for statement in tree.body if _defines(statement)]
        compiling.transform(tree, path)
        for statement in tree.body:
            code = compile(compiling.module_of(statement), full, "exec", flags, True)
            # What it lacks is told where it is used.
            lacking = contextlib.suppress(Exception, SystemExit, TooLongError)
            silent = contextlib.redirect_stderr(io.StringIO())
            with lacking, silent, limited(STATEMENT_SECONDS):
                exec(code, module.__dict__)
        return module


def _flags(tree: ast.Module) -> int:
    names = [
        alias.name
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        for alias in statement.names
    ]
    return sum(getattr(__future__, name).compiler_flag for name in names)


def _defines(statement: ast.stmt) -> bool:
    """Whether a statement at the margin gives names a value, and is no part of the work."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return False
    if isinstance(statement, ast.If):
        if _names_main(statement.test):
            return False
        return all(map(_defines, [*statement.body, *statement.orelse]))
    if isinstance(statement, ast.Try):
        inner = [*statement.body, *statement.orelse, *statement.finalbody]
        inner += [each for handler in statement.handlers for each in handler.body]
        return all(map(_defines, inner))
    if isinstance(statement, ast.Expr):
        # An option of the command line, which ``parse_args`` gives its default.
        call = statement.value
        return isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _OPTIONS
    return isinstance(statement, _Definition)


_OPTIONS = frozenset({"add_argument", "set_defaults"})

_Definition = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Pass,
)


def _names_main(test: ast.expr) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))
