"""New tensors that stand in a ``Variable(…)`` which has to go first."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.wrapping import wrapper_around
from torchfix_codemods.facts.tensors.constructors import is_filled


def is_to_be_unwrapped(call: ast.Call, facts: Facts) -> bool:
    """Whether a new tensor stands in a ``Variable(…, volatile=True)``, or in one that is filled.

    Where that has to be taken apart by hand, what is in it is left for then. Without its wrapper
    ``Variable(torch.Tensor(2)).fill_(0)`` is ``torch.zeros(2)``.
    """
    wrapper = wrapper_around(call, facts)
    if wrapper is None:
        return False
    is_alone = wrapper.args[:1] == [call]
    is_told_whole = is_alone and is_filled(wrapper, facts)
    return is_told_whole or argument(wrapper, 2, "volatile") is not None
