"""Changes what Python compiles of the user's files, never a file.

``inspect`` and ``torch.jit.script`` read the source as it stands.
"""

from __future__ import annotations

import ast
import importlib.machinery
from typing import Any, Callable, Sequence

from .imports import after_import
from .trace import Trace

#: Changes a module, given the module and its path within the tree.
Transform = Callable[[ast.Module, str], None]

_TRANSFORMS: list[Transform] = []


def install(trace: Trace, transforms: Sequence[Transform]) -> None:
    """Apply the transforms to every file of the tree that is compiled from now on."""
    _TRANSFORMS[:] = transforms
    _patch_imports(trace)
    # pytest compiles the test files itself.
    after_import("_pytest.assertion.rewrite", lambda module: _transform_rewritten(module, trace))


def compiled(path: str, text: bytes, relative: str) -> Any:
    """The code of a file of the user's.

    Args:
        path: what its code objects are to name.
        text: what it holds.
        relative: its path within the tree.
    """
    tree = ast.parse(text, path)
    transform(tree, relative)
    return compile(tree, path, "exec", dont_inherit=True)


def module_of(statement: ast.stmt) -> ast.Module:
    """A module with one statement, whichever fields modules have in this Python."""
    module = ast.parse("")
    module.body = [statement]
    return module


def transform(tree: ast.Module, relative: str) -> None:
    """Apply the transforms to a file of the user's.

    Args:
        tree: the file; it is changed.
        relative: its path within the tree.
    """
    for change in _TRANSFORMS:
        change(tree, relative)


def _patch_imports(trace: Trace) -> None:
    loader = importlib.machinery.SourceFileLoader
    original = loader.source_to_code

    def source_to_code(self: Any, data: Any, path: Any, **kwargs: Any) -> Any:
        relative = trace.relative(str(path))
        if relative is None or isinstance(data, ast.AST):
            return original(self, data, path, **kwargs)
        return compiled(str(path), bytes(data), relative)

    loader.source_to_code = source_to_code  # type: ignore[method-assign]


def _transform_rewritten(rewrite: Any, trace: Trace) -> None:
    original = rewrite.rewrite_asserts

    def rewrite_asserts(tree: ast.Module, source: Any, path: Any = None, *rest: Any) -> None:
        original(tree, source, path, *rest)
        relative = trace.relative(str(path))
        if relative is not None:
            transform(tree, relative)

    rewrite.rewrite_asserts = rewrite_asserts
