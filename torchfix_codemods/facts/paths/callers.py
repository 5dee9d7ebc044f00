"""Who calls a function in the other files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.operations import OPTIONS
from torchfix_codemods.facts.evaluation.outside import seen_from_outside
from torchfix_codemods.facts.evaluation.parameters import (
    CALLED_BY_OTHER_NAMES,
    argument_for,
    default_of,
    default_value,
    may_take,
)
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.held import (
    handed_above,
    option_kept,
    parameter_held,
    parameter_kept,
)
from torchfix_codemods.facts.paths.named import (
    function_named,
    gets_object_before,
    is_same_function,
    is_self,
)
from torchfix_codemods.facts.paths.uses_by_name import UsesByName
from torchfix_codemods.facts.values import options
from torchfix_codemods.facts.values.inference import Files
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Foreign,
    Mapping,
    NoneValue,
    Nothing,
    Tensor,
    Unknown,
    Value,
    join,
    without_none,
)


def calls_elsewhere(function: ast.FunctionDef, facts: Facts, files: Files) -> list[ast.Call | None]:
    """The calls of a function in the other files of the project.

    Args:
        function: the function or method.
        facts: the facts of the module that defines it.
        files: the other files, as that module imports them.

    Returns:
        the calls, and what may be one, and a None for each place that may use the function in
        another way.
    """
    return [call for call, _ in _calls_elsewhere(function, facts, files)]


def _calls_elsewhere(
    called: ast.FunctionDef | ast.ClassDef, facts: Facts, files: Files
) -> Iterator[tuple[ast.Call | None, Facts | None]]:
    """The same, also of a class, each with what is known of the file that it stands in."""
    mentioning = files.mentioning(called.name)
    if mentioning is None:
        yield None, None
    for file in mentioning or ():
        home = facts_of(file)
        if home is None:
            yield None, None
            continue
        there = UsesByName(called, facts, files, home)
        yield from there.calls()
        if any(files.offers(file, name) for name in there.other_names()):
            yield None, None


def _all_calls(
    called: ast.FunctionDef | ast.ClassDef, facts: Facts, files: Files
) -> list[tuple[ast.Call | None, Facts | None]]:
    """The calls in the file that defines it, and those elsewhere."""

    def find() -> list[tuple[ast.Call | None, Facts | None]]:
        here = UsesByName(called, facts, files, facts)
        return [*here.calls(), *_calls_elsewhere(called, facts, files)]

    return facts.remembered(("all calls", called), find)


def calls_by_name(function: ast.FunctionDef, facts: Facts, files: Files) -> Iterator[ast.Call]:
    """The calls elsewhere that only the name shows to be of a function: ``model.encode(x)``."""
    for call, there in _calls_elsewhere(function, facts, files):
        if call is not None and there is not None and function_named(call.func, there) is None:
            yield call


def known_calls(function: ast.FunctionDef, facts: Facts) -> Iterator[tuple[ast.Call, Facts]]:
    """The calls in the project that are certainly of a function, each with its file's facts."""
    files = facts.files
    if files is None or facts.classes.is_wrapped(function):
        return
    for call, there in _all_calls(function, facts, files):
        named = None if call is None or there is None else function_named(call.func, there)
        if named is not None and is_same_function(facts, function, *named):
            assert call is not None and there is not None
            yield call, there


def given_by_known_calls(name: ast.Name, facts: Facts) -> Iterator[tuple[ast.expr | None, Facts]]:
    """What the known calls of a function give a parameter that a name holds, with their files."""
    function, parameter = parameter_held(name, facts)
    if function is not None and parameter is not None:
        yield from given_for(parameter, function, facts)


def given_for(
    parameter: ast.arg, function: ast.FunctionDef, facts: Facts
) -> Iterator[tuple[ast.expr | None, Facts]]:
    """What the known calls of a function give one of its parameters, each with its file's facts."""
    for call, there in known_calls(function, facts):
        yield _argument_for(facts, function, parameter, call, there), there


def _argument_for(
    facts: Facts, function: ast.FunctionDef, parameter: ast.arg, call: ast.Call, there: Facts
) -> ast.expr | None:
    """What a call gives for a parameter: ``Trainer.save(trainer, options)`` gives the object."""
    bound = gets_object_before(facts, function, call, there)
    return argument_for(function, parameter, call, bound)


def others_with(word: str, facts: Facts) -> Iterator[Facts]:
    """The other files of the project that hold a word, as far as they can be read."""
    files = () if facts.files is None else facts.files.mentioning(word)
    yield from (there for file in files or () if (there := facts_of(file)) is not None)


#: Through so many functions that hand it on a parameter is followed.
_MOST_HANDED_ON = 3


