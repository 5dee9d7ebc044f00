"""What is known of arrays that may be pictures: whether they hold bytes or floats, and how."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeGuard

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.called import functions_run
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import function_named, function_run
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.array_dtypes import (
    array_moved,
    dtype_of_array,
    is_array_of_floats,
)
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.facts.values.transforms import result_of

#: What reads a picture as ``mode=`` asks, and the modes of uint8.
_READING = frozenset({"scipy.misc.imread", "scipy.ndimage.imread"})
_OF_BYTES = ("L", "RGB", "RGBA")
#: The flags with which OpenCV reads bytes, whatever the file holds.
_FLAGS_OF_BYTES = (0, 1)
_NAMED_FLAGS_OF_BYTES = frozenset({"cv2.IMREAD_COLOR", "cv2.IMREAD_GRAYSCALE"})
#: What gives a picture with its axes where they are, of the numbers that the one given has.
_KEEPS_AXES = frozenset({"cv2.flip", "numpy.fliplr", "numpy.flipud", "numpy.copy"})
_KEEPS_AXES_UNLESS_ASKED = frozenset({"numpy.array", "numpy.asarray", "numpy.ascontiguousarray"})
#: What SciPy made of a picture was one of Pillow, of bytes but for some modes.
_RESIZED = frozenset({"scipy.misc.imresize", "scipy.misc.imrotate"})
#: Methods of arrays that have as many dimensions as what they give.
_KEEPS_DIMENSIONS = ("astype", "copy", "numpy", "transpose")
_MADE = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"})

#: How files of JPEG end, which have no pictures of one bit.
_JPEG = (".jpg", ".jpeg", ".JPG", ".JPEG")

_Moved = Callable[[Facts, ast.expr], ast.expr | None]


def is_image(facts: Facts, node: ast.expr) -> bool:
    """Whether an array is certainly of uint8, and flat or with its channels last."""
    if come_from([Place(facts, node)], _asked(_is_made_image, _turned)):
        return True
    return holds_bytes(facts, node) and is_flat(facts, node)


def is_flat(facts: Facts, node: ast.expr) -> bool:
    """Whether an array certainly has two dimensions: it has no channels."""
    return come_from([Place(facts, node)], _before_flat)


def _before_flat(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return () if value.ndim - len(place.content) == 2 else None
    if isinstance(node, ast.Call) and not place.content and _is_made_flat(facts, node):
        return ()
    if isinstance(node, ast.BinOp) and not place.content and _is_grey(node):
        return ()
    before = _of_same_dimensions(facts, node)
    return sources(place) if before is None else [Place(facts, before, place.content)]


def _is_made_flat(facts: Facts, call: ast.Call) -> bool:
    """``np.zeros((h, w))``, ``x.reshape(28, 28)`` of an array, ``imread(path, mode="L")``."""
    if is_opaque(call):
        return False
    name = facts.name(call.func)
    if name in _MADE:
        shape = argument(call, 0, "shape")
        return isinstance(shape, (ast.Tuple, ast.List)) and len(shape.elts) == 2
    if name in _READING:
        return constant(argument(call, 2, "mode")) in ("L", "F")
    sizes = call.args[0].elts if len(call.args) == 1 and _is_pair(call.args[0]) else call.args
    return name is None and getattr(call.func, "attr", "") == "reshape" and len(sizes) == 2


def _is_grey(node: ast.BinOp) -> bool:
    """``0.3 * x[:, :, 0] + 0.6 * x[:, :, 1] + 0.1 * x[:, :, 2]``: one number of three colours."""
    channels = [_channel(part) for part in _summed(node)]
    pictures = {picture for picture, _ in channels}
    return len(pictures) == 1 and sorted(index for _, index in channels) == [0, 1, 2]


def _summed(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_summed(node.left), *_summed(node.right)]
    return [node]


def _channel(part: ast.expr) -> tuple[str, int]:
    """The picture of which a part of a sum is a channel, and which one: -1 for other parts."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Mult, ast.Div)):
        number, other = sorted((part.left, part.right), key=lambda n: isinstance(n, ast.Subscript))
        return _channel(other) if isinstance(number, ast.Constant) else ("", -1)
    if not isinstance(part, ast.Subscript) or not isinstance(part.slice, ast.Tuple):
        return "", -1
    *cuts, channel = part.slice.elts
    index = whole_number(channel)
    is_one = len(cuts) == 2 and all(map(_is_whole, cuts)) and index is not None
    return (ast.unparse(part.value), index) if is_one and index is not None else ("", -1)


