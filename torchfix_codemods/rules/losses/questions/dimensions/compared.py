"""The ``dim`` of a softmax that a loss compares with another one, element by element."""

from __future__ import annotations

import ast

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
    sides = [argument(loss, 0, "input"), argument(loss, 1, "target")]
    others = [source_of(facts, side) for side in sides if side is not None and side is not softmax]
    other = others[0] if len(others) == 1 and softmax in sides else None
    if not isinstance(other, ast.Call) or facts.name(other.func) not in FUNCTIONS:
        return None
    given = argument(other, 1, "dim")
    place = None if given is None else whole_number(given)
    if place is None:
        return None
    name, compares = last_part(facts.name(other.func) or ""), last_part(_COMPARES)
    return f"write dim={place}, along which {name} gives what {compares} compares it with"
