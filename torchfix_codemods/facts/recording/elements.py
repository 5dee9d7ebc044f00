"""Elements of what was no Variable: numbers of Python in torch 0.3, and tensors today."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import (
    argument,
    call_taking,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by, writes_text_of
from torchfix_codemods.facts.programs.training import called_function
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Array,
    Mapping,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
)

#: Functions of Python that write a tensor otherwise than a number.
_WRITERS = frozenset({"print", "str", "repr"})

#: What makes tensors of numbers; ``normal`` takes Variables as well.
_MAKES_PLAIN = frozenset(DTYPES) | {
    f"torch.{name}" for name in (torch_api.FACTORIES | torch_api.MAKERS) - {"normal", "one_hot"}
}

_MAX_DEPTH = 4


def becomes_number(facts: Facts, node: ast.Subscript) -> bool:
    """Whether an element of what was no Variable gets its ``.item()``."""
    return is_number_of_old_data(facts, node) and is_wanted_as_number(facts, node)


def is_number_of_old_data(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x.data[0]`` is one element, in a file whose torch gave a number for it.

    That is a file for torch 0.3, which shows no 0.1: maxima kept their dimension there.
    """
    if not isinstance(node.ctx, ast.Load) or isinstance(facts.parent(node), ast.Attribute):
        return False
    era = facts.era_of(node)
    if not era.before((0, 4)) or era.before((0, 2)):
        return False
    return _is_element(facts, node) and was_plain(facts, node.value)


def _is_element(facts: Facts, node: ast.Subscript) -> bool:
    """Whether indices leave no dimension; two of them leave none of what ``multinomial`` drew.

    Where the dimensions are not known a number of Python tells that comes by another way.
    """
    value = facts.value(node)
    if not isinstance(value, Tensor):
        return False
    if _may_be_element(facts, node):
        return _is_beside_number(facts, node)
    if value.ndim is None and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        is_whole = all(isinstance(facts.value(index), Number) for index in node.slice.elts)
        return is_whole and _is_drawn(facts, node.value)
    return value.ndim == 0


def _may_be_element(facts: Facts, node: ast.Subscript) -> bool:
    """``q.data.max(1)[1][0]`` of a ``q`` that may have more than two dimensions."""
    value, core = facts.value(node), unwrapped(node.value)[0]
    reduced = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return (
        isinstance(value, Tensor)
        and value.ndim is None
        and isinstance(facts.value(node.slice), Number)
        and bool(reduced)
        and all(_leaves_dimension(facts, given) for given in reduced)
    )


def _leaves_dimension(facts: Facts, node: ast.expr) -> bool:
    """``x.argmax(1)``, ``torch.max(x, dim=1)[1]``: the dimension before the one that goes."""
    is_pair = isinstance(node, ast.Subscript)
    call = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    method, name = call.func.attr, facts.name(call.func)
    # Where the dimension is the first argument.
    is_extreme = gives_places(method) and method != "kthvalue"
    if not (is_extreme if is_pair else method in ("argmax", "argmin")) or is_opaque(call):
        return False
    if name not in (None, f"torch.{method}"):
        return False
    return (whole_number(argument(call, 0 if name is None else 1, "dim")) or 0) > 0


def _is_drawn(facts: Facts, node: ast.expr) -> bool:
    """``probs.multinomial().data``, which has two dimensions at most."""
    core = unwrapped(node)[0]
    made = facts.assigned(core) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "multinomial"
        and facts.name(call.func) in (None, "torch.multinomial")
        for call in (unwrapped(value)[0] for value in made or ())
    )


