"""What the options of a command line are, as the file that reads them declares them.

https://docs.python.org/3/library/argparse.html#the-add-argument-method
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Instance,
    Module,
    Nothing,
    Number,
    Unknown,
    Value,
    join,
    maybe,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference

_KINDS: dict[str, Literal["int", "float"]] = {"int": "int", "float": "float"}

#: Keywords that do not change what kind of thing an option holds.
_HARMLESS = frozenset({"type", "default", "help", "dest", "metavar", "required", "choices"})

#: What an option does, and begins with, that it cannot change.
_STAYS = (("store_true", True), ("store_false", False))

#: What may be asked of a parser without giving it options that no ``add_argument`` shows.
_OF_PARSERS = frozenset(
    """add_argument add_argument_group add_mutually_exclusive_group parse_args print_help
    print_usage format_help format_usage error exit description epilog usage prog""".split()
)


def number_option(inference: Inference, name: str) -> Value:
    """The value of ``options.name``: a number where only ``type=int`` or ``float`` declares it.

    Where this file declares no such option, all files of the project are asked that may. Unknown
    for options of other kinds, for what is given anything but a number, and where a file has other
    ways to give options a value.
    """
    declaring = [inference] if _declarations(name, inference.names) else _others(inference, name)
    storing = [inference, *declaring]
    if inference.files is not None and inference.files.is_assigned_anywhere(name):
        storing += _mentioning(inference, name) or [None]
    result: Value = NOTHING
    for there in declaring:
        result = join(result, UNKNOWN if there is None else _declared_by(there, name))
    if isinstance(result, (Nothing, Unknown)):
        return UNKNOWN
    for there in storing:
        result = join(result, UNKNOWN if there is None else _stored_in(there, name))
    return result


def _others(inference: Inference, name: str) -> list[Inference | None]:
    """The other files of the project that may declare an option; None for one out of sight."""
    if inference.files is None:
        return []
    parsing = inference.files.mentioning("add_argument")
    if parsing is None:
        return [None]
    holding = inference.files.mentioning(name) or ()
    known = [file.inference for file in holding if file in parsing]
    return [each for each in known if each is None or _may_declare(each.names, name)]


def _may_declare(names: Names, name: str) -> bool:
    calls = names.method_calls("add_argument")
    return not all(_declares_others(call, name) for call in calls)


def _mentioning(inference: Inference, name: str) -> list[Inference | None]:
    found = None if inference.files is None else inference.files.mentioning(name)
    return [file.inference for file in found or ()]


def _declared_by(inference: Inference, name: str) -> Value:
    """What the calls of ``add_argument`` in a file make of an option."""
    names = inference.names
    if _may_be_set(name, names):
        return UNKNOWN
    result: Value = NOTHING
    for call in names.method_calls("add_argument"):
        flags = [flag for flag in call.args if isinstance(flag, ast.Constant)]
        if len(flags) != len(call.args) or any(k.arg is None for k in call.keywords):
            return UNKNOWN
        if name in _destinations(call):
            result = join(result, _declared(inference, call))
    return result


def _stored_in(inference: Inference, name: str) -> Value:
    """What a file gives to an attribute of that name of what may be the options."""
    if _may_be_set_by_text(name, inference.names):
        return UNKNOWN
    result: Value = NOTHING
    for target in inference.names.changed_attributes:
        if target.attr != name:
            continue
        if isinstance(inference.value(target.value), (Instance, Module)):
            continue
        statement = inference.names.parents.get(target)
        if not isinstance(statement, (ast.Assign, ast.AugAssign)) or isinstance(
            target.ctx, ast.Del
        ):
            return UNKNOWN
        given = inference.possible(statement.value)
        # What is calculated in place with an int may be a float then.
        is_changed = isinstance(statement, ast.AugAssign) and isinstance(given, Number)
        result = join(result, Number() if is_changed else given)
    return result


def by_default(node: ast.expr, names: Names) -> ast.expr:
    """An expression, or the default of the option that it reads: ``args.workers``."""
    if not isinstance(node, ast.Attribute):
        return node
    declared = _declarations(node.attr, names)
    default = argument(declared[0], None, "default") if len(declared) == 1 else None
    return default if isinstance(default, ast.Constant) else node


def default_in_project(node: ast.expr, inference: Inference) -> ast.expr:
    """The same, where another file of the project may declare the option: ``args = get_args()``.

    Args:
        node: the expression.
        inference: the values of its file.

    Returns:
        the default, where all files that declare the option give it the same and nothing sets it
        otherwise; the expression itself, where it is no such option.
    """
    own = by_default(node, inference.names)
    if own is not node or not isinstance(node, ast.Attribute):
        return own
    name = node.attr
    if _declarations(name, inference.names) or not is_only_declared(inference, name):
        return node
    others = [None if each is None else each.names for each in _others(inference, name)]
    found = [node if each is None else by_default(node, each) for each in others]
    is_one = bool(found) and all(same_expression(each, found[0]) for each in found)
    return found[0] if is_one else node


def unchangeable_default(name: str, names: Names) -> bool | None:
    """What a flag is that the command line cannot change: ``action="store_true", default=True``.

    Args:
        name: the option, as its object has it: ``use_cuda``.
        names: the names of the file that declares it.

    Returns:
        what the flag always is; None where the command line decides.
    """
    for call in _declarations(name, names):
        action = constant(argument(call, None, "action"))
        default = constant(argument(call, None, "default"))
        if (action, default) in _STAYS:
            return default is True
    return None


def _declarations(name: str, names: Names) -> list[ast.Call]:
    return [
        call
        for call in names.method_calls("add_argument")
        if all(isinstance(flag, ast.Constant) for flag in call.args)
        if name in _destinations(call)
    ]


def _may_be_set(name: str, names: Names) -> bool:
    """Whether a file may give an option a value by its name, or all of them a default."""
    return _may_be_set_by_text(name, names) or any(
        call.args or any(given.arg in (None, name) for given in call.keywords)
        for call in names.method_calls("set_defaults")
    )


def _may_be_set_by_text(name: str, names: Names) -> bool:
    """Whether ``setattr`` may set an option, and not only others."""
    if not names.scopes_using("setattr"):
        return False
    reads = [n for n in names.nodes.get(ast.Name, ()) if getattr(n, "id", "") == "setattr"]
    return not all(_sets_others(names.parents.get(read), read, name, names) for read in reads)


def _sets_others(call: ast.AST | None, read: ast.AST, name: str, names: Names) -> bool:
    """``if "path" in key: setattr(options, key, …)`` for an option without that in its name."""
    if not isinstance(call, ast.Call) or call.func is not read or len(call.args) != 3:
        return False
    key = call.args[1]
    if isinstance(key, ast.Constant):
        return key.value != name
    found = names.scope_of(key).lookup(key.id) if isinstance(key, ast.Name) else None
    if found is None or len(found[1]) != 1:
        return False
    return any(
        isinstance(test, ast.Compare)
        and is_so
        and isinstance(test.ops[0], ast.In)
        and len(test.ops) == 1
        and same_expression(test.comparators[0], key)
        and isinstance(part := constant(test.left), str)
        and part not in name
        for test, is_so in tests_around(names, call)
    )


def is_only_declared(inference: Inference, name: str) -> bool:
    """Whether an option of that name holds what the command line gives, and nothing else."""
    names = inference.names
    if _may_be_set(name, names):
        return False
    if any(not isinstance(use.ctx, ast.Load) for use in names.attributes(name)):
        return False
    return inference.files is None or not inference.files.is_assigned_anywhere(name)


def is_undeclared(node: ast.Attribute, inference: Inference) -> bool:
    """Whether what a parser gave is asked for an option that no line declares.

    The parser is made and asked in one place, and before the option is read nothing else gets the
    parser or what it gave.

    Args:
        node: the option: ``args.name``.
        inference: the values of the file.
    """
    names = inference.names
    parsed = _only_value(node.value, names)
    if parsed is None or node.attr.startswith("_") or not is_only_declared(inference, node.attr):
        return False
    if len(parsed.args) > 1 or any(k.arg != "args" for k in parsed.keywords):
        return False
    if not isinstance(parsed.func, ast.Attribute) or parsed.func.attr != "parse_args":
        return False
    made = _only_value(parsed.func.value, names)
    if made is None or names.name(made.func) != "argparse.ArgumentParser":
        return False
    if made.args[8:] or any(k.arg in (None, "parents") for k in made.keywords):
        return False
    return (
        names.scope_of(parsed) is names.scope_of(made)
        and all(_reads(use, names) in _OF_PARSERS for use in _uses(parsed.func.value, names))
        and not any(
            use.lineno <= node.lineno and _reads(use, names) in (None, "__dict__")
            for use in _uses(node.value, names)
        )
        and all(_declares_others(call, node.attr) for call in names.method_calls("add_argument"))
    )


def _only_value(node: ast.expr, names: Names) -> ast.Call | None:
    """The call that gives a name of this place its only value."""
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    if found is None or len(found[1]) != 1 or found[0] is not names.scope_of(node):
        return None
    value = found[1][0].written() if found[1][0].kind == "assign" else None
    return value if isinstance(value, ast.Call) else None


def _uses(node: ast.expr, names: Names) -> Iterator[ast.Name]:
    assert isinstance(node, ast.Name)
    yield from names.uses_of(names.scope_of(node), node.id)


def _reads(use: ast.Name, names: Names) -> str | None:
    """The attribute that is read or set of a name there."""
    around = names.parents.get(use)
    return around.attr if isinstance(around, ast.Attribute) else None


def _declares_others(call: ast.Call, name: str) -> bool:
    """Whether a call of ``add_argument`` certainly declares no option of that name."""
    if not all(isinstance(flag, ast.Constant) for flag in call.args):
        return False
    if any(k.arg is None for k in call.keywords):
        return False
    known = (argument(call, None, word) for word in ("dest", "action"))
    return all(each is None or isinstance(each, ast.Constant) for each in known) and (
        name not in _destinations(call)
    )


def _destinations(call: ast.Call) -> Iterator[str]:
    """The names that an option may have: of several flags argparse takes the first long one."""
    given = argument(call, None, "dest")
    if isinstance(given, ast.Constant):
        yield str(given.value)
        return
    for flag in call.args:
        assert isinstance(flag, ast.Constant)
        yield str(flag.value).lstrip("-").replace("-", "_")


def _declared(inference: Inference, call: ast.Call) -> Value:
    if any(keyword.arg not in _HARMLESS for keyword in call.keywords if not _is_store(keyword)):
        return UNKNOWN
    converter = argument(call, None, "type")
    kind = _KINDS.get(converter.id) if isinstance(converter, ast.Name) else None
    if kind is None or _is_bound(inference.names, converter):
        return UNKNOWN
    default = argument(call, None, "default")
    if default is None:
        first = call.args[0] if call.args else None
        is_positional = isinstance(first, ast.Constant) and not str(first.value).startswith("-")
        required = argument(call, None, "required")
        is_required = isinstance(required, ast.Constant) and required.value is True
        return Number(kind) if is_positional or is_required else maybe(Number(kind))
    if isinstance(default, ast.Constant) and isinstance(default.value, str):
        # It is converted as what is given on the command line.
        return Number(kind)
    return join(Number(kind), inference.possible(default))


def _is_store(keyword: ast.keyword) -> bool:
    """``action="store"``, as it is without."""
    return keyword.arg == "action" and constant(keyword.value) == "store"


def _is_bound(names: Names, converter: ast.expr | None) -> bool:
    assert isinstance(converter, ast.Name)
    return names.scope_of(converter).lookup(converter.id) is not None
