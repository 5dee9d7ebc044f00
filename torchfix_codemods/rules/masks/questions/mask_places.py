"""Where a mask goes: to the places for masks, or anywhere else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.layouts import PASSING_ATTRIBUTES, passes
from torchfix_codemods.facts.values.lattice import Device
from torchfix_codemods.rules.masks.questions.mask_wants import Want, place_of
from torchfix_codemods.rules.masks.questions.masks import (
    READING_FUNCTIONS,
    is_bool,
    is_comparison,
    tells_of_mask,
)

Reading = Callable[[str], bool]
"""Tells of a method, or a function of torch of that name, whether it may be asked of a mask."""

_TELLING_ATTRIBUTES = frozenset({"shape", "device", "is_cuda"})


def places_of_mask(
    facts: Facts, node: ast.expr, reading: Reading = tells_of_mask
) -> list[Want] | None:
    """The places for masks that the value of ``node`` comes to.

    Args:
        facts: the facts of the module.
        node: a mask.
        reading: the methods that may be asked of it, and torch's functions of these names.

    Returns:
        None where it may go anywhere else: calculated with, printed, returned, written into.
    """
    found = _Places(reading).of([Place(facts, node)])
    return None if found is None else [place for _, place in found]


def places_of_binding(facts: Facts, target: ast.Name, reading: Reading) -> list[Want] | None:
    """The places for masks that what a statement binds to a name comes to; None as above."""
    found = uses_of_binding(facts, target, reading)
    return None if found is None else [place for _, place in found]


def uses_of_binding(
    facts: Facts, target: ast.Name, reading: Reading = tells_of_mask
) -> list[tuple[ast.expr, Want]] | None:
    """The same, each with what stands there."""
    if _is_seen_by_others(facts, target):
        return None
    return _Places(reading).of(use_of(Place(facts, target)).held())


class _Places:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: list[tuple[ast.expr, Want]] = []

    def of(self, starts: Iterable[Place]) -> list[tuple[ast.expr, Want]] | None:
        return None if follow(starts, self._at) else self._found

    def _at(self, use: Use) -> Iterable[Place] | None:
        place = place_of(use.facts, use.node)
        if place is not None:
            self._found.append((use.node, place))
            return ()
        if use.place.content:
            return None
        if use.kind == "item":
            return use.result()
        if use.kind == "tested":
            return None if isinstance(use.by, (ast.IfExp, ast.comprehension)) else ()
        if use.kind == "chosen":
            return () if isinstance(use.by, ast.BoolOp) else None
        if use.kind in ("asked", "compared"):
            return () if isinstance(use.by, ast.expr) and is_comparison(use.facts, use.by) else None
        if use.kind == "attribute" and isinstance(use.by, ast.Attribute):
            if use.by.attr in _TELLING_ATTRIBUTES:
                return ()
            return use.result() if use.by.attr in PASSING_ATTRIBUTES else None
        if use.kind == "method" and isinstance(use.by, ast.Call):
            return self._of_method(use, use.by)
        if use.kind == "operand" and isinstance(use.by, ast.BinOp):
            return _of_operand(use, use.by)
        if use.kind == "argument" and isinstance(use.by, ast.Call):
            is_first = use.by.args[:1] == [use.node] and _names_dims_only(use.by)
            return () if is_first and self._reads_only(use.facts, use.by) else None
        if use.kind in ("augmented", "bound"):
            return of_names(use)
        return None

    def _of_method(self, use: Use, call: ast.Call) -> Iterable[Place] | None:
        assert isinstance(call.func, ast.Attribute)
        method = call.func.attr
        if passes(method) or (method == "to" and _is_move(use.facts, call)):
            return use.result()
        names_dtype = any(keyword.arg == "dtype" for keyword in call.keywords)
        return () if self._reading(method) and not names_dtype else None

    def _reads_only(self, facts: Facts, call: ast.Call) -> bool:
        """``torch.sum(mask)`` and ``len(mask)``, as far as the sum is among what may be asked."""
        if facts.names.builtin(call.func) == "len":
            return True
        module, _, function = (facts.name(call.func) or "").rpartition(".")
        return module == "torch" and function in READING_FUNCTIONS and self._reading(function)


def _names_dims_only(call: ast.Call) -> bool:
    """``torch.sum(mask, dim=1)``, which is of whole numbers whatever the mask is of."""
    return not call.keywords or (
        last_name(call.func) == "sum" and {k.arg for k in call.keywords} <= {"dim", "keepdim"}
    )


def _of_operand(use: Use, operation: ast.BinOp) -> Iterable[Place] | None:
    """``mask & other``."""
    if not isinstance(operation.op, (ast.BitAnd, ast.BitOr)):
        return None
    other = operation.right if operation.left is use.node else operation.left
    return use.result() if is_bool(use.facts, other) else None


def of_names(use: Use) -> Iterable[Place] | None:
    """Where names that a statement gives a value are read; None where others may read it."""
    targets = [target for target, _ in use.targets()]
    if use.kind == "augmented" or not isinstance(use.by, ast.Assign):
        return None
    if any(not isinstance(t, ast.Name) or _is_seen_by_others(use.facts, t) for t in targets):
        return None
    return use.held()


def _is_seen_by_others(facts: Facts, target: ast.expr) -> bool:
    """Whether other files may take a name from this one."""
    found = facts.names.scope_of(target).lookup(getattr(target, "id", ""))
    return found is None or (found[0].kind != "function" and facts.is_imported_elsewhere)


def _is_move(facts: Facts, call: ast.Call) -> bool:
    return not call.keywords and all(isinstance(facts.value(a), Device) for a in call.args)
