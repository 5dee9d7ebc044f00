"""What is calculated from numbers and from tensors of no dimension: ``correct / total``."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.facts.evaluation.parameters import default_value
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, given_by_all, given_to, sources
from torchfix_codemods.facts.tensors.least_dimensions import most_left
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Instance,
    Module,
    Number,
    Tensor,
    Unknown,
)
from torchfix_codemods.facts.values.resizing import reshaping

#: Through so many names a calculation is followed.
_LONGEST = 3


def is_of_numbers(facts: Facts, node: ast.expr, by_default: bool = False) -> bool:
    """Whether an expression is a number of Python or a tensor of no dimension, whichever it is.

    A sum that a loop adds to is its start where the loop does not run.

    Args:
        facts: the facts of the module.
        node: the expression.
        by_default: whether a parameter counts that is a number by itself.
    """
    return come_from([Place(facts, node)], functools.partial(_before, by_default))


def tensors_of_numbers(
    facts: Facts,
    node: ast.expr,
    of_one: bool = False,
    may_be_one: Callable[[Facts, ast.expr], bool] = lambda facts, node: False,
) -> list[Place]:
    """The tensors of no dimension that an expression comes from, where all is such, or a number.

    Args:
        facts: the facts of the module.
        node: the expression.
        of_one: whether those count that have one element and may have a dimension of it.
        may_be_one: whether what is not known counts as well.
    """
    found = list[Place]()

    def before(place: Place) -> Iterable[Place] | None:
        if not place.content and may_be_one(place.facts, place.node):
            found.append(place)
            return ()
        known = _before(False, place, of_one)
        if known == () and isinstance(place.facts.value(place.node), Tensor) and not place.content:
            found.append(place)
        return known

    return found if come_from([Place(facts, node)], before) else []


def may_be_of_numbers(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a tensor of no dimension is calculated with, and else only what is not known.

    ``loss / options.batch_size``, and what is added to that, also by name.
    """
    made = (facts.assigned(node) or []) if isinstance(node, ast.Name) else [node]
    return bool(made) and depth <= _LONGEST and all(_is_beside(facts, m, depth + 1) for m in made)


def is_calculated_from(
    facts: Facts, name: ast.Name, is_of_one: Callable[[Facts, ast.Name], bool]
) -> bool:
    """Whether only tensors of one element, and numbers, are what the value of a name is made of.

    ``total`` of ``total = kl + nll`` where ``mean = kl / 2 + nll`` is differentiated.

    Args:
        facts: the facts of the module.
        name: the name.
        is_of_one: whether another name that is calculated with holds one element.
    """
    made = facts.assigned(name) or []
    return bool(made) and all(
        isinstance(each, ast.BinOp) and _are_of_one(facts, [*terms_of(each)], is_of_one)
        for each in made
    )


def _are_of_one(
    facts: Facts, terms: list[ast.expr], is_of_one: Callable[[Facts, ast.Name], bool]
) -> bool:
    values = {term: facts.value(term) for term in terms}
    tensors = [term for term, value in values.items() if not isinstance(value, Number)]
    return bool(tensors) and all(
        (isinstance(value := values[term], Tensor) and value.single)
        or (isinstance(term, ast.Name) and is_of_one(facts, term))
        for term in tensors
    )


def terms_of(whole: ast.expr) -> Iterator[ast.expr]:
    """What a calculation by elements is made of: ``loss`` of ``count * loss``, with ``count``.

    Of what has one element, those that are tensors have one, too.
    """
    if isinstance(whole, ast.BinOp) and isinstance(whole.op, ELEMENTWISE):
        yield from terms_of(whole.left)
        yield from terms_of(whole.right)
    else:
        yield whole


def _is_beside(facts: Facts, made: ast.expr, depth: int) -> bool:
    """Whether a calculation has a tensor of no dimension, and no other one that is known."""
    if not isinstance(made, ast.BinOp) or not isinstance(made.op, ELEMENTWISE):
        return False
    values = {side: facts.value(side) for side in (made.left, made.right)}
    numbers = [
        side
        for side, value in values.items()
        if (isinstance(value, Tensor) and value.ndim == 0) or may_be_of_numbers(facts, side, depth)
    ]
    return bool(numbers) and all(
        side in numbers or isinstance(value, (Number, Unknown)) for side, value in values.items()
    )


