"""Where a module is asked for a part by the name that the part was given."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts

_ASKING = frozenset({"getattr", "hasattr"})


def lines_that_read(names: Iterable[ast.expr], facts: Facts) -> list[int]:
    """The lines of ``getattr(self, name)`` and ``self._modules[name]``."""
    given = list(names)
    asked = (*_asked_for(facts), *_keys_read(facts))
    return sorted(
        {facts.origin(a.lineno) for a in asked if any(same_expression(a, name) for name in given)}
    )


def _asked_for(facts: Facts) -> Iterable[ast.expr]:
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if len(call.args) > 1 and facts.names.builtin(call.func) in _ASKING:
            yield call.args[1]


def _keys_read(facts: Facts) -> Iterable[ast.expr]:
    for attribute in facts.names.attributes("_modules"):
        place = facts.parent(attribute)
        if isinstance(place, ast.Subscript) and place.value is attribute:
            yield place.slice
