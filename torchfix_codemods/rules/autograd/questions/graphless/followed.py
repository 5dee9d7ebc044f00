"""What one call of a function gives it, where only that call is asked about."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.parameters import argument_for, default_of
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.graph import Calling, Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import gets_object_before
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Number, Size
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import is_without_grad

#: So many calls are remembered inside one another; for one further inside, all calls count.
_MOST_INSIDE = 4
_DISPLAYS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)


def returned_to(
    place: Place, call: ast.Call, there: Facts, function: ast.FunctionDef
) -> list[Place] | None:
    """What a function returns to a call, of which its parameters hold what that call gives.

    Args:
        place: where the result of the call is asked for.
        call: the call.
        there: the facts of the file that defines the function.
        function: the function.

    Returns:
        the expressions behind its ``return``; None where those are out of sight.
    """
    returned = returned_by(there, function, place.content)
    inside, outer = 0, place.calling
    while outer is not None:
        inside, outer = inside + 1, outer[3]
    if returned is None or inside >= _MOST_INSIDE:
        return returned
    calling = (place.facts, function, call, place.calling)
    return [
        Place(each.facts, each.node, each.content, calling)
        if each.facts.names.enclosing_function(each.node) is function
        else each
        for each in returned
    ]


def given_by_call(place: Place, function: ast.FunctionDef, parameter: ast.arg) -> Place | None:
    """What the call that is asked about gives a parameter; None where all calls count.

    A list that is the default of a parameter holds what other calls have put there.
    """
    if place.calling is None or place.calling[1] is not function:
        return None
    there, _, call, outer = place.calling
    is_bound = gets_object_before(place.facts, function, call, there)
    given = argument_for(function, parameter, call, is_bound)
    if given is not None:
        return Place(there, given, place.content, outer)
    default = None if is_opaque(call) else default_of(place.facts.inference, parameter)
    return Place(place.facts, default) if isinstance(default, ast.Constant) else None


def is_called_without_grad(place: Place) -> bool:
    """Whether a function stands around that is asked about as it is called under ``no_grad``."""
    calling, facts, node = place.calling, place.facts, place.node
    if calling is None or facts.speaks_of("enable_grad") or facts.speaks_of("set_grad_enabled"):
        return False
    there, function, call, outer = calling
    if facts.names.enclosing_function(node) is not function:
        return False
    return is_without_grad(call, there) or is_called_without_grad(Place(there, call, (), outer))


def within(place: Place, before: Iterable[Place]) -> list[Place]:
    """What an expression is made of, inside of the call that is asked about where it is its part.

    An attribute may hold what other calls have stored there.
    """
    if isinstance(place.node, ast.Attribute):
        return [*before]
    return [_inside(place, each) if _is_part(each, place) else each for each in before]


def of_own_name(place: Place, name: ast.Name, before: Iterable[Place]) -> list[Place]:
    """The same of what the name of a variable of the function alone is given in it."""
    facts = place.facts
    function = None if place.calling is None else place.calling[1]
    if function is None or not _is_variable_of(function, name, facts):
        return [*before]
    return [
        _inside(place, each) if facts.names.enclosing_function(each.node) is function else each
        for each in before
    ]


def calling_of_puts(place: Place, name: ast.Name, bindings: Iterable[Binding]) -> Calling | None:
    """The call that is asked about, where no other one puts something into what a name holds.

    What the function itself makes is another list, or another tensor, in each call.
    """
    facts, calling = place.facts, place.calling
    if calling is None or not _is_variable_of(calling[1], name, facts):
        return None
    return calling if all(_is_made_here(each, facts) for each in bindings) else None


def _is_made_here(binding: Binding, facts: Facts) -> bool:
    """Whether an assignment makes a list or a tensor, filled, moved or cast as that may be."""
    value = binding.value
    is_whole = binding.kind == "assign" and not (binding.path or binding.is_shared)
    if isinstance(binding.node, ast.AugAssign) or not is_whole or value is None:
        return False
    while isinstance(value, ast.Call) and isinstance(method := value.func, ast.Attribute):
        is_same = torch_effects.writes(method.attr) or torch_effects.moves_or_casts(method.attr)
        if not is_same or facts.name(method) is not None:
            break
        value = method.value
    if isinstance(value, _DISPLAYS) or makes_empty(value, facts):
        return True
    if not isinstance(value, ast.Call) or _is_legacy(value, facts):
        return isinstance(value, ast.Call) and _is_of_sizes(value, facts)
    return is_fresh(value, facts) or _is_copy(value, facts)


def makes_empty(node: ast.expr, facts: Facts) -> bool:
    """``dict()`` and ``list()``, which hold nothing."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    return facts.names.builtin(node.func) in ("dict", "list")


def _is_copy(call: ast.Call, facts: Facts) -> bool:
    """``x.clone()`` of whatever that is: no class of the file has the method."""
    method = call.func
    if not isinstance(method, ast.Attribute) or facts.name(method) is not None:
        return False
    return method.attr == "clone" and method.attr not in method_names(facts.names)


def _is_legacy(call: ast.Call, facts: Facts) -> bool:
    """``x.new(…)`` and ``torch.Tensor(…)``, which share the memory of a tensor that they get."""
    name = facts.name(call.func)
    is_new = name is None and isinstance(call.func, ast.Attribute) and call.func.attr == "new"
    return is_new or name in torch_api.TYPED_CLASSES or name == "torch.Tensor"


def _is_of_sizes(call: ast.Call, facts: Facts) -> bool:
    return any(isinstance(facts.value(each), (Number, Size)) for each in call.args)


def _is_variable_of(function: ast.FunctionDef, name: ast.Name, facts: Facts) -> bool:
    """Whether a name is one of a function, or of a comprehension in it, and of no other scope."""
    found = facts.names.scope_of(name).lookup(name.id)
    scope = None if found is None else found[0]
    while scope is not None and scope.kind == "comprehension":
        scope = scope.parent
    return scope is not None and scope.node is function


def _inside(place: Place, each: Place) -> Place:
    if place.calling is None or each.calling is not None or each.facts is not place.facts:
        return each
    return Place(each.facts, each.node, each.content, place.calling)


def _is_part(each: Place, of: Place) -> bool:
    """Whether an expression is written inside of another one."""
    return each.facts is of.facts and of.node in of.facts.names.ancestors(each.node)