def _before(by_default: bool, place: Place, of_one: bool = False) -> Iterable[Place] | None:
    """None for what may be no such number; else what it is calculated from."""
    facts, node = place.facts, place.node
    if place.content:
        # In place, a row may get another dimension.
        if isinstance(node, ast.Name) and may_be_reshaped(facts.inference, node):
            return None
        return () if _has_no_more_dimensions(place) else sources(place)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ELEMENTWISE):
        return [Place(facts, node.left), Place(facts, node.right)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return [Place(facts, node.operand)]
    value = facts.value(node)
    if isinstance(value, Number):
        return ()
    if isinstance(value, Tensor) and value.ndim is not None:
        return () if value.ndim == 0 else None
    if of_one and isinstance(value, Tensor) and value.single:
        return ()
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) in ("min", "max"):
        return [Place(facts, given) for given in values_given(node)] or None
    if isinstance(node, ast.Subscript) and constant(node.slice) == 0:
        return [Place(facts, unwrapped(node.value)[0])]
    if isinstance(node, ast.Attribute):
        is_given = isinstance(value_by_all_calls(node, facts), Number)
        return () if is_given else _stored(facts, node)
    if not isinstance(node, ast.Name):
        return sources(place)
    # A use shows that it is a tensor, and nothing of its dimensions.
    is_changed = may_be_reshaped(facts.inference, node)
    return None if is_changed else _bound(facts, facts.flow.reaching(node), by_default)


def _has_no_more_dimensions(place: Place) -> bool:
    """Whether an element of a tensor lies so deep that it has none: of a row of ``x.t()``."""
    call = place.node
    most = most_left(place.facts, call) if isinstance(call, ast.Call) else None
    return most is not None and len(place.content) >= most


def _bound(facts: Facts, bindings: Iterable[Binding], by_default: bool) -> list[Place] | None:
    """What gives a name its value: of ``total += x`` what it was before, and ``x``."""
    pending, found = [*bindings], list[Place]()
    for binding in pending:
        statement = binding.node
        if isinstance(statement, ast.AugAssign):
            before = facts.flow.reaching_before(statement, binding.name)
            if not before or not isinstance(statement.op, ELEMENTWISE):
                return None
            pending += [each for each in before if each not in pending]
            found.append(Place(facts, statement.value))
        elif by_default and isinstance(statement, ast.arg):
            if not isinstance(default_value(facts.inference, statement), Number):
                return None
        elif isinstance(statement, ast.arg):
            arguments = given_by_all(facts, statement)
            if not arguments:
                return None
            found += arguments
        else:
            # What a function gives in a tuple may come from itself alone.
            is_whole = binding.kind == "for" or binding.written() is not None
            given = given_to(facts, binding, ()) if is_whole else None
            if given is None:
                return None
            found.append(given)
    return found if pending else None


def _is_stored_outside(
    facts: Facts, definition: ast.ClassDef, name: str, sources: Iterable[Binding]
) -> bool:
    """Whether anything of the file but a class may store to ``….name`` of its objects."""
    own = {id(source.node) for source in sources}
    return any(
        not isinstance(use.ctx, ast.Load)
        and id(facts.names.statement(use)) not in own
        and not facts.classes.is_of_other(use, definition)
        for use in facts.names.attributes(name)
    )


def _is_reshaped(facts: Facts, name: str) -> bool:
    """Whether what an object keeps may get other dimensions in place: ``self.total.resize_(3)``."""
    around = map(facts.parent, facts.names.attributes(name))
    return any(isinstance(a, ast.Attribute) and reshaping(facts.names, a) for a in around)


def _stored(facts: Facts, attribute: ast.Attribute) -> list[Place] | None:
    """All that a class stores as ``self.name``."""
    holder = facts.value(attribute.value)
    home = facts_of(holder.owner) if isinstance(holder, Imported) else facts
    holder = holder.value if isinstance(holder, Imported) else holder
    definition = holder.definition if isinstance(holder, (Module, Instance)) else None
    if definition is None or home is None or home.classes.kind(definition) == "unknown":
        return None
    if facts.files is not None and facts.files.is_assigned_anywhere(attribute.attr):
        return None
    stored: list[Place] = []
    bound = home.classes.attribute_sources(definition, attribute.attr)
    if _is_stored_outside(home, definition, attribute.attr, bound):
        return None
    if _is_reshaped(home, attribute.attr):
        return None
    for source in bound:
        statement = source.node
        written = source.written()
        if isinstance(statement, ast.AugAssign):
            written = statement.value if isinstance(statement.op, ELEMENTWISE) else None
        if written is None:
            return None
        stored.append(Place(home, written))
    return stored or None
