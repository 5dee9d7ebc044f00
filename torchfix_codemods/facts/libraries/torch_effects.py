"""What torch's operations do with what they are given; what they return stands in ``torch_table``.

``torch_effects.csv`` is written by ``python -m benchmarks.torch_effects`` from an installed torch,
``torch_gone.csv`` by hand: what today's torch has no more, or what needs a device. A line is a
callable, an attribute of a tensor, or a layer of ``torch.nn``; or one of several ways to call it,
and then ``takes`` lists the parameters that tell them apart, with the kinds of ``torch_table``. The
other columns list words, or parameters, of which a tensor's own method calls the first ``input``:

- ``does``: ``elementwise`` (each number of the result comes from the numbers at its place),
  ``keeps`` (the very numbers at the very places), ``casts`` (in another dtype) and ``cuts`` (to
  whole numbers or truths), ``moves`` (to another device), ``reshapes`` (all of them at other
  places, whatever they are), ``repeats`` (some of them several times), ``selects`` (some of them),
  ``chooses`` (by what they are), ``reduces`` (a dimension or all of them to one number),
  ``compares`` (gives a mask), ``samples`` (draws), ``makes`` (whatever the numbers are), ``mixes``
  (computes in any other way); with one of these ``fits`` (as many numbers in each dimension as
  the only tensor has, where that is not ``elementwise``); ``resizes`` (the tensor itself);
  ``tells`` (of the tensor, and not of its numbers) and ``leaves`` (torch, with the numbers);
  ``autograd`` (asks or changes what that does).
- ``shares``: whose memory the result is: ``input`` a view of it, ``=input`` the very tensor; with
  ``?`` in some calls, ``?inplace`` with that option. What is not listed has nothing to do with the
  memory of the result.
- ``writes``: what is written into; ``input?inplace`` only with that option, ``out`` where it is
  given, ``buffers`` those of a layer.
- ``records``: from what a graph leads to the results; ``input>0`` to the first result only.
- ``saves``: what backward reads, so that writing into it before makes backward fail: parameters and
  ``result``, or ``result1`` of several.

Asked by name: ``torch.max``, ``torch.Tensor.max``; ``max`` alone is the method.
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import rows
from torchfix_codemods.record import record


@record
class Effects:
    """What one way to call an operation does."""

    takes: str
    """The parameters that tell it from the other ways; nothing where there is one."""
    does: frozenset[str]
    shares: frozenset[str]
    writes: frozenset[str]
    records: frozenset[str]
    saves: frozenset[str]


@functools.cache
def lines() -> dict[str, list[str]]:
    """The lines of the table by qualified name, each without that name."""
    found: dict[str, list[str]] = {}
    for name, line in (*rows("torch_effects.csv"), *rows("torch_gone.csv")):
        found.setdefault(name, []).append(line)
    return found


@functools.cache
def effects_of(name: str) -> tuple[Effects, ...]:
    """What an operation does, by each way to call it; nothing for unknown names.

    >>> [sorted(effects.does) for effects in effects_of("torch.relu")]
    [['elementwise']]
    """
    if "." not in name:
        name = f"torch.Tensor.{name}"
    found = lines().get(name, [])
    if found and found[0].startswith("= "):
        is_method = name.startswith("torch.Tensor.")
        return tuple(_read(line, is_method) for line in lines()[found[0][2:]])
    return tuple(_read(line, is_method=False) for line in found)


def of_any(name: str) -> str:
    """The qualified name of a method, or else of a function, of torch by its bare name.

    >>> of_any("max"), of_any("cat"), of_any("linear")
    ('torch.Tensor.max', 'torch.cat', 'torch.nn.functional.linear')
    """
    owners = ("torch.Tensor.", "torch.", "torch.nn.functional.")
    return next((owner + name for owner in owners if owner + name in lines()), name)


def _read(line: str, is_method: bool) -> Effects:
    takes, does, shares, writes, records, saves = line.split(",")
    written = frozenset(writes.split())
    return Effects(
        takes,
        frozenset(does.split()),
        frozenset(shares.split()),
        # A method takes no ``out=``.
        written - {"out"} if is_method else written,
        frozenset(records.split()),
        frozenset(saves.split()),
    )


def _usual(name: str) -> list[Effects]:
    """What an operation does, but for ``x.view(dtype)``, which no legacy code has."""
    return [effects for effects in effects_of(name) if not effects.takes.endswith(":d")]


@functools.cache
def is_known(name: str) -> bool:
    """Whether anything is known of an operation."""
    return bool(effects_of(name))


@functools.cache
def does(name: str, *words: str) -> bool:
    """Whether an operation does one of these, in whatever way it is called."""
    found = _usual(name)
    return bool(found) and all(not effects.does.isdisjoint(words) for effects in found)


@functools.cache
def may_do(name: str, *words: str) -> bool:
    """Whether an operation does one of these where it is called in some way."""
    return any(not effects.does.isdisjoint(words) for effects in _usual(name))


@functools.cache
def is_elementwise(name: str) -> bool:
    """Whether each number of the result comes from the numbers at its place."""
    return does(name, "elementwise")


@functools.cache
def keeps_sizes(method: str) -> bool:
    """Whether what a method gives has the sizes of its tensor, where it is given no other one."""
    changes_autograd = does(method, "autograd") and hands_back(method)
    is_told = is_elementwise(method) or does(method, "fits") or moves_or_casts(method)
    return is_told or updates(method) or changes_autograd


@functools.cache
def keeps_numbers(name: str) -> bool:
    """Whether the result has the same numbers, in this or another shape, dtype or place."""
    return (
        does(name, "keeps", "reshapes", "repeats", "casts", "moves")
        and not does(name, "cuts")
        and _is_of_one(name)
    )


@functools.cache
def rearranges(name: str) -> bool:
    """Whether the result has the same numbers, all of them, of the same dtype: ``x.view(-1)``."""
    return does(name, "keeps", "reshapes", "repeats") and _is_of_one(name)


@functools.cache
def hands_on(name: str) -> bool:
    """Whether the numbers of the result are some of the tensor's, whatever they are."""
    return does(name, "keeps", "reshapes", "repeats", "selects") and _is_of_one(name)


