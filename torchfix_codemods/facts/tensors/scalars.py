"""``loss.data[0]``: indices into what has no dimensions today."""

from __future__ import annotations

import ast
from typing import Literal, TypeGuard

from torchfix_codemods.facts.evidence.proofs import proves_tensor
from torchfix_codemods.facts.evidence.refining import is_of_one_element
from torchfix_codemods.facts.language.arguments import is_opaque, values_given, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import is_back_propagated_attribute
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.numbers import indexes_tensor, is_used_as_number
from torchfix_codemods.facts.paths.uses import has_to_be_number
from torchfix_codemods.facts.tensors.calculated import (
    is_of_numbers,
    may_be_of_numbers,
    tensors_of_numbers,
)
from torchfix_codemods.facts.tensors.called_numbers import gives_number, is_reduced
from torchfix_codemods.facts.tensors.dimensional import has_dimensions
from torchfix_codemods.facts.tensors.reductions import is_extreme_along
from torchfix_codemods.facts.tensors.trained import (
    is_differentiated,
    is_made_as_trained,
    is_sum_of_losses,
    may_be_loss,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Array,
    Maybe,
    Module,
    Nothing,
    Number,
    Tensor,
    Unknown,
    Value,
    join,
)

#: What may stand around a tensor that is not known and yet is reported: numpy's arrays and lists
#: are indexed for other reasons as well, unless what they are made of is differentiated, or a
#: number is wanted.
_BARE = (frozenset({"data"}), frozenset({"data", "cpu"}))
#: One of these stands around what was a Variable.
_CUTS = frozenset({"data", "detach"})

Verdict = Literal["number", "maybe", "vector", "graph"]


def indexed_scalar(facts: Facts, node: ast.Subscript) -> Verdict | None:
    """What ``x[0]``, ``x.data[0]`` or ``x.data.cpu().numpy()[0]`` is about.

    Returns:
        "number" where x certainly holds one number, which is wanted; "maybe" where x may be such
        a tensor; "vector" where x has a dimension, of one element;
        "graph" where x is 0-dim and may have a history; None for everything else.
    """
    if not (isinstance(node.slice, ast.Constant) and node.slice.value == 0):
        return None
    parent = facts.parent(node)
    if type(node.slice.value) is not int or not isinstance(node.ctx, ast.Load):
        return None
    asked = asked_item(facts, node)
    if isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node and not asked:
        is_lost = _is_data_of_number(facts, node) and not _is_indexed_again(facts, parent)
        return "graph" if is_lost else None
    if _is_array_of_number(facts, node.value) or first_of_number(facts, node) is not None:
        return "number"
    listed = listed_tensor(facts, node.value)
    core, wrappers = unwrapped(node.value if listed is None else listed)
    if isinstance(core, ast.Subscript) and not wrappers:
        if _is_number_of_data(facts, core):
            return "number"
        if not is_extreme_along(facts, core):
            return "graph" if _is_element(facts, core) else None
    value = _value_of_indexed(facts, core)
    if "data" in wrappers and _has_unknown_shape(value):
        by_calls = _value_by_all_calls(core, facts)
        value = value if isinstance(by_calls, Unknown) else by_calls
        if _has_unknown_shape(value) and gives_number(facts, core):
            # What has ``.data`` is a tensor.
            value = SCALAR
    if isinstance(value, Tensor) and value.single and (value.ndim == 0 or wrappers):
        if value.ndim not in ((0, None) if listed is None else (0,)):
            return None
        if wrappers - {"cpu", "clone"} or asked is not None:
            return "number"
        if value.grad is False and is_used_as_number(facts, node):
            # As an index, the one element of a Variable kept the dimension until torch 0.3.
            return "graph" if indexes_tensor(facts, node) else "number"
        return "graph"
    unknown = isinstance(value, Unknown) or (isinstance(value, Tensor) and value.ndim is None)
    if unknown and listed is not None and isinstance(core, ast.BinOp):
        # What a number is calculated with is one, too, unless it has dimensions.
        return "maybe" if is_number(facts, core.left) or is_number(facts, core.right) else None
    unknown = unknown and listed is None
    if unknown and "data" in wrappers:
        # What has ``.data`` is the tensor among those.
        if is_of_numbers(facts, core) or is_back_propagated_attribute(facts, core):
            return "number"
        if is_made_as_trained(facts, core) and not has_dimensions(facts, core):
            return "number"
    if unknown and not wrappers and _is_sum_of_numbers(facts, core):
        return "graph"
    if unknown and not wrappers and _is_sum_of_data(facts, core) and gives_number(facts, core):
        is_number_alone = is_used_as_number(facts, node) and not indexes_tensor(facts, node)
        return "number" if is_number_alone else "graph"
    if unknown and not wrappers and _is_back_propagated(facts, core):
        return "maybe" if is_used_as_number(facts, node) else None
    if unknown and isinstance(core, ast.Attribute) and listed is None:
        verdict = _of_kept_sum(facts, node, core, wrappers)
        if verdict is not None:
            return verdict
    if unknown and wrappers and _is_kept_as_number(facts, core):
        return "maybe"
    if not unknown:
        return None
    if has_dimensions(facts, core):
        return "vector" if is_differentiated(facts, core) else None
    is_reported = wrappers in _BARE or (
        "data" in wrappers
        and (
            may_be_loss(facts, core)
            or _is_picked(facts, core)
            or may_be_of_numbers(facts, core)
            or is_squeezed_to_list(core, wrappers)
        )
    )
    if not is_reported and not (wrappers & _CUTS and has_to_be_number(facts, node)):
        return None
    # Of ``layer.bias``, which may be None, only its use is one of a tensor.
    data = facts.value(node.value)
    if isinstance(data, Tensor) and data.ndim:
        return None
    # ``torch.squeeze(x.data[0])`` took no number either: the element is a row.
    return None if "data" in wrappers and proves_tensor(facts.names, node) else "maybe"


