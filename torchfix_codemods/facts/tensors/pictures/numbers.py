"""What is known of arrays that may be pictures: whether they hold bytes or floats."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.called import functions_run
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import function_named, function_run
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.pictures.axes import (
    KEEPS_AXES_UNLESS_ASKED,
    MADE,
    READERS,
    READING,
    RESIZED,
    is_made_flat,
    is_ordered,
    turned,
)
from torchfix_codemods.facts.tensors.pictures.files import is_jpeg
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.array_dtypes import (
    array_moved,
    dtype_of_array,
    is_array_of_floats,
)
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.facts.values.transforms import result_of

#: The modes of uint8 in which SciPy read pictures.
_OF_BYTES = ("L", "RGB", "RGBA")
#: The flags with which OpenCV reads bytes, whatever the file holds.
_FLAGS_OF_BYTES = (0, 1)
_NAMED_FLAGS_OF_BYTES = frozenset({"cv2.IMREAD_COLOR", "cv2.IMREAD_GRAYSCALE"})
_LARGEST_BYTE = 255
_Moved = Callable[[Facts, ast.expr], ast.expr | None]


def is_image(facts: Facts, node: ast.expr) -> bool:
    """Whether an array is certainly of uint8, and flat or with its channels last."""
    if come_from([Place(facts, node)], _asked(_is_made_image, turned)):
        return True
    return holds_bytes(facts, node) and is_ordered(facts, node)


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
    if name in READING:
        mode, flat = argument(node, 2, "mode"), argument(node, 1, "flatten")
        return constant(mode) in _OF_BYTES and (flat is None or constant(flat) in (False, 0))
    if name == "cv2.imread":
        flag = argument(node, 1, "flags")
        is_usual = flag is None or facts.name(flag) in _NAMED_FLAGS_OF_BYTES
        return is_usual or constant(flag) in _FLAGS_OF_BYTES
    if name in RESIZED:
        mode = argument(node, 3, "mode")
        return mode is None or constant(mode) in (None, *_OF_BYTES)
    if name in MADE:
        return is_made_flat(facts, node) and dtype_of_array(facts.inference, node) == "uint8"
    return _is_converted(facts, node)


def _is_converted(facts: Facts, call: ast.Call) -> bool:
    """``Image.open(path).convert("RGB")``, of which numpy makes an array of bytes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "convert":
        return False
    opened = call.func.value
    is_opened = isinstance(opened, ast.Call) and facts.name(opened.func) == "PIL.Image.open"
    return is_opened and constant(argument(call, 0, "mode")) in _OF_BYTES


def _moved(facts: Facts, node: ast.expr) -> ast.expr | None:
    """The array whose numbers are only moved, or that a tensor is seen as: ``x.cpu().numpy()``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        # ``x[0, :, :]``, as no list is cut.
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.List):
        # ``np.array([x] * 3)``
        return node.left.elts[0] if len(node.left.elts) == 1 else None
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Div):
        # ``mask * 255``: a number that a byte holds leaves the array its type.
        factor = whole_number(node.right)
        return node.left if factor is not None and 0 <= factor <= _LARGEST_BYTE else None
    before = turned(facts, node)
    if before is not None or not isinstance(node, ast.Call):
        return before
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
    if isinstance(node, ast.Call) and _is_read_from_jpeg(facts, node):
        return True
    return dtype_of_array(facts.inference, node) == "uint8" or _is_made_image(facts, node)


def _is_read_from_jpeg(facts: Facts, call: ast.Call) -> bool:
    """``plt.imread("cat.jpg")``, or ``Image.open`` of it: files of JPEG hold bytes."""
    is_asked = len(call.args) != 1 or call.keywords
    is_read = not is_asked and facts.name(call.func) in READERS | {"PIL.Image.open"}
    return is_read and is_jpeg(facts, call.args[0])


def _is_of_floats(facts: Facts, node: ast.expr) -> bool:
    return is_array_of_floats(facts.inference, node)


def _is_of_no_floats(facts: Facts, node: ast.expr) -> bool:
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    if isinstance(node, ast.Call) and not is_opaque(node):
        if facts.name(node.func) in KEEPS_AXES_UNLESS_ASKED and is_image(facts, node):
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
