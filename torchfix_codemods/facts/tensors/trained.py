"""What ``backward()`` shows to be one number: what is trained on, and what is made like it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evidence import refining as evidence
from torchfix_codemods.facts.evidence.roots import are_parts_of_root, is_backward_root
from torchfix_codemods.facts.language.arguments import argument, is_opaque, values_given
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.language.scopes import Binding, Path, part_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import is_back_propagated, is_back_propagated_element
from torchfix_codemods.facts.paths.callers import (
    given_for,
    known_calls,
    others_with,
    value_by_all_calls,
)
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.named import function_named, is_self
from torchfix_codemods.facts.tensors.calculated import (
    is_calculated_from,
    may_be_of_numbers,
    tensors_of_numbers,
)
from torchfix_codemods.facts.tensors.trained_calls import (
    is_handed_on,
    is_same_name,
    is_switched,
    made_by,
    may_be_trained_elsewhere,
    trained_calls,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import UNKNOWN, Function, Tensor


def is_differentiated(facts: Facts, core: ast.expr) -> bool:
    """Whether ``backward()`` shows a name to hold one number, or to be a term of one."""
    if not isinstance(core, ast.Name):
        return is_back_propagated_element(facts, core)
    return _is_shown_by_backward(facts, core) or is_calculated_from(
        facts, core, _is_shown_by_backward
    )


def _is_shown_by_backward(facts: Facts, core: ast.Name) -> bool:
    return (
        evidence.is_of_one_element(facts.inference, core)
        or _is_trained(facts, core)
        or _is_given_one_gradient(facts, core)
        or _is_returned_and_trained(facts, core)
    )


def may_be_loss(facts: Facts, core: ast.expr) -> bool:
    """Whether ``backward()`` is called on a value, on what it is a term of, or on what the same
    function gives elsewhere: ``loss = self.criterion(output, target)`` of training and of tests.
    """
    if is_differentiated(facts, core) or _is_one_of_terms(facts, core):
        return True
    if may_be_trained_elsewhere(facts, core):
        return True
    # What is kept is a loss by its name as well, so that options may be added in a test.
    is_named = isinstance(core, ast.Name)
    functions = _functions_of(facts, core, is_named)
    return bool(functions - {None}) and any(
        is_backward_root(facts.names, call.func.value)
        and functions <= _functions_of(facts, call.func.value, is_named) - {None}
        for call in facts.names.method_calls("backward")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    )


def is_sum_of_losses(facts: Facts, core: ast.expr) -> bool:
    """Whether numbers, and the data of what may be a loss, are all that something comes from.

    ``self.total`` of ``self.total = 0`` and ``self.total += loss.data``.
    """
    return bool(tensors_of_numbers(facts, core, True, _is_data_of_loss))


def is_calculated_with_trained(facts: Facts, core: ast.expr) -> bool:
    """Whether numbers, and what ``backward()`` shows to be one, are all that something comes from.

    ``total`` of ``total = loss + options.weight * penalty``, where only ``loss`` is differentiated.
    """
    return bool(tensors_of_numbers(facts, core, True, _is_only_differentiated))


def _is_only_differentiated(facts: Facts, node: ast.expr) -> bool:
    return facts.value(node) == UNKNOWN and is_differentiated(facts, node)


def _is_data_of_loss(facts: Facts, node: ast.expr) -> bool:
    core, wrappers = unwrapped(node)
    return "data" in wrappers and facts.value(core) == UNKNOWN and may_be_loss(facts, core)


def _is_one_of_terms(facts: Facts, core: ast.expr) -> bool:
    """``x`` of ``for x in losses`` where ``total = losses[0] + …`` is differentiated."""
    bindings = facts.flow.reaching(core) if isinstance(core, ast.Name) else ()
    return bool(bindings) and all(
        binding.kind == "for"
        and not binding.path
        and isinstance(binding.value, ast.Name)
        and any(are_parts_of_root(facts.inference, [term]) for term in _read(facts, binding.value))
        for binding in bindings
    )


def _read(facts: Facts, held: ast.Name) -> Iterator[ast.expr]:
    """The elements that are read of the value of a name: ``losses[0]``."""
    found = facts.names.scope_of(held).lookup(held.id)
    bindings = set(facts.flow.reaching(held))
    for use in () if found is None else facts.names.uses_of(found[0], held.id):
        element = facts.parent(use)
        if not isinstance(element, ast.Subscript) or element.value is not use:
            continue
        if isinstance(element.slice, ast.Constant) and set(facts.flow.reaching(use)) == bindings:
            yield element


def is_made_as_trained(facts: Facts, core: ast.expr, is_old: bool = False) -> bool:
    """Whether a call gives a value as one does of which ``backward()`` is called, in one file.

    ``loss = self.criterion(output, target)`` of training and of tests, also where a parameter is
    called that both are given, or that all callers train with. Of a function of the project that
    is so where it calculates with a number; of any in a file for torch 0.3, unless something asks
    whether it trains, so that tests may get another value.

    Args:
        facts: the facts of the module.
        core: the value.
        is_old: whether it stands in a file for torch 0.3.
    """
    made = made_by(facts, core)
    if not made or None in made:
        return False
    return all(
        each is not None
        and (_is_made_so_beside(facts, *each) or is_handed_on(facts, *each))
        and _gives_one_kind(facts, *each, is_old)
        for each in made
    )


def _is_made_so_beside(facts: Facts, call: ast.Call, path: Path) -> bool:
    """Whether a call of the same function in the file gives what is differentiated."""
    return any(
        path == place and _is_like(facts, call, trained) for trained, place in trained_calls(facts)
    )


def _gives_one_kind(facts: Facts, call: ast.Call, path: Path, is_old: bool) -> bool:
    """Whether what a call gives to the same arguments has as many dimensions everywhere."""
    if is_old and len(values_given(call)) > 1:
        if not facts.remembered("asks mode", lambda: _asks_mode(facts)):
            return True
    named = function_named(call.func, facts)
    returned = None if named is None else values_returned(named[1])
    return bool(returned) and all(
        value is not None
        and named is not None
        and (part := part_of(value, path)) is not None
        and may_be_of_numbers(named[0], part)
        for value in returned or ()
    )


def _asks_mode(facts: Facts) -> bool:
    """Whether something of the project asks for ``self.training``."""
    asking = (facts, *others_with("training", facts))
    return any(there.names.attributes("training") for there in asking)


def _is_like(facts: Facts, call: ast.Call, other: ast.Call) -> bool:
    """Whether two calls are of the same function, with arguments of the same names."""
    return (
        ast.dump(call) == ast.dump(other)
        and not is_opaque(call)
        and _is_same_function(facts, call.func, other.func)
    )


def _is_same_function(facts: Facts, function: ast.expr, other: ast.expr) -> bool:
    """Whether two equal expressions are certainly of one function."""
    named, other_named = function_named(function, facts), function_named(other, facts)
    if named is not None or other_named is not None:
        return named == other_named
    first: ast.Attribute | None = None
    root, other_root = function, other
    while isinstance(root, ast.Attribute) and isinstance(other_root, ast.Attribute):
        first, root, other_root = root, root.value, other_root.value
    if not isinstance(root, ast.Name) or not isinstance(other_root, ast.Name):
        return False
    if is_switched(facts, ast.unparse(function)):
        return False
    if first is not None and is_self(facts, root):
        owner = facts.names.enclosing_class(root)
        is_of_one = owner is not None and owner is facts.names.enclosing_class(other_root)
        return is_of_one and owner is not None and _is_kept_once(facts, owner, first.attr)
    if is_same_name(facts, root, other_root):
        return True
    by_calls = value_by_all_calls(function, facts)
    if by_calls != value_by_all_calls(other, facts):
        return False
    value = by_calls.value if isinstance(by_calls, Imported) else by_calls
    return isinstance(value, Function) or (
        first is None and _is_handed_alike(facts, root, other_root)
    )


def _is_handed_alike(facts: Facts, name: ast.Name, other: ast.Name) -> bool:
    """Whether two functions side by side call a parameter of one name that they are given alike.

    ``criterion`` of ``train()`` and of ``validate()``. What the calls in sight give the one for it,
    they give the other one as well, by the same words.
    """
    function, parameter = parameter_held(name, facts)
    trained, other_parameter = parameter_held(other, facts)
    if function is None or trained is None or parameter is None or other_parameter is None:
        return False
    if function is trained or facts.parent(function) is not facts.parent(trained):
        return False
    given = _given_words(facts, function, parameter)
    return given <= (_given_words(facts, trained, other_parameter) or {parameter.arg})


def _given_words(facts: Facts, function: ast.FunctionDef, parameter: ast.arg) -> set[str | None]:
    """How the calls in sight write what they give a parameter; None where one leaves it out."""
    return {
        None if given is None else ast.unparse(given)
        for given, _ in given_for(parameter, function, facts)
    }


def _is_kept_once(facts: Facts, owner: ast.ClassDef, name: str) -> bool:
    """Whether only a constructor gives the attribute of an object its value."""
    makers = {
        getattr(facts.names.enclosing_function(source.node), "name", None)
        for source in facts.classes.attribute_sources(owner, name)
    }
    return makers == {"__init__"}


def _functions_of(
    facts: Facts, value: ast.expr, is_named: bool
) -> set[tuple[str, int | None] | None]:
    """What is called for a value, or for those that a name can hold; None where one is no call.

    With how many arguments, too, where it is not named.
    """
    assigned = _added_up(facts, value) if isinstance(value, ast.Name) else [value]
    return {
        (ast.unparse(v.func), None if is_named else len(values_given(v)))
        if isinstance(v, ast.Call)
        else None
        for v in assigned
    }


def _added_up(facts: Facts, name: ast.Name) -> list[ast.expr]:
    """What a name is assigned, and what is added to that: ``loss += penalty(model)``."""
    bindings = [*facts.flow.reaching(name)]
    found = list[ast.expr]()
    for binding in bindings:
        written = binding.written() if binding.kind == "assign" else None
        if isinstance(binding.node, ast.AugAssign):
            before = facts.flow.reaching_before(binding.node, binding.name)
            bindings += [each for each in before if each not in bindings]
            written = binding.node.value
        if written is None:
            return []
        found.append(written)
    return found


def _is_given_one_gradient(facts: Facts, name: ast.Name) -> bool:
    """``x.backward(one)`` of the very value of a name: x has as many elements as its gradient."""
    for call in facts.names.method_calls("backward"):
        tensor = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(tensor, ast.Name) or tensor.id != name.id or is_opaque(call):
            continue
        gradient = argument(call, 0, "gradient")
        value = None if gradient is None else facts.value(gradient)
        is_one = isinstance(value, Tensor) and value.single
        is_same = set(facts.flow.reaching(tensor)) == set(facts.flow.reaching(name))
        if is_one and is_same and is_back_propagated(facts, name):
            return True
    return False


def _is_returned_and_trained(facts: Facts, name: ast.Name) -> bool:
    """Whether a caller calls ``backward()`` of what its function returns: the value of a name.

    ``loss`` of ``return loss, output``, where ``loss, _ = step(x, y)`` and ``loss.backward()``.
    """
    function = facts.names.enclosing_function(name)
    exits = facts.inference.exits.get(function, ()) if function is not None else ()
    whole = exits[0].value if len(exits) == 1 and isinstance(exits[0], ast.Return) else None
    if not isinstance(function, ast.FunctionDef) or whole is None or not _is_in(whole, name):
        return False
    return any(
        call is trained
        and (part := part_of(whole, place)) is not None
        and is_same_name(facts, name, part)
        for call, there in known_calls(function, facts)
        for trained, place in trained_calls(there)
    )


def _is_in(whole: ast.expr, name: ast.Name) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name.id for part in ast.walk(whole))


def _is_trained(facts: Facts, name: ast.Name) -> bool:
    """Whether ``backward()`` shows all that a name may hold to be one number, where it is called.

    ``loss = criterion(output, target)`` and ``if train: loss.backward()``: what is only evaluated
    is computed by the same line.
    """
    bindings = set(facts.flow.reaching(name))
    found = facts.names.scope_of(name).lookup(name.id)
    if not bindings or found is None:
        return False
    roots = (
        set(facts.flow.reaching(use))
        for use in facts.names.uses_of(found[0], name.id)
        if is_backward_root(facts.names, use)
    )
    # Where another value can come there as well, it may be that one which holds one number.
    return set[Binding]().union(*(root for root in roots if root <= bindings)) == bindings
