"""The table of what torch's callables return, and the little language it is written in.

``torch_table.json`` is written by ``python -m benchmarks.torch_table`` from an installed torch. It
has one line per callable; a line lists the forms in which it can be called, separated by ``|``::

    "torch.max": "input:T > 0 input c s | input:T,dim:i,keepdim:b=0 > (input-dim input c, …)"

Left of ``>`` stand the parameters: a name, a kind (a letter, see ``Parameter``), ``=`` and the
default where it has one, and after ``~`` what the parameter changes when it is given: the number of
dimensions (n), the dtype (d), the layout (l), the kind of result (k). ``;`` starts the keyword-only
ones.

Right of it stands the result: a tensor, several in ``( )``, a list of them in ``[ ]``, or a word
(``int``, ``bool``, ``none``, ``module``, …). A tensor is its number of dimensions, its dtype, its
layout and flags:

- dimensions: a number; ``input`` (as the parameter), ``input+1``, ``input-dim`` (less those that
  are reduced), ``#size`` (as many as sizes are given), ``^`` (broadcast), ``@`` (matrix product).
- dtype: a name; ``input`` (as the parameter), ``float(input)`` (floating in any case),
  ``sum(input)`` (int64 for integers), ``^`` (promoted), ``default`` (the default dtype).
- layout: ``c`` contiguous always, ``1`` where all tensors given have one dimension, ``m`` unless a
  tensor given is ``channels_last``, ``w`` unless the dimensions of one were moved about, ``=``
  where all tensors given are, ``?`` not known.
- flags: ``n`` never has a history, ``gx+y`` has that of the parameters x and y only, ``s`` one
  element where all tensors given have one, ``v`` may share the memory of an argument, ``i`` is an
  argument itself, ``u4`` takes batches of 4 dimensions, and since 1.11 also 3 without the batch.
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import rows, table
from torchfix_codemods.record import record


@record
class Parameter:
    """One parameter of a form."""

    name: str
    kind: str
    """T a tensor, L a list of them, W the same as ``*args``; n a number, i an int, b a bool,
    t True, f False, I an int or several, Z several ints, V the same as ``*args``; d a dtype,
    s a text, o anything else."""
    default: str | None
    """The text of its default; None where it must be given."""
    keyword_only: bool
    changes: str
    """What is not known of the result when it is given: some of the letters ``ndlk``."""


@record
class Result:
    """One tensor that a form returns."""

    ndim: str
    dtype: str
    layout: str
    flags: str
    batched: int | None
    history: tuple[str, ...] | None
    """The parameters whose history the result has, where those are not all."""


@record
class Form:
    """One way to call something, and what it then returns."""

    parameters: tuple[Parameter, ...]
    word: str
    """``tensor``, ``tuple``, ``list``, or what else is returned."""
    results: tuple[Result, ...]


@functools.cache
def lines() -> dict[str, str]:
    """The lines of the table by qualified name."""
    return table("torch_table.json")


def is_method(name: str) -> bool:
    """Whether tensors have a method of that name."""
    return f"torch.Tensor.{name}" in lines()


@functools.cache
def called_with_nothing(owner: str) -> frozenset[str]:
    """The methods of ``torch.Tensor`` or of ``torch.nn.Module`` that need no argument.

    >>> sorted({"item", "max", "mm"} & called_with_nothing("torch.Tensor"))
    ['item', 'max']
    """
    return frozenset(
        name.removeprefix(f"{owner}.")
        for name in (*lines(), *_old_lines())
        if name.startswith(f"{owner}.")
        for form in forms_of(name) or forms_of_old(name)
        if all(p.default is not None for p in form.parameters if p.name != "input")
    )


def gives_its_module(method: str) -> bool:
    """Whether a method of all modules gives the module itself: ``net.eval()``."""
    return f"torch.nn.Module.{method}" in lines()


@functools.cache
def takes_whole_numbers(name: str, place: int, several: bool = False) -> bool:
    """Whether an argument of a function or method can be a whole number, but no other one.

    Args:
        name: the qualified name.
        place: where the argument stands; that of the tensor is 0.
        several: whether the number is one of a list.
    """
    found: dict[str, set[str]] = {}
    for form in forms_of(name):
        takes = [parameter for parameter in form.parameters if not parameter.keyword_only]
        last = len(takes) - 1
        if place <= last or (takes and takes[last].kind == "V"):
            parameter = takes[min(place, last)]
            found.setdefault(parameter.name, set()).add(parameter.kind)
    whole = {"I", "Z", "V"} if several else {"i", "I", "Z", "V"}
    # What counts can be a tensor as well: that of whole numbers, too.
    others = [kinds for kinds in found.values() if not kinds & whole]
    return any(found.values()) and len(others) < len(found) and all(k <= {"d"} for k in others)


@functools.cache
def keeps_ndim(method: str) -> bool:
    """Whether what a method gives has as many dimensions as its tensor: ``x.t()``."""
    results = [result for f in forms_of(f"torch.Tensor.{method}") for result in f.results]
    return bool(results) and all(result.ndim == "input" for result in results)


@functools.cache
def gives_dimensions(method: str) -> bool:
    """Whether a method gives at least one dimension, to whatever: ``x.view(-1)``."""
    ranks = [
        result.ndim
        for form in forms_of(f"torch.Tensor.{method}")
        for result in form.results
        # Seen as another dtype, a tensor keeps its dimensions.
        if "d" not in [parameter.kind for parameter in form.parameters]
    ]
    return bool(ranks) and all(rank in ("1", "input+1") or rank[0] == "#" for rank in ranks)


@functools.cache
def place_of(name: str, parameter: str) -> int | None:
    """Where a parameter stands in all forms that have it; None where it does not, or by name only.

    >>> place_of("torch.Tensor.masked_fill", "mask"), place_of("torch.sort", "dim")
    (1, 1)
    """
    places = {
        place
        for form in forms_of(name)
        for place, taken in enumerate(form.parameters)
        if taken.name == parameter and not taken.keyword_only
    }
    return places.pop() if len(places) == 1 else None


@functools.cache
def methods_taking(parameter: str) -> frozenset[str]:
    """The methods of tensors that have a parameter of that name."""
    owner = "torch.Tensor."
    return frozenset(
        name.removeprefix(owner)
        for name in lines()
        if name.startswith(owner) and place_of(name, parameter) is not None
    )


@functools.cache
def is_always_contiguous(name: str) -> bool:
    """Whether all that a method, or a function of this bare name, gives lies one after another."""
    owners = ("torch.Tensor.", "torch.", "torch.nn.functional.")
    forms = next((found for owner in owners if (found := forms_of(owner + name))), ())
    results = [result for form in forms for result in form.results]
    return bool(results) and all(result.layout == "c" for result in results)


@functools.cache
def gives_own_dtype(method: str) -> bool:
    """Whether a method gives a mask, or places, of whichever dtype its tensor is.

    >>> gives_own_dtype("nonzero"), gives_own_dtype("cumsum")
    (True, False)
    """
    results = [result for form in forms_of(f"torch.Tensor.{method}") for result in form.results]
    return bool(results) and all(result.dtype in ("int64", "bool") for result in results)


@functools.cache
def gives_one_number(method: str) -> bool:
    """Whether a method without arguments gives one number of all: ``x.sum()``, ``x.max()``."""
    return any(
        form.word == "tensor"
        and form.results[0].ndim == "0"
        and all(parameter.default is not None for parameter in form.parameters[1:])
        for form in forms_of(f"torch.Tensor.{method}")
    )


@functools.cache
def forms_of(name: str) -> tuple[Form, ...]:
    """The forms of a callable of torch (``torch.max``, ``torch.Tensor.max``); none if unknown.

    >>> [form.word for form in forms_of("torch.topk")]
    ['tuple']
    """
    line = lines().get(name)
    if line is None:
        return ()
    if line.startswith("= "):
        return forms_of(line[2:])
    return parse(line)


@functools.cache
def forms_of_old(name: str) -> tuple[Form, ...]:
    """The forms of what the generated table leaves out; none if unknown.

    They stand in ``torch_old.csv``: what is gone, what needs a device or a process, and calls that
    torch has forgotten.
    """
    line = _old_lines().get(name, "")
    if line.startswith("= "):
        return forms_of_old(line[2:])
    return parse(line) if line else ()


@functools.cache
def _old_lines() -> dict[str, str]:
    return dict(rows("torch_old.csv"))


def parse(line: str) -> tuple[Form, ...]:
    """The forms that a line lists."""
    return tuple(_form(text) for text in line.split(" | "))


def _form(text: str) -> Form:
    left, _, right = text.partition("> ")
    positional, _, keywords = left.strip().partition(";")
    parameters = [
        _parameter(part, keyword_only)
        for group, keyword_only in ((positional, False), (keywords, True))
        for part in group.split(",")
        if part
    ]
    if right[0] in "([":
        results = tuple(_result(part) for part in right[1:-1].split(", "))
        return Form(tuple(parameters), "tuple" if right[0] == "(" else "list", results)
    if " " not in right:
        return Form(tuple(parameters), right, ())
    return Form(tuple(parameters), "tensor", (_result(right),))


def _parameter(text: str, keyword_only: bool) -> Parameter:
    text, _, changes = text.partition("~")
    text, has_default, default = text.partition("=")
    name, _, kind = text.partition(":")
    return Parameter(
        name,
        kind,
        default if has_default else None,
        keyword_only,
        changes,
    )


def _result(text: str) -> Result:
    ndim, dtype, layout, *flags = text.split(" ")
    batched = next((int(flag[1:]) for flag in flags if flag[0] == "u"), None)
    history = next((tuple(flag[1:].split("+")) for flag in flags if flag[0] == "g"), None)
    return Result(
        ndim, dtype, layout, "".join(flag for flag in flags if flag in "nsvi"), batched, history
    )
