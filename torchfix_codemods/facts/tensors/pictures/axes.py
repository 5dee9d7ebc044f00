"""How the axes of a picture lie: two alone, or the channels behind them, as Pillow takes it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from torchfix_codemods.facts.language.arguments import (
    are_first_two,
    argument,
    constant,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import function_run
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.lattice import Tensor

#: What reads a picture as ``mode=`` asks.
READING = frozenset({"scipy.misc.imread", "scipy.ndimage.imread"})
#: What gives a picture with its axes where they are, of the numbers that the one given has.
_KEEPS_AXES = frozenset({"cv2.flip", "numpy.fliplr", "numpy.flipud", "numpy.copy"})
KEEPS_AXES_UNLESS_ASKED = frozenset({"numpy.array", "numpy.asarray", "numpy.ascontiguousarray"})
#: Methods of arrays that have as many dimensions as what they give.
_KEEPS_DIMENSIONS = ("astype", "copy", "numpy", "transpose")
MADE = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"})

#: What SciPy made of a picture was one of Pillow, of bytes but for some modes.
RESIZED = frozenset({"scipy.misc.imresize", "scipy.misc.imrotate"})
#: What reads a picture as its file has it, with the channels last.
READERS = READING | {
    *("imageio.imread", "imageio.v2.imread"),
    *("matplotlib.image.imread", "matplotlib.pyplot.imread"),
}
_GIVES_PICTURES = READERS | RESIZED | {"cv2.imread", "cv2.resize", "PIL.Image.open"}
_IN_EACH_PLACE = frozenset({"numpy.clip", "numpy.abs", "numpy.round", "numpy.around"})
_METHODS_IN_EACH_PLACE = ("astype", "clip", "numpy", "round")


def is_ordered(facts: Facts, node: ast.expr) -> bool:
    """Whether an array certainly has two dimensions, or a third one behind them for channels."""
    return come_from([Place(facts, node)], _before_ordered)


def _before_ordered(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if come_from([place], _before_flat):
        return ()
    if place.content:
        return sources(place)
    if isinstance(node, ast.Call) and not is_opaque(node):
        if _gives_last(facts, node):
            return ()
        if facts.name(node.func) in MADE and (parts := _put_in(facts, node)):
            return parts
    if isinstance(node, ast.Subscript) and _is_layer(facts, node):
        return ()
    before = _in_each_place(facts, node)
    return sources(place) if before is None else [Place(facts, before)]


def _is_layer(facts: Facts, part: ast.Subscript) -> bool:
    """``masks[:, :, i]``: height and width are whole, whether it takes one layer or several."""
    value = facts.value(part.value)
    is_known = not isinstance(value, Tensor) or value.ndim in (None, 3)
    return is_known and _is_channel(part) and not _is_new_axis(facts, part)


def _is_new_axis(facts: Facts, part: ast.Subscript) -> bool:
    """Whether a third index is ``None`` or ``...``, and so none of a third axis."""
    index = part.slice.elts[2] if isinstance(part.slice, ast.Tuple) else part.slice
    is_none = isinstance(index, ast.Constant) and whole_number(index) is None
    return is_none or facts.name(index) == "numpy.newaxis"


def _gives_last(facts: Facts, call: ast.Call) -> bool:
    """``np.zeros((h, w, 3))``, ``x.transpose(1, 2, 0)``, ``plt.imread(path)``."""
    name = facts.name(call.func)
    if name in _GIVES_PICTURES:
        return True
    if name in MADE:
        return _ends_in_channels(argument(call, 0, "shape")) or _gets_channels(facts, call)
    is_method = name is None and isinstance(call.func, ast.Attribute)
    if not is_method and name != "numpy.transpose":
        return False
    given = call.args if is_method else call.args[1:]
    order = given[0] if len(given) == 1 else ast.Tuple([*given])
    method = getattr(call.func, "attr", "")
    if method == "reshape":
        return _ends_in_channels(order)
    if method not in ("transpose", "permute") or not isinstance(order, (ast.Tuple, ast.List)):
        return False
    return [whole_number(axis) for axis in order.elts] == [1, 2, 0]


def _ends_in_channels(shape: ast.expr | None) -> bool:
    """Whether three sizes are written down, of which the last alone is that of colours."""
    if not isinstance(shape, (ast.Tuple, ast.List)) or len(shape.elts) != 3:
        return False
    return [whole_number(size) in (3, 4) for size in shape.elts] == [False, False, True]


def _put_in(facts: Facts, call: ast.Call) -> list[Place]:
    """What fills parts of an array that is made, as its axes lie: ``canvas[y:y + h, x:x + w]``."""
    stored = [part for part in _parts_named(facts, call) if _is_cut_out(part)]
    given = [facts.parent(part) for part in stored]
    return [Place(facts, each.value) for each in given if isinstance(each, ast.Assign)]


def _is_cut_out(part: ast.Subscript) -> bool:
    """Whether two axes are cut by what is calculated, as channels are not: ``img[:3, y:n]``."""
    cuts = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    return len(cuts) == 2 and all(
        isinstance(cut, ast.Slice) and cut.upper is not None and whole_number(cut.upper) is None
        for cut in cuts
    )


def _gets_channels(facts: Facts, call: ast.Call) -> bool:
    """Whether an array of three dimensions is filled by its last: ``img[:, :, i] = x[i]``."""
    shape = argument(call, 0, "shape")
    if not isinstance(shape, (ast.Tuple, ast.List)) or len(shape.elts) != 3:
        return False
    return any(map(_is_channel, _parts_named(facts, call)))


def _parts_named(facts: Facts, call: ast.Call) -> list[ast.Subscript]:
    """The parts of what a call makes that something is stored to, by the name that it gets."""
    statement = facts.parent(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or statement is None:
        return []
    parts = [facts.parent(use) for use in uses_given_by(facts, statement, target.id)]
    return [p for p in parts if isinstance(p, ast.Subscript) and isinstance(p.ctx, ast.Store)]


def _is_channel(part: ast.Subscript) -> bool:
    """``img[:, :, i]``."""
    cuts = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    is_one = len(cuts) == 3 and not isinstance(cuts[2], ast.Slice)
    return is_one and all(map(_is_whole, cuts[:2]))


def _in_each_place(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The array of which one has the axes, whatever became of its numbers: ``x / 255.``."""
    before = turned(facts, node)
    if before is not None:
        return before
    if isinstance(node, ast.BinOp) or (isinstance(node, ast.Compare) and len(node.ops) == 1):
        sides = (node.left, node.right if isinstance(node, ast.BinOp) else node.comparators[0])
        # An array of more dimensions gives as many.
        others = [side for side in sides if constant(side) is ... and whole_number(side) is None]
        return others[0] if len(others) == 1 else None
    if not isinstance(node, ast.Call):
        return None
    name, method = facts.name(node.func), node.func
    if name is None:
        is_method = isinstance(method, ast.Attribute) and function_run(method, facts) is None
        if not is_method or not isinstance(method, ast.Attribute):
            return None
        keeps = method.attr in _METHODS_IN_EACH_PLACE
        return method.value if keeps or torch_effects.moves_or_casts(method.attr) else None
    is_cast = name.startswith("numpy.") and dtypes.named(name.replace("numpy", "torch")) is not None
    keeps = is_cast or name in _IN_EACH_PLACE | KEEPS_AXES_UNLESS_ASKED
    return node.args[0] if keeps and node.args else None