def value_by_all_calls(node: ast.expr, facts: Facts, depth: int = 0) -> Value:
    """What a parameter, or an item of one, is by all calls of its function in the project.

    Of an item it is known where each call writes the dict down: ``log({"loss": loss})``. Of
    ``self.criterion``, which the constructor keeps, the calls of the class tell, and of
    ``options.weight`` the lines that declare it. Where a call gives None, or may do so, it is what
    else is given: None is not used as an object. A function of a package that can be installed may
    be called by anybody.
    """
    if isinstance(node, ast.Attribute):
        if is_self(facts, node.value):
            handed = handed_above(node, facts)
            if isinstance(handed, ast.Name):
                return value_by_all_calls(handed, facts, depth)
            kept = option_kept(node, facts)
            if kept is not None:
                return value_by_all_calls(kept, facts, depth)
            return _by_all_constructions(node, facts)
        is_option = value_by_all_calls(node.value, facts, depth) == Foreign(OPTIONS)
        return options.number_option(facts.inference, node.attr) if is_option else UNKNOWN
    held = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(held, ast.Name) or facts.files is None:
        return UNKNOWN
    function, parameter = parameter_held(held, facts)
    if function is None or parameter is None or facts.files.is_of_library():
        return UNKNOWN
    if held is not node and not _is_only_read(facts, function, parameter):
        return UNKNOWN
    return _by_all_calls(facts, facts.files, function, parameter, held is not node, depth)


def _by_all_constructions(node: ast.Attribute, facts: Facts) -> Value:
    """What ``self.criterion`` is, by all calls of the class whose constructor is given it."""
    files = facts.files
    constructor, parameter = parameter_kept(node, facts)
    if files is None or constructor is None or parameter is None:
        return UNKNOWN
    if files.is_of_library() or facts.classes.is_wrapped(constructor):
        return UNKNOWN
    result: Value = NOTHING
    for call, there in calls_of(facts, files, constructor):
        given = argument_for(constructor, parameter, call, bound=True)
        if given is None and is_opaque(call):
            return UNKNOWN
        if given is None:
            default = default_value(facts.inference, parameter)
            result = result if isinstance(default, NoneValue) else join(result, default)
            continue
        result = join(result, seen_from_outside(there.value(given), there.inference))
    return UNKNOWN if isinstance(result, Nothing) else result


def _by_all_calls(
    facts: Facts,
    files: Files,
    function: ast.FunctionDef,
    parameter: ast.arg,
    is_item: bool,
    depth: int,
) -> Value:
    if facts.classes.is_wrapped(function):
        return UNKNOWN
    if function.name == "forward" and not is_item:
        return _by_all_applications(facts, function, parameter)
    result: Value = NOTHING
    for call, there in calls_of(facts, files, function):
        given = _argument_for(facts, function, parameter, call, there)
        if given is None and not is_item and not is_opaque(call):
            default = default_value(facts.inference, parameter)
            result = result if isinstance(default, NoneValue) else join(result, default)
            continue
        if given is None or (is_item and not isinstance(given, ast.Dict)):
            return UNKNOWN
        value = without_none(there.inference.possible(given))
        if is_item:
            value = without_none(value.element) if isinstance(value, Mapping) else UNKNOWN
        elif isinstance(given, ast.Name) and depth < _MOST_HANDED_ON and _is_open(value):
            handed_on = value_by_all_calls(given, there, depth + 1)
            value = value if isinstance(handed_on, Unknown) else handed_on
        result = join(result, seen_from_outside(value, there.inference))
    return UNKNOWN if isinstance(result, Nothing) else result


def calls_of(facts: Facts, files: Files, function: ast.FunctionDef) -> list[tuple[ast.Call, Facts]]:
    """All calls in the project that may be of a function; none where one may be out of sight.

    A constructor is called by its class.
    """
    called: ast.FunctionDef | ast.ClassDef = function
    owner = facts.parent(function)
    if function.name == "__init__" and _is_called_to_construct(owner, facts):
        called = owner
    elif function.name.startswith("__") or function.name in CALLED_BY_OTHER_NAMES:
        return []
    elif not isinstance(owner, (ast.ClassDef, ast.Module)):
        return []
    if facts.classes.gets_object(function) and facts.classes.self_name(function) is None:
        return []
    found = []
    for call, there in _all_calls(called, facts, files):
        if call is None or there is None:
            return []
        # What has the same name and cannot be called so is something else.
        if may_take(function, call, gets_object_before(facts, function, call, there)):
            found.append((call, there))
        elif called is owner:
            return []
    return found


def constructions(owner: ast.ClassDef, facts: Facts) -> list[tuple[ast.Call, Facts]] | None:
    """All calls of a class in the project; None where one may be out of sight."""
    files = facts.files
    if files is None or files.is_of_library() or not _is_called_to_construct(owner, facts):
        return None
    made = _all_calls(owner, facts, files)
    known = [(call, there) for call, there in made if call is not None and there is not None]
    return known if len(known) == len(made) else None


