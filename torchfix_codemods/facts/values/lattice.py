"""The abstract values: what an expression is known to be. Unknown is an answer, not a failure."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Literal

from torchfix_codemods.record import record

NumberKind = Literal["int", "float", "bool"]


@record
class Value:
    """Base of all abstract values."""


@record
class Unknown(Value):
    """Anything at all."""


@record
class Collated(Unknown):
    """What a ``collate_fn`` of the user's makes, or a part of it: anything that has no graph."""


class Nothing(Value):
    """No value has been seen yet: the identity of :func:`join`."""


@record
class Tensor(Value):
    """A ``torch.Tensor``. Every field says what is certain; None or False is "not known"."""

    ndim: int | None = None
    dtype: str | None = None
    """``"float32"``, ``"int64"``, ``"bool"``, … when certain; ``"float"``: the default dtype."""
    contiguous: bool = False
    single: bool = False
    """It certainly holds exactly one element (0-dim, or all dimensions 1)."""
    grad: bool | None = None
    """False: certainly not part of an autograd graph and not requiring grad."""
    leaf_module: str | None = None
    """For parameters: ``"torch.nn.Parameter"``."""
    permuted: bool = False
    """Its dimensions were moved about, so that it may be ``channels_last``."""
    strided: bool = False
    """Something that the code shows may have laid it out as ``view()`` does not take it."""
    moved: bool = False
    """That it was, and not for parts being cut out or expanded alone: what is calculated of it in
    new memory, number by number, may be laid out so, too."""
    repeated: bool = False
    """It was repeated to the sizes that it is calculated with, so that none of its dimensions is
    spread over those of another tensor of as many."""


#: Types whose tensors are part of no graph, whatever they were calculated from.
WITHOUT_HISTORY = frozenset("int64 int32 int16 int8 uint8 bool".split())

SCALAR = Tensor(ndim=0, contiguous=True, single=True)


class Origin(Value):
    """What something is among the names of another file of the project, where that is known."""


@record
class Module(Value):
    """An instance of ``nn.Module``: of a class of torch by name, or of this file's by node."""

    cls: str | None = None
    definition: ast.ClassDef | None = None
    call: ast.Call | None = None
    """The call that built it, when there is just one."""
    origin: Origin | None = None
    """What it is in the file that defines its class or builds it, where that is another file."""
    either: frozenset[Module] = frozenset()
    """The modules that it may be, where it is one of several."""
    is_reduced: bool = False
    """A loss that another file builds so that it gives one number."""


@record
class Instance(Value):
    """An instance of a class of this file that is no ``nn.Module``."""

    definition: ast.ClassDef


@record
class Foreign(Value):
    """Certainly neither torch's nor this file's: a file, a numpy generator, another library's."""

    name: str | None = None


class Array(Value):
    """A numpy array."""


@record
class Number(Value):
    """A Python number."""

    kind: NumberKind | None = None


class Text(Value):
    """A Python ``str`` or ``bytes``."""


class NoneValue(Value):
    """``None``."""


@record
class Maybe(Value):
    """``None`` or another value; where it is used as an object, it is that one."""

    value: Value


class Size(Value):
    """A ``torch.Size``."""


class Device(Value):
    """A ``torch.device``."""


@record
class Optimizer(Value):
    """A ``torch.optim.Optimizer``."""

    name: str | None = None


@record
class Scheduler(Value):
    """A learning-rate scheduler."""

    name: str | None = None


@record
class Distribution(Value):
    """A ``torch.distributions.Distribution``."""

    ndim: int | None = None
    """How many dimensions one sample has, where that is known."""


@record
class Loader(Value):
    """A ``DataLoader``; ``stacks`` when its batches come from torch's own collate function."""

    stacks: bool = False
    has_own: bool = False
    """Whether a function of the user's collates: its batches may hold anything."""


@record
class LoaderIterator(Value):
    """What ``iter(loader)`` returns."""

    stacks: bool = False
    has_own: bool = False


@record
class Batch(Value):
    """What a ``DataLoader`` yields: tensors without history, alone or in lists and dicts."""

    stacks: bool = False
    """The tensors are fresh stacks of samples, so contiguous."""


@record
class Sequence(Value):
    """A list or tuple; ``items`` when its length and elements are known one by one."""

    element: Value = Unknown()
    items: tuple[Value, ...] | None = None


@record
class Mapping(Value):
    """A dict with values of one kind; ``items`` when it was written with literal keys."""

    element: Value = Unknown()
    items: tuple[tuple[str, Value], ...] = ()


class StateDict(Value):
    """What ``module.state_dict()`` returns."""


class Packed(Value):
    """A ``PackedSequence``."""


@record
class Function(Value):
    """A function or lambda of this file."""

    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@record
class Operation(Value):
    """A function of torch as a value: ``criterion = F.cross_entropy``."""

    name: str


@record
class TensorType(Value):
    """A class of tensors of old as a value, on whatever device: ``dtype = torch.FloatTensor``."""

    name: str | None = None
    """``"FloatTensor"``; None where it is one of several."""


@record
class ClassObject(Value):
    """A class of this file itself."""

    definition: ast.ClassDef


@record
class Method(Value):
    """A method of a known object, not yet called."""

    receiver: Value
    name: str


UNKNOWN = Unknown()
NOTHING = Nothing()


