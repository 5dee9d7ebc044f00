"""Whether what a test expects of the calls of a function is what they will be after this run."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Arguments
from torchfix_codemods.facts.guards import is_chosen
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten, uses_by_name
from torchfix_codemods.rules.renames.questions.changed_arguments import changed_arguments


def are_calls_followed(facts: Facts, row: Arguments, name: str, rule: str) -> bool:
    """Whether all calls of a function in the project are, once this run is over, of today."""
    uses = uses_by_name(facts, name)
    return bool(uses) and all(_is_of_today(facts, row, use, rule) for use in uses or ())


def _is_of_today(facts: Facts, row: Arguments, use: Use, rule: str) -> bool:
    call = use.node
    assert isinstance(call, ast.Call)
    return not _may_be_old(row, call) or (
        changed_arguments(row, call, use.facts) is not None
        and not is_chosen(use.facts, call)
        and is_rewritten(facts, use, rule)
    )


def _may_be_old(row: Arguments, call: ast.Call) -> bool:
    """Whether a call gives, or may give, what a row is about."""
    dropped = (i for i, name in enumerate(row.parameters) if name in row.drops)
    places = [*dropped, *(() if row.keywords_from is None else (row.keywords_from,))]
    return (
        is_opaque(call)
        or len(call.args) > min(places, default=len(call.args))
        or any(k.arg in row.drops or k.arg in row.renames for k in call.keywords)
    )
