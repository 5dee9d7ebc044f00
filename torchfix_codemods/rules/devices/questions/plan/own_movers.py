"""Functions of the project that do nothing but move what they are given: ``to_gpu(x)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import first_name, own_nodes
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.values.imported import ImportedFile
from torchfix_codemods.facts.values.inference import OtherFile

_MOVING = frozenset({"cuda", "to"})


def has_own_mover(facts: Facts) -> bool:
    """Whether a file moves by a function of another file, beside which a device is a second way."""
    return facts.remembered(has_own_mover, lambda: _finds_own_mover(facts))


def _finds_own_mover(facts: Facts) -> bool:
    called: dict[str, ast.expr] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        if isinstance(call, ast.Call) and len(call.args) == 1 and _is_imported(call.func, facts):
            called.setdefault(ast.unparse(call.func), call.func)
    found = (function_named(function, facts) for function in called.values())
    return any(each is not None and _moves_alone(each[1]) for each in found)


def imports_own_mover(facts: Facts) -> bool:
    """Whether a file imports one whole that defines such a function, be it called here or not."""
    return facts.remembered(
        imports_own_mover, lambda: any(_keeps_mover(facts_of(f)) for f in _imported_files(facts))
    )


def _imported_files(facts: Facts) -> Iterator[OtherFile]:
    for bindings in facts.names.module.bindings.values():
        for binding in bindings:
            if isinstance(binding.node, (ast.Import, ast.ImportFrom)):
                value = facts.inference.bound(binding)
                if isinstance(value, ImportedFile):
                    yield value.file


def _keeps_mover(facts: Facts | None) -> bool:
    body = [] if facts is None else facts.tree.body
    return any(isinstance(each, ast.FunctionDef) and _moves_alone(each) for each in body)


def _is_imported(function: ast.expr, facts: Facts) -> bool:
    root = first_name(function) if isinstance(function, (ast.Name, ast.Attribute)) else None
    bindings = () if root is None else facts.names.module.bindings.get(root.id, ())
    return any(isinstance(binding.node, (ast.Import, ast.ImportFrom)) for binding in bindings)


def _moves_alone(function: ast.FunctionDef) -> bool:
    """Whether a function gives back what it is given, on the GPU or where it was."""
    given = {parameter.arg for parameter in function.args.args}
    nodes = list(own_nodes(function))
    results = [node.value for node in nodes if isinstance(node, ast.Return)]
    if not results or not all(each is not None and _is_given(each, given) for each in results):
        return False
    return any(
        isinstance(node, ast.Call) and _moves(node) and _is_given(node, given) for node in nodes
    )


def _is_given(node: ast.expr, given: set[str]) -> bool:
    """``x``, ``x.cuda()`` and ``x.cuda() if use_cuda else x`` of a parameter ``x``."""
    if isinstance(node, ast.IfExp):
        return _is_given(node.body, given) and _is_given(node.orelse, given)
    if isinstance(node, ast.Call) and _moves(node):
        assert isinstance(node.func, ast.Attribute)
        return _is_given(node.func.value, given)
    return isinstance(node, ast.Name) and node.id in given


def _moves(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MOVING
