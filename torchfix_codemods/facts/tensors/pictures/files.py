"""Files that pictures are read from: what their names say, and what is read of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import uses_given_by

#: How files of JPEG end, which have no pictures of one bit.
_JPEG = (".jpg", ".jpeg", ".JPG", ".JPEG")


def is_jpeg(facts: Facts, path: ast.expr) -> bool:
    """Whether the name of a file certainly ends as those of JPEG do: ``join(root, n + ".jpg")``."""
    return come_from([Place(facts, path)], _before_jpeg)


def _before_jpeg(place: Place) -> Iterable[Place] | None:
    facts, end = place.facts, place.node
    if place.content:
        return sources(place)
    if isinstance(end, ast.Constant):
        return () if isinstance(end.value, str) and end.value.endswith(_JPEG) else None
    if isinstance(end, ast.JoinedStr):
        return [Place(facts, each) for each in end.values[-1:]] or None
    if isinstance(end, ast.BinOp):
        is_formatted = isinstance(end.op, ast.Mod) and isinstance(end.left, ast.Constant)
        part = end.left if is_formatted else end.right if isinstance(end.op, ast.Add) else None
        return None if part is None else [Place(facts, part)]
    if isinstance(end, ast.Call) and not is_opaque(end) and end.args:
        if facts.name(end.func) == "os.path.join":
            return [Place(facts, end.args[-1])]
        if isinstance(end.func, ast.Attribute) and end.func.attr == "format":
            text = end.func.value
            return [Place(facts, text)] if isinstance(text, ast.Constant) else None
    return sources(place)


def is_read_by_channel(facts: Facts, path: ast.expr) -> bool:
    """Whether all that is taken of a picture that is read has a third index: ``img[r, c, :]``.

    Of a picture of one bit, which has two dimensions, nothing would be taken.

    Args:
        facts: the facts of the module.
        path: the argument of the call that reads the picture.
    """
    call = facts.parent(path)
    call = facts.parent(call) if isinstance(call, ast.keyword) else call
    made = None if call is None else facts.parent(call)
    target = made.targets[0] if isinstance(made, ast.Assign) and len(made.targets) == 1 else None
    if made is None or not isinstance(target, ast.Name):
        return False
    uses = [facts.parent(use) for use in uses_given_by(facts, made, target.id)]
    # Its shape is read without a question how long it is.
    others = [use for use in uses if not _is_shape_taken(facts, use)]
    return bool(others) and all(_has_three_indices(use) for use in others)


def _is_shape_taken(facts: Facts, use: ast.AST | None) -> bool:
    is_shape = isinstance(use, ast.Attribute) and use.attr == "shape"
    return is_shape and use is not None and isinstance(facts.parent(use), ast.Subscript)


def _has_three_indices(use: ast.AST | None) -> bool:
    indices = use.slice if isinstance(use, ast.Subscript) else None
    if not isinstance(indices, ast.Tuple) or len(indices.elts) != 3:
        return False
    return not any(
        isinstance(index, (ast.Constant, ast.Attribute, ast.Starred))
        and not isinstance(getattr(index, "value", None), int)
        for index in indices.elts
    )
