"""Whether a class looks after its unregistered layers itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts

#: Methods by which a class can look after its unregistered layers itself.
_OWN_WAYS = frozenset(
    """cuda to cpu parameters named_parameters modules named_modules children state_dict
    load_state_dict train eval apply _apply __setattr__ __getattr__ add_module
    register_module""".split()
)

#: Calls by which a class registers layers under names that it makes.
_REGISTERING = frozenset({"add_module", "register_module", "setattr", "__setattr__", "vars"})


def has_own_ways(owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether a class moves, trains or registers parts of it in a way of its own."""
    return facts.remembered(("own ways", owner), lambda: _has_own_ways(owner))


def _has_own_ways(owner: ast.ClassDef) -> bool:
    if any(isinstance(m, ast.FunctionDef) and m.name in _OWN_WAYS for m in owner.body):
        return True
    return any(_registers(node) for node in walk(owner) if isinstance(node, ast.Call))


def _registers(call: ast.Call) -> bool:
    """``self.add_module(…)``, ``self.register_parameter(name, …)`` with a name that is made."""
    called = getattr(call.func, "attr", getattr(call.func, "id", None))
    if called == "register_parameter":
        return not isinstance(argument(call, 0, "name"), ast.Constant)
    return called in _REGISTERING
