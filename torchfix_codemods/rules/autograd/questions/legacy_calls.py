"""The calls of legacy functions of autograd, in all files of the project that make them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.inference import OtherFile
from torchfix_codemods.facts.values.lattice import ClassObject, Instance, Module, Value
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.legacy_functions import (
    ACTIVE,
    Plan,
    is_legacy,
    is_super,
    is_super_call,
    plan_of,
)

#: A file that calls a function is only looked at where it holds one of these.
WORDS = frozenset({"Function", "backward", "forward", ")("})
_LOOKED_AT = lazy_pattern(
    "|".join(rf"\b{w}\b" if w.isidentifier() else re.escape(w) for w in WORDS)
)


@record
class LegacyCall:
    """How a use of a class is rewritten."""

    node: ast.Call
    given: tuple[int | str, ...] | None = None
    """What ``apply`` gets beside the inputs: arguments of the constructor by their place, or the
    text of a default; None where only the object is made."""


def is_applied(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether the file of a class calls it by ``apply`` already."""
    return any(
        isinstance(parent := facts.parent(use), ast.Attribute) and parent.attr == "apply"
        for use in _uses(facts, node)
    )


def own_calls(facts: Facts, node: ast.ClassDef, plan: Plan, code: str) -> list[LegacyCall] | None:
    """How the uses of a class in its own file are rewritten.

    Args:
        facts: what is known of the file.
        node: a legacy function.
        plan: how it is rewritten.
        code: the rule that does so; other files that call the class have to follow it, too.

    Returns:
        None where a use, here or in another file, cannot be rewritten.
    """
    if _is_needed_elsewhere(node.name, facts) and not _is_agreed(facts, node, code):
        return None
    return _calls_here(facts, node, plan, facts.is_used_elsewhere)


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
    if files is None:
        return
    for made in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(made, ast.Call)
        if not _may_make_function(made, facts.parent(made)):
            continue
        found = _class_of(facts.value(made.func))
        if found is None or not is_legacy(*found):
            continue
        home, node = found
        # Asked first: what becomes of this file now hangs on what the run is about.
        plan = _agreed_plan(home, node, code) if files.applies(files.path, code) else None
        if plan is None:
            continue
        call = _call_by(facts, made.func, plan, facts.is_used_elsewhere)
        if call is not None:
            yield group_of(home, node), call


def _may_make_function(made: ast.Call, parent: ast.AST | None) -> bool:
    """Whether what a call gives is called, or may be kept as it is to be called."""
    if not isinstance(made.func, (ast.Name, ast.Attribute)):
        return False
    if isinstance(parent, ast.Call):
        return parent.func is made
    return isinstance(parent, ast.Assign) and not made.args and not made.keywords


def _uses(facts: Facts, node: ast.ClassDef) -> list[ast.Name]:
    return list(facts.names.uses_of(facts.names.scope_of(node), node.name))


def _calls_here(
    facts: Facts, node: ast.ClassDef, plan: Plan, is_used_elsewhere: Callable[[str], bool]
) -> list[LegacyCall] | None:
    """The calls in the file of a class; None where it is used in another way, too."""
    holder = facts.names.scope_of(node)
    if len(holder.bindings[node.name]) != 1:
        return None
    result = []
    for use in _uses(facts, node):
        if node in facts.names.ancestors(use) and is_super_call(facts.statement(use)):
            continue
        call = _call_by(facts, use, plan, is_used_elsewhere)
        if call is None:
            return None
        result.append(call)
    return result


def _call_by(
    facts: Facts, use: ast.expr, plan: Plan, is_used_elsewhere: Callable[[str], bool]
) -> LegacyCall | None:
    """How the call of a class that is named is rewritten; None where that is not certain."""
    built = facts.parent(use)
    if not isinstance(built, ast.Call) or built.func is not use:
        return None
    called = facts.parent(built)
    if isinstance(called, ast.Call) and called.func is built:
        given = _given(called, built, plan)
        return None if given is None else LegacyCall(called, given)
    if plan.keeps_state or built.args or built.keywords:
        return None
    return LegacyCall(built) if _is_only_called(built, facts, is_used_elsewhere) else None


