"""What ``torch.Tensor(…)`` and ``x.new(…)`` are given, sizes or values, and what fills them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from typing import Literal

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import (
    come_from,
    returned_by_method,
    sources,
    sources_in_project,
)
from torchfix_codemods.facts.tensors.arrays import is_array_of_values
from torchfix_codemods.facts.tensors.shapes import is_range_of_count, is_size, unpacks_sizes
from torchfix_codemods.facts.values.array_dtypes import dtype_of_array
from torchfix_codemods.facts.values.lattice import (
    Array,
    NoneValue,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)
from torchfix_codemods.record import record

Given = Literal["nothing", "sizes", "shape", "like", "list", "range", "array"]
"""``like``: a tensor that has the shape; ``range``: a list of all numbers below a count."""

Fill = Literal["zeros", "ones", "full", "randn", "rand", "randint"]

#: The classes of dense tensors in main memory; ``torch.Tensor`` is of the default type.
DTYPES: dict[str, str | None] = {
    "torch.Tensor": None,
    "torch.FloatTensor": "torch.float",
    "torch.DoubleTensor": "torch.double",
    "torch.HalfTensor": "torch.half",
    "torch.LongTensor": "torch.long",
    "torch.IntTensor": "torch.int",
    "torch.ShortTensor": "torch.short",
    "torch.CharTensor": "torch.int8",
    "torch.ByteTensor": "torch.uint8",
    "torch.BoolTensor": "torch.bool",
}

#: ``x.new(indices, values, size)`` makes a sparse tensor.
_MOST_OF_SPARSE = 3


@record
class Chain:
    """A legacy constructor together with the methods that say what becomes of its memory."""

    calls: tuple[ast.Call, ...]
    """``x.new()``, ``….resize_as_(y)``, ``….long()``, ``….zero_()``, as far as there are such."""
    given: Given
    cast: str | None = None
    """``"long"``: the method that changes the type before the tensor is filled, or after it."""
    fill: Fill | None = None
    said: str | None = None
    """The dtype that an array says of itself: ``x.astype(np.float32)``."""

    @property
    def sizes(self) -> int:
        """Which of the calls is given the sizes."""
        return 1 if len(self.calls) > 1 and _method(self.calls[1]) in _RESIZES else 0

    @property
    def filling(self) -> int:
        """Which of the calls fills the memory, counted from the last."""
        return -2 if self.fill is not None and _is_cast(_method(self.calls[-1])) else -1


_RESIZES = frozenset({"resize_", "resize_as_"})


def chain_of(
    call: ast.Call,
    facts: Facts,
    fills: Collection[Fill],
    may_be_sparse: bool = False,
    may_be_range: bool = False,
) -> Chain | None:
    """The calls that a legacy constructor begins; None where what it is given is not certain.

    Args:
        call: the call of the constructor.
        facts: the facts of the module.
        fills: the ways of filling that can be told together with the sizes.
        may_be_sparse: whether the constructor also makes sparse tensors.
        may_be_range: whether ``range(n)`` is to be told from other lists.
    """
    # Indices and values of a sparse tensor are not given to be overwritten at once.
    given = given_to(call, facts, may_be_sparse and not _is_overwritten(call, facts))
    if given == "list" and may_be_range and is_range_of_count(call.args[0], facts):
        given = "range"
    calls = [call]
    if given == "nothing":
        resize = _next(call, facts)
        shape = None if resize is None else _shape_of_resize(resize, facts)
        if resize is not None and shape is not None:
            given = shape
            calls.append(resize)
    if given is None:
        return None
    if given in ("sizes", "shape", "like"):
        after = _next(calls[-1], facts)
        if after is not None and _is_cast(_method(after)) and not after.args:
            filled = _next(after, facts)
            fill = None if filled is None else _fill_of(filled, facts)
            if filled is not None and fill in fills and fill in ("zeros", "ones", "full"):
                return Chain((*calls, after, filled), given, _method(after), fill)
        fill = None if after is None else _fill_of(after, facts)
        if after is not None and fill in fills:
            return Chain((*calls, after), given, None, fill)
    if given == "array":
        array = call.args[0]
        return Chain((call,), given, None, _fill_of_array(array, facts), _dtype_said(array, facts))
    return Chain(tuple(calls), given)


def _dtype_said(array: ast.expr, facts: Facts) -> str | None:
    """What an array that is made on the spot says; numpy's default type need not be written."""
    dtype = dtype_of_array(facts.inference, array) if isinstance(array, ast.Call) else None
    return None if dtype == "float64" else dtype


