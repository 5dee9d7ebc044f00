"""Sizes that are the same whichever of width and height comes first."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.parameters import default_of
from torchfix_codemods.facts.language.arguments import (
    argument,
    call_taking,
    constant,
    whole_number,
)
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.held import parameter_held, parameter_kept
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.values.lattice import Number, Sequence, Tensor, without_none
from torchfix_codemods.rules.data.questions.same_values import have_one_value

_LISTS = (ast.Tuple, ast.List)
_NO_ONE = None, None


def is_number_or_square(size: ast.expr, facts: Facts) -> bool:
    """Whether a size is certainly a number, ``(n, n)``, or a name for one of them.

    A parameter is one where all calls in the project give one, or leave it to the default, and so
    is what a constructor keeps of it. None is no size, so where one is used it is not None.
    """
    if _is_number(size, facts) or is_square(size, facts):
        return True
    made = facts.assigned(size) if isinstance(size, ast.Name) else None
    if all(_is_number(each, facts) or _stands_for_number(each, facts) for each in made or [size]):
        return True
    function, parameter = _parameter_of(size, facts)
    if function is None or parameter is None:
        return False
    if _is_number_option(function, parameter.arg, facts):
        return True
    given = arguments_of_all_calls(function, parameter, facts)
    if given is None and _is_called_by_nobody(function, facts):
        default = default_of(facts.inference, parameter)
        return default is not None and isinstance(facts.value(default), Number)
    sizes = [(there, each) for there, each in given or () if constant(each) is not None]
    return bool(sizes) and all(
        # The function may change a list.
        isinstance(there.value(each), Number)
        or (isinstance(each, ast.Tuple) and is_square(each, there))
        for there, each in sizes
    )


def _is_called_by_nobody(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether no file of a program calls a function, or hands it on."""
    files = facts.files
    if files is None or files.is_of_library() or function.decorator_list:
        return False
    owner = facts.parent(function)
    if isinstance(owner, ast.ClassDef) and function.name != "__init__":
        return not function.name.startswith("__") and not facts.is_attribute_read(function.name)
    name = owner.name if isinstance(owner, ast.ClassDef) else function.name
    is_named = facts.names.scopes_using(name) or facts.names.attributes(name)
    return not (is_named or facts.names.texts(name) or files.is_used_elsewhere(name))


def _parameter_of(
    size: ast.expr, facts: Facts
) -> tuple[ast.FunctionDef, ast.arg] | tuple[None, None]:
    """The parameter that a name or an attribute of ``self`` holds, with its function."""
    if isinstance(size, ast.Attribute):
        return parameter_kept(size, facts)
    return parameter_held(size, facts) if isinstance(size, ast.Name) else _NO_ONE


def _is_number(size: ast.expr, facts: Facts) -> bool:
    """Whether a size is a number, unless it is None, which no size may be.

    So is a quotient, as no tuple and no list is divided, and what a number that is written down
    multiplies: ``1024 // downscale``, ``2 * size``. An array is, item by item.
    """
    if isinstance(without_none(facts.inference.possible(size)), Number):
        return True
    if not isinstance(size, ast.BinOp):
        return False
    sides = (size.left, size.right)
    if isinstance(size.op, ast.Mult):
        factors = [number for number in map(constant, sides) if isinstance(number, (int, float))]
        if not factors or 1 in factors:
            return False
    elif not isinstance(size.op, (ast.Div, ast.FloorDiv)):
        return False
    return found_behind([Place(facts, side) for side in sides], _before_several) is None


def _stands_for_number(size: ast.expr, facts: Facts) -> bool:
    """Whether a parameter, or an attribute of ``self``, is used beside it as no pair can be.

    ``size / 2``, ``Scale((size, size))``. Where the code asks of which kind it is, it may be a pair
    elsewhere, and so it may where anything in sight gives it one.
    """
    owner: ast.AST | None = None
    if isinstance(size, ast.Name):
        owner = parameter_held(size, facts)[0]
    elif isinstance(size, ast.Attribute) and is_self(facts, size.value):
        owner = facts.names.enclosing_class(size)
    text = ast.unparse(size)
    around = [
        facts.parent(node)
        for node in facts.names.nodes.get(type(size), ())
        if owner is not None and owner in facts.names.ancestors(node) and ast.unparse(node) == text
    ]
    if any(_asks_for_kind(user, facts) for user in around):
        return False
    return (
        any(_wants_number(user, facts) for user in around)
        and found_behind([Place(facts, size)], _before_several) is None
    )