def is_only_made(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a class is certainly only called, in all files, and none asks for its ``forward``."""
    uses = [use for use in _uses(facts, node) if node not in facts.names.ancestors(use)]
    if len(facts.names.scope_of(node).bindings[node.name]) != 1:
        return False
    if not all(_is_made(use, facts) for use in uses) or _asks_for_forward(facts, node):
        return False
    if not _is_needed_elsewhere(node.name, facts):
        return True
    began = _began(facts, node)
    others = None if facts.files is None else facts.files.mentioning(node.name)
    return (
        began is not None
        and others is not None
        and all(_only_makes(facts_of(file), *began) for file in others)
    )


def _only_makes(there: Facts | None, home: Facts, node: ast.ClassDef) -> bool:
    """Whether all that another file does with a class is to make objects, and to call these."""
    uses = None if there is None else _uses_there(there, home, node)
    if there is None or uses is None:
        return False
    if not all(_is_made(use, there) for use in uses):
        return False
    return not uses or not _asks_for_forward(there, node)


def _is_made(use: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(use)
    return isinstance(parent, ast.Call) and parent.func is use


def _asks_for_forward(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a file asks for ``forward`` of what may be an object of a class."""
    return any(
        _may_be_object(facts.value(attribute.value), node)
        for attribute in facts.names.attributes("forward")
        if not is_super(attribute.value, facts)
    )


def _may_be_object(value: Value, node: ast.ClassDef) -> bool:
    value = value.value if isinstance(value, Imported) else value
    if isinstance(value, Instance):
        return value.definition.name == node.name
    return not isinstance(value, Module)


# Classes that other files use


def _is_needed_elsewhere(name: str, facts: Facts) -> bool:
    """Whether another file may do more with a class than to import it."""
    if not facts.is_used_elsewhere(name):
        return False
    files = None if facts.files is None else facts.files.mentioning(name)
    return files is None or any(_uses_name(facts_of(file), name) for file in files)


def _uses_name(there: Facts | None, name: str) -> bool:
    if there is None:
        return True
    return (
        bool(there.names.scopes_using(name))
        or bool(there.names.attributes(name))
        or _local_names(there, name) != {name}
    )


def _local_names(there: Facts, name: str) -> set[str]:
    """The names that a file's imports may give to what has a name elsewhere."""
    aliases = (
        alias
        for kind in (ast.Import, ast.ImportFrom)
        for node in there.names.nodes.get(kind, ())
        if isinstance(node, kind)
        for alias in node.names
    )
    return {name} | {alias.asname for alias in aliases if alias.name == name and alias.asname}


def _is_agreed(facts: Facts, node: ast.ClassDef, code: str) -> bool:
    """Whether a class was one that changes together with its calls when the run began."""
    began = _began(facts, node)
    return began is not None and _agreed_plan(*began, code) is not None


def _began(facts: Facts, node: ast.ClassDef) -> tuple[Facts, ast.ClassDef] | None:
    """A class as it was when the run began, with what is known of its file as it was then."""
    home = None if facts.files is None else facts_of(facts.files.as_begun())
    classes = [] if home is None else [n for n in home.tree.body if isinstance(n, ast.ClassDef)]
    same = [other for other in classes if other.name == node.name]
    return (home, same[0]) if home is not None and len(same) == 1 else None


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
    if _calls_here(home, node, plan, files.is_used_elsewhere) is None:
        return None
    return plan if all(_follows(file, home, node, plan, code) for file in others) else None


def _follows(file: OtherFile, home: Facts, node: ast.ClassDef, plan: Plan, code: str) -> bool:
    """Whether all that another file does with a class is to call it, and is rewritten."""
    there = facts_of(file)
    uses = None if there is None else _uses_there(there, home, node)
    if there is None or there.files is None or uses is None:
        return False
    for use in uses:
        call = _call_by(there, use, plan, there.files.is_used_elsewhere)
        if call is None or not is_rewritten(home, Use(file.path, there, call.node), code):
            return False
    return not uses or _LOOKED_AT.search(there.text) is not None


def _uses_there(there: Facts, home: Facts, node: ast.ClassDef) -> list[ast.expr] | None:
    """Where another file names a class; None where it may do so elsewhere, too."""
    uses: list[ast.expr] = []
    for use in _named(there, _local_names(there, node.name)):
        value = there.value(use)
        if isinstance(value, ClassObject):
            continue
        found = _class_of(value)
        if found is None or not isinstance(use.ctx, ast.Load):
            return None
        if _is_same(found, home, node):
            uses.append(use)
    return uses


def _named(there: Facts, names: set[str]) -> Iterator[ast.Name | ast.Attribute]:
    """What a file calls by one of some names."""
    for node in there.names.nodes.get(ast.Name, ()):
        if isinstance(node, ast.Name) and node.id in names:
            yield node
    for node in there.names.nodes.get(ast.Attribute, ()):
        if isinstance(node, ast.Attribute) and node.attr in names:
            yield node


def _class_of(value: Value) -> tuple[Facts, ast.ClassDef] | None:
    """The class of another file that a value is, with what is known of that file."""
    if not isinstance(value, Imported) or not isinstance(value.value, ClassObject):
        return None
    home = facts_of(value.owner)
    return None if home is None else (home, value.value.definition)


def _is_same(found: tuple[Facts, ast.ClassDef], home: Facts, node: ast.ClassDef) -> bool:
    there, other = found
    paths = {None if facts.files is None else facts.files.path for facts in (there, home)}
    return len(paths) == 1 and None not in paths and other.lineno == node.lineno


# Arguments


def _given(called: ast.Call, built: ast.Call, plan: Plan) -> tuple[int | str, ...] | None:
    """What ``apply`` gets for the arguments of the constructor."""
    if called.keywords or any(isinstance(a, ast.Starred) for a in built.args):
        return None
    names = [a.arg for a in plan.parameters]
    places: dict[str, int] = dict(zip(names, range(len(built.args)), strict=False))
    for index, keyword in enumerate(built.keywords, len(built.args)):
        if keyword.arg is None or keyword.arg not in names:
            return None
        places[keyword.arg] = index
    if len(built.args) > len(names) or len(places) < len(names) - len(plan.defaults):
        return None
    result: list[int | str] = []
    if places or not plan.keeps_defaults:
        filled = _defaults_of_inputs(called, plan)
        if filled is None:
            return None
        result += filled
    if _is_active(built.args, built.keywords) and _is_active(called.args):
        # They would be evaluated the other way round.
        return None
    for index, name in enumerate(names):
        if not any(later in places for later in names[index:]):
            break
        if name in places:
            result.append(places[name])
            continue
        default = plan.defaults[index - len(names)]
        if not isinstance(default, ast.Constant):
            return None
        result.append(ast.unparse(default))
    return tuple(result)


def _defaults_of_inputs(called: ast.Call, plan: Plan) -> list[str] | None:
    """The defaults of ``forward`` that a call relies on; None where they cannot be written."""
    missing = (plan.inputs or 0) - len(called.args)
    if any(isinstance(a, ast.Starred) for a in called.args):
        return None
    if missing < 0 or missing > len(plan.input_defaults):
        return None
    filled = plan.input_defaults[len(plan.input_defaults) - missing :]
    if not all(isinstance(default, ast.Constant) for default in filled):
        return None
    return [ast.unparse(default) for default in filled]


def _is_active(args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> bool:
    """Whether evaluating arguments may have effects."""
    given = [*args, *(keyword.value for keyword in keywords)]
    return any(isinstance(node, ACTIVE) for root in given for node in ast.walk(root))


def _is_only_called(
    built: ast.Call, facts: Facts, is_used_elsewhere: Callable[[str], bool]
) -> bool:
    """Whether an object is stored in a name, or in an attribute, that is only ever called."""
    statement = facts.parent(built)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Subscript):
        # Among the modules of a model, which calls them.
        return isinstance(target.value, ast.Attribute) and target.value.attr == "_modules"
    if isinstance(target, ast.Attribute):
        others = [a for a in facts.names.attributes(target.attr) if a is not target]
        return not is_used_elsewhere(target.attr) and all(
            _is_called(other, facts) for other in others
        )
    if not isinstance(target, ast.Name):
        return False
    scope = facts.names.scope_of(target)
    found = scope.lookup(target.id)
    if found is None or len(found[1]) != 1:
        return False
    if found[0] is facts.names.module and is_used_elsewhere(target.id):
        return False
    return all(_is_called(use, facts) for use in uses_of(facts, found[1][0]))


def _is_called(node: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(node)
    return isinstance(parent, ast.Call) and _is_made(node, facts) and not parent.keywords
