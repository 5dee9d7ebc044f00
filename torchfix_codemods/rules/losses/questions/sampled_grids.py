"""Grids of which the code itself says how they count: from the centres of the corners, or not."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow

#: What makes a grid, or takes one, and where it stands.
_GRIDS = {
    "torch.nn.functional.affine_grid": (0, "theta"),
    "torch.nn.functional.grid_sample": (1, "grid"),
}
#: How the coordinates of a pixel go on to a grid.
_GOES_ON = ("operand", "element", "item", "chosen", "attribute", "method")


def measured_from_corners(facts: Facts, call: ast.Call) -> ast.BinOp | None:
    """The quotient of which the grid of a call is made, where it has its last pixel at 1.

    ``2 * x / (w - 1) - 1`` is 1 for the last of w pixels. Only where corners are aligned, that is
    its place: without, it is ``1 - 1 / w``.

    Args:
        facts: the facts of the module.
        call: a call that samples an image at a grid, or makes one.
    """
    if facts.name(call.func) not in _GRIDS:
        return None
    for node in facts.names.nodes.get(ast.BinOp, ()):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_last(node.right):
            if _reaches(facts, node, call):
                return node
    return None


def _is_last(divisor: ast.expr) -> bool:
    """``w - 1``, ``max(h - 1, 1)`` and ``(x.size(3) - 1) / 2``."""
    if isinstance(divisor, ast.BinOp) and isinstance(divisor.op, (ast.Div, ast.Mult)):
        return any(_is_last(side) for side in (divisor.left, divisor.right))
    if isinstance(divisor, ast.Call):
        name = divisor.func
        is_bounded = isinstance(name, ast.Name) and name.id in ("max", "float")
        return is_bounded and any(map(_is_last, divisor.args))
    if not isinstance(divisor, ast.BinOp) or not isinstance(divisor.op, ast.Sub):
        return False
    return constant(divisor.left) is ... and constant(divisor.right) == 1


def _reaches(facts: Facts, quotient: ast.BinOp, call: ast.Call) -> bool:
    """Whether a call gets what a quotient is, moved and joined with others as it may be."""

    def onward(use: Use) -> Iterable[Place] | None:
        if use.kind == "argument" and isinstance(use.by, ast.Call):
            return _into(use, use.by)
        if use.kind in ("bound", "unpacked", "added", "augmented"):
            return use.held()
        if use.kind == "returned":
            return use.returned()
        return use.result() if use.kind in _GOES_ON else ()

    def _into(use: Use, taking: ast.Call) -> Iterable[Place] | None:
        name = use.facts.name(taking.func)
        if name in _GRIDS:
            if argument(taking, *_GRIDS[name]) is not use.node:
                return ()
            return None if taking is call else _made(name, use)
        is_torch = (name or "").startswith("torch.")
        return [*(use.result() if is_torch else ()), *use.taken()]

    trail = follow([Place(facts, quotient)], onward)
    return trail is not None and not trail.is_cut


def _made(name: str, use: Use) -> Iterable[Place]:
    """A grid that is made of another measure, but not the image that is sampled there."""
    return use.result() if name.endswith("affine_grid") else ()
