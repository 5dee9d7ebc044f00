"""What certainly is part of no graph, by all that it is made of: samples, constants, batches."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.stores import appended_by
from torchfix_codemods.facts.evidence.changes import written_otherwise
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Calling, Content, Place, use_of
from torchfix_codemods.facts.paths.in_turn import given_in_turn, may_be_replaced, returned_by
from torchfix_codemods.facts.paths.named import is_self, method_run
from torchfix_codemods.facts.paths.origins import come_from, given_to, sources
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Collated,
    Device,
    Foreign,
    Loader,
    LoaderIterator,
    NoneValue,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Value,
)
from torchfix_codemods.rules.autograd.questions.graphless import own_loaders
from torchfix_codemods.rules.autograd.questions.graphless import unknown_modules as unknown
from torchfix_codemods.rules.autograd.questions.graphless.by_flag import is_never_there
from torchfix_codemods.rules.autograd.questions.graphless.called import before_call
from torchfix_codemods.rules.autograd.questions.graphless.followed import (
    calling_of_puts,
    is_called_without_grad,
    of_own_name,
    within,
)
from torchfix_codemods.rules.autograd.questions.graphless.given import (
    container_in,
    extended_by,
    given_by,
    given_in_dict,
    is_extending,
    is_option,
    is_taken_from,
)
from torchfix_codemods.rules.autograd.questions.graphless.given_as_numbers import (
    is_given_as_number,
)
from torchfix_codemods.rules.autograd.questions.graphless.gradients import has_plain_grad
from torchfix_codemods.rules.autograd.questions.graphless.held_numbers import is_number_of_object
from torchfix_codemods.rules.autograd.questions.graphless.named_tuples import (
    before_field,
    before_making,
)
from torchfix_codemods.rules.autograd.questions.graphless.other_ways import (
    is_of_other_object,
    is_put_into,
    may_be_given_more,
    written_inside,
)
from torchfix_codemods.rules.autograd.questions.graphless.stored_above import stored_right_above
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import (
    gives_new,
    is_without_grad,
    was_made_without_grad,
)
from torchfix_codemods.rules.autograd.questions.new_tensors import is_query
from torchfix_codemods.rules.autograd.questions.whole_numbers import is_embedded

#: Through so many functions a list is followed that they hand on.
_MOST_HANDED = 8
_WITHOUT = (Array, Batch, Collated, Device, Loader, LoaderIterator, NoneValue, Number, Size, Text)


def is_without_graph(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly part of no graph, and asks for no gradients.

    Functions of the project are followed to what they return, parameters to all calls, attributes
    to all that is stored there.

    Args:
        node: the expression.
        facts: the facts of its file.
    """
    return come_from([Place(facts, node)], _before)


def _before(place: Place) -> Iterable[Place] | None:
    """None for what may be part of a graph; else what a value is made of."""
    before = _before_any(place)
    return before if before is None or place.calling is None else within(place, before)


def _before_any(place: Place) -> Iterable[Place] | None:
    facts, node, content = place.facts, place.node, place.content
    if _is_plain(value := facts.value(node)) and not _may_be_inside(node, value):
        return ()
    if isinstance(node, ast.Compare) or (isinstance(value, Foreign) and not content):
        # No tensor. What lies in it may be one.
        return ()
    if content and (in_turn := given_in_turn(place)) is not None:
        return in_turn
    if isinstance(node, ast.Name):
        return () if was_made_without_grad(node, facts) else _before_name(place, node)
    is_off = is_without_grad(node, facts) or is_called_without_grad(place)
    if is_off and gives_new(node, facts):
        return ()
    if isinstance(node, ast.Call):
        if is_off and unknown.only_calculates(node, facts, bool(content)):
            return [Place(facts, each) for each in values_given(node)]
        fields = before_making(place, node)
        return before_call(place, node) if fields is None else fields
    if isinstance(node, ast.Attribute):
        return _before_attribute(place, node)
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp)):
        parts = ast.iter_child_nodes(node)
        return [Place(facts, part) for part in parts if isinstance(part, ast.expr)]
    if isinstance(node, (ast.Subscript, ast.Starred)):
        return sources(place) or [Place(facts, node.value, ("*", *content))]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return [Place(facts, node.elt, content[1:])]
    if isinstance(node, ast.List) or (isinstance(node, ast.Tuple) and not content):
        return [Place(facts, part, content[1:]) for part in node.elts]
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return given_in_dict(place, node)
    return sources(place)


def _is_plain(value: Value) -> bool:
    if isinstance(value, Sequence):
        return all(_is_plain(item) for item in value.items or (value.element,))
    return isinstance(value, _WITHOUT) or (isinstance(value, Tensor) and value.grad is False)


def _may_be_inside(node: ast.expr, value: Value) -> bool:
    """Whether it is a list, or may be a part of one, that something else may be put into."""
    is_held = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    return is_held and isinstance(value, (Sequence, Tensor))