def _is_of_one(name: str) -> bool:
    """Whether no other tensor's numbers come into the result."""
    return all(effects.records <= {"input"} for effects in _usual(name))


@functools.cache
def moves_or_casts(name: str) -> bool:
    """Whether an operation gives the tensor on another device, or in another dtype."""
    return does(name, "moves", "casts")


@functools.cache
def calculates(name: str) -> bool:
    """Whether numbers are calculated with, element by element: ``x.exp()``, ``x.mul(2)``."""
    return is_elementwise(name) and not may_do(name, "keeps", "casts", "moves", "makes")


@functools.cache
def hands_on_graph(name: str) -> bool:
    """Whether a method gives the numbers, or one number of all, with their graph."""
    return is_recorded(name) and does(
        name, "keeps", "reshapes", "repeats", "casts", "moves", "reduces"
    )


@functools.cache
def compares(name: str) -> bool:
    """Whether an operation asks something of each number, and gives a mask: ``x.eq(0)``."""
    return does(name, "compares")


@functools.cache
def is_cast(name: str) -> bool:
    """Whether a method converts to a dtype, and to no device: ``x.long()``, ``x.type_as(y)``."""
    return does(name, "casts") and not may_do(name, "moves")


@functools.cache
def leaves_torch(name: str) -> bool:
    """Whether an operation gives the numbers to Python or numpy: ``item``, ``tolist``."""
    return does(name, "leaves")


@functools.cache
def tells(name: str) -> bool:
    """Whether an operation tells of a tensor what does not depend on its numbers: ``size``."""
    return does(name, "tells") and not may_share(name)


@functools.cache
def may_come_before(method: str) -> bool:
    """Whether a method may be called on a value without a graph before it is read.

    It gives the numbers themselves, as in ``y.cpu().numpy()``, or places, which have no graph.
    """
    if not reads_only(method):
        return False
    gives_them = does(method, "keeps", "reshapes", "repeats", "casts", "moves")
    return gives_them or (does(method, "reduces") and has_no_graph(method))


@functools.cache
def gives_no_memory(attribute: str) -> bool:
    """Whether an attribute gives nothing on the memory of its tensor: ``shape``, ``is_leaf``."""
    return does(attribute, "tells", "autograd") and not may_share(attribute)


@functools.cache
def may_share(name: str, *options: str) -> bool:
    """Whether a result may be memory of what was given, or what was given itself.

    Args:
        name: the operation. Where nothing is known of it, it may.
        options: those that it is given and that may matter, such as ``inplace``.
    """
    found = _usual(name)
    return not found or any(_holds(t, options) for effects in found for t in effects.shares)


@functools.cache
def makes_alike(method: str) -> bool:
    """Whether a method makes another tensor of the type of its own, whatever that holds."""
    return method.startswith("new") and does(method, "makes")


@functools.cache
def is_fresh(name: str, *options: str) -> bool:
    """Whether all results are tensors in memory of their own."""
    gives_none = may_do(name, "leaves", "tells", "autograd")
    return is_known(name) and not gives_none and not may_share(name, *options)


