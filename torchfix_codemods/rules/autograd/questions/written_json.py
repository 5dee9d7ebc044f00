"""``json.dump([{"id": ids[i]}], file)``: JSON holds numbers, and no tensor of one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import Question, follow
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.questions.keys import is_at_numbers

_WRITERS = frozenset({"json.dump", "json.dumps"})


def is_written_as_json(facts: Facts, node: ast.Subscript) -> bool:
    """Whether an element of a tensor is put into what is written as JSON, which raises today.

    Until 0.3 it was a number there: a Variable of one raised as well.
    """
    if not isinstance(node.ctx, ast.Load) or not _is_put(facts, node):
        return False
    if not facts.era_of(node).before((0, 4)) or not facts.is_mentioned("json"):
        return False
    if not _is_element(facts, node):
        return False
    trail = follow([Place(facts, node)], _written(facts, node))
    return trail is not None and not trail.is_cut


def _is_put(facts: Facts, node: ast.expr) -> bool:
    """Whether something is kept with others; asked first, because that takes no value."""
    parent = facts.parent(node)
    if isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.ListComp)):
        return True
    is_item = isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Subscript)
    return is_item or (isinstance(parent, ast.Call) and node in parent.args)


def _is_element(facts: Facts, node: ast.Subscript) -> bool:
    value = facts.value(node)
    is_single = isinstance(value, Tensor) and value.ndim in (None, 0)
    return is_single and is_at_numbers(facts, node)


def _written(facts: Facts, node: ast.Subscript) -> Question:
    """Asks whether a use writes as JSON what keeps an element, below the line that puts it in."""
    around = facts.names.enclosing_function(node)

    def question(use: Use) -> Iterable[Place] | None:
        if use.kind in ("bound", "chosen", "element"):
            return [*use.result(), *use.held()]
        if use.kind == "returned":
            return use.returned()
        if use.kind != "argument" or not isinstance(use.by, ast.Call):
            return ()
        if use.facts.name(use.by.func) in _WRITERS and use.by.args[:1] == [use.node]:
            is_beside = use.facts.names.enclosing_function(use.by) is around
            is_below = not is_beside or use.by.lineno >= node.lineno
            return None if is_below and not _is_helped(use.by) else ()
        return [*use.held(), *use.taken()]

    return question


def _is_helped(call: ast.Call) -> bool:
    """Whether something may be told to write tensors: ``default=``, ``cls=``, ``**options``."""
    return any(keyword.arg in ("default", "cls", None) for keyword in call.keywords)