def _is_called_to_construct(owner: ast.AST | None, facts: Facts) -> TypeGuard[ast.ClassDef]:
    """Whether calls of a class certainly run its constructor, and nothing else does."""
    if not isinstance(owner, ast.ClassDef) or owner.decorator_list or owner.keywords:
        return False
    # By these names it is called as well.
    if any(called in facts.text for called in ("classmethod", "__class__(", "type(self)(")):
        return False
    return isinstance(facts.parent(owner), ast.Module)


def arguments_of_all_calls(
    function: ast.FunctionDef, parameter: ast.arg, facts: Facts
) -> list[tuple[Facts, ast.expr]] | None:
    """What all calls of a function in the project give a parameter, each with its file's facts.

    Where a call leaves it out, that is its default; where ``*xs`` may give it, that is one of
    ``xs``, or the default. None where a call may be out of sight.
    """
    files = facts.files
    if files is None or files.is_of_library() or facts.classes.is_wrapped(function):
        return None
    return arguments_of(calls_of(facts, files, function), function, parameter, facts)


def arguments_of(
    calls: Iterable[tuple[ast.Call, Facts]],
    function: ast.FunctionDef,
    parameter: ast.arg,
    facts: Facts,
) -> list[tuple[Facts, ast.expr]] | None:
    """The same of some calls, which are all that there are."""
    found = []
    for call, there in calls:
        given = _argument_for(facts, function, parameter, call, there)
        if given is not None:
            found.append((there, given))
            continue
        spread = [each for each in call.args if isinstance(each, ast.Starred)]
        default = default_of(facts.inference, parameter)
        if (is_opaque(call) and not spread) or not (spread or default is not None):
            return None
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        found += ((there, each) for each in spread)
        found += [] if default is None else [(facts, default)]
    return found or None


def is_given_always(
    flag: ast.expr | None, state: bool, facts: Facts, depth: int = _MOST_HANDED_ON
) -> bool:
    """Whether a flag is a parameter that all calls in the project leave on, or all off.

    Args:
        flag: the flag, ``not flag`` or ``self.flag``, which the constructor keeps.
        state: whether it is asked to be on.
        facts: the facts of the module.
        depth: through so many functions it is followed.
    """
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return is_given_always(flag.operand, not state, facts, depth)
    if not isinstance(flag, (ast.Name, ast.Attribute)) or depth == 0:
        return False
    if isinstance(flag, ast.Name):
        function, parameter = parameter_held(flag, facts)
    else:
        function, parameter = parameter_kept(flag, facts)
        stored = [n for n in facts.names.attributes(flag.attr) if isinstance(n.ctx, ast.Store)]
        if len(stored) != 1:
            return False
    if function is None or parameter is None:
        return False
    given = arguments_of_all_calls(function, parameter, facts)
    return bool(given) and all(
        bool(node.value) is state
        if isinstance(node, ast.Constant)
        else is_given_always(node, state, there, depth - 1)
        for there, node in given or ()
    )


def _by_all_applications(facts: Facts, function: ast.FunctionDef, parameter: ast.arg) -> Value:
    """What a parameter of ``forward`` is, where all modules of the class are called in its file."""
    owner = facts.parent(function)
    if not isinstance(owner, ast.ClassDef) or facts.classes.kind(owner) != "module":
        return UNKNOWN
    result: Value = NOTHING
    for call in applications_of_class(facts.inference, owner) or ():
        given = None if is_opaque(call) else argument_for(function, parameter, call, bound=True)
        result = UNKNOWN if given is None else join(result, facts.value(given))
        if isinstance(result, Unknown):
            return UNKNOWN
    return UNKNOWN if isinstance(result, Nothing) else result


def _is_open(value: Value) -> bool:
    """Whether more may be known of a value than what its uses show."""
    is_any_tensor = isinstance(value, Tensor) and None in (value.ndim, value.dtype)
    return is_any_tensor or isinstance(value, Unknown)


def _is_only_read(facts: Facts, function: ast.FunctionDef, parameter: ast.arg) -> bool:
    """Whether a function puts nothing into the dict that a parameter is."""
    for use in facts.names.uses_of(facts.names.scopes[function], parameter.arg):
        parent = facts.parent(use)
        if isinstance(parent, ast.Subscript) and parent.value is use:
            if not isinstance(parent.ctx, ast.Load):
                return False
        elif isinstance(parent, ast.Attribute):
            if not container_methods.only_reads(parent.attr):
                return False
        elif not isinstance(parent, (ast.For, ast.comprehension, ast.Compare)):
            return False
    return True
