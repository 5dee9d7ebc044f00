"""Who calls a function in the other files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.outside import seen_from_outside
from torchfix_codemods.facts.evaluation.parameters import (
    CALLED_BY_OTHER_NAMES,
    argument_for,
    default_of,
    default_value,
    may_take,
)
from torchfix_codemods.facts.evidence.no_functions import is_no_function
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.held import parameter_held, parameter_kept
from torchfix_codemods.facts.paths.looked_up import is_looked_up
from torchfix_codemods.facts.paths.named import class_named, function_named
from torchfix_codemods.facts.values.inference import Files
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Mapping,
    Method,
    Module,
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
        there = _Uses(called, facts, files, home)
        for call in there.calls():
            yield call, home
        if any(files.offers(file, name) for name in there.other_names()):
            yield None, None


def _all_calls(
    called: ast.FunctionDef | ast.ClassDef, facts: Facts, files: Files
) -> list[tuple[ast.Call | None, Facts | None]]:
    """The calls in the file that defines it, and those elsewhere."""

    def find() -> list[tuple[ast.Call | None, Facts | None]]:
        here = ((call, facts) for call in _Uses(called, facts, files, facts).calls())
        return [*here, *_calls_elsewhere(called, facts, files)]

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
        if call is not None and there is not None and function_named(call.func, there) is not None:
            yield call, there


def given_by_known_calls(name: ast.Name, facts: Facts) -> Iterator[tuple[ast.expr | None, Facts]]:
    """What the known calls of a function give a parameter that a name holds, with their files."""
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return
    is_bound = facts.classes.gets_object(function)
    for call, there in known_calls(function, facts):
        method = call.func if facts.classes.self_name(function) is not None else None
        # ``Trainer.save(trainer, options)`` has the object among its arguments.
        if not isinstance(method, ast.Attribute) or class_named(method.value, there) is None:
            yield argument_for(function, parameter, call, is_bound), there


def others_with(word: str, facts: Facts) -> Iterator[Facts]:
    """The other files of the project that hold a word, as far as they can be read."""
    files = () if facts.files is None else facts.files.mentioning(word)
    yield from (there for file in files or () if (there := facts_of(file)) is not None)


#: Through so many functions that hand it on a parameter is followed.
_MOST_HANDED_ON = 3


def value_by_all_calls(node: ast.expr, facts: Facts, depth: int = 0) -> Value:
    """What a parameter, or an item of one, is by all calls of its function in the project.

    Of an item it is known where each call writes the dict down: ``log({"loss": loss})``. Of
    ``self.criterion``, which the constructor keeps, the calls of the class tell. Where a call gives
    None, or may do so, it is what else is given: None is not used as an object. A function of a
    package that can be installed may be called by anybody.
    """
    if isinstance(node, ast.Attribute):
        return _by_all_constructions(node, facts)
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
    is_bound = facts.classes.gets_object(function)
    result: Value = NOTHING
    for call, there in calls_of(facts, files, function):
        given = argument_for(function, parameter, call, is_bound)
        if given is None and not is_item and not is_opaque(call):
            default = default_value(facts.inference, parameter)
            if isinstance(default, NoneValue):
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
    is_bound = facts.classes.gets_object(function)
    if is_bound and facts.classes.self_name(function) is None:
        return []
    found = []
    for call, there in _all_calls(called, facts, files):
        if call is None or there is None:
            return []
        method = call.func if is_bound else None
        if isinstance(method, ast.Attribute) and class_named(method.value, there) is not None:
            # The object is among the arguments then.
            return []
        # What has the same name and cannot be called so is something else.
        if may_take(function, call, is_bound):
            found.append((call, there))
        elif called is owner:
            return []
    return found


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

    Where a call leaves it out, that is its default. None where a call may be out of sight.
    """
    files = facts.files
    if files is None or files.is_of_library() or facts.classes.is_wrapped(function):
        return None
    found = []
    for call, there in calls_of(facts, files, function):
        given = argument_for(function, parameter, call, facts.classes.gets_object(function))
        if given is not None:
            found.append((there, given))
        elif is_opaque(call) or (default := default_of(facts.inference, parameter)) is None:
            return None
        else:
            found.append((facts, default))
    return found or None


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