def join(left: Value, right: Value) -> Value:
    """What is certain of a value that is either ``left`` or ``right``."""
    # Most are the very same object: to compare two of them field by field is slow.
    if left is right or isinstance(right, Nothing):
        return left
    if isinstance(left, Nothing):
        return right
    if left == right:
        return left
    if isinstance(left, (NoneValue, Maybe)) or isinstance(right, (NoneValue, Maybe)):
        return maybe(join(without_none(left), without_none(right)))
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return join_tensors(left, right)
    if isinstance(left, Module) and isinstance(right, Module):
        return Module(
            left.cls if left.cls == right.cls else None,
            left.definition if left.definition is right.definition else None,
            origin=left.origin if left.origin == right.origin else None,
            either=_either(left, right),
        )
    if isinstance(left, Number) and isinstance(right, Number):
        return Number()
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return TensorType()
    if isinstance(left, Optimizer) and isinstance(right, Optimizer):
        return Optimizer()
    if isinstance(left, Scheduler) and isinstance(right, Scheduler):
        return Scheduler()
    if isinstance(left, Loader) and isinstance(right, Loader):
        return Loader(has_own=left.has_own or right.has_own)
    if isinstance(left, Batch) and isinstance(right, Batch):
        return Batch()
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return _join_sequences(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        other = dict(right.items)
        items = tuple((key, join(v, other[key])) for key, v in left.items if key in other)
        return Mapping(join(left.element, right.element), items)
    return UNKNOWN


def _either(left: Module, right: Module) -> frozenset[Module]:
    """All modules that a value may be which is either of two."""
    return (left.either or frozenset({left})) | (right.either or frozenset({right}))


def maybe(value: Value) -> Value:
    """``value`` or None."""
    if isinstance(value, (NoneValue, Maybe)):
        return value
    return NoneValue() if isinstance(value, Nothing) else Maybe(value)


def without_none(value: Value) -> Value:
    """What ``value`` is where it is not None."""
    if isinstance(value, Maybe):
        return value.value
    return NOTHING if isinstance(value, NoneValue) else value


def may_answer_itself(value: Value) -> bool:
    """Whether ``tensor == value`` may be up to the value: an object of a class that is not torch's.

    torch leaves ``==`` to what it does not know, and ``pytest.approx(0.0)`` makes an array of the
    tensor.
    """
    return isinstance(value, (Foreign, Instance))


def of_any_caller(value: Value) -> Value:
    """What stays certain of a value that code out of sight may replace by another of its kind."""
    if isinstance(value, Tensor):
        return replace(value, ndim=None, dtype=None, single=False, grad=None)
    if isinstance(value, TensorType):
        return TensorType()
    if isinstance(value, Maybe):
        return maybe(of_any_caller(value.value))
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(of_any_caller, value.items))
        return Sequence(of_any_caller(value.element), items)
    if isinstance(value, Mapping):
        items_by_key = tuple((key, of_any_caller(item)) for key, item in value.items)
        return Mapping(of_any_caller(value.element), items_by_key)
    return value


def join_tensors(left: Tensor, right: Tensor) -> Tensor:
    """The join of two tensors: what both agree on."""
    return Tensor(
        ndim=left.ndim if left.ndim == right.ndim else None,
        dtype=left.dtype if left.dtype == right.dtype else None,
        contiguous=left.contiguous and right.contiguous,
        single=left.single and right.single,
        grad=left.grad if left.grad == right.grad else None,
        leaf_module=left.leaf_module if left.leaf_module == right.leaf_module else None,
        permuted=left.permuted or right.permuted,
        strided=left.strided or right.strided,
        moved=left.moved or right.moved,
        repeated=left.repeated and right.repeated,
    )


def _join_sequences(left: Sequence, right: Sequence) -> Sequence:
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        items = tuple(join(a, b) for a, b in zip(left.items, right.items, strict=True))
        return Sequence(join(left.element, right.element), items)
    return Sequence(join(left.element, right.element))


def sequence_of(items: tuple[Value, ...]) -> Sequence:
    """A sequence whose items are known one by one."""
    element: Value = NOTHING
    for item in items:
        element = join(element, item)
    return Sequence(UNKNOWN if isinstance(element, Nothing) else element, items)


def element_of(value: Value) -> Value:
    """What iterating over ``value`` (or indexing it by an unknown integer) gives."""
    if isinstance(value, Maybe):
        return element_of(value.value)
    if isinstance(value, Sequence):
        return value.element
    if isinstance(value, (Loader, LoaderIterator)):
        return Collated() if value.has_own else Batch(value.stacks)
    if isinstance(value, Batch):
        return Tensor(grad=False, contiguous=value.stacks)
    if isinstance(value, Tensor):
        ndim = None if value.ndim is None or value.ndim == 0 else value.ndim - 1
        return replace(value, ndim=ndim, single=ndim == 0, leaf_module=None)
    if isinstance(value, Size):
        return Number("int")
    if isinstance(value, Text):
        return Text()
    return value if isinstance(value, Collated) else UNKNOWN


def item_at(value: Value, index: int) -> Value:
    """What ``value[index]`` gives."""
    if isinstance(value, Maybe):
        return item_at(value.value, index)
    if isinstance(value, Sequence) and value.items is not None:
        if -len(value.items) <= index < len(value.items):
            return value.items[index]
        return UNKNOWN
    return element_of(value)


def ndim_of(value: Value) -> int | None:
    """How many dimensions a tensor has; None where that is not known, or for what is none."""
    return value.ndim if isinstance(value, Tensor) else None
