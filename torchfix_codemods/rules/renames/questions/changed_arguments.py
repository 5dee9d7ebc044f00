"""Which arguments of a call are written in another way today."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from torchfix_codemods.catalogue.rows import Arguments, Given
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.record import record
from torchfix_codemods.rules.renames.questions.fitting import is_given_as


@record
class Changed:
    """Arguments of a call that are written in another way, by their indices."""

    named: Mapping[int, str]
    """Those that get a keyword, or another one."""
    dropped: tuple[int, ...]


def changed_arguments(row: Arguments, call: ast.Call, facts: Facts) -> Changed | None:
    """How the arguments of a call are written today; None where that is as they are, or unsure."""
    keywords = [keyword.arg for keyword in call.keywords]
    arguments = values_given(call)
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    named: dict[int, str] = {}
    dropped: list[int] = []
    start = len(call.args) if row.keywords_from is None else row.keywords_from
    for index in range(len(call.args)):
        name = row.parameters[index] if index < len(row.parameters) else ""
        if name in row.drops:
            dropped.append(index)
        elif index >= start:
            if not name:
                return None
            named[index] = row.renames.get(name, name)
    for index, keyword in enumerate(keywords, len(call.args)):
        if keyword in row.drops:
            dropped.append(index)
        elif keyword is not None and keyword in row.renames:
            named[index] = row.renames[keyword]
    flag = None if row.flag_at is None else call.args[row.flag_at : row.flag_at + 1]
    if flag is not None and not (flag and is_given_as(flag[0], None, Given.FLAG, facts)):
        return None
    # What follows a place that goes moves up by one: only keywords may follow.
    if any(i > d for d in dropped for i in range(len(call.args)) if i not in {*dropped, *named}):
        return None
    if not all(only_computes(facts, arguments[index]) for index in dropped):
        return None
    taken = {k for i, k in enumerate(keywords, len(call.args)) if i not in named}
    if not (named or dropped) or taken.intersection(named.values()) or None in keywords:
        return None
    return Changed(named, tuple(dropped))
