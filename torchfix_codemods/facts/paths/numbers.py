"""Whether a number could stand for a tensor of no dimension wherever it goes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.language.test_cases import method_of_test_case
from torchfix_codemods.facts.libraries import assertions, python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import (
    Foreign,
    Mapping,
    Number,
    Tensor,
    Text,
    Unknown,
)

_NUMBER_TAKERS = ("math.", "numpy.", "logging.", "matplotlib.")


def is_used_as_number(facts: Facts, node: ast.expr) -> bool:
    """Whether a number could stand for the 0-dim tensor ``node``: printed, compared, an index.

    A method of the tensor, or a function of unknown needs, is no such use.
    """
    return follow([Place(facts, node)], _asks_for_tensor) is None


def name_is_used_as_number(facts: Facts, binding: Binding) -> bool:
    """Whether all that happens to the value of ``binding`` would happen to a number as well."""
    return follow(reads(facts, binding), _asks_for_tensor) is None


def calculated_alone(facts: Facts, node: ast.expr) -> ast.expr:
    """``abs(2 * x)`` around ``x``: what is calculated of an expression, and of numbers alone."""
    around = facts.parent(node)
    terms: list[ast.expr] = []
    if isinstance(around, ast.UnaryOp) and isinstance(around.op, (ast.USub, ast.UAdd)):
        terms = [around.operand]
    elif isinstance(around, ast.BinOp):
        terms = [around.left, around.right]
    elif isinstance(around, ast.Call):
        is_known = python_functions.is_arithmetic(facts.names.builtin(around.func))
        terms = values_given(around) if is_known else []
    if not isinstance(around, ast.expr) or node not in terms:
        return node
    others = (facts.value(term) for term in terms if term is not node)
    is_alone = all(isinstance(value, Number) for value in others)
    return calculated_alone(facts, around) if is_alone else node


def indexes_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether ``node``, or what is made of it, is an index of a tensor: ``x[:, node]``.

    A number takes that dimension away, a tensor of one element keeps it.
    """
    return follow([Place(facts, node)], _indexes_tensor) is not None


def _indexes_tensor(use: Use) -> Iterable[Place] | None:
    if use.kind != "index" or use.place.content:
        return () if use.kind == "argument" else use.onward()
    is_of_tensor = isinstance(use.by, ast.Subscript) and use.facts.is_tensor(use.by.value)
    return None if is_of_tensor and not _is_end_of_slice(use) else ()


def _is_end_of_slice(use: Use) -> bool:
    """``x[:node]``, in which torch takes a tensor for the number that it holds."""
    return isinstance(use.facts.parent(use.node), ast.Slice)


def _asks_for_tensor(use: Use) -> Iterable[Place] | None:
    """None for what does not take a number; else where what is made of the number goes."""
    if use.place.content:
        return _of_part(use)
    if use.kind in ("compared", "formatted", "statement", "tested"):
        return None if isinstance(use.by, ast.comprehension) else ()
    if use.kind == "asked":
        return None if use.is_for_identity else ()
    if use.kind == "operand":
        return use.result()
    if use.kind == "chosen":
        return use.result() if isinstance(use.by, (ast.IfExp, ast.BoolOp)) else None
    if use.kind == "index":
        return None if _is_key(use) else ()
    if use.kind in ("added", "augmented", "bound"):
        return _of_bound(use)
    if use.kind == "element":
        return _of_element(use)
    if use.kind == "returned":
        return use.returned()
    return _of_argument(use) if use.kind == "argument" else None


def _is_key(use: Use) -> bool:
    """Whether a dict is asked: it finds other keys by a number than by a tensor."""
    is_whole = not isinstance(use.facts.parent(use.node), ast.Slice)
    holder = use.by.value if isinstance(use.by, ast.Subscript) else use.node
    return is_whole and isinstance(use.facts.value(holder), Mapping)