def was_plain(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression was no Variable in torch 0.3.

    That is the ``.data`` of a tensor, what torch makes of numbers, and what comes of those: plain
    tensors and Variables did not go together.
    """
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return facts.is_tensor(node.value)
        if not isinstance(node, ast.Call):
            node = node.value
            continue
        name = facts.name(node.func)
        if name in _MAKES_PLAIN:
            return True
        if name is not None:
            is_of_tensor = name.startswith("torch.") and name.count(".") == 1 and bool(node.args)
            if not is_of_tensor:
                return False
            node = node.args[0]
        elif isinstance(node.func, ast.Name):
            return depth <= _MAX_DEPTH and _gives_plain(facts, node, depth)
        else:
            node = node.func
    if not isinstance(node, ast.Name) or depth > _MAX_DEPTH:
        return False
    made = facts.assigned(node) or _taken_apart(facts, node)
    return bool(made) and all(was_plain(facts, value, depth + 1) for value in made)


def _taken_apart(facts: Facts, name: ast.Name) -> list[ast.expr]:
    """The calls whose results a name is a part of: ``_, p = out.data.max(1)``."""
    bindings = facts.flow.reaching(name)
    calls: list[ast.expr] = [
        b.value for b in bindings if b.kind == "assign" and isinstance(b.value, ast.Call)
    ]
    return calls if len(calls) == len(bindings) else []


def _gives_plain(facts: Facts, call: ast.Call, depth: int) -> bool:
    """Whether all that a function of the file returns was no Variable."""
    function = called_function(call, facts)
    if function is None or facts.classes.is_wrapped(function):
        return False
    given = values_returned(function) or [None]
    return all(value is not None and was_plain(facts, value, depth + 1) for value in given)


def is_sum_of_data(facts: Facts, node: ast.expr, is_certain: bool = True, depth: int = 0) -> bool:
    """Whether a sum was a plain tensor in torch 0.3: ``total += loss.data * len(x)``.

    One term tells, as plain tensors and Variables were never added. Its index 0 was a number then.

    Args:
        facts: the facts of the module.
        node: the sum.
        is_certain: ``.data`` of what is not known counts for nothing.
        depth: how many names were followed.
    """
    if depth > _MAX_DEPTH:
        return False

    def is_one(part: ast.expr) -> bool:
        return is_sum_of_data(facts, part, is_certain, depth + 1)

    if isinstance(node, ast.BinOp):
        return is_one(node.left) or is_one(node.right)
    if isinstance(node, ast.Attribute):
        may_be = not is_certain and isinstance(facts.value(node.value), Unknown)
        return node.attr == "data" and (may_be or facts.is_tensor(node.value))
    if not isinstance(node, ast.Name):
        return False
    added, starts = [], []
    for binding in facts.flow.reaching(node):
        statement = binding.node
        if isinstance(statement, ast.AugAssign):
            added.append(statement.value)
        elif binding.kind == "assign" and not binding.path and binding.value is not None:
            starts.append(binding.value)
        else:
            return False
    tensors = [value for value in starts if not isinstance(facts.value(value), Number)]
    return all(map(is_one, tensors)) and (bool(tensors) or any(map(is_one, added)))


_SETS = frozenset({"set", "frozenset"})


def is_wanted_as_number(facts: Facts, element: ast.expr) -> bool:
    """Whether a tensor in place of a number is noticed: in a call, as a key, in what is written.

    A name that holds it is followed; one that is used as a tensor is none of a number. One that
    holds a number of Python in another branch is (``action = random.randrange(n)``).
    """
    if _shows(facts, element):
        return True
    uses = _uses_of_name_for(facts, element)
    if any(_has_part_read(facts, use) for use in uses):
        return False
    return any(_shows(facts, use) for use in uses) or _is_beside_number(facts, element)


def are_wanted_as_numbers(facts: Facts, loop: ast.For | ast.comprehension, name: str) -> bool:
    """The same of the elements that a loop gives to a name."""
    uses = uses_given_by(facts, loop, name)
    is_read_in_parts = any(_has_part_read(facts, use) for use in uses)
    return not is_read_in_parts and any(
        _shows(facts, use) and not _is_position(facts, use, loop.iter) for use in uses
    )


def _is_position(facts: Facts, use: ast.expr, gone_through: ast.expr) -> bool:
    """``xs[i]`` for i of ``torch.randperm(len(xs))``: a list takes a tensor for a position."""
    taken = facts.parent(use)
    if not isinstance(taken, ast.Subscript) or taken.slice is not use:
        return False
    made = [gone_through]
    if isinstance(gone_through, ast.Name):
        made = facts.assigned(gone_through) or []
    holder = ast.dump(taken.value)
    return bool(made) and all(
        isinstance(call, ast.Call)
        and facts.name(call.func) in ("torch.randperm", "torch.arange")
        and len(call.args) == 1
        and isinstance(count := call.args[0], ast.Call)
        and facts.names.builtin(count.func) == "len"
        and [ast.dump(each) for each in count.args] == [holder]
        for call in made
    )


def is_used_as_tensor(facts: Facts, element: ast.expr) -> bool:
    """Whether an element, or a name that holds it, is asked for what no number has."""
    return any(_has_part_read(facts, use) for use in [element, *_uses_of_name_for(facts, element)])


def _is_beside_number(facts: Facts, element: ast.expr) -> bool:
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
    """The uses of the name that an assignment gives to a value and to nothing else."""
    statement = facts.parent(value)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return []
    return uses_given_by(facts, statement, target.id)


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


def _shows(facts: Facts, node: ast.expr) -> bool:
    parent = facts.parent(node)
    if isinstance(parent, ast.Tuple):
        outer = facts.parent(parent)
        return isinstance(outer, ast.BinOp) and writes_text_of(facts, outer, parent)
    if isinstance(parent, ast.BinOp):
        return writes_text_of(facts, parent, node)
    if isinstance(parent, ast.Compare) and parent.left is node:
        is_asked = isinstance(parent.ops[0], (ast.In, ast.NotIn))
        return is_asked and _is_asked_by_hash(facts, parent.comparators[0])
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return isinstance(facts.value(parent.value), (Mapping, Unknown))
    call = call_taking(facts.names, node)
    if call is None:
        return False
    if _keeps(facts, call.func):
        # Indices and words are looked up later, and a set finds what is equal by its hash.
        value = facts.value(node)
        return isinstance(value, Tensor) and holds_integers(value)
    return _takes_numbers_otherwise(facts, call.func)


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


def _keeps(facts: Facts, function: ast.expr) -> bool:
    """``xs.append`` of a list, ``seen.add`` of a set."""
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "add":
        return _is_asked_by_hash(facts, function.value)
    return function.attr == "append" and isinstance(facts.value(function.value), Sequence)


def _takes_numbers_otherwise(facts: Facts, function: ast.expr) -> bool:
    """Whether a function may do something else with a number than with a tensor.

    torch, numpy and what Python computes with make no difference.
    """
    builtin = facts.names.builtin(function)
    if builtin is not None:
        return builtin in _WRITERS
    name = facts.name(function)
    if name is not None:
        return not name.startswith(("torch.", "numpy.", "math."))
    if facts.is_module(function):
        return False
    if not isinstance(function, ast.Attribute):
        return True
    return not isinstance(facts.value(function.value), (Array, Sequence, Tensor, Text))