def asked_item(facts: Facts, element: ast.Subscript) -> ast.Call | None:
    """``x.data[0].item()`` around ``x.data[0]``, which asks for the number all the same."""
    method = facts.parent(element)
    if not isinstance(method, ast.Attribute) or method.attr != "item":
        return None
    call = facts.parent(method)
    is_asked = isinstance(call, ast.Call) and call.func is method and not len(values_given(call))
    return call if isinstance(call, ast.Call) and is_asked else None


def _is_back_propagated(facts: Facts, core: ast.expr) -> bool:
    """Whether ``loss.backward()`` shows a name to hold one number, as far as is known."""
    is_one = isinstance(core, ast.Name) and is_of_one_element(facts.inference, core)
    return is_one and not has_dimensions(facts, core)


def _of_kept_sum(
    facts: Facts, node: ast.Subscript, core: ast.Attribute, wrappers: frozenset[str]
) -> Verdict | None:
    """``self.total.cpu()[0]`` of ``self.total = 0`` and ``self.total += loss.data``.

    Of what may be a number of Python, too, only the tensor is indexed.
    """
    summed = tensors_of_numbers(facts, core, of_one=bool(wrappers))
    if not summed:
        return "maybe" if wrappers and is_sum_of_losses(facts, core) else None
    # What was no Variable gave a number, wherever that goes.
    if wrappers - {"cpu", "clone"} or all("data" in unwrapped(p.node)[1] for p in summed):
        return "number"
    values = [place.facts.value(place.node) for place in summed]
    is_plain = all(isinstance(value, Tensor) and value.grad is False for value in values)
    if is_plain and is_used_as_number(facts, node) and not indexes_tensor(facts, node):
        return "number"
    return "graph"


def first_of_number(facts: Facts, node: ast.Subscript) -> ast.Subscript | None:
    """``loss[0]`` of ``loss[0].data[0]``, where the loss certainly has no dimension.

    Until torch 0.3 it had one, which its first element kept.
    """
    first, wrappers = unwrapped(node.value)
    is_first = isinstance(first, ast.Subscript) and whole_number(first.slice) == 0
    if not is_first or not isinstance(first, ast.Subscript) or "data" not in wrappers:
        return None
    value = facts.value(first.value)
    if isinstance(value, Tensor) and value.ndim is not None:
        return first if value.single and value.ndim == 0 else None
    return first if _has_unknown_shape(value) and gives_number(facts, first.value) else None


