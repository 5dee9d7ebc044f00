"""Whether whole numbers are certainly not negative."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.paths.writes import written_next
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.integers import is_float
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.facts.values.lattice import Sequence, Size
from torchfix_codemods.rules.tensors.questions.whole_numbers import CASTS, is_integer_tensor

_COUNTING_METHODS = frozenset("size numel nelement dim".split())
_MADE_OF_VALUES = frozenset({*DTYPES, "torch.tensor", "torch.as_tensor"})
_COUNTS_FROM_ZERO = frozenset({"argmax", "argmin", "nonzero", "multinomial"})


def is_not_negative(facts: Facts, node: ast.expr) -> bool:
    """Whether whole numbers are certainly not negative: indices, sizes, and sums of them."""
    return come_from([Place(facts, node)], _before_not_negative)


def is_made_of_sizes(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor holds nothing but sizes of tensors: ``torch.Tensor([x.shape[2:]])``."""
    return come_from([Place(facts, node)], _before_sizes_alone)


def is_count(facts: Facts, divisor: ast.expr, of_index: bool) -> bool:
    """Whether a divisor is not negative, by what it is or as what it divides is an index.

    Divided by a number below zero an index is none any more. What the elements of a tensor are is
    not known.

    Args:
        facts: of the file.
        divisor: the divisor.
        of_index: whether an index that is divided by it is used as another.
    """
    is_known = of_index and not facts.is_tensor(divisor) and (whole_number(divisor) or 1) > 0
    return is_known or is_not_negative(facts, divisor)


def _before_sizes_alone(place: Place) -> Iterable[Place] | None:
    """None for what may be no size; else the sizes that a tensor or a list is made of."""
    facts, node = place.facts, place.node
    if isinstance(facts.value(node), Size) or getattr(node, "attr", None) == "shape":
        return ()
    if isinstance(node, ast.Subscript):
        return [Place(facts, node.value)]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [Place(facts, each) for each in node.elts]
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        is_asked = isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "size"
        return () if is_asked else sources(place)
    if getattr(node.func, "attr", None) == "size":
        return ()
    is_made = facts.name(node.func) in _MADE_OF_VALUES
    is_list = facts.names.builtin(node.func) in ("list", "tuple")
    return [Place(facts, node.args[0])] if is_made or is_list else sources(place)


def _before_not_negative(place: Place) -> Iterable[Place] | None:
    """None for what may be negative; else what it is calculated from."""
    facts, node = place.facts, place.node
    if isinstance(node, ast.Name):
        before, stored = sources(place), _stored(facts, node)
        return None if before is None or stored is None else [*before, *stored]
    if place.content:
        return _before_part(place)
    if isinstance(node, ast.Constant):
        return () if type(node.value) is int and node.value >= 0 else None
    core = core_of(node)
    if core is not node:
        return [Place(facts, core)]
    if isinstance(node, ast.BinOp):
        is_kept = isinstance(node.op, (ast.Add, ast.Mult, ast.Mod, ast.FloorDiv, ast.Div))
        return [Place(facts, node.left), Place(facts, node.right)] if is_kept else None
    if isinstance(node, ast.Subscript) and is_integer_tensor(facts, node.value):
        return [Place(facts, node.value)]
    return _before_call(place, node) if isinstance(node, ast.Call) else sources(place)


def _before_part(place: Place) -> Iterable[Place] | None:
    """The same of what lies in a value: ``i`` of ``for i in range(3)``, of ``_, i = x.max(1)``."""
    facts, node = place.facts, place.node
    if isinstance(facts.value(node), Size):
        return ()
    if place.content == ("*",) and is_integer_tensor(facts, node):
        return [Place(facts, node)]
    if isinstance(node, ast.Call) and place.content == (1,) and _gives_indices(facts, node):
        return ()
    builtin = facts.names.builtin(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or builtin not in ("range", "list", "tuple"):
        return sources(place)
    if builtin != "range":
        is_copy = len(node.args) == 1 and not is_opaque(node)
        return [Place(facts, node.args[0], place.content)] if is_copy else None
    is_known = place.content == ("*",) and 0 < len(node.args) < 3 and not is_opaque(node)
    return [Place(facts, start) for start in node.args[:-1]] if is_known else None


def _before_call(place: Place, call: ast.Call) -> Iterable[Place] | None:
    facts, function = place.facts, call.func
    name = facts.name(function)
    if name in ("torch.arange", "torch.range"):
        is_known = {"end", "step"}.isdisjoint(keyword.arg for keyword in call.keywords)
        is_known = is_known and 0 < len(call.args) < 3
        return [Place(facts, call.args[0])] if is_known else None
    if name is not None:
        is_count = name == "torch.randperm" or name.removeprefix("torch.") in _COUNTS_FROM_ZERO
        return () if is_count else None
    if not isinstance(function, ast.Attribute):
        return () if facts.names.builtin(function) == "len" else sources(place)
    if function.attr in CASTS:
        return [Place(facts, function.value)]
    is_count = function.attr in _COUNTING_METHODS | _COUNTS_FROM_ZERO
    return () if is_count and facts.is_tensor(function.value) else None


def _gives_indices(facts: Facts, call: ast.Call) -> bool:
    """Whether a call gives values and their indices: ``x.topk(3)``, ``torch.max(x, 1)``."""
    name = facts.name(call.func) or ""
    function = name.rpartition(".")[2]
    if isinstance(call.func, ast.Attribute) and not name:
        function = call.func.attr
    value = facts.value(call)
    # Of the most frequent and of running extremes it is not certain.
    if not torch_effects.gives_indices(function) or function in ("cummax", "cummin", "mode"):
        return False
    return isinstance(value, Sequence) and value.items is not None and len(value.items) == 2


def _stored(facts: Facts, name: ast.Name) -> list[Place] | None:
    """What the file stores in a tensor by ``ids[0] = k``; None where it writes in another way.

    Under that name or a view's. Floats made of whole numbers are other memory.
    """
    found: list[Place] = []

    def before(use: Use) -> Iterable[Place] | None:
        by, onward = use.by, written_next(use)
        if use.kind == "method" and isinstance(by, ast.Call):
            if is_float(use.facts, by):
                return ()
            return use.result() if last_name(by.func) == "numpy" else onward
        statement = use.facts.parent(by) if onward is None and use.kind == "put into" else None
        if not isinstance(statement, ast.Assign) or statement.targets != [by]:
            return onward
        found.append(Place(use.facts, statement.value))
        return ()

    starts = [place for b in facts.flow.reaching(name) for place in reads(facts, b)]
    return None if follow(starts, before) is not None else found