def _asks_for_kind(user: ast.AST | None, facts: Facts) -> bool:
    """``isinstance(size, int)``, ``len(size)``, ``size[0]``, ``h, w = size``."""
    if isinstance(user, ast.Call):
        return facts.names.builtin(user.func) is not None
    return isinstance(user, (ast.Subscript, ast.Starred, ast.For, ast.Attribute)) or (
        isinstance(user, ast.Assign) and any(isinstance(each, _LISTS) for each in user.targets)
    )


def _wants_number(user: ast.AST | None, facts: Facts) -> bool:
    """Whether something is one side of a quotient or a difference, or of the pair of a size."""
    if isinstance(user, ast.BinOp):
        return isinstance(user.op, (ast.Sub, ast.Div, ast.FloorDiv))
    call = facts.parent(user) if isinstance(user, _LISTS) and len(user.elts) == 2 else None
    name = facts.name(call.func) if isinstance(call, ast.Call) else None
    return (name or "").startswith("torchvision.transforms.")


def _before_several(place: Place) -> Iterable[Place] | None:
    """What an array, or a pair, comes from: it is calculated with item by item.

    An item of a pair is not the pair: ``shape[0]``.
    """
    node = place.node
    kinds = (Tensor,) if place.content else (Tensor, Sequence)
    if not place.content and isinstance(node, (*_LISTS, ast.ListComp)):
        return None
    if isinstance(place.facts.value(node), kinds):
        return None
    name = place.facts.name(node.func) if isinstance(node, ast.Call) else None
    return None if (name or "").startswith(("numpy.", "torch.")) else behind(place)


def _is_number_option(function: ast.FunctionDef, name: str, facts: Facts) -> bool:
    """Whether click gives a parameter one number: ``@click.option("--size", type=int)``."""
    for call in function.decorator_list:
        if not isinstance(call, ast.Call) or facts.name(call.func) != "click.option":
            continue
        flags = [flag for flag in map(constant, call.args) if isinstance(flag, str)]
        if name not in [flag.lstrip("-").replace("-", "_") for flag in flags]:
            continue
        kind = argument(call, None, "type")
        is_one = not any(k.arg in (None, "nargs", "multiple", "callback") for k in call.keywords)
        return is_one and kind is not None and facts.names.builtin(kind) == "int"
    return False


def is_square(size: ast.expr, facts: Facts) -> bool:
    """Whether a size is certainly ``(n, n)``, or a name for it."""
    if isinstance(size, _LISTS) and len(size.elts) == 2:
        # Two calls of one function may give two numbers.
        first, second = size.elts
        return have_one_value(first, second, facts)
    if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult):
        is_one = isinstance(size.left, _LISTS) and len(size.left.elts) == 1
        return is_one and whole_number(size.right) == 2
    if not isinstance(size, ast.Name):
        return False
    made = facts.assigned(size) or []
    return (
        bool(made)
        and all(isinstance(pair, (*_LISTS, ast.BinOp)) and is_square(pair, facts) for pair in made)
        and (all(isinstance(pair, ast.Tuple) for pair in made) or _is_never_changed(size, facts))
    )


def _is_never_changed(name: ast.Name, facts: Facts) -> bool:
    """Whether the list of a name stays in sight, where it is only read."""
    if facts.names.enclosing_function(name) is None and facts.is_used_elsewhere(name.id):
        return False
    return all(
        _is_read(use, facts)
        for binding in facts.flow.reaching(name)
        for use in uses_of(facts, binding)
    )


def _is_read(use: ast.expr, facts: Facts) -> bool:
    """``size[0]``, ``len(size)``, ``transforms.Scale(size)``."""
    user = facts.parent(use)
    if isinstance(user, ast.Subscript):
        return isinstance(user.ctx, ast.Load)
    call = call_taking(facts.names, use)
    if call is None:
        return False
    is_of_torchvision = (facts.name(call.func) or "").startswith("torchvision.")
    return is_of_torchvision or python_functions.keeps_nothing(facts.names.builtin(call.func))
