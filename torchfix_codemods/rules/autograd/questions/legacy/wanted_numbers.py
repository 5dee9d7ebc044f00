"""Whether a number of Python is wanted where a tensor stands: as a key, in what is written."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import call_taking
from torchfix_codemods.facts.libraries import numpy_functions, python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.numbers import calculated_alone
from torchfix_codemods.facts.paths.uses import is_formatted, uses_given_by
from torchfix_codemods.facts.tensors.arrays import is_array_of_values
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.values.lattice import (
    Array,
    Foreign,
    Mapping,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
)
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.autograd.questions.legacy.positions import (
    is_position,
    is_position_of_any,
)
from torchfix_codemods.rules.autograd.questions.legacy.put_back import changed_before_put_back

#: No array is brought in order with a tensor: each leaves that to the other.
_ORDERING = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_SETS = frozenset({"set", "frozenset"})


def is_wanted_as_number(facts: Facts, element: ast.expr) -> bool:
    """Whether a tensor in place of a number is noticed: in a call, as a key, in what is written.

    So it is where it keeps what it was while its tensor changes. A name that holds it is followed;
    one that is used as a tensor is none of a number. One that holds a number of Python in another
    branch is (``action = random.randrange(n)``).
    """
    whole = calculated_alone(facts, element)
    if shows(facts, whole):
        return not is_position_of_any(facts, whole, element)
    uses = _uses_of_name_for(facts, whole)
    if any(_has_part_read(facts, use) for use in uses):
        return False
    shown = [use for use in uses if shows(facts, use)]
    is_shown = not all(is_position_of_any(facts, use, element) for use in shown)
    is_wanted = is_shown or is_beside_number(facts, element) or is_summed_up(facts, element)
    is_kept = changed_before_put_back(facts, element) is not None
    return is_wanted or is_kept or is_refused_by_array(facts, element)


def is_summed_up(facts: Facts, element: ast.expr) -> bool:
    """``total += x.data[0]`` of a ``total = 0``: numbers made a number, as precise as Python's.

    So they did where each was multiplied first: ``total += x.data[0] * len(x)``.
    """
    around = facts.parent(calculated_alone(facts, element))
    if not isinstance(around, ast.AugAssign) or not isinstance(around.op, (ast.Add, ast.Sub)):
        return False
    return isinstance(around.target, ast.Name) and _is_number_elsewhere(facts, around.target)


def is_refused_by_array(facts: Facts, element: ast.expr) -> bool:
    """Whether an array is asked to calculate with an element, or with a name that holds it.

    ``a + x[0]`` raises: an array leaves that to the tensor, which takes none. ``a / x[0]`` does
    not. ``a >= x[0]`` and ``x[0] <= a`` raise both, where ``==`` compares them.
    """
    return any(_is_refused(facts, u) for u in [element, *_uses_of_name_for(facts, element)])


def claim_of_number(facts: Facts, element: ast.expr) -> Numerics:
    """What a number in the place of an element makes of the program: a format writes the same."""
    if is_refused_by_array(facts, element):
        return Numerics.RESTORED
    return Numerics.IDENTICAL if is_formatted(facts, element) else Numerics.PINNED


def _is_refused(facts: Facts, operand: ast.expr) -> bool:
    around = facts.parent(operand)
    array: ast.expr
    if isinstance(around, ast.Compare) and len(around.ops) == 1:
        other = around.comparators[0] if around.left is operand else around.left
        return isinstance(around.ops[0], _ORDERING) and is_array_of_values(other, facts)
    if isinstance(around, ast.AugAssign):
        array, operator = around.target, around.op
    elif isinstance(around, ast.BinOp) and around.right is operand:
        array, operator = around.left, around.op
    else:
        return False
    return not isinstance(operator, ast.Div) and is_array_of_values(array, facts)


def are_wanted_as_numbers(facts: Facts, loop: ast.For | ast.comprehension, name: str) -> bool:
    """The same of the elements that a loop gives to a name."""
    uses = uses_given_by(facts, loop, name)
    return not any(_has_part_read(facts, use) for use in uses) and any(
        shows(facts, use) and not is_position(facts, use, loop.iter) for use in uses
    )


def are_kept_in_lists(facts: Facts, loop: ast.For | ast.comprehension, name: str) -> bool:
    """Whether the elements that a loop gives to a name go into lists, whatever their dtype."""
    uses = uses_given_by(facts, loop, name)
    is_kept = any(_is_put_into_list(facts, use) for use in uses)
    return is_kept and not any(_has_part_read(facts, use) for use in uses)


def is_used_as_tensor(facts: Facts, element: ast.expr) -> bool:
    """Whether an element, or a name that holds it, is asked for what no number has."""
    return any(_has_part_read(facts, use) for use in [element, *_uses_of_name_for(facts, element)])


def is_beside_number(facts: Facts, element: ast.expr) -> bool:
    """Whether the same name, or the same function, gives a number of Python by another way."""
    uses = _uses_of_name_for(facts, element)
    return _is_returned_beside_number(facts, element) or any(
        _is_number_elsewhere(facts, use) for use in uses
    )


def _is_returned_beside_number(facts: Facts, value: ast.expr) -> bool:
    """Whether a function returns a value in one branch, and a number of Python in another."""
    statement = facts.parent(value)
    if not isinstance(statement, ast.Return):
        return False
    function = facts.names.enclosing_function(statement)
    exits = [] if function is None else facts.inference.exits.get(function, [])
    others = [e.value for e in exits if e is not statement and e.value is not None]
    return any(isinstance(facts.value(other), Number) for other in others)


def _uses_of_name_for(facts: Facts, value: ast.expr) -> list[ast.Name]:
    """The uses of the name that an assignment gives to a value and to nothing else.

    So it does by ``i, v = value, other``.
    """
    statement, part = facts.parent(value), None
    if isinstance(statement, ast.Tuple):
        part, statement = statement.elts.index(value), facts.parent(statement)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    if part is not None and isinstance(target, ast.Tuple):
        is_plain = not any(isinstance(each, ast.Starred) for each in target.elts)
        target = target.elts[part] if is_plain else target
    elif part is not None:
        return []
    return uses_given_by(facts, statement, target.id) if isinstance(target, ast.Name) else []


def _is_number_elsewhere(facts: Facts, use: ast.Name) -> bool:
    """Whether a name holds a number of Python where it comes by another way."""
    return any(
        binding.kind == "assign"
        and binding.value is not None
        and not binding.path
        and isinstance(facts.value(binding.value), Number)
        for binding in facts.flow.reaching(use)
    )


def _has_part_read(facts: Facts, use: ast.expr) -> bool:
    parent = facts.parent(use)
    return isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is use


def shows(facts: Facts, node: ast.expr) -> bool:
    """Whether a place itself does something else with a tensor than with a number."""
    parent = facts.parent(node)
    if is_formatted(facts, node):
        return True
    if isinstance(parent, ast.SetComp):
        return parent.elt is node
    if isinstance(parent, ast.Compare) and parent.left is node:
        is_asked = isinstance(parent.ops[0], (ast.In, ast.NotIn))
        return is_asked and _is_asked_by_hash(facts, parent.comparators[0])
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return isinstance(facts.value(parent.value), (Foreign, Mapping, Unknown))
    if _is_put_into_list(facts, node):
        # Indices and words are looked up later, and a set finds what is equal by its hash.
        value = facts.value(node)
        return isinstance(value, Tensor) and holds_integers(value)
    call = call_taking(facts.names, node)
    return call is not None and _takes_numbers_otherwise(facts, call.func)


def _is_asked_by_hash(facts: Facts, kept: ast.expr) -> bool:
    """Whether ``x in kept`` asks a dict or a set, in which no tensor equals a number."""
    if isinstance(facts.value(kept), Mapping):
        return True
    made = (facts.assigned(kept) or []) if isinstance(kept, ast.Name) else [kept]
    return bool(made) and all(
        isinstance(value, (ast.Set, ast.SetComp))
        or (isinstance(value, ast.Call) and facts.names.builtin(value.func) in _SETS)
        for value in made
    )


def _is_put_into_list(facts: Facts, node: ast.expr) -> bool:
    """Whether a value goes into a list, or a set."""
    call = call_taking(facts.names, node)
    return _is_added_to_list(facts, node) or (call is not None and _keeps(facts, call.func))


def _is_added_to_list(facts: Facts, node: ast.expr) -> bool:
    """``words + [index]``, ``words += [index]``: an array calculates with a tensor alike."""
    written = facts.parent(node)
    around = facts.parent(written) if isinstance(written, ast.List) else None
    longer: ast.expr
    if isinstance(around, ast.AugAssign):
        longer = around.target
    elif isinstance(around, ast.BinOp):
        longer = around.left if around.right is written else around.right
    else:
        return False
    return isinstance(around.op, ast.Add) and isinstance(facts.value(longer), (Sequence, Unknown))


def _keeps(facts: Facts, function: ast.expr) -> bool:
    """``xs.append`` of a list, ``seen.add`` of a set."""
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "add":
        return _is_asked_by_hash(facts, function.value)
    return function.attr == "append" and isinstance(facts.value(function.value), Sequence)


def _takes_numbers_otherwise(facts: Facts, function: ast.expr) -> bool:
    """Whether a function may do something else with a number than with a tensor.

    torch, numpy and what Python computes with make no difference, but for ``np.linspace(a, b)``,
    which gives a tensor between two.
    """
    builtin = facts.names.builtin(function)
    if builtin is not None:
        return python_functions.writes(builtin)
    name = facts.name(function)
    if name is not None:
        is_between = numpy_functions.gives(name) == "between"
        return is_between or not name.startswith(("torch.", "numpy.", "math."))
    if facts.is_module(function):
        return False
    if not isinstance(function, ast.Attribute):
        return True
    return not isinstance(facts.value(function.value), (Array, Sequence, Tensor, Text))
