"""Places that take whole numbers and nothing else: sizes, channels, paddings, indices, bounds."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.libraries.layer_sizes import KEYWORDS, LAYERS
from torchfix_codemods.facts.libraries.sizes_taken import takes_size
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import reads_of_kept
from torchfix_codemods.facts.paths.graph import Place, Use, reads, use_of
from torchfix_codemods.facts.paths.uses import bindings_by
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.integers import gives_on
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Array,
    Module,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
)

_SEVERAL = (ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)


def is_size(facts: Facts, node: ast.expr) -> bool:
    """Whether the value of ``node`` comes to places alone where a float certainly fails.

    Args:
        facts: the facts of the module.
        node: an operation on numbers, or a name for its result.
    """
    return _comes_to_sizes([Place(facts, node)])


def is_augmented_size(facts: Facts, statement: ast.AugAssign) -> bool:
    """Whether what ``n /= 2`` gives comes to such places alone, on the way through a loop too."""
    if not isinstance(statement.target, ast.Name):
        return False
    bindings = bindings_by(facts, statement, statement.target.id)
    starts = _not_compared(place for binding in bindings for place in reads(facts, binding))
    return starts is not None and _comes_to_sizes(starts)


def _comes_to_sizes(starts: list[Place]) -> bool:
    """Whether a value has such places to come to, and no other.

    What a loop halves as long as it is large (``while n > 4: n = n / 2``) has none.
    """
    is_size_anywhere = False

    def may_be_fraction(use: Use) -> Iterable[Place] | None:
        nonlocal is_size_anywhere
        onward = _may_be_fraction(use)
        is_size_anywhere = is_size_anywhere or onward == ()
        return onward

    return follow(starts, may_be_fraction) is None and is_size_anywhere


def _may_be_fraction(use: Use) -> Iterable[Place] | None:
    """None for what may take a fraction; else where the number, or what is made of it, goes."""
    if use.place.content:
        return _of_several(use)
    if use.kind == "operand":
        return _of_operand(use)
    if gives_on(use.facts, use.by, use.node):
        return use.result()
    if use.kind == "index" and isinstance(use.by, ast.Subscript):
        indexed = use.facts.value(use.by.value)
        is_known = isinstance(indexed, (Tensor, Array, Sequence, Text))
        return () if is_known or _cuts_block(use.facts, use.by, use.node) else None
    if use.kind == "augmented":
        return _not_compared(use.named()) if _calculates(use.facts, use.by) else None
    if use.kind == "bound":
        return _of_assigned(use)
    if use.kind == "element" and isinstance(use.by, _SEVERAL):
        return () if _is_taken(use.facts, use.by, is_several=True) else use.result()
    return () if _is_taken(use.facts, use.node, is_several=False) else _of_argument(use)


def _of_several(use: Use) -> Iterable[Place] | None:
    """The same of a list or tuple that holds the number: ``[n / 2 for n in x.shape]``."""
    is_starred = use.kind == "chosen" and isinstance(use.by, ast.Starred)
    taken = use.by if is_starred and isinstance(use.by, ast.Starred) else use.node
    if _is_taken(use.facts, taken, is_several=True):
        return ()
    if use.kind in ("iterated", "unpacked"):
        return _not_compared(use.named())
    if use.kind == "bound":
        return _of_assigned(use)
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        is_copied = use.facts.names.builtin(use.by.func) in ("list", "tuple")
        return use.result() if is_copied else _of_argument(use)
    return use.result() if use.kind == "item" else None


def _of_assigned(use: Use) -> Iterable[Place] | None:
    """Where the names are read that take a number, or several; or the one attribute that does."""
    if not isinstance(use.by, ast.Assign) or use.by.targets[1:]:
        return None
    given = list(use.targets())
    if all(isinstance(target, ast.Name) for target, _ in given):
        return _not_compared(use.named())
    target, content = given[0]
    if given[1:] or not isinstance(target, ast.Attribute):
        return None
    own = reads_of_kept(use.facts, target)
    kept = _read_at_once(use.facts, target) if own is None else own
    # Of what nothing reads nothing is shown: neither a size, nor a fraction.
    return _not_compared(replace(read, content=content) for read in kept) if kept else kept


def _read_at_once(facts: Facts, target: ast.Attribute) -> list[Place] | None:
    """The same of a class of a library whose own method reads what it keeps.

    Other projects may read it, too, but none gets an object that works with a fraction.
    """
    kept = reads_of_kept(facts, target, in_project=True)
    around = facts.names.enclosing_function
    is_read = any(p.facts is facts and around(p.node) is around(target) for p in kept or ())
    return kept if is_read else None


def _cuts_block(facts: Facts, indexed: ast.Subscript, bound: ast.expr) -> bool:
    """``x[a:b, c:d]`` of an x not known: a table takes floats by one slice, or by its ``.loc``."""
    is_table = isinstance(indexed.value, ast.Attribute) or not isinstance(
        facts.value(indexed.value), Unknown
    )
    is_slice = isinstance(facts.parent(bound), ast.Slice)
    return is_slice and isinstance(indexed.slice, ast.Tuple) and not is_table


def _of_argument(use: Use) -> Iterable[Place] | None:
    """Where a function or class of the project reads what it may take for a size."""
    if not isinstance(use.by, ast.Call) or is_opaque(use.by):
        return None
    callee = use.facts.value(use.by.func)
    return None if isinstance(callee, Module) else _not_compared(use.taken())


def _of_operand(use: Use) -> Iterable[Place] | None:
    facts, by = use.facts, use.by
    if not isinstance(by, ast.BinOp):
        return use.result() if isinstance(getattr(by, "op", None), ast.USub) else None
    if not isinstance(by.op, _ARITHMETIC):
        return None
    other = by.right if by.left is use.node else by.left
    value = facts.value(other)
    if isinstance(by.op, ast.Mult) and isinstance(value, (Sequence, Text)):
        return () if _repeats(facts, other, use.node) else None
    return use.result() if _may_be_whole(facts, other) else None


def _may_be_whole(facts: Facts, node: ast.expr) -> bool:
    """Whether nothing shows a fraction but a ``/`` that is another one of whole numbers."""
    value = facts.value(node)
    if isinstance(value, Unknown) or value in (Number(), Number("int")):
        return True
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _ARITHMETIC):
        return False
    return all(_may_be_whole(facts, side) for side in (node.left, node.right))


def _not_compared(places: Iterable[Place]) -> list[Place] | None:
    """The places that do more than compare a number; None where there are none."""
    return [place for place in places if use_of(place).kind != "compared"] or None


def _repeats(facts: Facts, repeated: ast.expr, times: ast.expr) -> bool:
    """Whether ``repeated * times`` repeats: `[0.5, 2] * (image / 255)` may be one of an array."""
    is_one = isinstance(repeated, (ast.List, ast.Tuple)) and len(repeated.elts) == 1
    return is_one or isinstance(repeated, ast.Constant) or isinstance(facts.value(times), Number)


def _calculates(facts: Facts, node: ast.AST) -> bool:
    """``n *= 2``: with whole numbers, as far as is known."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, _ARITHMETIC):
        return False
    return isinstance(facts.value(node.value), Unknown) or facts.value(node.value) in (
        Number(),
        Number("int"),
    )