@functools.cache
def gives_alias(name: str) -> bool:
    """Whether an operation writes nothing, and its result may be a tensor on the same memory."""
    return (
        is_known(name)
        and may_share(name)
        and reads_only(name)
        and not may_do(name, "leaves", "tells", "autograd")
    )


@functools.cache
def may_be_itself(name: str) -> bool:
    """Whether a result may be the very tensor that was given where that needs no change."""
    return any("=input?" in effects.shares for effects in _usual(name))


@functools.cache
def hands_back(name: str) -> bool:
    """Whether a result may be the very tensor that was given, or always is: ``x.add_(1)``."""
    return any(t.startswith("=input") for effects in _usual(name) for t in effects.shares)


@functools.cache
def writes(name: str) -> frozenset[str]:
    """The parameters that an operation writes into whatever its options are, besides ``out``."""
    return frozenset(
        written
        for effects in _usual(name)
        for written in effects.writes
        if "?" not in written and written != "out"
    )


@functools.cache
def reshapes_in_place(method: str) -> bool:
    """Whether a method gives the tensor itself another size or order: ``x.t_()``."""
    return does(method, "reshapes", "resizes") and "input" in writes(method)


@functools.cache
def updates(method: str) -> bool:
    """Whether a method writes numbers into its tensor, and changes nothing else of it."""
    if method in ("apply_", "map_"):
        # They refuse what requires gradients, under ``no_grad`` as well.
        return False
    return writes(method) == {"input"} and not may_do(
        method, "reshapes", "resizes", "moves", "autograd"
    )


@functools.cache
def writes_only_numbers(method: str) -> bool:
    """Whether no graph comes into its tensor by a method, but that of the tensor itself."""
    found = _usual(method)
    return bool(found) and all(
        effects.records <= {"input"} and effects.shares <= {"=input"} for effects in found
    )


@functools.cache
def changes_object(method: str) -> bool:
    """Whether a method in place leaves alone what its tensor holds: ``x.t_()``."""
    is_itself = all("=input" in effects.shares for effects in _usual(method))
    return does(method, "reshapes", "autograd", "moves") and is_itself


@functools.cache
def reads_only(name: str, *options: str) -> bool:
    """Whether an operation writes into nothing that it is given.

    Args:
        name: the operation.
        options: those that it is given and that may matter, such as ``inplace`` and ``out``.
    """
    return is_known(name) and not any(
        written in options if written == "out" else _holds(written, options)
        for effects in _usual(name)
        for written in effects.writes
    )


def _holds(token: str, options: tuple[str, ...]) -> bool:
    """Whether ``input``, ``input?`` or ``input?inplace`` counts for a call with these options."""
    _, condition, option = token.partition("?")
    return not condition or not option or any(o in options for o in option.split("+"))


@functools.cache
def is_recorded(name: str) -> bool:
    """Whether a graph leads from the first tensor to a result, in whatever way it is called."""
    found = _usual(name)
    return bool(found) and all(effects.records for effects in found)


@functools.cache
def count_recorded(name: str) -> int:
    """From how many of its first parameters a graph leads to all results, as far as is known.

    >>> [count_recorded(name) for name in ("mul", "exp", "long", "topk")]
    [2, 1, 0, 0]
    """
    if not is_recorded(name):
        return 0
    recorded = [effects.records for effects in _usual(name)]
    if any(">" in parameter for found in recorded for parameter in found):
        return 0
    return max(map(len, recorded))


def only_reads_arguments(method: str) -> bool:
    """Whether the graph of a result is that of the tensor alone: ``expand_as``, not ``add``."""
    found = _usual(method)
    return bool(found) and all(e.records == {"input"} and not e.writes for e in found)


@functools.cache
def cuts_graph(name: str) -> bool:
    """Whether an attribute or a method gives nothing of the graph on: ``data``, ``item``, ``size``.

    What computes numbers without a graph, as ``argmax`` and ``long`` do, is not meant.
    """
    return leaves_torch(name) or tells(name) or (is_known(name) and _keeps_without_graph(name))


def _keeps_without_graph(name: str) -> bool:
    return does(name, "keeps") and has_no_graph(name)


@functools.cache
def has_no_graph(name: str) -> bool:
    """Whether no graph leads to any result: integers, masks, what was detached."""
    found = _usual(name)
    return bool(found) and not any(effects.records for effects in found)


@functools.cache
def gives_indices(name: str) -> bool:
    """Whether one way to call it gives values and indices: ``torch.max(x, 1)``."""
    return any(
        "input>0" in effects.records and "chooses" in effects.does for effects in _usual(name)
    )


@functools.cache
def saves(name: str) -> frozenset[str]:
    """What backward reads after an operation, in any way of calling it."""
    return frozenset(saved for effects in _usual(name) for saved in effects.saves)
