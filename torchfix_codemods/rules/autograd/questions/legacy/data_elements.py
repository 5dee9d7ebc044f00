"""Elements of what was no Variable: numbers of Python in torch 0.3, and tensors today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import (
    argument,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.numbers import calculated_alone
from torchfix_codemods.facts.paths.uses import has_to_be_number
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import (
    Number,
    Tensor,
    Unknown,
    Value,
)
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import (
    is_beside_number,
    is_summed_up,
    is_wanted_as_number,
    shows,
)
from torchfix_codemods.rules.autograd.questions.returned_numbers import is_returned_as_number
from torchfix_codemods.rules.autograd.questions.single_numbers import (
    is_drawn,
    is_tested_element,
    twin_of,
)
from torchfix_codemods.text.wording import worded

#: What of ``math`` takes several numbers in one.
_OF_SEVERAL = frozenset({"math.fsum", "math.hypot", "math.prod"})

_SUMMED = (
    "{} was a number until torch 0.3 if it is one element, and makes a tensor of the total today: "
    "write {}"
)

_THIS = "this element"

#: So many names are followed.
_MAX_DEPTH = 4


def becomes_number(facts: Facts, node: ast.Subscript) -> bool:
    """Whether an element of what was no Variable gets its ``.item()``."""
    if not is_number_of_old_data(facts, node):
        return False
    twin = twin_of(facts, node)
    return (
        is_wanted_as_number(facts, node)
        or is_returned_as_number(facts, node)
        or (twin is not None and is_wanted_as_number(facts, twin))
    )


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


def said_of_summed(facts: Facts, node: ast.Subscript) -> str | None:
    """What is said of an element that is added to a total which is written, if it is no slice."""
    if facts.era_of(node).needs((0, 4)) or not may_be_summed_number(facts, node):
        return None
    if becomes_number(facts, node) or not any(shows(*each) for each in _totals(facts, node)):
        return None
    element = worded(node, _THIS)
    asked = ".item() of it" if element == _THIS else f"{element}.item()"
    return _SUMMED.format(element, asked)


def may_be_summed_number(facts: Facts, node: ast.Subscript) -> bool:
    """``total += x.data[places.get(c)]``, which was a number until 0.3 if that is no slice.

    Of whatever age the file is, as what a rewrite takes away may be what shows its age.
    """
    return (
        is_summed_up(facts, node) and _is_open(facts.value(node)) and was_plain(facts, node.value)
    )


def _is_open(value: Value) -> bool:
    """Whether it is not known how many dimensions there are."""
    return isinstance(value, Unknown) or (isinstance(value, Tensor) and value.ndim is None)


def _is_element(facts: Facts, node: ast.Subscript) -> bool:
    """Whether indices leave no dimension; two of them leave none of what ``multinomial`` drew.

    Where the dimensions are not known a number of Python tells that comes by another way.
    """
    value = facts.value(node)
    if not isinstance(value, (Tensor, Unknown)):
        return False
    if _may_be_element(facts, node):
        return is_beside_number(facts, node)
    if _is_of_vector_by_some_index(facts, node):
        is_number = any(_is_number_at(*each) for each in _totals(facts, node))
        return is_number and is_summed_up(facts, node)
    if isinstance(value, Unknown):
        return False
    if value.ndim is None and is_tested_element(facts, node):
        return True
    if value.ndim is None and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        is_whole = all(isinstance(facts.value(index), Number) for index in node.slice.elts)
        return is_whole and is_drawn(facts, node.value)
    return value.ndim == 0


def _totals(facts: Facts, element: ast.expr) -> Iterator[tuple[Facts, ast.Name]]:
    """Where the total is read that an element is added to: ``total += x.data[0]``."""
    added = facts.parent(calculated_alone(facts, element))
    total = added.target if isinstance(added, ast.AugAssign) else None
    found = facts.names.scope_of(total).lookup(total.id) if isinstance(total, ast.Name) else None
    if isinstance(total, ast.Name) and found is not None:
        yield from ((facts, use) for use in facts.names.uses_of(found[0], total.id))


def _is_number_at(facts: Facts, use: ast.Name) -> bool:
    """Whether what a name holds has to be one number, as for ``math.exp(total)``."""
    call = facts.parent(use)
    name = facts.name(call.func) if isinstance(call, ast.Call) and call.args == [use] else None
    is_of_math = name is not None and name.startswith("math.") and name not in _OF_SEVERAL
    return is_of_math or has_to_be_number(facts, use)


def _is_of_vector_by_some_index(facts: Facts, node: ast.Subscript) -> bool:
    """``row.data[places.get(c)]``: one element of a vector, or as many as a list names."""
    vector, element = facts.value(node.value), facts.value(node)
    return (
        isinstance(vector, Tensor)
        and vector.ndim == 1
        and isinstance(element, Tensor)
        and element.ndim is None
        and isinstance(facts.value(node.slice), Unknown)
    )


def _may_be_element(facts: Facts, node: ast.Subscript) -> bool:
    """``q.data.max(1)[1][0]`` of a ``q`` that may have more than two dimensions."""
    core, _ = unwrapped(node.value)
    reduced = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return (
        _is_open(facts.value(node))
        and isinstance(facts.value(node.slice), Number)
        and bool(reduced)
        and all(_leaves_dimension(facts, given) for given in reduced)
    )


def is_choice_of_places(facts: Facts, node: ast.Subscript, core: ast.expr) -> bool:
    """``names[places.data[0]]`` of ``_, places = x.max(1)``, which has a dimension at least.

    So it is where a function returns it, and its callers do with it what is done with a number.
    """
    asked = facts.parent(node)
    bindings = facts.flow.reaching(core) if isinstance(core, ast.Name) else ()
    is_of_places = bool(bindings) and all(
        binding.kind == "assign"
        and binding.path == (1,)
        and binding.value is not None
        and _leaves_dimension(facts, binding.value, is_pair=True)
        for binding in bindings
    )
    is_key = isinstance(asked, ast.Subscript) and asked.slice is node
    return is_of_places and (
        (is_key and is_wanted_as_number(facts, node)) or is_returned_as_number(facts, node)
    )


def _leaves_dimension(facts: Facts, node: ast.expr, is_pair: bool = False) -> bool:
    """``x.argmax(1)``, ``torch.max(x, dim=1)[1]``: the dimension before the one that goes."""
    is_pair = is_pair or isinstance(node, ast.Subscript)
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
