"""The ``dim`` of a softmax that a loss compares with another one, element by element."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import (
    argument,
    call_taking,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import source_of
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS

#: What compares distributions that lie alike.
_COMPARES = "torch.nn.functional.kl_div"


def told_by_comparison(facts: Facts, softmax: ast.Call) -> str | None:
    """What to write: ``dim=1``, which ``log_softmax(y, dim=1)`` has that ``kl_div`` takes, too.

    Args:
        facts: the facts of the module.
        softmax: the softmax, which has no ``dim``.
    """
    loss = call_taking(facts.names, softmax)
    if loss is None or is_opaque(loss) or facts.name(loss.func) != _COMPARES:
        return None
    given = [argument(loss, 0, "input"), argument(loss, 1, "target")]
    sides = [side if side in (None, softmax) else source_of(facts, side) for side in given]
    other = other_softmax(facts, softmax, sides)
    dim = None if other is None else argument(other, 1, "dim")
    place = None if dim is None else whole_number(dim)
    if other is None or place is None:
        return None
    name, compares = last_part(facts.name(other.func) or ""), last_part(_COMPARES)
    return f"write dim={place}, along which {name} gives what {compares} compares it with"


def other_softmax(
    facts: Facts, softmax: ast.Call, sides: Sequence[ast.expr | None]
) -> ast.Call | None:
    """The softmax that stands on the other side of a divergence; None where none does.

    Args:
        facts: the facts of the module.
        softmax: the one on this side.
        sides: both sides.
    """
    others = [side for side in sides if side is not softmax]
    other = others[0] if len(sides) == 2 and len(others) == 1 else None
    is_other = isinstance(other, ast.Call) and facts.name(other.func) in FUNCTIONS
    return other if is_other and isinstance(other, ast.Call) else None
