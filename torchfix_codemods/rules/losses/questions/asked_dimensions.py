"""How many dimensions a tensor can have, as what is asked of it shows."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.callers import calls_of
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.losses.questions.criteria import takes_classes

#: The numbers of dimensions that are told apart; the last stands for all above, too.
MANY = 5
ANY = frozenset(range(MANY + 1))
#: Through so many names, calls and operations a tensor is followed.
_MAX_DEPTH = 12
SWAPS = frozenset("transpose transpose_ swapaxes swapdims".split())


def shown_by_uses(facts: Facts, call: ast.expr, depth: int = 0) -> frozenset[int]:
    """The numbers of dimensions of what a call gives, by what is done with it: ``f(x)[:, 1]``.

    Args:
        facts: the facts of the module.
        call: what gives a tensor wherever the code runs.
        depth: through how much it was followed on the way here.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    found = by_use(facts, call, depth)
    for use in _uses_next(facts, call):
        found &= by_use(facts, use, depth)
    # Code that can never run shows nothing.
    return found or ANY


def _uses_next(facts: Facts, call: ast.expr) -> Iterator[ast.Name]:
    """The uses of the name that a call is assigned to, in the plain statements that follow it."""
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return
    block = facts.block(statement)
    below = itertools.takewhile(_is_plain, block[block.index(statement) + 1 :])
    reached = set(below)
    for use in facts.names.scope_of(target).uses.get(target.id, ()):
        reaching = facts.flow.reaching(use)
        is_it = len(reaching) == 1 and reaching[0].node is statement and not reaching[0].path
        if is_it and facts.statement(use) in reached:
            if facts.inference.branches.runs_with(use, call):
                if not may_be_reshaped(facts.inference, use):
                    yield use


def _is_plain(statement: ast.stmt) -> bool:
    """Whether nothing but the next statement can come after one."""
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))


def by_use(facts: Facts, use: ast.expr, depth: int = 0) -> frozenset[int]:
    """What a use of a tensor asks of it: ``x.size(2)``, ``x[:, :, 0]``, ``x.max(1)``, ``x.bmm(y)``.

    Args:
        facts: the facts of the module.
        use: the expression that is the tensor there.
        depth: through how much it was followed on the way here.
    """
    user, depth = facts.parent(use), depth + 1
    if depth > _MAX_DEPTH:
        return ANY
    if isinstance(user, ast.Subscript) and user.value is use:
        parts = indices(user.slice)
        if all(isinstance(part, ast.Slice) for part in parts):
            return at_least(len(parts)) & shown_by_uses(facts, user, depth)
        return at_least(sum(isinstance(p, ast.Slice) or type(constant(p)) is int for p in parts))
    if isinstance(user, ast.UnaryOp):
        return shown_by_uses(facts, user, depth)
    if isinstance(user, ast.Return):
        return _by_callers(facts, user, depth)
    if isinstance(user, ast.Call) and use in user.args:
        return _by_argument(facts, user, use, depth)
    if isinstance(user, ast.keyword) and user.arg == "input":
        loss = facts.parent(user)
        return (takes_classes(facts, loss) if isinstance(loss, ast.Call) else None) or ANY
    if not isinstance(user, ast.Attribute) or user.value is not use:
        return ANY
    call = facts.parent(user)
    if user.attr == "shape":
        return _unpacked(facts, user)
    if user.attr == "data":
        return shown_by_uses(facts, user, depth)
    if not isinstance(call, ast.Call) or call.func is not user:
        return ANY
    if user.attr == "size" and not call.args and not call.keywords:
        return _unpacked(facts, call)
    if user.attr in (*SWAPS, "size"):
        asked = at_least(max(map(needed, call.args), default=0))
        return asked if user.attr == "size" else asked & shown_by_uses(facts, call, depth)
    place = PLACE_OF_DIM.get(user.attr)
    dim = None if place is None else argument(call, place, "dim")
    if dim is not None:
        # What has no dimension takes 0 and -1, too.
        return ANY if needed(dim) < 2 else at_least(needed(dim))
    return _by_operation(facts, user.attr, call, 0, depth)