def _fill_of_array(array: ast.expr, facts: Facts) -> Fill | None:
    """What an array is filled with that is made on the spot, of sizes that torch takes as well."""
    if not isinstance(array, ast.Call) or is_opaque(array) or not 0 < len(array.args) < 3:
        return None
    name = facts.name(array.func)
    if name not in ("numpy.zeros", "numpy.ones") or any(k.arg != "dtype" for k in array.keywords):
        return None
    shape = array.args[0]
    if not isinstance(shape, (ast.Tuple, ast.List)) and not is_size(shape, facts):
        return None
    return "zeros" if name == "numpy.zeros" else "ones"


def is_filled(made: ast.Call, facts: Facts) -> bool:
    """Whether what a call makes is filled at once: ``….zero_()``, ``….normal_()``."""
    after = _next(made, facts)
    return after is not None and _fill_of(after, facts) is not None


def _is_overwritten(made: ast.Call, facts: Facts) -> bool:
    """Whether it is filled at once, or right behind a cast: ``….long().fill_(anything)``."""
    after = _next(made, facts)
    if after is not None and _is_cast(_method(after)) and not after.args:
        made, after = after, _next(after, facts)
    return is_filled(made, facts) or (after is not None and _method(after) == "fill_")


def converted_by(chain: Chain, facts: Facts, filled: bool = False) -> str | None:
    """``"long"`` and ``"type_as"``: the method that gives what a chain makes another type.

    Args:
        chain: the calls of a constructor.
        facts: the facts of the module.
        filled: whether to ask what it becomes once something unknown fills it.
    """
    after = _next(chain.calls[-1], facts)
    if filled:
        is_fill = after is not None and _method(after) == "fill_"
        after = _next(after, facts) if after is not None and is_fill else None
    if after is None or not torch_effects.is_cast(_method(after)):
        return None
    return _method(after) if len(after.args) == (_method(after) == "type_as") else None


def with_cast(chain: Chain, facts: Facts) -> Chain:
    """The same with the cast that stands behind it."""
    after = _next(chain.calls[-1], facts)
    assert after is not None
    return Chain((*chain.calls, after), chain.given, _method(after), chain.fill, chain.said)


def _next(call: ast.Call, facts: Facts) -> ast.Call | None:
    """The method that is called on the result of ``call``."""
    attribute = facts.parent(call)
    if not (isinstance(attribute, ast.Attribute) and attribute.value is call):
        return None
    outer = facts.parent(attribute)
    is_call = isinstance(outer, ast.Call) and outer.func is attribute
    if not isinstance(outer, ast.Call) or not is_call:
        return None
    return None if outer.keywords or is_opaque(outer) else outer


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _shape_of_resize(call: ast.Call, facts: Facts) -> Given | None:
    if _method(call) == "resize_as_":
        return "like" if len(call.args) == 1 else None
    given = given_to(call, facts) if _method(call) == "resize_" else None
    # There are no values here: a list holds the sizes.
    given = "shape" if given == "list" else given
    return given if given in ("sizes", "shape") else None


def _fill_of(call: ast.Call, facts: Facts) -> Fill | None:
    """What a tensor is filled with by ``….zero_()``, ``….fill_(v)``, ``….normal_()`` and so on."""
    method, given = _method(call), [constant(node) for node in call.args]
    if method == "zero_" and not given:
        return "zeros"
    if method == "fill_" and len(given) == 1:
        if type(given[0]) in (int, float) and given[0] in (0, 1):
            return "ones" if given[0] else "zeros"
        return "full" if _is_number(call.args[0], facts) else None
    if method in ("normal_", "uniform_") and given in ([], [0], [0, 1]):
        return "randn" if method == "normal_" else "rand"
    if method == "random_" and len(given) in (1, 2):
        return "randint" if all(is_size(node, facts) for node in call.args) else None
    return None


def _is_number(filling: ast.expr, facts: Facts) -> bool:
    """Whether what fills a tensor is a number, or a tensor that is part of no graph.

    Until torch 0.3 ``fill_`` took no other; today's ``full`` takes no tensor of a graph.
    """
    value = facts.value(filling)
    return isinstance(value, Number) or (
        isinstance(value, Unknown) and facts.era_of(filling).before((0, 4))
    )


def given_to(call: ast.Call, facts: Facts, may_be_sparse: bool = False) -> Given | None:
    """What a legacy constructor is given; None where it is not certain.

    A tuple or list holds values, a ``torch.Size`` is a shape, and numbers are sizes.
    """
    if call.keywords:
        return None
    if not call.args:
        return "nothing"
    if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred):
        return _given_alone(call.args[0], facts)
    plain = [given for given in call.args if not isinstance(given, ast.Starred)]
    # One number of several that numpy computed, as np.max(lengths), is a size as well.
    may_be_number = (Array,) if not may_be_sparse else ()
    known = [given for given in plain if not isinstance(facts.value(given), may_be_number)]
    if any(_is_no_size(given, facts) for given in known):
        return None
    if len(plain) > (_MOST_OF_SPARSE if may_be_sparse else 1):
        return "sizes"
    unpacked = (given.value for given in call.args if isinstance(given, ast.Starred))
    if any(is_size(given, facts) for given in plain) or unpacks_sizes(call, facts):
        return "sizes"
    # What has dimensions has more than one with the size beside them.
    is_longer = plain and any(isinstance(facts.value(size), Size) for size in unpacked)
    return "sizes" if is_longer else None


