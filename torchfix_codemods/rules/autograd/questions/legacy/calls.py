"""The calls of legacy functions of autograd, in all files of the project that make them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit.static_methods import Plan
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten
from torchfix_codemods.facts.values.inference import OtherFile
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rules.autograd.questions.legacy.elsewhere import (
    as_begun,
    class_of,
    is_needed_elsewhere,
    uses_there,
)
from torchfix_codemods.rules.autograd.questions.legacy.functions import is_legacy
from torchfix_codemods.rules.autograd.questions.legacy.plans import plan_of
from torchfix_codemods.rules.autograd.questions.legacy.uses import (
    LegacyCall,
    call_by,
    calls_here,
    uses_in_file,
)

#: A file that calls a function is only looked at where it holds one of these.
WORDS = frozenset({"Function", "backward", "forward", ")("})
_LOOKED_AT = lazy_pattern(
    "|".join(rf"\b{w}\b" if w.isidentifier() else re.escape(w) for w in WORDS)
)


def is_applied(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether the file of a class calls it by ``apply`` already."""
    return any(
        isinstance(parent := facts.parent(use), ast.Attribute) and parent.attr == "apply"
        for use in uses_in_file(facts, node)
    )


def own_calls(facts: Facts, node: ast.ClassDef, plan: Plan, code: str) -> list[LegacyCall] | None:
    """How the uses of a class in its own file are rewritten.

    Args:
        facts: what is known of the file.
        node: a legacy function.
        plan: how it is rewritten.
        code: the rule that does so; other files that call the class have to follow it, too.

    Returns:
        None where a use, here or in another file, cannot be rewritten, and where nothing in sight
        uses a class whose objects count on from call to call.
    """
    is_needed = is_needed_elsewhere(node.name, facts)
    if is_needed and not _is_agreed(facts, node, code):
        return None
    calls = calls_here(facts, node, plan, facts.is_used_elsewhere)
    # Who keeps the object and counts its calls is out of sight.
    return None if plan.keeps_state and not calls and not is_needed else calls


def group_of(facts: Facts, node: ast.ClassDef) -> str:
    """What a class and all of its calls are called together, in whichever files."""
    if facts.files is None or facts.parent(node) is not facts.tree:
        return f"class in line {node.lineno}"
    return f"{facts.files.path}: {node.name}"


def imported_calls(facts: Facts, code: str) -> Iterator[tuple[str, LegacyCall]]:
    """How calls of other files' legacy functions are rewritten, each with the group of the class.

    Only where the class and all of its calls, in whatever files, change together.

    Args:
        facts: what is known of the calling file.
        code: the rule that rewrites.
    """
    files = facts.files
    if files is None or not facts.is_mentioned("Function"):
        # Values are dear to find out.
        return
    for made in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(made, ast.Call)
        if not _may_make_function(made, facts.parent(made)):
            continue
        found = class_of(facts.value(made.func))
        if found is None or not is_legacy(*found):
            continue
        home, node = found
        # Asked first: what becomes of this file now hangs on what the run is about.
        plan = _agreed_plan(home, node, code) if files.applies(files.path, code) else None
        if plan is None:
            continue
        call = call_by(facts, made.func, plan, facts.is_used_elsewhere)
        if call is not None:
            yield group_of(home, node), call


def _may_make_function(made: ast.Call, parent: ast.AST | None) -> bool:
    """Whether what a call gives is called, or may be kept as it is to be called."""
    if not isinstance(made.func, (ast.Name, ast.Attribute)):
        return False
    if isinstance(parent, ast.Call):
        return parent.func is made
    return isinstance(parent, ast.Assign) and not made.args and not made.keywords


def _is_agreed(facts: Facts, node: ast.ClassDef, code: str) -> bool:
    """Whether a class was one that changes together with its calls when the run began."""
    began = as_begun(facts, node)
    return began is not None and _agreed_plan(*began, code) is not None


def _agreed_plan(home: Facts, node: ast.ClassDef, code: str) -> Plan | None:
    """How a class is rewritten whose calls in other files are rewritten, too.

    Each of the files comes to the same answer, because it is made of what they were when the run
    began.

    Args:
        home: what is known of the file of the class as it was then.
        node: the class in it.
        code: the rule that rewrites.
    """
    return home.remembered(("agreed plan", node), lambda: _made_agreed_plan(home, node, code))


def _made_agreed_plan(home: Facts, node: ast.ClassDef, code: str) -> Plan | None:
    files = home.files
    others = None if files is None else files.mentioning(node.name)
    plan = plan_of(home, node) if is_legacy(home, node) else None
    if files is None or others is None or plan is None or is_applied(home, node):
        return None
    if not is_rewritten(home, Use(files.path, home, node), code):
        return None
    if calls_here(home, node, plan, files.is_used_elsewhere) is None:
        return None
    return plan if all(_follows(file, home, node, plan, code) for file in others) else None


def _follows(file: OtherFile, home: Facts, node: ast.ClassDef, plan: Plan, code: str) -> bool:
    """Whether all that another file does with a class is to call it, and is rewritten."""
    there = facts_of(file)
    uses = None if there is None else uses_there(there, home, node)
    if there is None or there.files is None or uses is None:
        return False
    for use in uses:
        call = call_by(there, use, plan, there.files.is_used_elsewhere)
        if call is None or not is_rewritten(home, Use(file.path, there, call.node), code):
            return False
    return not uses or _LOOKED_AT.search(there.text) is not None