def _is_taken(facts: Facts, node: ast.expr, is_several: bool) -> bool:
    """Whether ``node`` is an argument that has to be a whole number, or several of them."""
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        if not isinstance(call, ast.Call) or parent.arg is None:
            return False
        return _is_keyword_taken(facts, call, parent.arg, is_several)
    if not (isinstance(parent, ast.Call) and node in parent.args):
        return False
    index = parent.args.index(node)
    if any(isinstance(argument, ast.Starred) for argument in parent.args[:index]):
        return False
    name = facts.name(parent.func)
    if name is None:
        return _is_method_argument(facts, parent, index, is_several)
    module, _, function = name.rpartition(".")
    if module == "torch.nn":
        return index < LAYERS.get(function, 0) and not _needs_no_size(parent)
    if module in ("torch", "torch.cuda") and function in torch_api.LEGACY_TYPES:
        return not is_several and not _may_be_data(facts, parent)
    if takes_size(name, index):
        return True
    return torch_table.takes_whole_numbers(name, index, is_several)


def _may_be_data(facts: Facts, call: ast.Call) -> bool:
    """Whether the one argument of `torch.FloatTensor(image / 255)` may be an array to copy."""
    return len(call.args) == 1 and not isinstance(facts.value(call.args[0]), Number)


def _is_keyword_taken(facts: Facts, call: ast.Call, keyword: str, is_several: bool) -> bool:
    name = facts.name(call.func) or ""
    module, _, function = name.rpartition(".")
    if module == "torch.nn":
        return keyword in KEYWORDS and function in LAYERS and not _needs_no_size(call)
    place = torch_table.place_of(name, keyword)
    return place is not None and torch_table.takes_whole_numbers(name, place, is_several)


def _needs_no_size(layer: ast.Call) -> bool:
    """A BatchNorm without statistics never looks at the number of its features."""
    return any(keyword.arg in (None, "track_running_stats") for keyword in layer.keywords)


def _is_method_argument(facts: Facts, call: ast.Call, index: int, is_several: bool) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return facts.names.builtin(function) == "range" and not is_several
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "new":
        is_size = not is_several and not _may_be_data(facts, call)
    else:
        name = f"torch.Tensor.{function.attr}"
        is_size = torch_table.takes_whole_numbers(name, index + 1, is_several)
    return is_size and facts.is_shown_tensor(function.value)
