"""Helpers such as ``to_var(x, volatile=False)``, whose callers say what is volatile."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.parameters import default_of
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_by_name, calls_elsewhere
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.inference import Files
from torchfix_codemods.rules.autograd.questions.volatile.given import (
    VARIABLE,
    Flag,
    is_among,
    is_off,
    is_set,
)


class Helper:
    """A function whose parameter is nothing but the ``volatile=`` of its ``Variable``s.

    Args:
        function: the function.
        parameter: the name of its parameter.
        facts: the facts of its file.
    """

    def __init__(self, function: ast.FunctionDef, parameter: str, facts: Facts) -> None:
        self.function = function
        self.parameter = parameter
        self.facts = facts

    @classmethod
    def of(cls, function: ast.FunctionDef, facts: Facts) -> Helper | None:
        """What a function is, where one of its parameters is such a flag."""
        if not facts.speaks_of("volatile"):
            return None
        flags = facts.names.remembered(_names_given, lambda: _names_given(facts))
        for parameter in (*function.args.args, *function.args.kwonlyargs):
            if parameter.arg in flags:
                helper = cls(function, parameter.arg, facts)
                if helper._is_only_volatile():
                    return helper
        return None

    @classmethod
    def around(cls, call: ast.Call, flag: ast.expr | None, facts: Facts) -> Helper | None:
        """The helper that ``Variable(..., volatile=flag)`` is part of."""
        function = facts.names.enclosing_function(call)
        if not isinstance(function, ast.FunctionDef) or not isinstance(flag, ast.Name):
            return None
        helper = cls(function, flag.id, facts)
        return helper if helper._is_only_volatile() else None

    def variables(self) -> Iterator[ast.Call]:
        """The calls in the helper that make something volatile by its flag."""
        scope = self.facts.names.scopes[self.function]
        for use in self.facts.names.uses_of(scope, self.parameter):
            call = self._call_given(use)
            if call is not None and not self._hands_on(use):
                yield call

    def calls(self) -> Iterator[ast.Call]:
        """The calls of the helper in this file, but for those by which it hands on its flag."""
        yield from (call for call in self._all_calls() if not self._is_of_itself(call))

    def calls_of_itself(self) -> list[ast.Call]:
        """The calls by which the helper hands on its flag to itself."""
        return [call for call in self._all_calls() if self._is_of_itself(call)]

    def _all_calls(self) -> Iterator[ast.Call]:
        calls = (c for c in self.facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call))
        return filter(self._calls_helper, calls)

    def _is_of_itself(self, call: ast.Call) -> bool:
        return any(self._hands_on(keyword.value) for keyword in call.keywords)

    def _hands_on(self, given: ast.expr) -> bool:
        """Whether this is the flag of ``[to_var(x, volatile=volatile) for x in xs]`` in itself."""
        call = self._call_given(given)
        return (
            isinstance(given, ast.Name)
            and given.id == self.parameter == "volatile"
            and self.facts.names.enclosing_function(given) is self.function
            and call is not None
            and self._calls_helper(call)
        )

    def calls_with_flag(self) -> Iterator[ast.Call]:
        """The calls in this file that set the flag, or may set it.

        Not those that lack it where it has no default: they lost it a round before the parameter.
        """
        for call in self.calls():
            flag = self.flag_of(call)
            if is_opaque(call) or not (flag is None or is_off(flag)):
                yield call

    def given(self, call: ast.Call) -> Flag:
        """The flag as a call of the helper writes it."""
        position = self.position(call)
        value = argument(call, position, self.parameter)
        return Flag(value, self.parameter, position, is_off_by_default=self.is_off_by_default())

    def flag_of(self, call: ast.Call) -> ast.expr | None:
        """The flag that a call gives, or leaves at its default."""
        given = self.given(call).value
        return self._default() if given is None else given

    def is_off_by_default(self) -> bool:
        """Whether a call without the flag is one with the flag off."""
        default = self._default()
        return default is not None and is_off(default)

    def is_set_by_default(self) -> bool:
        """Whether a call without the flag may be one with the flag on."""
        default = self._default()
        return default is not None and not is_off(default)

    def is_for_callers_unseen(self) -> bool:
        """Whether nothing in the project calls a function that others may take for themselves."""
        if self.function.name.startswith("_") or any(self.calls()):
            return False
        files = self.facts.files if self.facts.is_imported_elsewhere else None
        return files is None or not calls_elsewhere(self.function, self.facts, files)

    def is_passed_elsewhere(self, files: Files) -> bool | None:
        """Whether another file passes the flag, or has it set by default; None: not known."""
        key = "TP102 elsewhere", self.function, self.parameter
        return self.facts.remembered(key, lambda: self._is_passed_elsewhere(files))

    def _is_passed_elsewhere(self, files: Files) -> bool | None:
        calls = calls_elsewhere(self.function, self.facts, files)
        given = [call for call in calls if call is not None]
        passing = any(map(self.passes_flag, given)) or (given and not self.is_off_by_default())
        return True if passing else None if None in calls else False

    def is_set_out_of_sight(self, files: Files) -> bool:
        """Whether a call of another file sets the flag that only its name shows to be one."""
        named = calls_by_name(self.function, self.facts, files)
        return any(is_set(self.given(call).value) for call in named)

    def passes_flag(self, call: ast.Call) -> bool:
        """Whether a call gives the flag, set or not."""
        return is_opaque(call) or self.given(call).value is not None

    def has_safe_calls_only(self) -> bool:
        """Whether the flag is set in this file, and only where there is ``no_grad`` instead."""
        safe = [is_under_no_grad(call, self.facts) for call in self.calls_with_flag()]
        return bool(safe) and all(safe)

    def is_used_as_value(self) -> bool:
        """Whether the helper is passed around, so that calls of it are out of sight."""
        name = self.function.name
        owner = self.facts.parent(self.function)
        if isinstance(owner, ast.ClassDef):
            reads = self.facts.names.nodes.get(ast.Attribute, ())
            uses = [n for n in reads if isinstance(n, ast.Attribute) and n.attr == name]
        else:
            scope = self.facts.names.scope_of(self.function)
            uses = list(self.facts.names.uses_of(scope, name))  # type: ignore[arg-type]
        called = [call.func for call in self._all_calls()]
        return any(use not in called for use in uses)

    def has_calls_unseen_only(self) -> bool:
        """Whether the flag is set nowhere in this file, but may be where the helper is passed."""
        return self.is_used_as_value() and not any(self.calls_with_flag())

    def _is_only_volatile(self, is_last: bool = False) -> bool:
        scope = self.facts.names.scopes[self.function]
        # Also those in comprehensions and functions inside.
        uses = list(self.facts.names.uses_of(scope, self.parameter))
        return (
            bool(uses and not self.facts.speaks_of("locals"))
            and [b.kind for b in scope.bindings.get(self.parameter, [])] == ["parameter"]
            and all(self._is_volatile_argument(use, is_last) or self._hands_on(use) for use in uses)
        )

    def _is_volatile_argument(self, use: ast.Name, is_last: bool) -> bool:
        call = self._call_given(use)
        if call is None or self.facts.name(call.func) == VARIABLE:
            return call is not None
        return not is_last and self._is_given_on(call)

    def _call_given(self, use: ast.expr) -> ast.Call | None:
        """The call that is given ``volatile=volatile``."""
        keyword = self.facts.parent(use)
        is_flag = isinstance(keyword, ast.keyword) and keyword.arg == "volatile"
        call = self.facts.parent(keyword) if keyword is not None and is_flag else None
        return call if isinstance(call, ast.Call) else None

    def _is_given_on(self, call: ast.Call) -> bool:
        """Whether what another helper makes by a flag that is off by default is given back."""
        if not self.is_off_by_default() or not is_among(call, self.facts):
            return False
        named, found = last_name(call.func), self.facts.names.nodes.get(ast.FunctionDef, ())
        functions = [f for f in found if isinstance(f, ast.FunctionDef) and f.name == named]
        others = [Helper(f, "volatile", self.facts) for f in functions if f is not self.function]
        return any(
            one.is_off_by_default() and one._calls_helper(call) and one._is_only_volatile(True)
            for one in others
        )

    def _calls_helper(self, call: ast.Call) -> bool:
        func = call.func
        if isinstance(func, ast.Name):
            found = self.facts.names.scope_of(func).lookup(func.id)
            return found is not None and [b.node for b in found[1]] == [self.function]
        owner = self.facts.parent(self.function)
        return (
            isinstance(owner, ast.ClassDef)
            and isinstance(func, ast.Attribute)
            and func.attr == self.function.name
        )

    def position(self, call: ast.Call) -> int | None:
        """Where the flag stands among a call's positional arguments."""
        names = [p.arg for p in self.function.args.args]
        if self.parameter not in names:
            return None
        return names.index(self.parameter) - self._is_bound_in(call)

    def _is_bound_in(self, call: ast.Call) -> bool:
        """Whether a call gives the helper the object, or the class, that it is called on."""
        owner = self.facts.parent(self.function)
        if not isinstance(owner, ast.ClassDef) or not isinstance(call.func, ast.Attribute):
            return False
        classes, receiver = self.facts.classes, call.func.value
        if classes.is_static(self.function):
            return False
        name = last_name(receiver)
        # A class method gets the class also where it is called on that.
        return name != owner.name or classes.self_name(self.function) is None

    def _default(self) -> ast.expr | None:
        parameters = (*self.function.args.args, *self.function.args.kwonlyargs)
        named = next((one for one in parameters if one.arg == self.parameter), None)
        return None if named is None else default_of(self.facts.inference, named)


def _names_given(facts: Facts) -> frozenset[str]:
    """The names that the file gives as ``volatile=``."""
    keywords = (k for k in facts.names.nodes.get(ast.keyword, ()) if isinstance(k, ast.keyword))
    given = (keyword.value for keyword in keywords if keyword.arg == "volatile")
    return frozenset(value.id for value in given if isinstance(value, ast.Name))