def _given_alone(node: ast.expr, facts: Facts) -> Given | None:
    is_built = isinstance(node, ast.Call) and facts.name(node.func) == "torch.Size"
    if is_built or isinstance(facts.value(node), Size) or _is_size_of_maker(node, facts):
        return "shape"
    if is_list(node, facts):
        return "list"
    if is_array_of_values(node, facts):
        return "array"
    return "sizes" if is_size(node, facts) or _is_size_beside(node, facts) else None


def _is_size_of_maker(node: ast.expr, facts: Facts) -> bool:
    """Whether it is ``x.size()`` in ``x.data.new(x.size())``.

    What has a ``new`` that makes tensors is one, whose size is a shape.
    """
    call = facts.parent(node)
    if (
        not isinstance(node, ast.Call)
        or node.args
        or node.keywords
        or not isinstance(call, ast.Call)
    ):
        return False
    size, new = node.func, call.func
    if not isinstance(size, ast.Attribute) or not isinstance(new, ast.Attribute):
        return False
    if (size.attr, new.attr) != ("size", "new") or not isinstance(size.value, ast.Name):
        return False
    return ast.unparse(new.value) in (size.value.id, f"{size.value.id}.data")


def _is_size_beside(node: ast.expr, facts: Facts) -> bool:
    """Whether a number of numpy is one size of several beside it: ``torch.LongTensor(2, n * 2)``.

    An array of values there would raise.
    """
    if not isinstance(facts.value(node), Array):
        return False
    text, bound = ast.dump(node), _bindings_in(node, facts)
    return any(
        isinstance(call, ast.Call)
        and facts.name(call.func) in DTYPES
        and len(call.args) > 1
        and any(ast.dump(a) == text and _bindings_in(a, facts) == bound for a in call.args)
        for statement in facts.block(facts.statement(node))
        if isinstance(statement, (ast.Assign, ast.Expr))
        for call in walk(statement)
    )


def _bindings_in(node: ast.expr, facts: Facts) -> list[set[Binding]]:
    return [{*facts.flow.reaching(part)} for part in walk(node) if isinstance(part, ast.Name)]


def _is_no_size(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    if isinstance(value, Tensor):
        return value.ndim != 0
    return isinstance(value, (Array, NoneValue, Sequence, Size, Text))


def is_list(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a list, tuple or range, and no Size.

    Of one that holds tensors of one element each, ``torch.tensor`` makes what the constructors do;
    of longer ones, neither makes anything. What a parameter holds does not count: a caller may give
    a tuple or a ``torch.Size``.
    """
    return come_from([Place(facts, node)], _before_list)


def _before_list(place: Place) -> Iterable[Place] | None:
    """None for what may be no list; else the lists that one is made of."""
    facts, node = place.facts, place.node
    if place.content:
        return sources(place)
    if isinstance(node, ast.BinOp) and _repeats_right(node, facts):
        return [Place(facts, node.right)]
    value = facts.value(node)
    # What numbers or arrays are added to may be an array.
    may_be_list = isinstance(value, Unknown) and not isinstance(node, ast.BinOp)
    if not (may_be_list or isinstance(value, Sequence)) or _holds_no_numbers(value):
        return None
    if isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        return ()
    if isinstance(node, ast.BinOp):
        sides = [node.left, node.right] if isinstance(node.op, ast.Add) else [node.left]
        return [Place(facts, side) for side in sides]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return [Place(facts, node.value)]
    builtin = facts.names.builtin(node.func) if isinstance(node, ast.Call) else None
    is_built = builtin in ("list", "tuple", "sorted", "range")
    return () if is_built else sources_in_project(place) or returned_by_method(place)


def _repeats_right(node: ast.BinOp, facts: Facts) -> bool:
    """``n * [0]``."""
    is_product = isinstance(node.op, ast.Mult) and isinstance(node.right, (ast.List, ast.Tuple))
    return is_product and is_size(node.left, facts)


def _holds_no_numbers(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(map(_holds_no_numbers, (value.element, *(value.items or ()))))
    is_longer = isinstance(value, Tensor) and bool(value.ndim) and not value.single
    return is_longer or isinstance(value, Text)


def dtype_of_cast(method: str) -> str:
    """``torch.long`` of ``x.long()``."""
    short = {"byte": "uint8", "char": "int8"}
    return f"torch.{short.get(method, method)}"


def _is_cast(method: str) -> bool:
    """Whether a method is called as a dtype is: ``x.long()``."""
    return torch_effects.is_cast(method) and method != "type_as"