def _by_callers(facts: Facts, exit_: ast.Return, depth: int) -> frozenset[int]:
    """What the calls of a function do with what it returns."""
    function = facts.names.enclosing_function(exit_)
    if not isinstance(function, ast.FunctionDef) or facts.files is None:
        return ANY
    if facts.files.is_of_library():
        return ANY
    if function.name == "forward":
        calls = [*calls_in_sight(facts, function)]
    else:
        calls = calls_of(facts, facts.files, function)
    return frozenset[int]().union(*(shown_by_uses(t, call, depth) for call, t in calls)) or ANY


def _by_parameter(facts: Facts, call: ast.Call, given: ast.expr, depth: int) -> frozenset[int]:
    """What a function of the project asks of what it is given."""
    found = ANY
    place = use_of(Place(facts, given))
    for there, binding in place.parameters() if place.by is call else ():
        function = there.parent(there.parent(binding.node) or binding.node)
        exits = there.inference.exits.get(function, ()) if function is not None else ()
        for use in uses_of(there, binding):
            is_alone = there.flow.reaching(use) == (binding,)
            runs = all(getattr(one, "lineno", 0) >= use.lineno for one in exits)
            if is_alone and runs and function is there.parent(there.statement(use)):
                if not may_be_reshaped(there.inference, use):
                    found &= by_use(there, use, depth)
    return found


def _by_argument(facts: Facts, call: ast.Call, given: ast.expr, depth: int) -> frozenset[int]:
    """What a call asks of what it is given, which is a tensor."""
    if is_opaque(call):
        return ANY
    place = call.args.index(given)
    classes = takes_classes(facts, call) if place == 0 else None
    if classes is not None:
        return classes
    name = facts.name(call.func)
    if name is None:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return taken_by(method, place + 1) or _by_parameter(facts, call, given, depth)
    module, _, function = name.rpartition(".")
    return _by_operation(facts, function, call, place, depth) if module == "torch" else ANY


def _by_operation(
    facts: Facts, operation: str, call: ast.Call, place: int, depth: int
) -> frozenset[int]:
    """What an operation of torch asks of a tensor, and what is asked of what it gives."""
    taken = taken_by(operation, place, facts.era_of(call).before((0, 4)))
    if taken or place:
        return taken or ANY
    if operation == "unsqueeze":
        after = shown_by_uses(facts, call, depth)
        return frozenset(n for n in ANY if min(n + 1, MANY) in after)
    name = torch_effects.of_any(operation)
    if torch_effects.is_elementwise(name) or torch_effects.does(name, "moves"):
        given = values_given(call)[facts.name(call.func) is not None :]
        after = shown_by_uses(facts, call, depth)
        if all(isinstance(facts.value(one), Number) for one in given):
            return after
        # With what has more dimensions, the result has as many.
        return frozenset(range(max(after) + 1))
    return ANY


def _unpacked(facts: Facts, sizes: ast.expr) -> frozenset[int]:
    """What ``batch, length = x.size()`` shows: there are as many sizes as names."""
    statement = facts.parent(sizes)
    if not isinstance(statement, ast.Assign) or statement.value is not sizes:
        return ANY
    names = [t.elts for t in statement.targets if isinstance(t, (ast.Tuple, ast.List))]
    if not names or any(isinstance(name, ast.Starred) for name in names[0]):
        return ANY
    return frozenset({min(len(names[0]), MANY)})


def at_least(least: int) -> frozenset[int]:
    """So many dimensions, and more."""
    return frozenset(range(min(least, MANY), MANY + 1))


def needed(dim: ast.expr) -> int:
    """How many dimensions a tensor has that has one of a certain number."""
    number = whole_number(dim)
    return 0 if number is None else max(number + 1, -number)
