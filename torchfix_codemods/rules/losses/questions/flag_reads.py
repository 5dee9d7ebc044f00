"""Flags of a loss that code reads: ``criterion.size_average`` is no attribute since torch 0.4.1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import last_name, same_expression
from torchfix_codemods.facts.libraries.losses import FLAG_POSITIONS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.losses.questions.flags import flags_of_losses, is_loss

#: What a flag is, of the reduction that a loss has today.
MEANS = {"size_average": ("==", "mean"), "reduce": ("!=", "none")}

#: The classes below those of the losses, which projects derive from, too.
_BASES = {"torch.nn.modules.loss._Loss": (0, 1), "torch.nn.modules.loss._WeightedLoss": (1, 2)}

_ONE_NUMBER = ("mean", "sum", "elementwise_mean")


def is_missing_flag(node: ast.expr | None, facts: Facts) -> bool:
    """Whether an expression reads a flag of a loss of torch that nothing has set."""
    if not isinstance(node, ast.Attribute) or node.attr not in MEANS:
        return False
    if not isinstance(node.ctx, ast.Load) or _is_set_elsewhere(node, facts):
        return False
    if is_loss(node.value, facts):
        flags = flags_of_losses(facts)[facts.segment(node.value)]
        is_set = any(not isinstance(flag.ctx, ast.Load) for flag in flags)
        return not is_set and not _is_asked_for(node, facts)
    owner = facts.names.enclosing_class(node)
    if owner is None or not is_self(facts, node.value) or _loss_base(owner, facts) is None:
        return False
    is_own = facts.classes.method(owner, node.attr) or any(
        facts.classes.has_own(cls, node.attr)
        for cls in (owner, *facts.classes.bases(owner), *_below(owner, facts))
    )
    return not is_own and not _is_asked_for(node, facts)


def are_of_one_loss(average: ast.expr | None, reduce: ast.expr | None, facts: Facts) -> bool:
    """Whether the flags that a loss is given are those of another one, so that its reduction says
    the same: ``size_average=criterion.size_average``."""
    if not isinstance(average, ast.Attribute) or average.attr != "size_average":
        return False
    if reduce is None:
        return gives_one_number(average.value, facts)
    is_one = isinstance(reduce, ast.Attribute) and same_expression(average.value, reduce.value)
    return is_one and is_missing_flag(reduce, facts) and last_name(reduce) == "reduce"


def gives_one_number(loss: ast.expr, facts: Facts) -> bool:
    """Whether a loss, built in sight, certainly takes the mean or the sum of what it calculates."""
    if any(not isinstance(n.ctx, ast.Load) for n in facts.names.attributes("reduction")):
        return False
    value = facts.value(loss)
    if isinstance(value, Module) and value.cls in FLAG_POSITIONS:
        return value.call is not None and _is_reduced(value.call, FLAG_POSITIONS[value.cls], 0)
    owner = facts.names.enclosing_class(loss)
    base = None if owner is None else _loss_base(owner, facts)
    constructor = None if owner is None else facts.classes.method(owner, "__init__")
    if constructor is None or base is None:
        return False
    built = [call for call in ast.walk(constructor) if isinstance(call, ast.Call)]
    inits = [c for c in built if isinstance(c.func, ast.Attribute) and c.func.attr == "__init__"]
    if len(inits) != 1:
        return False
    function = inits[0].func
    assert isinstance(function, ast.Attribute)
    return _is_reduced(inits[0], base, 0 if isinstance(function.value, ast.Call) else 1)


def _is_reduced(call: ast.Call, positions: tuple[int, int], before: int) -> bool:
    """Whether a loss is built so that it gives one number; ``before`` arguments are not its own."""
    if is_opaque(call) or len(call.args) > positions[1] + 1 + before:
        return False
    reduce = argument(call, positions[1] + before, "reduce")
    reduction = argument(call, None, "reduction")
    if reduction is not None and constant(reduction) not in _ONE_NUMBER:
        return False
    return reduce is None or constant(reduce) is True


def _is_set_elsewhere(read: ast.Attribute, facts: Facts) -> bool:
    """Whether another file sets the flag of a loss of that name, which may be the same one."""
    name = last_name(read.value)
    return any(
        last_name(flag.value) == name and not isinstance(flag.ctx, ast.Load)
        for there in others_with(read.attr, facts)
        for flag in there.names.attributes(read.attr)
    )


def _loss_base(owner: ast.ClassDef, facts: Facts) -> tuple[int, int] | None:
    """Where the flags stand in the constructor of the loss of torch that a class derives from."""
    for cls in facts.classes.bases(owner):
        for base in cls.bases:
            name = facts.name(base) or ""
            found = FLAG_POSITIONS.get(name) or _BASES.get(name)
            if found is not None:
                return found
    return None


def _below(owner: ast.ClassDef, facts: Facts) -> Iterator[ast.ClassDef]:
    for cls in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(cls, ast.ClassDef)
        if cls is not owner and owner in facts.classes.bases(cls):
            yield cls


def _is_asked_for(node: ast.Attribute, facts: Facts) -> bool:
    """Whether the code around asks first whether the loss has such a flag."""
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp, ast.BoolOp)):
            test = parent if isinstance(parent, ast.BoolOp) else parent.test
            calls = (part for part in ast.walk(test) if isinstance(part, ast.Call))
            if any(facts.names.builtin(call.func) == "hasattr" for call in calls):
                return True
    return False
