"""Indices that gave a number of Python until torch 0.3, as far as is known."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, whole_number
from torchfix_codemods.facts.language.foreign import imports
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import attributes_alike
from torchfix_codemods.facts.paths.numbers import is_used_as_number
from torchfix_codemods.facts.tensors.asked_sizes import (
    is_asked_for_more_elements,
    is_asked_for_one_size,
)
from torchfix_codemods.facts.tensors.calculated import may_be_of_numbers
from torchfix_codemods.facts.tensors.dimensional import (
    comes_with_dimensions,
    had_dimensions,
    has_dimensions,
    tensors_bound,
)
from torchfix_codemods.facts.tensors.reductions import keeps_dimensions, reduced
from torchfix_codemods.facts.tensors.shown_otherwise import is_no_number
from torchfix_codemods.facts.tensors.sizes_of_one import was_asserted_one
from torchfix_codemods.facts.tensors.taken_by_modules import is_taken_by_module
from torchfix_codemods.facts.tensors.trained import (
    is_calculated_with_trained,
    is_differentiated,
    is_made_as_trained,
    is_sum_of_losses,
    may_be_loss,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.beside_numbers import (
    is_handed_beside_item,
    is_put_in_as_number,
    stands_beside_number,
)
from torchfix_codemods.rules.autograd.questions.legacy.batches_of_one import leaves_batch
from torchfix_codemods.rules.autograd.questions.legacy.data_elements import (
    is_choice_of_places,
    is_sum_of_data,
)
from torchfix_codemods.rules.autograd.questions.legacy.replaced_variables import (
    gives_way_to_number,
)
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import (
    is_summed_up,
    is_wanted_as_number,
)
from torchfix_codemods.rules.autograd.questions.single_numbers import is_averaged, is_choice
from torchfix_codemods.rules.autograd.questions.wanted_tensors import is_read_in_parts

_DATA = (frozenset({"data"}), frozenset({"data", "cpu"}))
_MAX_DEPTH = 4

#: A library whose losses have one dimension to this day.
_OF_ONE_DIMENSION = "warpctc_pytorch"


def may_be_of_sum(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``total[0]`` of ``total = 0`` and ``total += y.data`` may be of a single number."""
    return (
        isinstance(node.value, ast.Name)
        and is_first_alone(facts, node)
        and facts.era_of(node).before((0, 4))
        and isinstance(facts.value(node.value), Unknown)
        and is_sum_of_data(facts, node.value, is_certain=False)
        and not is_asked_for_more_elements(facts, node.value)
        and not is_read_in_parts(facts, node)
    )


