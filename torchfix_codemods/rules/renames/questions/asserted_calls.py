"""Whether what a test expects of the calls of a function is what they will be after this run."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Arguments
from torchfix_codemods.facts.guards import is_chosen
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten, uses_by_name
from torchfix_codemods.rules.questions.changed_arguments import changed_arguments, may_be_old


def are_calls_followed(facts: Facts, row: Arguments, name: str, rule: str) -> bool:
    """Whether all calls of a function in the project are, once this run is over, of today."""
    uses = uses_by_name(facts, name)
    return bool(uses) and all(_is_of_today(facts, row, use, rule) for use in uses or ())


def _is_of_today(facts: Facts, row: Arguments, use: Use, rule: str) -> bool:
    call = use.node
    assert isinstance(call, ast.Call)
    return not may_be_old(row, call) or (
        changed_arguments(row, call, use.facts) is not None
        and not is_chosen(use.facts, call)
        and is_rewritten(facts, use, rule)
    )
