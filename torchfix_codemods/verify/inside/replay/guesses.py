"""Inputs that a function may take, from what is known of its parameters; likelier ones first."""

from __future__ import annotations

import heapq
import itertools
from typing import Any, Dict, Iterator, Sequence

import torch

from .packed import Packed

#: What is known of a parameter: ``kinds`` (``tensor``, ``number``, ``text``, ``array``, ``none``,
#: ``object``; no such key where nothing is known), ``ndim`` and ``dtype`` of a tensor, ``number``
#: (its type), ``texts`` that it is compared with, ``attributes`` that are read of it,
#: ``expressions`` that give it, and whether it ``is_of_constructor``.
Known = Dict[str, Any]

#: Widths and heights of pictures, as networks of the time take them.
_SIZES = (32, 28, 224, 64, 16, 8, 4, 96, 128, 256, 299, 227, 1)

_LENGTHS = (16, 64, 128, 1024, 4)

#: Tensors of which nothing is known, by the number of their dimensions.
_SHAPES: dict[int, tuple[tuple[int, ...], ...]] = {
    0: ((),),
    1: ((4,), (3,), (1,), (16,)),
    2: ((4, 3), (4, 4), (3, 3), (4, 1), (4, 10), (1, 4), (5, 4)),
    3: ((2, 5, 3), (4, 4, 4), (3, 8, 8), (3, 32, 32), (1, 28, 28)),
    4: ((2, 3, 8, 8), (2, 3, 32, 32), (2, 1, 28, 28), (2, 4, 4, 4), (2, 3, 224, 224)),
    5: ((1, 3, 4, 8, 8), (1, 1, 8, 8, 8)),
}

_FIRST_SHAPES = ((4, 3), (4,), (), (2, 3, 8, 8), (2, 5, 3), (4, 4), (2, 3, 32, 32), (2, 1, 28, 28))

#: Layers that functions are given which set up networks.
_LAYERS: tuple[tuple[str, list[int]], ...] = (
    ("Linear", [3, 3]),
    ("Conv2d", [3, 3, 3]),
    ("BatchNorm2d", [3]),
    ("ConvTranspose2d", [3, 3, 3]),
    ("LSTM", [3, 3]),
    ("Embedding", [3, 3]),
)

#: Whole numbers are below so many.
_CLASSES = 3


def guesses(
    known: Known, shapes: Sequence[tuple[tuple[int, ...], int | None]] = ()
) -> list[Packed]:
    """Values for a parameter.

    Args:
        known: what is known of it.
        shapes: those of tensors that layers take which it may go into, with how many different
            whole numbers they are for those that take whole numbers.
    """
    kinds = known.get("kinds") or []
    found: list[Packed] = [_expression(text) for text in known.get("expressions", ())]
    found += [_plain(text) for text in known.get("texts", ())]
    attributes = known.get("attributes", ())
    is_of_options = any(not hasattr(torch.Tensor, name) for name in attributes)
    if is_of_options and not kinds:
        found.append({"k": "namespace", "i": {name: _plain(4) for name in attributes}})
    if "object" in kinds:
        return found
    if not kinds or "tensor" in kinds:
        found += _tensors(known, shapes)
    if not kinds and known.get("is_of_constructor"):
        # Constructors take sizes.
        found = [*map(_plain, (4, 2, 8, 1, True, 0.5)), *found]
    elif not kinds:
        found[2:2] = map(_plain, (3, 0.5, True, 0))
    if "number" in kinds:
        numbers: Sequence[Any] = {
            "float": (0.5, 0.1, 2.0),
            "bool": (True, False),
            "int": (4, 1, 2, 3, 8, 16, 10, 0),
        }.get(known.get("number", ""), (4, 1, 0.5, 2, 10, True))
        found += map(_plain, numbers)
    if "text" in kinds or not kinds:
        found += map(_plain, ("cpu", "a"))
    if "array" in kinds:
        found += [{**each, "k": "array", "g": False} for each in _tensors(known, ())]
    if "none" in kinds or not kinds:
        found.append(_plain(None))
    if not kinds:
        found += [{"k": "layer", "v": [name, args]} for name, args in _LAYERS]
        found.append({"k": "list", "i": _tensors(known, ())[:2]})
    return found