def _is_indexed_again(facts: Facts, data: ast.expr) -> bool:
    """``x[0].data`` of ``x[0].data[0]``, of which the second index is told."""
    outer = facts.parent(data)
    while isinstance(outer, (ast.Attribute, ast.Call)):
        outer = facts.parent(outer)
    return isinstance(outer, ast.Subscript) and first_of_number(facts, outer) is not None


def _is_sum_of_numbers(facts: Facts, core: ast.expr) -> bool:
    """``total`` of ``total = 0`` and ``total = total + lowest[0]``, where that has no dimension."""
    bindings = facts.flow.reaching(core) if isinstance(core, ast.Name) else ()
    given = [b.value for b in bindings if b.kind in ("assign", "augassign") and not b.path]
    values = [facts.value(value) for value in given if value is not None]
    if len(values) < 2 or not any(isinstance(value, Number) for value in values):
        return False
    has_tensor = any(
        isinstance(part, (ast.Name, ast.Call, ast.Subscript)) and facts.is_tensor(part)
        for value in given
        for part in (() if value is None else ast.walk(value))
    )
    return has_tensor and is_of_numbers(facts, core)


def _is_sum_of_data(facts: Facts, core: ast.expr) -> bool:
    """``total`` of ``total = 0`` and ``total += kl.data / n``: all that is no number is cut off.

    So it is of a ``total = a + b`` of such sums.
    """
    pending = [*facts.flow.reaching(core)] if isinstance(core, ast.Name) else []
    added: list[ast.expr] = []
    for binding in pending:
        statement = binding.node
        written = binding.written() if binding.kind == "assign" else None
        if isinstance(statement, ast.AugAssign):
            before = facts.flow.reaching_before(statement, binding.name)
            added.append(statement.value)
        elif isinstance(written, ast.BinOp) and isinstance(facts.value(written), Unknown):
            terms = [term for term in _terms(written) if isinstance(term, ast.Name)]
            added += [term for term in _terms(written) if term not in terms]
            before = tuple(each for term in terms for each in facts.flow.reaching(term))
        elif isinstance(facts.inference.bound(binding), Number):
            continue
        else:
            return False
        pending += [each for each in before if each not in pending]
    return bool(added) and all(_is_cut_or_number(facts, term) for term in added)


def _terms(total: ast.expr) -> list[ast.expr]:
    """``a``, ``b`` and ``c`` of ``a + b + c``."""
    if isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add):
        return [*_terms(total.left), *_terms(total.right)]
    return [total]


def _is_cut_or_number(facts: Facts, term: ast.expr) -> bool:
    if isinstance(term, ast.BinOp):
        return all(_is_cut_or_number(facts, side) for side in (term.left, term.right))
    return isinstance(facts.value(term), Number) or bool(_CUTS & unwrapped(term)[1])


def _is_data_of_number(facts: Facts, node: ast.Subscript) -> bool:
    """``x[0]`` of ``x[0].data``, where x certainly has no dimension: ``[0]`` raises already."""
    parent, value = facts.parent(node), facts.value(node.value)
    is_data = isinstance(parent, ast.Attribute) and parent.attr == "data"
    return is_data and isinstance(value, Tensor) and value.single and value.ndim == 0


def _is_array_of_number(facts: Facts, node: ast.expr) -> bool:
    """``a`` of ``a = loss.data.cpu().numpy()``, an array that lost the dimension with the loss."""
    arrays = facts.assigned(node) if isinstance(node, ast.Name) else None
    if not arrays or not isinstance(facts.value(node), (Array, Unknown)):
        return False
    for array in arrays:
        core, wrappers = unwrapped(array)
        value = _value_of_indexed(facts, core) if "numpy" in wrappers else None
        if "tolist" in wrappers or not isinstance(value, Tensor):
            return False
        if not value.single or value.ndim != 0:
            return False
    return True


