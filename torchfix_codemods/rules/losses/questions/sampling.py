"""Sampling of images: the calls that leave ``align_corners`` to torch, which changed its mind."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.age.era import Version
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    values_given,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.record import record

#: Where ``mode`` and ``align_corners`` stand; the latter means something in these modes only.
_RESIZING = {
    "torch.nn.functional.upsample": (3, 4),
    "torch.nn.functional.interpolate": (3, 4),
    "torch.nn.Upsample": (2, 3),
}
#: ``F.upsample``, and what it is called once that is rewritten.
_DEPRECATED = ("torch.nn.functional.upsample", "torch.nn.functional.interpolate")
_LINEAR = ("linear", "bilinear", "trilinear")

#: Where ``align_corners`` stands.
_GRIDS = {"torch.nn.functional.grid_sample": 4, "torch.nn.functional.affine_grid": 2}


@record
class Unsaid:
    """An ``align_corners`` that is left to torch."""

    changed_in: Version
    """The torch since which it is False; it was True before."""
    is_certain: bool = True
    """False where the mode is a variable, and may be one without corners to align."""


def may_be_as_old(facts: Facts, call: ast.Call, unsaid: Unsaid) -> bool:
    """Whether a call may be meant for an older torch, in a file that nothing dates so far back.

    ``F.upsample`` was the name until then. Grids are written with the argument since, as torch
    warns where it is not said. Layers are written alike today, so of them only a file that still
    has its ``Variable`` may be as old, and none of a program that needs a newer torch. A line that
    can be for the torch of the change at most was written when most ran the one before it.
    """
    era, changed_in = facts.era_of(call), unsaid.changed_in
    if not unsaid.is_certain or (era.oldest or (0,)) >= changed_in or era.before(changed_in):
        return False
    name = facts.name(call.func)
    if name in _DEPRECATED:
        # What was never called anything but ``interpolate`` dates the file.
        return (facts.era.runs_since or (0,)) < changed_in
    if era.newest is not None and era.newest[:2] > changed_in:
        return False
    may_be = not facts.has_moved_on(changed_in)
    return may_be and (name in _GRIDS or era.has_variables)


def unsaid_alignment(facts: Facts, call: ast.Call) -> Unsaid | None:
    """What torch decides for a call; None where it decides nothing that has changed."""
    name = facts.name(call.func) or ""
    if is_opaque(call):
        return None
    if name in _GRIDS:
        given = argument(call, _GRIDS[name], "align_corners")
        return Unsaid((1, 4)) if given is None and len(values_given(call)) > 1 else None
    if name not in _RESIZING:
        return None
    mode_at, alignment_at = _RESIZING[name]
    mode = argument(call, mode_at, "mode")
    if mode is None or argument(call, alignment_at, "align_corners") is not None:
        return None
    if not isinstance(mode, ast.Constant):
        return Unsaid((0, 4), is_certain=_is_kept_linear(facts, mode))
    return Unsaid((0, 4)) if mode.value in _LINEAR else None


def _is_kept_linear(facts: Facts, mode: ast.expr) -> bool:
    """``self.mode`` where all that the project keeps by that name is a linear mode."""
    owner = facts.names.enclosing_class(mode)
    if not isinstance(mode, ast.Attribute) or owner is None or not is_self(facts, mode.value):
        return False
    if mode.attr in facts.names.scopes[owner].bindings:
        return False
    is_only_here = facts.files is None or not is_set_by_others(facts.inference, mode.attr)
    stores = [n for n in facts.names.attributes(mode.attr) if isinstance(n.ctx, ast.Store)]
    return is_only_here and bool(stores) and all(_stores_linear(facts, n) for n in stores)


def _stores_linear(facts: Facts, target: ast.Attribute) -> bool:
    statement = facts.parent(target)
    is_plain = isinstance(statement, ast.Assign) and target in statement.targets
    return is_plain and isinstance(statement, ast.Assign) and constant(statement.value) in _LINEAR
