"""What an attribute never holds at a place, as the flag that decides over it came out otherwise."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.rules.autograd.questions.graphless.other_ways import is_of_other_object


def is_never_there(stored: Binding, read: ast.Attribute, owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether what a constructor stores under ``if flag:`` is read where ``self.flag`` is false.

    Args:
        stored: what is stored, in whichever method.
        read: where the attribute is read.
        owner: the class that has it.
        facts: the facts of the file.
    """
    flags = {
        test.attr: outcome
        for test, outcome in tests_around(facts.names, read)
        if isinstance(test, ast.Attribute) and is_self(facts, test.value)
    }
    if not flags:
        return False
    decided = list(tests_around(facts.names, stored.node))
    return any(
        isinstance(test, ast.Name) and outcome is not flags[flag]
        for flag in flags
        if (kept := _kept_parameter(flag, owner, facts)) is not None
        for test, outcome in decided
        if isinstance(test, ast.Name)
        and facts.flow.reaching(test) == facts.flow.reaching(kept)
        and facts.names.enclosing_function(test) is facts.names.enclosing_function(kept)
    )


def _kept_parameter(flag: str, owner: ast.ClassDef, facts: Facts) -> ast.Name | None:
    """``flag`` of ``self.flag = flag`` in the constructor, where nothing else is stored there."""
    if is_set_by_others(facts.inference, flag):
        return None
    stored = facts.classes.attribute_sources(owner, flag)
    value = stored[0].value if len(stored) == 1 else None
    function = None if value is None else facts.names.enclosing_function(value)
    if not isinstance(value, ast.Name) or getattr(function, "name", "") != "__init__":
        return None
    given = facts.flow.reaching(value)
    if len(given) != 1 or not isinstance(given[0].node, ast.arg):
        return None
    others = (
        use
        for use in facts.names.attributes(flag)
        if not isinstance(use.ctx, ast.Load)
        and facts.statement(use) is not stored[0].node
        and not is_of_other_object(use, owner, facts)
    )
    return None if any(others) else value
