"""What the methods of a legacy function read and store of their object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import is_name
from torchfix_codemods.rules.autograd.questions.legacy.functions import is_super_call

#: What a legacy function offers to its methods, and ``ctx`` as well.
OF_CONTEXT = frozenset(
    """save_for_backward saved_tensors saved_variables needs_input_grad mark_dirty
    mark_non_differentiable""".split()
)


def uses_context_only(methods: dict[str, ast.FunctionDef], selves: dict[str, str]) -> bool:
    """Whether methods use their object for what ``ctx`` can do: keep values, save tensors."""
    for name, method in methods.items():
        for node in ast.walk(method):
            if isinstance(node, ast.Name) and node.id == "ctx" != selves[name]:
                return False
            if isinstance(node, ast.arg) and node is not method.args.args[0] and node.arg == "ctx":
                return False
    used = attributes_of(methods, selves)
    if used is None:
        return False
    read, stored = used
    return read <= stored | OF_CONTEXT and not stored & OF_CONTEXT


def attributes_of(
    methods: dict[str, ast.FunctionDef], selves: dict[str, str]
) -> tuple[set[str], set[str]] | None:
    """What methods read and store of their object; None where they do more with it."""
    stored: set[str] = set()
    read: set[str] = set()
    for name, method in methods.items():
        seen = 0
        for node in ast.walk(method):
            if isinstance(node, ast.arg) and node is not method.args.args[0]:
                if node.arg == selves[name]:
                    return None
            if isinstance(node, ast.Name) and node.id == selves[name]:
                seen += 1 if not isinstance(node.ctx, ast.Load) else 0
                seen += 1
            if isinstance(node, ast.Attribute) and is_name(node.value, selves[name]):
                seen -= 1
                (read if isinstance(node.ctx, ast.Load) else stored).add(node.attr)
        if name == "__init__":
            seen -= sum(_names_in_super(s, selves[name]) for s in method.body if is_super_call(s))
            read -= {"__init__"}
        if seen:
            return None
    return read, stored


def _names_in_super(statement: ast.stmt, name: str) -> int:
    return sum(is_name(node, name) for node in ast.walk(statement))


def superseded(
    constructor: ast.FunctionDef, forward: ast.FunctionDef, selves: dict[str, str]
) -> Iterator[str]:
    """The attributes that a constructor sets in vain, as ``forward`` certainly sets them first."""
    for statement in constructor.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            continue
        (target, *others) = statement.targets
        if not others and isinstance(target, ast.Attribute):
            if _is_set_first(forward, selves["forward"], target.attr):
                yield target.attr


def keeps_state(
    methods: dict[str, ast.FunctionDef], selves: dict[str, str], superseded: frozenset[str]
) -> bool:
    """Whether a call sees what the one before left: what the constructor sets is set again."""
    stored = {}
    for name, method in methods.items():
        used = attributes_of({name: method}, selves)
        stored[name] = used[1] if used is not None else set()
    set_again = set().union(*(names for name, names in stored.items() if name != "__init__"))
    return bool(set_again & stored["__init__"] - superseded)


def _is_set_first(forward: ast.FunctionDef, own: str, attribute: str) -> bool:
    for statement in forward.body:
        nodes = [*ast.walk(statement)]
        uses = [
            n
            for n in nodes
            if isinstance(n, ast.Attribute) and n.attr == attribute and is_name(n.value, own)
        ]
        if uses:
            is_set = isinstance(statement, ast.Assign) and uses[0] in statement.targets
            return is_set and len(uses) == 1
        if any(isinstance(node, ast.Return) for node in nodes):
            return False
    return False
