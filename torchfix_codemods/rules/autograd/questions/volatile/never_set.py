"""Volatile flags that a function passes on, and that nothing in the project ever sets."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import is_given_always


def is_never_set(flag: ast.expr | None, facts: Facts) -> bool:
    """Whether a flag is a parameter that all calls in the project leave off, by its default or not.

    ``self.evaluation`` is one of the constructor that keeps it. ``not training`` is off where all
    of them leave ``training`` on.

    Args:
        flag: what a call gives for ``volatile=``.
        facts: the facts of the module.
    """
    return is_given_always(flag, False, facts)