def _is_pair(node: ast.expr) -> TypeGuard[ast.Tuple | ast.List]:
    return isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 2


def _of_same_dimensions(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The array of which one is a part, or another order, with as many dimensions."""
    turned = _turned(facts, node)
    if turned is not None or not isinstance(node, ast.Call):
        return turned
    method = node.func
    is_method = facts.name(method) is None and isinstance(method, ast.Attribute)
    if is_method and isinstance(method, ast.Attribute) and method.attr in _KEEPS_DIMENSIONS:
        return None if function_run(method, facts) is not None else method.value
    return node.args[0] if facts.name(method) == "numpy.transpose" and node.args else None


def holds_bytes(facts: Facts, node: ast.expr) -> bool:
    """Whether an array is certainly of uint8, also where a function of the project makes it."""
    return come_from([Place(facts, node)], _asked(_is_of_bytes, _moved))


def holds_floats(facts: Facts, node: ast.expr) -> bool:
    """Whether an array is of floats, as all that is seen of it says: a network's output is."""
    start = Place(facts, node)
    if come_from([start], _asked(_is_of_floats, _moved)):
        return True
    return found_behind([start], _looked_for(_is_of_tensors)) is not None and not found_behind(
        [start], _looked_for(_is_of_no_floats)
    )


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


def _is_of_tensors(facts: Facts, node: ast.expr) -> bool:
    """Whether a call gives floats as torch has them: a network does, and what casts to them."""
    return _is_of_network(facts, node) or _is_cast(facts, node) or _is_transformed(facts, node)


def _is_transformed(facts: Facts, node: ast.expr) -> bool:
    """``self.transform(img)``, where a data set is given ``ToTensor()``."""
    if not isinstance(node, ast.Call) or facts.name(node.func) is not None:
        return False
    return found_behind([Place(facts, node.func)], _before_transform) is not None


def _before_transform(place: Place) -> Iterable[Place] | None:
    if place.content:
        return behind(place)
    is_found = isinstance(result_of(place.facts.inference, place.node), Tensor)
    return None if is_found else behind(place, by_name=False)


def _is_cast(facts: Facts, node: ast.expr) -> bool:
    """``x.float()``, and a grid of pictures between 0 and 1."""
    if not isinstance(node, ast.Call):
        return False
    name, method = facts.name(node.func), node.func
    if name == "torchvision.utils.make_grid":
        return constant(argument(node, 3, "normalize")) is True
    if name is not None or not isinstance(method, ast.Attribute):
        return False
    dtype = dtypes.named(f"torch.{method.attr}") if torch_effects.is_cast(method.attr) else None
    return dtype is not None and dtypes.is_floating(dtype) and not function_run(method, facts)


def _asked(
    is_answer: Callable[[Facts, ast.expr], bool], moved: _Moved
) -> Callable[[Place], Iterable[Place] | None]:
    def ask(place: Place) -> Iterable[Place] | None:
        facts, node = place.facts, place.node
        if place.content:
            return sources(place)
        if is_answer(facts, node):
            return ()
        before = moved(facts, node)
        if before is not None:
            return [Place(facts, before)]
        if isinstance(node, ast.Call) and (found := _returned(facts, node)) is not None:
            return found
        return sources(place)

    return ask


def _looked_for(
    is_answer: Callable[[Facts, ast.expr], bool],
) -> Callable[[Place], Iterable[Place] | None]:
    def ask(place: Place) -> Iterable[Place] | None:
        if is_answer(place.facts, place.node):
            return None
        before = _moved(place.facts, place.node)
        return behind(place) if before is None else [Place(place.facts, before, place.content)]

    return ask


def _returned(facts: Facts, call: ast.Call) -> list[Place] | None:
    """What the functions of the project return that a call is certain to run, one or another."""
    if function_named(call.func, facts) is None and function_run(call.func, facts) is None:
        return None
    found: list[Place] = []
    for there, function in functions_run(call, facts):
        returned = returned_by(there, function, ())
        if returned is None:
            return None
        found += returned
    return found or None


def _is_made_image(facts: Facts, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or is_opaque(node):
        return False
    name = facts.name(node.func)
    if name in _READING:
        mode, flat = argument(node, 2, "mode"), argument(node, 1, "flatten")
        return constant(mode) in _OF_BYTES and (flat is None or constant(flat) in (False, 0))
    if name == "cv2.imread":
        flag = argument(node, 1, "flags")
        is_usual = flag is None or facts.name(flag) in _NAMED_FLAGS_OF_BYTES
        return is_usual or constant(flag) in _FLAGS_OF_BYTES
    if name in _RESIZED:
        mode = argument(node, 3, "mode")
        return mode is None or constant(mode) in (None, *_OF_BYTES)
    if name in _MADE:
        return _is_made_flat(facts, node) and dtype_of_array(facts.inference, node) == "uint8"
    return _is_converted(facts, node)


def _is_converted(facts: Facts, call: ast.Call) -> bool:
    """``Image.open(path).convert("RGB")``, of which numpy makes an array of bytes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "convert":
        return False
    opened = call.func.value
    is_opened = isinstance(opened, ast.Call) and facts.name(opened.func) == "PIL.Image.open"
    return is_opened and constant(argument(call, 0, "mode")) in _OF_BYTES


def _turned(facts: Facts, node: ast.expr) -> ast.expr | None:
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
    if name in _KEEPS_AXES_UNLESS_ASKED and len(node.args) == 1 and not node.keywords:
        return node.args[0]
    method = node.func
    is_copy = name is None and isinstance(method, ast.Attribute) and method.attr == "copy"
    return method.value if is_copy and isinstance(method, ast.Attribute) else None


def _is_whole(cut: ast.expr) -> bool:
    return isinstance(cut, ast.Slice) and cut.lower is None and cut.upper is None


def _moved(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The array whose numbers are only moved, or that a tensor is seen as: ``x.cpu().numpy()``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value
    turned = _turned(facts, node)
    if turned is not None or not isinstance(node, ast.Call):
        return turned
    moved = array_moved(facts.inference, node)
    if moved is not None:
        return moved
    method = node.func
    if facts.name(method) is not None or not isinstance(method, ast.Attribute):
        return None
    is_own = function_run(method, facts) is not None
    return method.value if not is_own and _gives_numbers(method.attr) else None


def _gives_numbers(method: str) -> bool:
    """Whether what a method of a tensor gives has its numbers, of the type that they have."""
    if method == "numpy" or torch_effects.hands_on(method):
        return True
    return torch_effects.moves_or_casts(method) and not torch_effects.may_do(method, "casts")


def _is_of_bytes(facts: Facts, node: ast.expr) -> bool:
    return dtype_of_array(facts.inference, node) == "uint8" or _is_made_image(facts, node)


def _is_of_floats(facts: Facts, node: ast.expr) -> bool:
    return is_array_of_floats(facts.inference, node)


def _is_of_no_floats(facts: Facts, node: ast.expr) -> bool:
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    if isinstance(node, ast.Call) and not is_opaque(node):
        if facts.name(node.func) in _KEEPS_AXES_UNLESS_ASKED and is_image(facts, node):
            return True
        if _is_converted(facts, node):
            # It is no array, and becomes a tensor of floats as often as one of bytes.
            return False
    return _is_of_bytes(facts, node) or (dtype is not None and not dtype.startswith("float"))


def _is_of_network(facts: Facts, node: ast.expr) -> bool:
    """``self.net(x)`` and ``net.forward(x)``: networks give floats, as far as nothing is known."""
    if not isinstance(node, ast.Call):
        return False
    is_forward = isinstance(node.func, ast.Attribute) and node.func.attr == "forward"
    return is_forward or isinstance(facts.value(node.func), Module)
