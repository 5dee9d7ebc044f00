"""Facts that note whether a question could be answered."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Unknown, Value
from torchfix_codemods.why.reasons import may_be_imported

T = TypeVar("T")


class Noting(WholeFacts):
    """The facts of a module that note when the answer to a question is that it is not known.

    Most rules find nothing because the code has another form: only for the others it pays to look
    for what decided.

    Args:
        facts: those of the module.
    """

    def __init__(self, facts: Facts) -> None:
        vars(self).update(vars(facts))
        self.inference.home = self
        self.inference.era = lambda: self.era
        self.is_in_doubt = False
        """Whether some answer was that it is not known since :meth:`taken` was last called."""
        self._doubtful: set[object] = set()

    def value(self, node: ast.AST) -> Value:
        value = super().value(node)
        self.is_in_doubt = self.is_in_doubt or isinstance(value, Unknown)
        return value

    def name(self, node: ast.AST) -> str | None:
        name = super().name(node)
        if name is None and isinstance(node, (ast.Name, ast.Attribute)):
            self.is_in_doubt = self.is_in_doubt or may_be_imported(node, self)
        return name

    def remembered(self, key: object, compute: Callable[[], T]) -> T:
        before, self.is_in_doubt = self.is_in_doubt, key in self._doubtful
        result = super().remembered(key, compute)
        if self.is_in_doubt:
            self._doubtful.add(key)
        self.is_in_doubt = self.is_in_doubt or before
        return result

    def taken(self) -> bool:
        """Whether there was a doubt since this was last asked."""
        was_in_doubt, self.is_in_doubt = self.is_in_doubt, False
        return was_in_doubt
