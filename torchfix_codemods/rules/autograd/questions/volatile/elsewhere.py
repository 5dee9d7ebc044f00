"""Helpers with a volatile flag and their calls, where these are in different files."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper


def helper_elsewhere(call: ast.Call, facts: Facts) -> Helper | None:
    """The helper of another file that a call gives its flag, whatever that one is called."""
    if last_name(call.func) not in _names_elsewhere(facts):
        return None
    found = function_named(call.func, facts)
    if found is None or found[0] is facts:
        return None
    helper = Helper.of(found[1], found[0])
    return helper if helper is not None and helper.passes_flag(call) else None


def calls_elsewhere_by_flag(facts: Facts) -> Iterator[ast.Call]:
    """The calls of such helpers that do not say ``volatile`` themselves."""
    for call in facts.names.nodes.get(ast.Call, ()) if _names_elsewhere(facts) else ():
        if isinstance(call, ast.Call) and not any(k.arg == "volatile" for k in call.keywords):
            if helper_elsewhere(call, facts) is not None:
                yield call


def _names_elsewhere(facts: Facts) -> frozenset[str]:
    """The names of the helpers that the other files of the project have."""
    return facts.remembered("TP102 helpers elsewhere", lambda: frozenset(_find_names(facts)))


def _find_names(facts: Facts) -> Iterator[str]:
    for there in others_with("volatile", facts):
        yield from there.remembered(_names_in, functools.partial(_names_in, there))


def _names_in(facts: Facts) -> list[str]:
    """The names of the helpers of a file."""
    functions = facts.names.nodes.get(ast.FunctionDef, ())
    return [
        function.name
        for function in functions
        if isinstance(function, ast.FunctionDef) and Helper.of(function, facts) is not None
    ]


def is_needed_elsewhere(helper: Helper, facts: Facts) -> bool:
    """Whether other files pass the flag of a helper of this one, or may do so."""
    if not facts.is_imported_elsewhere:
        return False
    if facts.files is None:
        return True
    is_passed = helper.is_passed_elsewhere(facts.files)
    if is_passed:
        facts.files.waits = True
    return is_passed is not False


def is_done_here(helper: Helper, facts: Facts) -> bool:
    """Whether all calls of this file that set the flag are under ``no_grad``, where it cannot be
    seen whether other files pass it: they may go on to, for nothing."""
    if not helper.has_safe_calls_only() or not facts.is_imported_elsewhere:
        return False
    return facts.files is None or helper.is_passed_elsewhere(facts.files) is None


def calls_that_pass(helper: Helper, is_needed: bool, facts: Facts) -> list[ast.Call]:
    """The calls of this file that pass a flag for nothing, once none is left that sets it.

    Args:
        helper: what has the flag.
        is_needed: whether other files pass it, or may: it stays for them alone where nothing reads
            it any more, so that the helper does not hand it on to itself.
        facts: the facts of the module.
    """
    passing = [call for call in helper.calls() if helper.passes_flag(call)]
    if not is_needed:
        return passing
    # What is called like a method may be one of another class, which reads its flag.
    is_certain = isinstance(facts.parent(helper.function), ast.Module)
    is_done = is_certain and helper.is_off_by_default() and is_done_here(helper, facts)
    return [*passing, *helper.calls_of_itself()] if is_done else []


def is_kept_elsewhere(helper: Helper, facts: Facts) -> bool:
    """Whether other files pass a flag that is not followed there.

    That is one that is on by default, or where it is not known what is called.
    """
    if facts.files is None or not facts.is_imported_elsewhere:
        return False
    if helper.is_off_by_default():
        return helper.is_set_out_of_sight(facts.files)
    return helper.is_passed_elsewhere(facts.files) is True
