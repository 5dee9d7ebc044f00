"""How a row of the catalogue writes a call."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Call
from torchfix_codemods.edit.templates import Written, written
from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.facts.libraries.signatures import bind, parse_signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Region
from torchfix_codemods.rules.questions.elementwise_uses import (
    meets_another,
    meets_distances,
    meets_unknown_labels,
)
from torchfix_codemods.rules.questions.fitting import fits
from torchfix_codemods.rules.renames.questions.messages import (
    about_form,
    about_gone,
    about_unwritten,
)
from torchfix_codemods.rules.renames.questions.results import is_used_as
from torchfix_codemods.rules.renames.questions.taken_parts import places
from torchfix_codemods.rules.renames.questions.wanted import is_unchanged


@record
class NewCall:
    """What is written in the place of a call.

    ``form`` is what the row says, and ``plan`` that as the file can write it. ``region`` is the
    call, or what takes the part of its result that ``form`` gives: of the names that an assignment
    gives to the parts, ``target`` is the place of the one that stays.
    """

    form: str
    plan: Written
    region: Region
    target: int
    numerics: Numerics


def new_call(
    row: Call,
    call: ast.Call,
    receiver: ast.expr | None,
    facts: Facts,
    target: Version | None = None,
) -> NewCall | str | None:
    """What a row writes for a call, or what is said of it; None where neither.

    Args:
        row: the row.
        call: the call that it is about.
        receiver: whose method is called, if one is.
        facts: the facts of the module.
        target: the torch that the code has to run on; None: today's.
    """
    if row.after is not None and facts.era_of(call).before(parse_version(row.after)):
        if not any(keyword.arg in row.marks for keyword in call.keywords):
            return row.earlier or None
    if is_unchanged(row, call, facts, target):
        return None
    new = _in_a_form(row, call, receiver, facts)
    if new is not None:
        return new
    if not row.advice and not row.is_name_gone:
        return None
    return about_unwritten(row, call, receiver, facts) if row.gone else about_gone(row, call, facts)


def _in_a_form(
    row: Call, call: ast.Call, receiver: ast.expr | None, facts: Facts
) -> NewCall | str | None:
    """A call in the first form of the row that fits, or what that form says of it."""
    signature = parse_signature(row.old)
    bound = bind(signature, call, receiver)
    if bound is None:
        return None
    for part, region, target in places(row, call, facts):
        for form in row.forms:
            if form.part != part or not fits(form, signature, bound, facts):
                continue
            if not is_used_as(form, call, facts):
                continue
            if not form.new and not form.advice:
                return None
            if not form.new:
                return about_form(row, form, signature, bound, call, facts)
            if row.keeps and meets_another(facts, call):
                is_alike = meets_unknown_labels(facts, call) or meets_distances(facts, call)
                return None if is_alike else row.keeps
            text = form.method if receiver is not None and form.method else form.new
            plan = written(text, signature, call, bound, facts)
            if plan is not None:
                return NewCall(text, plan, region, target, form.numerics or row.numerics)
    return None