def may_be_number(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x.data[0]`` of an x that is not known is a relic of one number, until 0.3.

    A file that uses what 0.4 brought has losses alone, and no number was wrapped, or batched. That
    it is one shows where it goes, as a number could, or what x is: a loss, an element; or what
    it stands beside: ``if isinstance(x, Variable): x = x.data[0]``, and that it is added to a
    number, wherever the sum goes. What a test made a batch of, the same test takes out again.
    """
    era, core = facts.era_of(node), unwrapped(node.value)[0]
    if imports(facts.names, _OF_ONE_DIMENSION):
        return False
    if isinstance(core, ast.Attribute):
        if _is_kept_long(facts, core) or is_taken_by_module(facts, core):
            return False
    if is_asked_for_more_elements(facts, core):
        return False
    if is_no_number(facts, node, core):
        return False
    if _is_blob(facts, core) or leaves_batch(facts, node):
        return False
    if era.before((0, 4)) and had_dimensions(facts, core):
        return False
    if era.needs((0, 4)):
        # Torch 0.4 only warned of such an index.
        return isinstance(core, ast.Name) and may_be_loss(facts, core)
    if may_be_loss(facts, core) or is_sum_of_losses(facts, core):
        return True
    if gives_way_to_number(facts, node, core):
        return True
    if may_be_of_numbers(facts, core):
        return not is_read_in_parts(facts, node)
    if isinstance(core, ast.Subscript) and isinstance(core.value, ast.Subscript):
        # An element of an element may be a row as well: ``outputs[0][0].data[0]``.
        return is_handed_beside_item(facts, node)
    is_asked = isinstance(core, ast.Subscript) or stands_beside_number(facts, node, core)
    is_added = is_summed_up(facts, node) or is_averaged(facts, node)
    is_one = is_asked or is_added or is_used_as_number(facts, node)
    return (is_one or is_put_in_as_number(facts, core)) and not is_read_in_parts(facts, node)


def _is_blob(facts: Facts, core: ast.expr) -> bool:
    """``net.blobs["fc7"]`` of a net of caffe, whose ``.data`` is an array."""
    is_item = isinstance(core, ast.Subscript) and last_name(core.value) == "blobs"
    return is_item and imports(facts.names, "caffe")


def _is_kept_long(facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether all that an object keeps as an attribute has a dimension.

    Of an object that is not known, it is all that the project keeps by that name.
    """
    kept = [
        (there, there.parent(node))
        for there, node in attributes_alike(facts, attribute)
        if isinstance(node.ctx, ast.Store)
    ]
    # In place, a tensor keeps the dimensions that it has.
    stores = [(there, s) for there, s in kept if not isinstance(s, ast.AugAssign)]
    return bool(stores) and all(
        isinstance(store, ast.Assign) and _is_long(there, store) for there, store in stores
    )


def _is_long(facts: Facts, store: ast.Assign) -> bool:
    """Whether what is stored has a dimension: in a file for torch 0.3, all that was wrapped."""
    is_old = facts.era_of(store).before((0, 4))
    return (had_dimensions if is_old else has_dimensions)(facts, store.value)


def may_be_old_number(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x.data[0]`` of an x that is counted was wanted as a number, as far as is known.

    What a layer gives is none, nor is a batch: their elements are rows.
    """
    # Asked first, because no value is needed for it.
    if constant(node.slice) != 0 or not isinstance(node.ctx, ast.Load):
        return False
    core, wrappers = unwrapped(node.value)
    if wrappers not in _DATA or facts.era_of(node).needs((0, 4)):
        return False
    if isinstance(facts.parent(node), ast.Return) and is_choice(facts, core):
        return facts.era_of(node).before((1, 0)) and has_dimensions(facts, core)
    return (
        isinstance(value := facts.value(core), Tensor)
        and value.ndim is None
        and (
            (_is_counted(facts, core) and is_wanted_as_number(facts, node))
            or is_choice_of_places(facts, node, core)
        )
    )


def is_first_alone(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x[0]`` is read, and asked for nothing more: no attribute, and no part."""
    is_read = constant(node.slice) == 0 and isinstance(node.ctx, ast.Load)
    return is_read and not isinstance(facts.parent(node), (ast.Attribute, ast.Subscript))


def _is_counted(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether only the question how many there are shows that an expression has a dimension."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return keeps_dimensions(node) and _is_counted(facts, node.func.value, depth)
    if not isinstance(node, ast.Name) or depth > _MAX_DEPTH:
        return False
    if is_asked_for_one_size(facts, node):
        return not (comes_with_dimensions(facts, node) or _has_columns(facts, node))
    given = [_added(binding) for binding in tensors_bound(facts, node)]
    return bool(given) and all(v is not None and _is_counted(facts, v, depth + 1) for v in given)


def _has_columns(facts: Facts, name: ast.Name) -> bool:
    """Whether a second dimension of a name is asked for: ``x.size(1)``, ``x[:, i]``."""
    found = facts.names.scope_of(name).lookup(name.id)
    for use in () if found is None else facts.names.uses_of(found[0], name.id):
        parent = facts.parent(use)
        if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Tuple):
            return True
        if not isinstance(parent, ast.Attribute):
            continue
        call = facts.parent(parent)
        if isinstance(call, ast.Call) and call.func is parent and call.args:
            if parent.attr in ("size", "select") and (whole_number(call.args[0]) or 0) > 0:
                return True
    return False


def _added(binding: Binding) -> ast.expr | None:
    """What an assignment gives to a name, or adds to it."""
    if isinstance(binding.node, ast.AugAssign):
        return binding.node.value
    return binding.value if binding.kind == "assign" and not binding.path else None


def told_of_second_index(facts: Facts, node: ast.Subscript) -> str:
    """What to write for ``x.max(1)[1].data[0][0]``, and for ``x.mean(0).max(1)[1].data[0][0]``."""
    below = node.value if isinstance(node.slice, ast.Tuple) else getattr(node.value, "value", node)
    assigned = facts.assigned(below) if isinstance(below, ast.Name) else None
    extreme = unwrapped(assigned[0] if assigned else below)[0]
    if isinstance(extreme, ast.Call) and isinstance(extreme.func, ast.Attribute):
        is_function = facts.name(extreme.func) is not None
        of = extreme.args[0] if is_function else extreme.func.value
        is_chain = bool(reduced(facts, of).calls)
    else:
        is_chain = len(reduced(facts, extreme).calls) > 1
    if is_chain:
        return (
            "since torch 0.2 each reduction here drops its dimension: in each of them, write "
            "keepdim=True"
        )
    return (
        "since torch 0.2 a maximum of a matrix along one dimension has one dimension, so the "
        "second index raises: write keepdim=True"
    )


def is_old_term(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x.data[0]``, in a file for torch 0.3, is of a term of what is differentiated, or
    of what is asserted to have one element.

    ``x`` of ``if train: x.backward()`` is one itself.
    ``x`` of ``loss = x + y`` with ``loss.backward()`` is a number, which has no ``.data``, or a
    tensor of one element: nothing else was added to Variables. ``assert x.shape == (1,)`` says it.
    What the same call gives to ``backward()`` elsewhere is one, too, and what is calculated with
    such terms and numbers: ``total`` of ``total = x + weight * penalty``.
    """
    core, _ = unwrapped(node.value)
    if not facts.era_of(node).before((0, 4)):
        return False
    if is_differentiated(facts, core) or was_asserted_one(facts, core):
        return True
    if is_calculated_with_trained(facts, core):
        return True
    return is_made_as_trained(facts, core, is_old=True) and not has_dimensions(facts, core)
