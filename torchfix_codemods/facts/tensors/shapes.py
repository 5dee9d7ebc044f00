"""What is certainly a size, or counts from 0, and which methods are given sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evidence.proofs import is_minus_one, takes_more_than_sizes
from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import all_stored
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Size, Tensor


def asks_for_shape(view: ast.Call, facts: Facts) -> bool:
    """Whether ``x.view(…)`` certainly gives sizes, and not the dtype to read the bits as."""
    if view.keywords or not view.args or takes_more_than_sizes(view):
        return False
    if len(view.args) > 1:
        return True
    only = view.args[0]
    if isinstance(only, (ast.Starred, ast.BinOp)) or is_minus_one(only):
        return True
    return isinstance(facts.value(only), (Number, Sequence, Size))


def is_size(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a number that can be a size.

    That is a Python integer or what the module uses as one: ``n`` where ``nn.Linear(n, 2)``,
    ``torch.zeros(4 * n, 2)`` or ``range(n)`` stands beside it.
    """
    value = facts.value(node)
    if isinstance(value, Number):
        return value.kind in ("int", None)
    if isinstance(node, ast.BinOp):
        return is_size(node.left, facts) and is_size(node.right, facts)
    if isinstance(node, (ast.Call, ast.Subscript)) and _asks_for_one_size(node, facts):
        return True
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    if isinstance(value, (Tensor, Array, Sequence, Size)):
        return False
    return facts.inference.counts.is_count(node)


def unpacks_sizes(call: ast.Call, facts: Facts) -> bool:
    """Whether a call certainly unpacks more than one size: ``x.new(*(n, m))``."""
    given = [facts.value(a.value) for a in call.args if isinstance(a, ast.Starred)]
    known = [value.items or () for value in given if isinstance(value, Sequence)]
    return any(
        len(items) > 1 and any(isinstance(n, Number) and n.kind in ("int", None) for n in items)
        for items in known
    )


def _asks_for_one_size(node: ast.Call | ast.Subscript, facts: Facts) -> bool:
    """``x.size(0)``, ``x.shape[0]``, ``x.size()[0]`` or ``x.numel()`` of whatever x is.

    Sizes that a name holds are asked for alike: ``sizes = x.size()``, ``sizes[0]``.
    """
    if isinstance(node, ast.Call) and not node.args:
        return _counts(node, facts)
    if isinstance(node, ast.Call):
        is_query = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
        given = node.args
        return is_query and len(given) == 1 and _is_index(given[0]) and not _is_own_size(facts)
    if not _is_index(node.slice):
        return False
    holder = node.value
    held = facts.assigned(holder) if isinstance(holder, ast.Name) else [holder]
    return bool(held) and all(_gives_shape(each, facts) for each in held or ())


def _gives_shape(node: ast.expr, facts: Facts) -> bool:
    """``x.shape`` or ``x.size()`` of whatever x is."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "size"
        and not node.args
        and not _is_own_size(facts)
    )


def _counts(call: ast.Call, facts: Facts) -> bool:
    """Whether a method is asked that gives a whole number of tensors: ``x.numel()``."""
    if not isinstance(call.func, ast.Attribute) or call.keywords:
        return False
    method = call.func.attr
    if method in method_names(facts.names) or facts.name(call.func) is not None:
        return False
    forms = [form for form in forms_of(f"torch.Tensor.{method}") if len(form.parameters) == 1]
    return bool(forms) and all(form.word == "int" for form in forms)


def _is_own_size(facts: Facts) -> bool:
    return "size" in method_names(facts.names)


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_range_of_count(numbers: ast.expr, facts: Facts) -> bool:
    """Whether a list is ``range(n)``, or ``list`` of it, with an n that is certainly not below 0.

    Of such a one ``range`` makes an empty list, and ``torch.arange`` raises.
    """
    if isinstance(numbers, ast.Call) and facts.names.builtin(numbers.func) == "list":
        numbers = numbers.args[0] if len(numbers.args) == 1 else numbers
    if not isinstance(numbers, ast.Call) or is_opaque(numbers) or len(numbers.args) != 1:
        return False
    is_range = facts.names.builtin(numbers.func) == "range" and not numbers.keywords
    return is_range and come_from([Place(facts, numbers.args[0])], _before_count)


def is_length(node: ast.expr, facts: Facts) -> bool:
    """Whether a number is certainly ``len(x)``, or one size of a tensor."""
    return come_from([Place(facts, node)], _before_length)


def _before_count(place: Place) -> Iterable[Place] | None:
    """None for what may be negative, or no number; else the counts that one is made of."""
    facts, node = place.facts, place.node
    if isinstance(node, ast.Constant):
        return () if type(node.value) is int and node.value >= 0 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        power = whole_number(node.right)
        if power is None or power < 0:
            return None
        return [Place(facts, node.left)] if power % 2 else ()
    if isinstance(node, ast.BinOp):
        is_kept = isinstance(node.op, (ast.Add, ast.Mult))
        return [Place(facts, node.left), Place(facts, node.right)] if is_kept else None
    if place.content == ("*",) and isinstance(node, ast.Call) and not is_opaque(node):
        return _before_steps(node, facts)
    if isinstance(node, ast.Name) and not place.content:
        given = _given_by_all_calls(node, facts)
        return _before_length(place) if given is None else given
    return _before_length(place)


def _before_steps(call: ast.Call, facts: Facts) -> Iterable[Place] | None:
    """Where ``range(n)`` and ``range(start, n)`` count from; None for other calls."""
    if facts.names.builtin(call.func) != "range" or not 0 < len(call.args) < 3:
        return None
    return [Place(facts, start) for start in call.args[:-1]]


def _given_by_all_calls(name: ast.Name, facts: Facts) -> list[Place] | None:
    """What all calls give the parameter that a name holds; None where one may be out of sight."""
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return None
    given = arguments_of_all_calls(function, parameter, facts)
    return None if given is None else [Place(there, node) for there, node in given]


def _before_length(place: Place) -> Iterable[Place] | None:
    """None for what may be no length; else the lengths that a name holds."""
    facts, node = place.facts, place.node
    if place.content:
        # One size of several: ``n, m = x.size()``.
        is_shape = getattr(node, "attr", "") == "shape" or isinstance(facts.value(node), Size)
        return () if is_shape and len(place.content) == 1 else None
    if isinstance(node, ast.Attribute):
        return all_stored(facts, node)
    if isinstance(node, (ast.Call, ast.Subscript)):
        is_counted = isinstance(node, ast.Call) and facts.names.builtin(node.func) == "len"
        return () if is_counted or (is_size(node, facts) and _asks(node)) else sources(place)
    return sources(place)


def _asks(node: ast.Call | ast.Subscript) -> bool:
    """Whether a tensor is asked for a size: ``x.size(0)``, ``x.shape[0]``, ``x.size()[0]``."""
    asked = node.func if isinstance(node, ast.Call) else node.value
    asked = asked.func if isinstance(asked, ast.Call) else asked
    return isinstance(asked, ast.Attribute) and asked.attr in ("size", "shape")
