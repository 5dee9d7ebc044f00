"""A volatile flag as a call writes it."""

from __future__ import annotations

import ast
from typing import Any

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import is_given_always
from torchfix_codemods.finding import Reason
from torchfix_codemods.record import record

VARIABLE = "torch.autograd.Variable"
#: Where the flag stands among the arguments of a Variable.
VOLATILE_POSITION = 2


@record
class Flag:
    """What a call is given for ``volatile=``, of Variable or of a helper of another file."""

    value: ast.expr | None
    """None where it is not given."""
    keyword: str
    position: int | None
    of_variable: bool = False
    """Whether Variable itself is called."""
    is_off_by_default: bool = True

    @property
    def place(self) -> dict[str, Any]:
        """Where it stands among the arguments."""
        return {"flag": self.keyword, "position": self.position}

    @property
    def reason(self) -> Reason | None:
        """Why it goes, where that is not what the rule says: what is off warns of nothing."""
        return Reason.MODERN if self.of_variable and is_off(self.value) else None


def is_set(flag: ast.expr | None) -> bool:
    """Whether a flag is written out, and on."""
    return constant(flag) not in (False, 0, None, ...)


def is_off(flag: ast.expr | None) -> bool:
    """Whether a flag is written out, and off."""
    return constant(flag) in (False, 0, None)


def is_among(value: ast.expr, facts: Facts) -> bool:
    """Whether a value is all that a statement returns or yields, or an element of it."""
    above = facts.parent(value)
    while isinstance(above, (ast.Tuple, ast.List, ast.ListComp, ast.Dict)):
        above = facts.parent(above)
    return isinstance(above, (ast.Return, ast.Yield))


def is_never_set(flag: ast.expr | None, facts: Facts) -> bool:
    """Whether a flag is a parameter that all calls in the project leave off, by its default or not.

    ``self.evaluation`` is one of the constructor that keeps it. ``not training`` is off where all
    of them leave ``training`` on.

    Args:
        flag: what a call gives for ``volatile=``.
        facts: the facts of the module.
    """
    return is_given_always(flag, False, facts)


def is_still_flagged(call: ast.Call) -> bool:
    """Whether ``call`` still has a volatile flag, which TP102 takes away first."""
    return argument(call, VOLATILE_POSITION, "volatile") is not None


def is_beside_flagged(call: ast.Call, facts: Facts) -> bool:
    """Whether ``call`` stands beside another one that still has a volatile flag.

    ``x, y = Variable(x, volatile=True), Variable(y)``: both go once the flag is gone, and stay
    where it has to be taken away by hand. So it is with ``y = Variable(y)`` in the line above or
    below, with others of them between, and with the same tensor in the other branch of an ``if``.
    """
    flagged = facts.remembered("flagged Variables", lambda: _find_flagged(facts))
    return any(_are_beside(call, other, facts) for other in flagged)


def _find_flagged(facts: Facts) -> list[ast.Call]:
    calls = (each for each in facts.names.nodes.get(ast.Call, ()) if isinstance(each, ast.Call))
    return [each for each in calls if is_still_flagged(each) and facts.name(each.func) == VARIABLE]


def _are_beside(call: ast.Call, other: ast.Call, facts: Facts) -> bool:
    one, two = facts.statement(call), facts.statement(other)
    if one is two:
        return True
    block = facts.block(one) if isinstance(one, ast.Assign) else []
    if isinstance(two, ast.Assign) and two in block:
        first, last = sorted((block.index(one), block.index(two)))
        return all(_only_makes_variable(each, facts) for each in block[first + 1 : last])
    data, same = argument(call, 0, "data"), argument(other, 0, "data")
    if data is None or same is None or not same_expression(data, same):
        return False
    return are_exclusive(facts.names, call, other)


def _only_makes_variable(statement: ast.stmt, facts: Facts) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Call) and facts.name(value.func) == VARIABLE
