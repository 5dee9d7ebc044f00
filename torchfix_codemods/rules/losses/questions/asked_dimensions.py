"""How many dimensions a tensor can have, as what is asked of it shows."""

from __future__ import annotations

import ast
import functools
import operator

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import (
    argument,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.callers import calls_of
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.tensors.least_dimensions import least_taken, operated
from torchfix_codemods.facts.values.lattice import ndim_of
from torchfix_codemods.rules.losses.questions.criteria import takes_classes
from torchfix_codemods.rules.losses.questions.dimensions.one_step import (
    given_layer,
    indexed,
    operated_on,
    part_operated_on,
)
from torchfix_codemods.rules.losses.questions.dimensions.operands import (
    is_column_of,
    joined_with,
    ndim_of_index,
)
from torchfix_codemods.rules.losses.questions.following_uses import (
    parts_next,
    uses_by_choice,
    uses_next,
)
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY, at_least, needed, with_dims

#: Through so many names, calls and operations a tensor is followed.
_MAX_DEPTH = 12
#: What puts tensors together, and how many dimensions that adds to them.
JOINS = {"torch.cat": 0, "torch.stack": 1}
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
    for use in uses_next(facts, call):
        found &= by_use(facts, use, depth)
    for use, instead in uses_by_choice(facts, call):
        asked = (by_use(facts, name, depth) for name in instead)
        found &= by_use(facts, use, depth) | functools.reduce(operator.and_, asked, ANY)
    # Code that can never run shows nothing.
    return found or ANY


def by_use(facts: Facts, use: ast.expr, depth: int = 0) -> frozenset[int]:
    """What a use of a tensor asks of it: ``x.size(2)``, ``x[:, :, 0]``, ``x.max(1)``, ``x.bmm(y)``.

    Args:
        facts: the facts of the module.
        use: the expression that is the tensor there.
        depth: through how much it was followed on the way here.
    """
    if depth >= _MAX_DEPTH:
        return ANY
    asked = ("dimensions asked for", use, depth)
    return facts.remembered(asked, lambda: _asked(facts, use, depth + 1))


def _asked(facts: Facts, use: ast.expr, depth: int) -> frozenset[int]:
    user = facts.parent(use)
    if isinstance(user, ast.Subscript) and user.value is use:
        return indexed(facts, user, lambda: shown_by_uses(facts, user, depth))
    if isinstance(user, ast.UnaryOp):
        return shown_by_uses(facts, user, depth)
    if isinstance(user, ast.BinOp) and not isinstance(user.op, ast.MatMult):
        other = user.right if user.left is use else user.left
        return joined_with(facts, use, [other], shown_by_uses(facts, user, depth))
    if isinstance(user, (ast.Tuple, ast.List, ast.ListComp)):
        is_part = not isinstance(user, ast.ListComp) or user.elt is use
        return _by_joining(facts, user, depth) if is_part else ANY
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
        return _by_sizes(facts, user)
    if user.attr == "data":
        return shown_by_uses(facts, user, depth)
    if not isinstance(call, ast.Call) or call.func is not user:
        return ANY
    if user.attr == "size" and not call.args and not call.keywords:
        return _by_sizes(facts, call)
    if user.attr == "size":
        return with_dims(call.args)
    if torch_effects.does(f"torch.Tensor.{user.attr}", "leaves"):
        return _by_items(facts, call)
    named = at_least(least_taken(facts, call, use))
    return named & _by_operation(facts, user.attr, call, 0, depth)


def _by_joining(
    facts: Facts, parts: ast.Tuple | ast.List | ast.ListComp, depth: int
) -> frozenset[int]:
    """What ``torch.cat([x, y], 1)`` asks of x: a second dimension, and as many as y has, and as
    the result; that of ``torch.stack([f(x) for x in xs])`` has one more.
    """
    call = facts.parent(parts)
    name = facts.name(call.func) if isinstance(call, ast.Call) else None
    if name not in JOINS or not isinstance(call, ast.Call) or call.args[:1] != [parts]:
        return ANY
    dim, more = argument(call, 1, "dim"), JOINS[name]
    along = ANY if dim is None else at_least(needed(dim))
    after = along & shown_by_uses(facts, call, depth)
    asked = frozenset(n for n in ANY if min(n + more, MANY) in after)
    # An empty tensor of one dimension goes with any.
    elements = [] if isinstance(parts, ast.ListComp) else parts.elts
    known = {min(n, MANY) for n in map(ndim_of, map(facts.value, elements)) if n and n > 1}
    return asked & frozenset(known) if len(known) == 1 else asked


def _by_items(facts: Facts, left: ast.expr) -> frozenset[int]:
    """What is asked of an array: its items alone, for its methods are not those of tensors."""
    found = ANY
    for use in (left, *uses_next(facts, left)):
        user = facts.parent(use)
        if isinstance(user, ast.Subscript) and user.value is use:
            below = functools.partial(_by_items, facts, user)
            found &= indexed(facts, user, below, is_array=True)
    return found


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
        if method == "expand_as" and is_column_of(facts, call, given):
            return frozenset({2})
        left = given_layer(facts, call, lambda: shown_by_uses(facts, call, depth))
        return taken_by(method, place + 1) or left & _by_parameter(facts, call, given, depth)
    module, _, function = name.rpartition(".")
    named = at_least(least_taken(facts, call, given))
    if module not in ("torch", "torch.nn.functional"):
        return named & _by_parameter(facts, call, given, depth)
    return named & _by_operation(facts, function, call, place, depth)


def _by_operation(
    facts: Facts, operation: str, call: ast.Call, place: int, depth: int
) -> frozenset[int]:
    """What an operation of torch asks of a tensor, and what is asked of what it gives."""
    taken = taken_by(operation, place, facts.era_of(call).before((0, 4)))
    if taken or place:
        return taken or ANY
    if operation == "gather":
        ndim = ndim_of_index(facts, call)
        return ANY if ndim is None or ndim < 2 else frozenset({min(ndim, MANY)})
    given = values_given(call)[facts.name(call.func) is not None :]
    if operation in SWAPS:
        return with_dims(given) & shown_by_uses(facts, call, depth)
    name = torch_effects.of_any(operation)
    if torch_effects.is_elementwise(name) or torch_effects.does(name, "moves"):
        found = operated(facts, call)
        tensor = call if found is None else found[1]
        return joined_with(facts, tensor, given, shown_by_uses(facts, call, depth))
    left = operated_on(facts, call, lambda: shown_by_uses(facts, call, depth))
    return left & _by_parts(facts, call, depth)


def _by_parts(facts: Facts, call: ast.Call, depth: int) -> frozenset[int]:
    """What is asked of what a call gives several of: ``_, i = x.topk(k, 1)``, ``x.max(1)[0]``."""
    above = facts.parent(call)
    asked = [(place, by_use(facts, use, depth)) for place, use in parts_next(facts, call)]
    if isinstance(above, ast.Subscript) and (place := whole_number(above.slice)) is not None:
        asked.append((place, shown_by_uses(facts, above, depth)))
    parts = (part_operated_on(facts, call, place, after) for place, after in asked)
    return functools.reduce(operator.and_, parts, ANY)


def _by_sizes(facts: Facts, sizes: ast.expr) -> frozenset[int]:
    """What ``x.size()[1]`` shows, and ``batch, length = x.size()``: as many sizes as names."""
    statement = facts.parent(sizes)
    if isinstance(statement, ast.Subscript) and statement.value is sizes:
        return at_least(needed(statement.slice))
    if not isinstance(statement, ast.Assign) or statement.value is not sizes:
        return ANY
    names = [t.elts for t in statement.targets if isinstance(t, (ast.Tuple, ast.List))]
    if not names or any(isinstance(name, ast.Starred) for name in names[0]):
        return ANY
    return frozenset({min(len(names[0]), MANY)})
