"""How the arguments of a call are written today, by a row of the catalogue about arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from torchfix_codemods.catalogue.rows import Arguments
from torchfix_codemods.facts.language.arguments import constant, is_opaque, values_given
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.record import record


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
    if flag is not None and not (flag and isinstance(constant(flag[0]), bool)):
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


def about_arguments(row: Arguments, call: ast.Call, facts: Facts, changed: Changed) -> str:
    """What is said of the arguments of a call that are written in another way."""
    function = called_by(call, facts)
    if function == "__init__":
        function = row.of[0]
    if changed.dropped:
        keywords = [keyword.arg or "" for keyword in call.keywords]
        count = len(call.args)
        names = [row.parameters[i] if i < count else keywords[i - count] for i in changed.dropped]
        gone = ", ".join(f"{name}=" for name in names)
        message = f"{function} takes no {gone} today"
        return f"{message}: {row.lost}" if loses_something(row, call, changed) else message
    return f"{function} takes {', '.join(f'{name}=' for name in changed.named.values())} today"


def loses_something(row: Arguments, call: ast.Call, changed: Changed) -> bool:
    """Whether an argument that goes may be more than False, and did something."""
    given = values_given(call)
    return bool(row.lost) and any(
        constant(given[index]) not in (False, None) for index in changed.dropped
    )


def about_dropped(row: Arguments, call: ast.Call, facts: Facts) -> str | None:
    """What to do about keywords that are gone, and cannot be left out without a thought."""
    is_about_keywords = row.flag_at is None
    gone = [k for k in call.keywords if is_about_keywords and k.arg in row.drops]
    advice = row.advice
    if not advice:
        gone = [k for k in gone if row.is_gone and not only_computes(facts, k.value)]
        advice = "leave it out, and keep what it calls if that is needed"
    if not gone:
        return None
    names = ", ".join(f"{keyword.arg}=" for keyword in gone)
    return f"{called_by(call, facts)} takes no {names} today: {advice}"


def may_be_old(row: Arguments, call: ast.Call) -> bool:
    """Whether a call gives, or may give, what a row is about."""
    dropped = (i for i, name in enumerate(row.parameters) if name in row.drops)
    places = [*dropped, *(() if row.keywords_from is None else (row.keywords_from,))]
    return (
        is_opaque(call)
        or len(call.args) > min(places, default=len(call.args))
        or any(k.arg in row.drops or k.arg in row.renames for k in call.keywords)
    )


def called_by(call: ast.Call, facts: Facts) -> str:
    """The name of what is called: its qualified one, where that is known."""
    return facts.name(call.func) or last_name(call.func) or ""
