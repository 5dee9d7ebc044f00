"""`kept = x[i]`, `x += …`, `x[i] = kept`: what is put back was a number, and is a view today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import same_target, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.batches import gone_through
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.changed_in_place import change_by


def changed_before_put_back(facts: Facts, element: ast.expr) -> ast.stmt | None:
    """The statement that changes a tensor in place while a name keeps an element of it.

    That is ``x += y`` of ``kept = x[i]``, ``x += y``, ``x[i] = kept``, and ``x[i] = x[j]`` of
    ``kept = x[i]``, ``x[i] = x[j]``, ``x[j] = kept``: a view of the element changes with it.
    """
    keeping = facts.parent(element)
    if not isinstance(element, ast.Subscript) or not isinstance(keeping, ast.Assign):
        return None
    is_stored = isinstance(element.value, (ast.Name, ast.Attribute))
    target = keeping.targets[0] if len(keeping.targets) == 1 and is_stored else None
    if not isinstance(target, ast.Name):
        return None
    block = facts.block(keeping)
    below = block[block.index(keeping) + 1 :]
    back = next((n for n, each in enumerate(below) if _puts_back(each, target.id, element)), 0)
    names = {target.id, *_names_of(element)}
    between = below[:back]
    if any(_binds(statement, names, element.value) for statement in between):
        return None
    return next((each for each in between if any(_changes(facts, each, element))), None)


def said_of_put_back(facts: Facts, element: ast.Subscript) -> str | None:
    """What is told of an element that is put back, and may have been a number until torch 0.3."""
    changed = changed_before_put_back(facts, element)
    if changed is None or not facts.era_of(element).before((0, 4)):
        return None
    if not _may_be_element(facts, element) or not _may_have_been_plain(facts, element.value):
        return None
    taken = ast.unparse(element)
    return (
        f"where {taken} is one element, it was a number until torch 0.3, and is a view of "
        f"{ast.unparse(element.value)} today, which {line_named(changed, facts, facts)} changes "
        f"before it is put back: write {taken}.clone()"
    )


def _puts_back(statement: ast.stmt, kept: str, element: ast.Subscript) -> bool:
    """Whether a statement is ``x[j] = kept``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    is_kept = isinstance(value, ast.Name) and value.id == kept
    is_into = isinstance(target, ast.Subscript) and same_target(target.value, element.value)
    return is_kept and is_into


def _binds(statement: ast.stmt, names: set[str], tensor: ast.expr) -> bool:
    """Whether the tensor, its index or the kept element may be another one behind a statement."""
    augmented = {node.target for node in walk(statement) if isinstance(node, ast.AugAssign)}
    for node in walk(statement):
        is_bound = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        if not is_bound or (node in augmented and same_target(node, tensor)):
            continue
        if isinstance(node, ast.Name) and node.id in names:
            return True
        if isinstance(node, ast.Attribute) and same_target(node, tensor):
            return True
    return False


def _changes(facts: Facts, statement: ast.stmt, element: ast.Subscript) -> Iterator[bool]:
    """Whether each use of the tensor in a statement changes the element in place."""
    for node in walk(statement):
        if isinstance(node, ast.AugAssign):
            yield same_target(node.target, element.value) or same_target(node.target, element)
        elif isinstance(node, (ast.Name, ast.Attribute)) and same_target(node, element.value):
            part = facts.parent(node)
            is_part = isinstance(part, ast.Subscript) and part.value is node
            is_of_it = not is_part or _holds(part, element)
            yield is_of_it and change_by(node, facts) is not None


def _holds(part: ast.AST | None, element: ast.Subscript) -> bool:
    """``x[i]`` and ``x[:]`` for ``x[i]``."""
    if not isinstance(part, ast.Subscript):
        return False
    index = part.slice
    is_whole = isinstance(index, ast.Slice) and not (index.lower or index.upper or index.step)
    return is_whole or ast.unparse(part) == ast.unparse(element)


def _names_of(node: ast.expr) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _may_be_element(facts: Facts, element: ast.Subscript) -> bool:
    """Whether an index may be one place in a vector: a number, or what a loop goes through."""
    tensor = facts.value(element.value)
    if isinstance(tensor, Tensor) and tensor.ndim not in (None, 1):
        return False
    index, value = element.slice, facts.value(element.slice)
    if isinstance(value, Number) or (isinstance(value, Tensor) and value.ndim == 0):
        return True
    if not isinstance(index, ast.Name) or not isinstance(value, (Tensor, Unknown)):
        return False
    bindings = facts.flow.reaching(index)
    is_open = not isinstance(value, Tensor) or value.ndim is None
    return is_open and bool(bindings) and all(binding.kind == "for" for binding in bindings)


def _may_have_been_plain(facts: Facts, tensor: ast.expr) -> bool:
    """Whether a tensor was no Variable: also a row of the ``.data`` of what a call gave."""
    if was_plain(facts, tensor):
        return True
    bindings = facts.flow.reaching(tensor) if isinstance(tensor, ast.Name) else ()
    rows = [b for b in bindings if b.kind == "for" and isinstance(facts.value(tensor), Unknown)]
    walked = [gone_through(facts, binding) for binding in rows]
    return (
        bool(walked)
        and len(rows) == len(bindings)
        and all(each is not None and _is_data_of_call(facts, each) for each in walked)
    )


def _is_data_of_call(facts: Facts, node: ast.expr) -> bool:
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    parts = [unwrapped(each) for each in made or ()]
    return bool(parts) and all(
        isinstance(core, ast.Call) and "data" in wrappers and "numpy" not in wrappers
        for core, wrappers in parts
    )
