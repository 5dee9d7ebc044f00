"""Processes that are forked and use the GPU: nothing may ask for CUDA before they start."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import function_named, nearest_called

#: What starts a process; a context that is asked for by name may start it otherwise.
_PROCESS = frozenset({"multiprocessing.Process", "torch.multiprocessing.Process"})
#: Texts in files whose processes are no copies of the one that starts them.
_NO_FORK = ("'spawn'", '"spawn"', "'forkserver'", '"forkserver"')

_MOST_FUNCTIONS = 100


def forking_importer(facts: Facts) -> str | None:
    """The name of a file of the project that forks such processes, and may import this one.

    Once CUDA was asked whether it is there, it cannot be used in a process that is forked.
    """
    return facts.remembered("forking importer", lambda: _find_forking_importer(facts))


def _find_forking_importer(facts: Facts) -> str | None:
    if facts.files is None or not facts.is_imported_elsewhere:
        return None
    if not facts.is_mentioned_elsewhere("Process"):
        return None
    found = {
        other.files.path
        for other in others_with("Process", facts)
        if other.files is not None and forks(other)
        if facts.files.is_imported_by(other.files.path)
    }
    return nearest_called(found, facts.files)


def forks(facts: Facts) -> bool:
    """Whether a file forks processes that use the GPU."""
    if not facts.speaks_of("Process") or any(map(facts.speaks_of, _NO_FORK)):
        return False
    return facts.remembered("forks", lambda: _uses_gpu(_roots(facts)))


def _roots(facts: Facts) -> Iterator[tuple[Facts, ast.FunctionDef]]:
    """The functions that processes run, each with the facts of its file."""
    for call in facts.names.nodes.get(ast.Call, ()):
        if isinstance(call, ast.Call) and facts.name(call.func) in _PROCESS:
            target = next((k.value for k in call.keywords if k.arg == "target"), None)
            if target is not None:
                found = function_named(target, facts)
                yield from () if found is None else (found,)
    for cls in facts.names.nodes.get(ast.ClassDef, ()):
        if isinstance(cls, ast.ClassDef) and any(facts.name(b) in _PROCESS for b in cls.bases):
            methods = (node for node in cls.body if isinstance(node, ast.FunctionDef))
            yield from ((facts, method) for method in methods if method.name != "__init__")


def _uses_gpu(roots: Iterator[tuple[Facts, ast.FunctionDef]]) -> bool:
    """Whether functions, or those that they call, use the GPU."""
    pending, seen = [*roots], set[ast.FunctionDef]()
    while pending and len(seen) < _MOST_FUNCTIONS:
        facts, function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and _is_of_gpu(node, facts):
                return True
            if isinstance(node, ast.Call):
                found = function_named(node.func, facts)
                pending += [] if found is None else [found]
    return False


def _is_of_gpu(node: ast.Attribute, facts: Facts) -> bool:
    """``x.cuda`` of ``x.cuda()``, and what is of ``torch.cuda``."""
    parent = facts.parent(node)
    if node.attr == "cuda" and isinstance(parent, ast.Call) and parent.func is node:
        return True
    return (facts.name(node) or "").startswith("torch.cuda.")