def _value_by_all_calls(core: ast.expr, facts: Facts) -> Value:
    """What a parameter is by all calls of its function, or what calling such a parameter gives.

    ``criterion(output, target)`` where ``criterion`` is the parameter, also by a name.
    """
    by_calls = value_by_all_calls(core, facts)
    if not isinstance(by_calls, Unknown):
        return by_calls
    made = (facts.assigned(core) or ()) if isinstance(core, ast.Name) else [core]
    result: Value = NOTHING
    for call in made:
        if not isinstance(call, ast.Call):
            return UNKNOWN
        loss = value_by_all_calls(call.func, facts)
        result = join(result, facts.inference.called(loss, call))
    return UNKNOWN if isinstance(result, Nothing) else result


def listed_tensor(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``list(x)``, which goes through the elements of x."""
    if not isinstance(node, ast.Call) or facts.names.builtin(node.func) != "list":
        return None
    is_plain = len(node.args) == 1 and not node.keywords
    return node.args[0] if is_plain and not is_opaque(node) else None


def how_indexed(facts: Facts, node: ast.Subscript) -> str:
    """How the one number of a tensor is taken out: of a list of it, by its first element, or so."""
    if listed_tensor(facts, node.value) is not None:
        return "listed"
    return "indexed" if first_of_number(facts, node) is None else "twice"


def is_number(facts: Facts, tensor: ast.expr) -> bool:
    """Whether an expression, if it is a tensor, certainly has no dimension."""
    value = _value_of_indexed(facts, tensor)
    if isinstance(value, Tensor):
        return value.ndim == 0
    assigned = facts.assigned(tensor) if isinstance(tensor, ast.Name) else None
    return bool(assigned) and isinstance(value, Unknown) and all(map(is_reduced, assigned or ()))


def _is_kept_as_number(facts: Facts, node: ast.expr) -> bool:
    """``net.loss`` of a model of another file, which keeps a tensor of no dimension there."""
    if not isinstance(node, ast.Attribute):
        return False
    base = facts.value(node.value)
    origin = base.origin if isinstance(base, Module) else base
    definition = getattr(origin.value, "definition", None) if isinstance(origin, Imported) else None
    if not isinstance(origin, Imported) or not isinstance(definition, ast.ClassDef):
        return False
    kept = origin.owner.attribute(definition, node.attr)
    kept = kept.value if isinstance(kept, Maybe) else kept
    return isinstance(kept, Tensor) and kept.ndim == 0


def _has_unknown_shape(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.ndim is None and not value.single
    return isinstance(value, Unknown)


def is_squeezed(node: ast.expr) -> TypeGuard[ast.Call]:
    """``x.squeeze()``, which leaves no dimension of one element."""
    method = node.func if isinstance(node, ast.Call) and not len(values_given(node)) else None
    return isinstance(method, ast.Attribute) and method.attr == "squeeze"


def is_squeezed_to_list(core: ast.expr, wrappers: frozenset[str]) -> bool:
    """``x.squeeze().data.tolist()``: a list of one number until torch 0.3, and a number today."""
    return is_squeezed(core) and "tolist" in wrappers


def _is_picked(facts: Facts, core: ast.expr) -> bool:
    """``boxes[0, j, 0]``, also by its name: numbers alone say which element it is."""
    made = facts.assigned(core) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        isinstance(each, ast.Subscript)
        and isinstance(each.slice, ast.Tuple)
        and len(each.slice.elts) > 1
        and all(_is_one_place(facts, place) for place in each.slice.elts)
        for each in made or ()
    )


def _is_one_place(facts: Facts, index: ast.expr) -> bool:
    return whole_number(index) is not None or facts.value(index) == Number("int")


def _is_element(facts: Facts, item: ast.Subscript) -> bool:
    """``sums[i]`` of ``sums = x.sum(1)``, which had two dimensions until torch 0.1."""
    value = facts.value(item)
    return facts.is_tensor(item.value) and isinstance(value, Tensor) and value.ndim == 0


def _is_number_of_data(facts: Facts, item: ast.Subscript) -> bool:
    """``indices.data[0]`` of what has one dimension: it had two where ``[0]`` follows."""
    value = facts.value(item)
    has_no_dimension = isinstance(value, Tensor) and value.ndim == 0
    return has_no_dimension and "data" in unwrapped(item.value)[1]


def _value_of_indexed(facts: Facts, node: ast.expr) -> Value:
    value = facts.value(node)
    return SCALAR if isinstance(value, Unknown) and is_reduced(node) else value
