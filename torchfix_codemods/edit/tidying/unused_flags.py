"""Parameters called `volatile` that nothing asks any more, and no call gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parameters import without_flag
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.rule import Found

_FLAG = "volatile"


class UnusedFlag(Tidying):
    """Drops ``volatile=False`` of ``def init_hidden(n, volatile=False):`` that reads it no more.

    All calls in the project leave it off.
    """

    name = "unused-flag"
    words = frozenset({_FLAG})

    def find_FunctionDef(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        parameters = (*node.args.args, *node.args.kwonlyargs)
        flags = [each for each in parameters if each.arg == _FLAG]
        if not flags or not facts.touched(node) or facts.speaks_of("locals"):
            return
        if any(facts.names.uses_of(facts.names.scopes[node], _FLAG)):
            return
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        given = arguments_of_all_calls(node, flags[0], facts) or ()
        if given and all(value in defaults and constant(value) is False for _, value in given):
            yield self.found(node, "nothing reads it, and no call gives it")

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        return without_flag(updated, _FLAG, _FLAG)