def is_of_any_module(value: Value) -> bool:
    """Whether a value is the method of a module that may be one of several, or of any class."""
    module = value.receiver if isinstance(value, Method) else None
    return isinstance(module, Module) and not (module.cls or module.definition or module.origin)


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


class _Uses:
    """The uses of a function or class of one file in another one."""

    def __init__(
        self,
        called: ast.FunctionDef | ast.ClassDef,
        home: Facts,
        files: Files,
        facts: Facts,
    ) -> None:
        self._called = called
        self._owner = getattr(home.parent(called), "name", None)
        self._files = files
        self._path = files.path
        self._facts = facts

    def calls(self) -> Iterator[ast.Call | None]:
        """The calls of what is called, and None for each other use that there may be."""
        for node in self._named():
            if self._may_be_it(node):
                call = self._facts.parent(node)
                if isinstance(call, ast.Call) and self._is_of_super(node, call):
                    continue
                yield call if isinstance(call, ast.Call) and call.func is node else None

    def other_names(self) -> set[str]:
        """The names by which the file imports something of that name."""
        imports = self._facts.names.imports(self._called.name)
        return {binding.name for binding in imports} - {self._called.name}

    def _named(self) -> Iterator[ast.expr]:
        names = {self._called.name} | self.other_names()
        read: Sequence[Any] = ()
        if any(map(self._facts.names.scopes_using, names)):
            read = self._facts.names.nodes.get(ast.Name, ())
        for name in [n for n in read if n.id in names and n.ctx.__class__ is ast.Load]:
            if not self._is_in_all(name):
                yield name
        yield from self._facts.names.attributes(self._called.name)
        for text in self._facts.names.texts(self._called.name):
            if not self._is_in_all(text) and is_looked_up(text, self._facts, self._files):
                yield text

    def _is_in_all(self, node: ast.expr) -> bool:
        """``__all__ = ["to_var"]``: whoever takes it from here names it."""
        statement = self._facts.statement(node)
        return isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets
        )

    def _may_be_it(self, node: ast.expr) -> bool:
        """Whether an expression is what is called, or cannot be seen to be something else."""
        if isinstance(node, ast.Constant):
            return True
        is_plain = isinstance(self._called, ast.FunctionDef) and not self._called.decorator_list
        if is_plain and is_no_function(self._facts.names, node):
            return False
        value = self._facts.value(node)
        is_class = isinstance(self._called, ast.ClassDef)
        named = class_named if is_class else function_named
        found = named(node, self._facts)
        if found is not None:
            owner, definition = found
            if owner.files is None or definition.name != self._called.name:
                return False
            class_name = getattr(owner.names.parents.get(definition), "name", None)
            return owner.files.path == self._path and class_name == self._owner
        if is_of_any_module(value):
            return True
        if not isinstance(value, Unknown) or self._is_of_a_library(node):
            return False
        if isinstance(node, ast.Attribute):
            return isinstance(self._facts.value(node.value), Unknown)
        return not (isinstance(node, ast.Name) and self._is_own(node))

    def _is_of_super(self, node: ast.expr, call: ast.Call) -> bool:
        """``super(Trainer, self)``, which makes no object."""
        return node in call.args[:1] and self._facts.names.builtin(call.func) == "super"

    def _is_of_a_library(self, node: ast.expr) -> bool:
        name = self._facts.name(node) or ""
        return name.startswith(("torch.", "torchvision.", "numpy.")) or is_foreign(name)

    def _is_own(self, name: ast.Name) -> bool:
        """Whether a name is only ever bound by definitions and parameters of the file itself."""
        found = self._facts.names.scope_of(name).lookup(name.id)
        return found is not None and all(
            binding.kind in ("function", "class", "parameter") for binding in found[1]
        )