def _before_name(place: Place, name: ast.Name) -> Iterable[Place] | None:
    facts = place.facts
    bindings = facts.flow.reaching(name)
    written = written_otherwise(facts.inference, name)
    if not bindings or written is None:
        return None
    if (not place.content and is_given_as_number(name, facts)) or is_embedded(name, facts):
        return ()
    found = [given_by(place, binding) for binding in bindings]
    given = of_own_name(place, name, (each for places in found for each in places or ()))
    given += [Place(facts, each) for each in written]
    holder = facts.names.scope_of(name).lookup(name.id)
    known = () if holder is None else facts.names.uses_of(holder[0], name.id)
    # What the name holds under other bindings is another thing.
    uses = [use for use in known if _may_hold(facts.flow.reaching(use), bindings)]
    if None in found:
        return None
    return _with_contents(place, given, uses, calling_of_puts(place, name, bindings))


def _may_hold(reaching: Iterable[Binding], bindings: Iterable[Binding]) -> bool:
    found = [*reaching]
    return not found or any(each in found for each in bindings)


def _with_contents(
    place: Place, given: list[Place], uses: Collection[ast.expr], calling: Calling | None = None
) -> Iterable[Place] | None:
    """What is given, and all that its uses put into it, in one call where only that may do so."""
    facts = place.facts
    kinds = [container_in(each, len(each.content) - len(place.content)) for each in given]
    is_held, is_dict = any(kinds), "dict" in kinds
    content = place.content[1:] if is_held else ()
    others = [use for use in uses if is_held or not is_put_into(use, facts)]
    written = written_inside(others, is_held, facts)
    putting = (Place(facts, u, (), calling) for u in uses if is_held or u not in others)
    put = [_put_into(each, content, is_dict) for each in putting]
    if written is None or None in put:
        return None
    return [*given, *written, *(each for one in put for each in one or ())]


def _put_into(held: Place, content: Content, is_dict: bool, depth: int = 0) -> list[Place] | None:
    """What a use puts into what is held, also where a function gets it; None where unknown."""
    facts, use, calling = held.facts, held.node, held.calling
    around, statement = facts.parent(use), facts.statement(use)
    if isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Store):
        put = [statement.value] if isinstance(statement, ast.Assign) else None
        if put is not None and is_dict:
            key = Place(facts, around.slice, (), calling)
            return [*(Place(facts, each, content, calling) for each in put), key]
    elif is_dict and isinstance(around, ast.Attribute):
        # What ``get`` and ``items`` give may be written to.
        put = [] if around.attr == "keys" else None
    elif is_dict and isinstance(around, ast.Compare):
        put = []
    elif (more := extended_by(use, facts)) is not None:
        return [Place(facts, more, ("*", *content), calling)]
    else:
        is_same = is_extending(use, facts) or is_taken_from(use, facts)
        put = [] if is_same else appended_by(facts.names, use)
    if put is not None:
        return [Place(facts, each, content, calling) for each in put]
    handed = use_of(held)
    if depth > _MOST_HANDED or not handed.parameters():
        return None
    found = [_put_into(each, content, is_dict, depth + 1) for each in handed.taken()]
    return None if None in found else [each for places in found for each in places or ()]


def _before_attribute(place: Place, node: ast.Attribute) -> Iterable[Place] | None:
    """``x.data`` has no graph; ``self.x`` has what is stored there, by this class alone."""
    facts = place.facts
    if facts.name(node) is not None:
        return None
    is_off = node.attr == "data" or (node.attr == "grad" and has_plain_grad(node, facts))
    if is_off or is_query(node.attr) or is_option(node, facts) or own_loaders.samples(node, facts):
        return ()
    if node.attr == "T":
        return [Place(facts, node.value)]
    method = method_run(node.value, node.attr, facts)
    if method is not None and method[0].classes.is_property(method[1]):
        return None if may_be_replaced(*method) else returned_by(*method, place.content)
    owner = facts.parent(facts.names.enclosing_function(node) or node)
    if not is_self(facts, node.value) or not isinstance(owner, ast.ClassDef):
        return () if is_number_of_object(node, facts) else before_field(place, node)
    if not place.content and (above := stored_right_above(node, facts)) is not None:
        return [Place(facts, above)]
    if is_set_by_others(facts.inference, node.attr):
        return None
    stored = facts.classes.attribute_sources(owner, node.attr)
    uses = [u for u in facts.names.attributes(node.attr) if not is_of_other_object(u, owner, facts)]
    if any(may_be_given_more(use, stored, facts) for use in uses):
        return None
    read = [use for use in uses if isinstance(use.ctx, ast.Load)]
    if place.content and own_loaders.are_read_as_arrays(read, place):
        return ()
    stored = [each for each in stored if not is_never_there(each, node, owner, facts)]
    given = [None if s.is_shared else given_to(facts, s, place.content) for s in stored]
    given += [Place(facts, each, place.content) for each in facts.classes.buffers(owner, node.attr)]
    known = [each for each in given if each is not None]
    return None if None in given or not given else _with_contents(place, known, read)
