"""Names of elements of tensors, by which a dict or a set is asked and filled."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.batches import gone_through
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.record import record
from torchfix_codemods.rules.scalars.questions.elements import (
    asked_by_hash,
    asked_of,
    is_kept_element,
)


@record
class KeptName:
    """A name by which something is kept: a number must be its value, or nothing is found."""

    source: ast.expr
    """What gives the value: ``x`` of ``for i in x``, ``x[k]`` of ``i = x[k]``."""
    is_loop: bool
    """Whether the source is a tensor that is gone through."""
    asked: tuple[ast.Name, ...]
    """Where a dict or a set is asked by it, in the order of the lines."""
    stored: tuple[ast.Name, ...]
    """Where it is put in."""
    may_be_numbers: bool
    """Whether all its other uses take a number of Python as well."""


def kept_by_name(facts: Facts, key: ast.expr) -> KeptName | None:
    """The name that a key is, where it is stored by in the same round as it is asked by.

    Numbers for the reads alone would not find the tensors that are put in.
    """
    bindings = facts.flow.reaching(key) if isinstance(key, ast.Name) else ()
    only = bindings[0] if len(bindings) == 1 else None
    if only is None or only.kind not in ("for", "assign") or (only.kind == "assign" and only.path):
        return None
    is_loop = only.kind == "for"
    source = gone_through(facts, only) if is_loop else only.value
    uses = sorted(uses_of(facts, only), key=lambda use: (use.lineno, use.col_offset))
    asked = tuple(use for use in uses if _asks(facts, use))
    stored = tuple(use for use in uses if _is_put_in(facts, use))
    if not stored or key not in asked or not isinstance(source, ast.expr):
        return None
    # What an assignment writes down is an element itself, and no other name of one.
    if not is_loop and not isinstance(source, ast.Subscript):
        return None
    others = [use for use in uses if use not in (*asked, *stored)]
    may_be_numbers = all(_takes_number(facts, use) for use in others)
    return KeptName(source, is_loop, asked, stored, may_be_numbers)


def filled_by(facts: Facts, asking: ast.expr) -> list[ast.expr]:
    """The elements of tensors by which the dict or set that is asked was filled.

    ``k`` of ``d[k] = …``: what is asked by numbers alone does not find what is kept by tensors.
    """
    kept = asked_of(asking)
    bindings = facts.flow.reaching(kept) if isinstance(kept, ast.Name) else ()
    uses = {use for binding in bindings for use in uses_of(facts, binding)}
    keys = [_put_in(facts, use) for use in uses]
    elements = [key for key in keys if key is not None and is_kept_element(facts, key)]
    return sorted(elements, key=lambda key: (key.lineno, key.col_offset))


def _put_in(facts: Facts, kept: ast.Name) -> ast.expr | None:
    """The key of ``kept[key] = …`` and of ``kept.add(key)``."""
    around = facts.parent(kept)
    call = facts.parent(around) if isinstance(around, ast.Attribute) else None
    if isinstance(around, ast.Subscript):
        key = around.slice
    elif isinstance(call, ast.Call) and call.args:
        key = call.args[0]
    else:
        return None
    return key if _is_put_in(facts, key) else None


def _asks(facts: Facts, use: ast.Name) -> bool:
    asking = facts.parent(use)
    return isinstance(asking, ast.expr) and asked_by_hash(facts, asking) is use


def _is_put_in(facts: Facts, use: ast.expr) -> bool:
    """``d[use] = …``, ``seen.add(use)``: by its hash."""
    around = facts.parent(use)
    if isinstance(around, ast.Subscript):
        is_stored = isinstance(around.ctx, ast.Store) and around.slice is use
        # ``counts[use] += 1`` asks as well.
        return is_stored and not isinstance(facts.parent(around), ast.AugAssign)
    method = around.func if isinstance(around, ast.Call) else None
    return (
        isinstance(around, ast.Call)
        and isinstance(method, ast.Attribute)
        and around.args == [use]
        and container_methods.is_of("set", method.attr)
        and container_methods.keeps(method.attr)
    )


def _takes_number(facts: Facts, use: ast.Name) -> bool:
    """Whether a use is right of a number, too.

    A list may be stacked, unless the numbers of a file for torch 0.3 are put into it, which were
    no tensors.
    """
    around = facts.parent(use)
    if isinstance(around, ast.Tuple):
        index = facts.parent(around)
        return isinstance(index, ast.Subscript) and index.slice is around
    if isinstance(around, ast.Subscript):
        return around.slice is use
    if isinstance(around, ast.Call):
        is_listed = isinstance(around.func, ast.Attribute) and container_methods.is_of(
            "list", around.func.attr
        )
        if is_listed:
            return facts.era_of(use).before((0, 4))
        return use in around.args and facts.names.builtin(around.func) in ("int", "print", "str")
    if isinstance(around, ast.List):
        return facts.era_of(use).before((0, 4))
    return isinstance(around, ast.Compare)