def _before_flat(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return () if value.ndim - len(place.content) == 2 else None
    if isinstance(node, ast.Call) and not place.content and is_made_flat(facts, node):
        return ()
    if isinstance(node, ast.BinOp) and not place.content and _is_grey(facts, node):
        return ()
    before = _of_same_dimensions(facts, node)
    return sources(place) if before is None else [Place(facts, before, place.content)]


def is_made_flat(facts: Facts, call: ast.Call) -> bool:
    """``np.zeros((h, w))`` or of ``x.shape[:2]``, ``x.reshape(28, 28)`` of an array,
    ``imread(path, mode="L")``."""
    if is_opaque(call):
        return False
    name = facts.name(call.func)
    if name in MADE:
        shape = argument(call, 0, "shape")
        is_written = isinstance(shape, (ast.Tuple, ast.List)) and len(shape.elts) == 2
        return is_written or are_first_two(shape)
    if name in READING:
        return constant(argument(call, 2, "mode")) in ("L", "F")
    sizes = call.args[0].elts if len(call.args) == 1 and _is_pair(call.args[0]) else call.args
    return name is None and getattr(call.func, "attr", "") == "reshape" and len(sizes) == 2


def _is_grey(facts: Facts, node: ast.BinOp) -> bool:
    """``0.3 * x[:, :, 0] + 0.6 * x[:, :, 1] + 0.1 * x[:, :, 2]``: one number of three colours."""
    channels = [_channel(facts, part) for part in _summed(node)]
    pictures = {picture for picture, _ in channels}
    return len(pictures) == 1 and sorted(index for _, index in channels) == [0, 1, 2]


def _summed(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_summed(node.left), *_summed(node.right)]
    return [node]


def _channel(facts: Facts, part: ast.expr, is_named: bool = False) -> tuple[object, int]:
    """The picture of which a part of a sum is a channel, and which one: -1 for other parts."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Mult, ast.Div)):
        sides = (part.left, part.right)
        number, other = sorted(sides, key=lambda n: isinstance(n, (ast.Subscript, ast.Name)))
        return _channel(facts, other) if isinstance(number, ast.Constant) else ("", -1)
    if isinstance(part, ast.Name) and not is_named:
        # ``r, g, b = x[:, :, 0], x[:, :, 1], x[:, :, 2]``.
        made = facts.assigned(part) or ()
        return _channel(facts, made[0], is_named=True) if len(made) == 1 else ("", -1)
    if not isinstance(part, ast.Subscript) or not isinstance(part.slice, ast.Tuple):
        return "", -1
    *cuts, channel = part.slice.elts
    index = whole_number(channel)
    is_one = len(cuts) == 2 and all(map(_is_whole, cuts)) and index is not None
    if not is_one or index is None:
        return "", -1
    # The same name may stand for another picture where another channel is taken.
    bound = facts.flow.reaching(part.value) if isinstance(part.value, ast.Name) else ()
    return (ast.unparse(part.value), bound), index


def _is_pair(node: ast.expr) -> TypeGuard[ast.Tuple | ast.List]:
    return isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 2


def _of_same_dimensions(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The array of which one is a part, or another order, with as many dimensions."""
    before = turned(facts, node)
    if before is not None or not isinstance(node, ast.Call):
        return before
    method = node.func
    is_method = facts.name(method) is None and isinstance(method, ast.Attribute)
    if is_method and isinstance(method, ast.Attribute) and method.attr in _KEEPS_DIMENSIONS:
        return None if function_run(method, facts) is not None else method.value
    return node.args[0] if facts.name(method) == "numpy.transpose" and node.args else None


def turned(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The picture of which one is a part, or the mirror image: ``img[:h, ::-1]``."""
    if isinstance(node, ast.Subscript):
        cuts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_part = len(cuts) <= 3 and all(isinstance(cut, ast.Slice) for cut in cuts)
        # Of the channels all are taken, in their order or in another.
        is_part = is_part and (len(cuts) < 3 or _is_whole(cuts[2]))
        return node.value if is_part else None
    if not isinstance(node, ast.Call):
        return None
    name = facts.name(node.func)
    if name in _KEEPS_AXES and node.args:
        return node.args[0]
    if name in KEEPS_AXES_UNLESS_ASKED and len(node.args) == 1 and not node.keywords:
        return node.args[0]
    method = node.func
    is_copy = name is None and isinstance(method, ast.Attribute) and method.attr == "copy"
    return method.value if is_copy and isinstance(method, ast.Attribute) else None


def _is_whole(cut: ast.expr) -> bool:
    return isinstance(cut, ast.Slice) and cut.lower is None and cut.upper is None