def _plain(value: Any) -> Packed:
    return {"k": "plain", "v": value}


def _expression(text: str) -> Packed:
    return {"k": "expression", "v": text}


def _tensors(known: Known, shapes: Sequence[tuple[tuple[int, ...], int | None]]) -> list[Packed]:
    ndim, dtype = known.get("ndim"), known.get("dtype")
    wanted = [each for each in shapes if ndim is None or len(each[0]) == ndim]
    plain = _SHAPES.get(ndim, _FIRST_SHAPES) if ndim is not None else _FIRST_SHAPES
    found = [_tensor(shape, dtype or ("int64" if most else None), most) for shape, most in wanted]
    for number, shape in enumerate(plain):
        found.append(_tensor(shape, dtype, None))
        if dtype is None and len(shape) < 3:
            # Classes, one for each row.
            found.insert(len(wanted) + 2 * number + 1, _tensor(shape[:1], "int64", None))
    if ndim is not None:
        found = [each for each in found if each["v"].dim() == ndim]
    return found


def _tensor(shape: Sequence[int], dtype: str | None, most: int | None) -> Packed:
    """A tensor that only depends on what it is asked for."""
    generator = torch.Generator()
    generator.manual_seed(len(shape) + sum(shape))
    kind = getattr(torch, "float32" if dtype in (None, "float") else str(dtype), torch.float32)
    if kind.is_floating_point:
        value = torch.randn(tuple(shape), generator=generator).to(kind)
        return {"k": "tensor", "v": value, "g": False}
    if str(kind) == "torch.bool":
        return {"k": "tensor", "v": torch.randn(tuple(shape), generator=generator) > 0, "g": False}
    numbers = torch.rand(tuple(shape), generator=generator) * min(most or _CLASSES, 2**20)
    return {"k": "tensor", "v": numbers.to(kind), "g": False}


def shapes_of_layer(layer: torch.nn.Module) -> list[tuple[tuple[int, ...], int | None]]:
    """Tensors that a layer of torch takes: shapes, and of whole numbers how many there are."""
    get: Any = lambda name: getattr(layer, name, None)  # noqa: E731
    if get("num_embeddings") is not None:
        return [(shape, get("num_embeddings")) for shape in ((2, 5), (5,), (2, 3, 4))]
    if get("input_size") is not None:
        size = get("input_size")
        return [((5, 2, size), None), ((2, size), None), ((5, 1, size), None)]
    if get("in_features") is not None:
        return [(shape, None) for shape in ((4, get("in_features")), (2, 5, get("in_features")))]
    kernel, channels = get("kernel_size"), get("in_channels")
    if channels is not None and isinstance(kernel, tuple):
        return [((2, channels, *inner), None) for inner in _inner(len(kernel))]
    if get("num_features") is not None:
        count = get("num_features")
        return [((4, count), None), ((2, count, 8, 8), None), ((2, count, 8), None)]
    return []


def _inner(dimensions: int) -> Iterator[tuple[int, ...]]:
    if dimensions == 1:
        yield from ((length,) for length in _LENGTHS)
    elif dimensions == 2:
        yield from ((size, size) for size in _SIZES)
    else:
        yield from ((8, size, size) for size in (16, 32, 112))


def combinations(lists: Sequence[Sequence[Packed]]) -> Iterator[tuple[Packed, ...]]:
    """One of each list, those first that are nearest to the beginnings."""
    if not all(lists):
        return
    counter = itertools.count()
    start = (0,) * len(lists)
    pending, seen = [(0, next(counter), start)], {start}
    while pending:
        _, _, places = heapq.heappop(pending)
        yield tuple(items[place] for items, place in zip(lists, places))
        for index, place in enumerate(places):
            following = (*places[:index], place + 1, *places[index + 1 :])
            if place + 1 < len(lists[index]) and following not in seen:
                seen.add(following)
                heapq.heappush(pending, (sum(following), next(counter), following))
