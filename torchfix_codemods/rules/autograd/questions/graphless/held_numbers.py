"""Numbers that an object of the project keeps: ``self.settings.gamma``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.named import class_of_object
from torchfix_codemods.facts.values.lattice import Number

#: What gives an object attributes that no assignment shows.
_UNSHOWN = ("setattr", "__setattr__", "__dict__", "__getattr__", "__getattribute__", "vars")


def is_number_of_object(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.name`` certainly is a number: all that x may be is of one class, which gives it.

    Args:
        node: the attribute.
        facts: the facts of its file.
    """
    found = class_of_object(value_by_all_calls(node.value, facts), facts)
    if found is None:
        return False
    there, cls = found
    is_alone = all(there.names.builtin(base) == "object" for base in cls.bases)
    if not is_alone or cls.keywords or cls.decorator_list or any(map(there.speaks_of, _UNSHOWN)):
        return False
    if is_set_by_others(there.inference, node.attr):
        return False
    if node.attr in there.names.scopes[cls].bindings:
        return False
    if not there.classes.attribute_sources(cls, node.attr):
        return False
    return all(
        isinstance(each.ctx, ast.Load) or _gets_number(each, there)
        for each in there.names.attributes(node.attr)
    )


def _gets_number(attribute: ast.Attribute, facts: Facts) -> bool:
    """``self.gamma = 0.99``, of whatever object."""
    statement = facts.parent(attribute)
    if not isinstance(statement, ast.Assign) or attribute not in statement.targets:
        return False
    return isinstance(facts.value(statement.value), Number)
