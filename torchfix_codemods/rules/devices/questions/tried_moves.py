"""Whether a move is only tried, timed or shown, and what else reads what is moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.proofs import proves_tensor
from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.fences import ends_cell
from torchfix_codemods.facts.values.lattice import Packed, Tensor


def is_made_as_tensor(name: ast.Name, facts: Facts) -> bool:
    """Whether more than ``backward()`` shows a tensor: a loss may be an object of its own."""
    bindings = facts.flow.reaching(name)
    if all(isinstance(facts.inference.bound(b), (Tensor, Packed)) for b in bindings):
        return True
    return any(
        proves_tensor(facts.names, use) and getattr(facts.parent(use), "attr", "") != "backward"
        for use in other_uses(name, facts)
    )


def is_timed(name: ast.Name, facts: Facts) -> bool:
    """Whether the same tensor is moved again and again, and used by nothing in the loop."""
    loop = next((p for p in facts.names.ancestors(name) if isinstance(p, LOOPS)), None)
    if loop is None or facts.names.scope_of(loop) is not facts.names.scope_of(name):
        return False
    inside = set(ast.walk(loop))
    if any(binding.node in inside for binding in facts.flow.reaching(name)):
        return False
    return not any(use in inside for use in other_uses(name, facts))


def is_shown(statement: ast.stmt, moved: ast.expr, facts: Facts) -> bool:
    """Whether a cell ends with a move, the value of which it shows, and nothing reads it later."""
    if not isinstance(moved, ast.Name) or not ends_cell(statement, facts):
        return False
    return not any(use.lineno > moved.lineno for use in other_uses(moved, facts))


def other_uses(name: ast.Name, facts: Facts) -> Iterator[ast.Name]:
    """The other places that may read what ``name`` reads."""
    found = facts.names.scope_of(name).lookup(name.id)
    known = set(facts.flow.reaching(name))
    for use in () if found is None else facts.names.uses_of(found[0], name.id):
        if use is not name and not known.isdisjoint(facts.flow.reaching(use)):
            yield use
