"""CUDA_VISIBLE_DEVICES chooses the GPU: CUDA looks at it once, when it is first asked.

CUDA_DEVICE_ORDER says which GPU has which number, and is looked at then, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import function_named, nearest_called
from torchfix_codemods.facts.programs.devices import Flag

_VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


def choices_of_gpu(facts: Facts) -> list[ast.stmt]:
    """The statements of a file that choose the GPU, those of the module level first."""
    return facts.remembered("choices of the GPU", lambda: _find_choices(facts))


def _find_choices(facts: Facts) -> list[ast.stmt]:
    found = [*_settings(facts), *_calls_of_setters(facts)]
    return sorted(found, key=lambda choice: (facts.parent(choice) is not facts.tree, choice.lineno))


def _settings(facts: Facts) -> Iterator[ast.stmt]:
    """``os.environ["CUDA_VISIBLE_DEVICES"] = "1"`` and the like."""
    is_set = any(map(facts.speaks_of, _VARIABLES))
    for node in facts.names.nodes.get(ast.Constant, ()) if is_set else ():
        if isinstance(node, ast.Constant) and node.value in _VARIABLES:
            statement = facts.statement(node)
            is_plain = isinstance(statement, (ast.Assign, ast.Expr))
            if is_plain and not _is_only_asked_for(node, facts):
                yield statement


def _calls_of_setters(facts: Facts) -> Iterator[ast.stmt]:
    """``set_gpu(args.gpu)`` of a function in another file that sets it."""
    setters = [_place_of(*setter) for setter in _setters(facts)]
    names = {name for _, name, _ in setters}
    for node in facts.names.nodes.get(ast.Call, ()) if names else ():
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            found = function_named(node.func, facts)
            if found is not None and _place_of(*found) in setters:
                yield facts.statement(node)


def _setters(facts: Facts) -> Iterator[tuple[Facts, ast.FunctionDef]]:
    """The functions of other files that set it, each with the facts of its file."""
    others = (other for variable in _VARIABLES for other in others_with(variable, facts))
    for other in dict.fromkeys(others):
        for setting in _settings(other):
            function = other.names.enclosing_function(setting)
            if isinstance(function, ast.FunctionDef):
                yield other, function


def _place_of(facts: Facts, function: ast.FunctionDef) -> tuple[Path | None, str, int]:
    path = None if facts.files is None else facts.files.path
    return path, function.name, function.lineno


def _is_only_asked_for(key: ast.Constant, facts: Facts) -> bool:
    """``os.environ["…"]``, ``os.environ.get("…")`` and ``os.getenv("…")``."""
    parent = facts.parent(key)
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.ctx, ast.Load)
    function = parent.func if isinstance(parent, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in ("get", "getenv")


def choice_of_gpu(device: str, facts: Facts) -> Flag | None:
    """Asking whether CUDA is there has to come after the GPU is chosen.

    The statement of the flag may stand in a function: then nothing certainly comes after it.
    """
    choices = choices_of_gpu(facts)
    torch = device.rpartition(".")[0] or "torch"
    return Flag(f"{torch}.cuda.is_available()", choices[-1]) if choices else None


def chooser_after_import(facts: Facts) -> str | None:
    """The name of a file of the project that may import this one, and chooses the GPU after that.

    What this file asks when it is imported, such a program would ask too early.
    """
    return facts.remembered("chooser after import", lambda: _find_chooser(facts))


def _find_chooser(facts: Facts) -> str | None:
    if facts.files is None or not facts.is_imported_elsewhere:
        return None
    words = [*_VARIABLES, *sorted({function.name for _, function in _setters(facts)})]
    found = {
        other.files.path
        for word in words
        for other in others_with(word, facts)
        if other.files is not None and _chooses_after_import_of(facts, other)
    }
    return nearest_called(found, facts.files)


def _chooses_after_import_of(facts: Facts, other: Facts) -> bool:
    """Whether a file chooses the GPU below an import that may lead to this file."""
    return any(
        _is_above(node, choice, other) and _leads_here(node, other, facts)
        for choice in choices_of_gpu(other)
        for kind in (ast.Import, ast.ImportFrom)
        for node in other.names.nodes.get(kind, ())
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )


def _is_above(node: ast.stmt, choice: ast.stmt, other: Facts) -> bool:
    """Whether what the module level imports is imported before the GPU is chosen."""
    if other.names.enclosing_function(node) is not None:
        return False
    return node.lineno < choice.lineno or other.names.enclosing_function(choice) is not None


def _leads_here(node: ast.Import | ast.ImportFrom, other: Facts, facts: Facts) -> bool:
    """Whether an import of another file may import this one, by itself or by way of others."""
    if facts.files is None or other.files is None:
        return False
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    else:
        module = "." * node.level + (node.module or "")
        dot = "" if module.endswith(".") else "."
        modules = [module, *(f"{module}{dot}{alias.name}" for alias in node.names)]
    files = [other.files.module(module) for module in modules]
    return any(file is not None and facts.files.is_imported_by(file.path) for file in files)
