"""What a list of a function holds: what is written in it, and what is appended to it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.stores import put_into
from torchfix_codemods.facts.language.scopes import Binding, Path
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Sequence, Text, Value

#: Builtins that give a list of the same elements.
_COPIES = ("list", "tuple", "reversed")


def elements(
    facts: Facts, listed: ast.expr, depth: int = 0, by_index: bool = False
) -> list[ast.expr] | None:
    """All that a list can hold: ``x`` and ``y`` of ``xs = [x]`` and ``xs.append(y)``.

    Args:
        facts: the facts of the module.
        listed: an expression that may be a list.
        depth: through how many names it was followed on the way here.
        by_index: whether an index is asked of it, so that it may be a dict as well, of which the
            values are meant.

    Returns:
        None where it may be something else, or hold something else.
    """
    if isinstance(listed, (ast.List, ast.Tuple)):
        return listed.elts
    if isinstance(listed, (ast.ListComp, ast.GeneratorExp)):
        return [listed.elt]
    if by_index and isinstance(listed, ast.DictComp):
        return [listed.value]
    if by_index and isinstance(listed, ast.Dict):
        return None if None in listed.keys else listed.values
    if isinstance(listed, ast.Call) and len(listed.args) <= 1 and not listed.keywords:
        if facts.names.builtin(listed.func) not in _COPIES:
            return None
        return elements(facts, listed.args[0], depth + 1) if listed.args else []
    if isinstance(listed, ast.BinOp) and isinstance(listed.op, ast.Add):
        both = [elements(facts, side, depth + 1) for side in (listed.left, listed.right)]
        return None if None in both else [one for side in both for one in side or ()]
    if not isinstance(listed, ast.Name) or depth > 4:
        return None
    found: list[ast.expr] = []
    bindings = [*facts.flow.reaching(listed)]
    for binding in bindings:
        inside = _held(facts, binding, depth, by_index)
        if inside is None:
            return None
        found += inside
        if isinstance(binding.node, ast.AugAssign):
            before = facts.flow.reaching_before(binding.node, listed.id)
            # In a loop it may add to what the turn before has left.
            bindings += [one for one in before if one not in bindings]
    return found if bindings else None


def _held(facts: Facts, binding: Binding, depth: int, by_index: bool) -> list[ast.expr] | None:
    written = binding.written() if binding.kind == "assign" else None
    if isinstance(binding.node, ast.AugAssign) and isinstance(binding.node.op, ast.Add):
        written = binding.node.value
    inside = None if written is None else elements(facts, written, depth + 1, by_index)
    added = None if inside is None else put_into(facts.inference, binding)
    return None if inside is None or added is None else [*inside, *added]


def gone_through(facts: Facts, iterated: ast.expr, path: Path) -> ast.expr | None:
    """The list whose elements a name gets in a loop: ``xs`` of ``for i, x in enumerate(xs)``.

    Args:
        facts: the facts of the module.
        iterated: what the loop goes through.
        path: where the name stands among its targets.

    Returns:
        None where that is not certain.
    """
    if not path:
        return iterated
    place = path[0]
    if len(path) > 1 or not isinstance(place, int) or not isinstance(iterated, ast.Call):
        return None
    builtin = facts.names.builtin(iterated.func)
    if builtin == "enumerate":
        return iterated.args[0] if place == 1 and iterated.args else None
    is_plain = not any(isinstance(one, ast.Starred) for one in iterated.args)
    is_there = builtin == "zip" and is_plain and place < len(iterated.args)
    return iterated.args[place] if is_there else None


def is_flat(value: Value) -> bool:
    """Whether this is ``["a", "b"]``: of such a list numpy makes an array of one dimension."""
    if not isinstance(value, Sequence):
        return False
    items = [value.element] if value.items is None else value.items
    return all(isinstance(item, (Number, Text)) for item in items)