def _of_part(use: Use) -> Iterable[Place] | None:
    """A tuple that is returned, or taken apart."""
    if use.kind == "returned":
        return use.returned()
    is_taken_apart = use.kind == "bound" and all(
        isinstance(target, (ast.Tuple, ast.List))
        and not any(isinstance(element, ast.Starred) for element in target.elts)
        for target in getattr(use.by, "targets", [None])
    )
    if is_taken_apart:
        return _of_bound(use)
    return () if use.kind == "statement" else None


def _of_bound(use: Use) -> Iterable[Place] | None:
    if not isinstance(use.by, (ast.Assign, ast.AugAssign)):
        return None
    targets = [target for target, _ in use.targets()]
    is_kept = bool(targets) and all(_may_keep_number(use.facts, target) for target in targets)
    return use.named() if is_kept else None


def _may_keep_number(facts: Facts, target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        is_named = isinstance(facts.value(target.slice), Text)
        return is_named and not _has_method_called(facts, target.slice)
    return isinstance(target, ast.Name) or not _has_method_called(facts, target)


def _of_element(use: Use) -> Iterable[Place] | None:
    if isinstance(use.by, ast.Dict):
        key = use.by.keys[use.by.values.index(use.node)]
        return None if key is None or _has_method_called(use.facts, key) else ()
    is_returned = isinstance(use.facts.parent(use.by), ast.Return)
    return use.result() if isinstance(use.by, ast.Tuple) and is_returned else None


def _of_argument(use: Use) -> Iterable[Place] | None:
    call = use.by
    if not isinstance(call, ast.Call):
        return None
    function = call.func
    if isinstance(function, ast.Name) and python_functions.is_arithmetic(function.id):
        return None if use.facts.names.builtin(function) is None else use.result()
    found = use.callee()
    if found is None:
        return () if _takes_numbers(use, call) else None
    there, definition = found
    is_kept = there is use.facts or _keeps_numbers(use.facts, definition)
    return [*use.result(), *use.taken()] if is_kept and use.parameters() else None


def _keeps_numbers(facts: Facts, definition: ast.FunctionDef) -> bool:
    """Whether what a function of another file stores in attributes may be a number here, too."""
    return not any(
        _has_method_called(facts, node)
        for node in ast.walk(definition)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )


def _takes_numbers(use: Use, call: ast.Call) -> bool:
    facts, function = use.facts, call.func
    if method_of_test_case(call, facts.names, facts.classes) is not None:
        return _is_asserted(use, call)
    if isinstance(function, ast.Name):
        return python_functions.reports(facts.names.builtin(function))
    name = facts.name(function)
    if name is not None:
        return name.startswith(_NUMBER_TAKERS)
    receiver = facts.value(function.value) if isinstance(function, ast.Attribute) else None
    if isinstance(receiver, Foreign):
        return receiver.name is not None and receiver.name.startswith(_NUMBER_TAKERS)
    return isinstance(receiver, Text)


def _is_asserted(use: Use, call: ast.Call) -> bool:
    """Whether an assertion of ``unittest`` compares a value with what may be a number, or tests it.

    Compared with a text or a list, ``dataset.data[0]`` is none.
    """
    assert isinstance(call.func, ast.Attribute)
    values = call.args[: assertions.values_of(call.func.attr)]
    kinds = (Number, Tensor, Unknown)
    return use.node in values and all(isinstance(use.facts.value(v), kinds) for v in values)


def _has_method_called(facts: Facts, holder: ast.expr) -> bool:
    """``results["accuracy"].item()`` or ``meter.avg.item()`` somewhere in the file.

    ``holder`` is the key, or the attribute.
    """
    for node in facts.names.nodes.get(ast.Attribute, ()):
        assert isinstance(node, ast.Attribute)
        owner = node.value
        if isinstance(owner, ast.Attribute) and isinstance(holder, ast.Attribute):
            if owner.attr == holder.attr:
                return True
        elif isinstance(owner, ast.Subscript) and ast.dump(owner.slice) == ast.dump(holder):
            return True
    return False
