"""What is volatile: Variables that are made so, and the helpers whose callers say it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import calls_by_name, calls_elsewhere, function_named
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.inference import Files
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.value_flow import ValueFlow

VARIABLE = "torch.autograd.Variable"

#: Where the flag stands among the arguments of a Variable.
VOLATILE_POSITION = 2


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
        self._facts = facts

    @classmethod
    def of(cls, function: ast.FunctionDef, facts: Facts) -> Helper | None:
        """What a function is, where one of its parameters is such a flag."""
        for parameter in (*function.args.args, *function.args.kwonlyargs):
            helper = cls(function, parameter.arg, facts)
            if helper._is_only_volatile():
                return helper
        return None

    @classmethod
    def around(cls, call: ast.Call, flag: ast.expr, facts: Facts) -> Helper | None:
        """The helper that ``Variable(..., volatile=flag)`` is part of."""
        function = facts.names.enclosing_function(call)
        if not isinstance(function, ast.FunctionDef) or not isinstance(flag, ast.Name):
            return None
        helper = cls(function, flag.id, facts)
        return helper if helper._is_only_volatile() else None

    def calls(self) -> Iterator[ast.Call]:
        """The calls of the helper in this file."""
        for node in self._facts.names.nodes.get(ast.Call, ()):
            assert isinstance(node, ast.Call)
            if self._calls_helper(node):
                yield node

    def calls_with_flag(self) -> Iterator[ast.Call]:
        """The calls in this file that set the flag, or may set it."""
        for call in self.calls():
            if is_opaque(call) or constant(self.flag_of(call)) not in (False, 0, None):
                yield call

    def flag_of(self, call: ast.Call) -> ast.expr | None:
        """The flag that a call gives, or leaves at its default."""
        given = argument(call, self.position(call), self.parameter)
        return self._default() if given is None else given

    def is_off_by_default(self) -> bool:
        """Whether a call without the flag is one with the flag off."""
        default = self._default()
        return default is not None and constant(default) in (False, 0, None)

    def is_for_callers_unseen(self) -> bool:
        """Whether nothing in the project calls a function that others may take for themselves."""
        if self.function.name.startswith("_") or any(self.calls()):
            return False
        files = self._facts.files if self._facts.is_imported_elsewhere else None
        return files is None or not calls_elsewhere(self.function, self._facts, files)

    def is_passed_elsewhere(self, files: Files) -> bool | None:
        """Whether another file passes the flag, or has it set by default; None: not known."""
        facts = self._facts
        key = "TP102 elsewhere", self.function, self.parameter
        return facts.remembered(key, lambda: self._is_passed_elsewhere(files))

    def _is_passed_elsewhere(self, files: Files) -> bool | None:
        calls = calls_elsewhere(self.function, self._facts, files)
        passing = any(self._may_pass(call) for call in calls if call is not None)
        return True if passing else None if None in calls else False

    def is_set_out_of_sight(self, files: Files) -> bool:
        """Whether a call of another file sets the flag that only its name shows to be one."""
        calls = calls_by_name(self.function, self._facts, files)
        return any(_is_set(argument(c, self.position(c), self.parameter)) for c in calls)

    def _may_pass(self, call: ast.Call) -> bool:
        return self.passes_flag(call) or not self.is_off_by_default()

    def passes_flag(self, call: ast.Call) -> bool:
        """Whether a call gives the flag, set or not."""
        return is_opaque(call) or argument(call, self.position(call), self.parameter) is not None

    def has_safe_calls_only(self) -> bool:
        """Whether the flag is set in this file, and only where there is ``no_grad`` instead."""
        flagged = list(self.calls_with_flag())
        return bool(flagged) and all(is_under_no_grad(call, self._facts) for call in flagged)

    def is_used_as_value(self) -> bool:
        """Whether the helper is passed around, so that calls of it are out of sight."""
        name = self.function.name
        owner = self._facts.parent(self.function)
        if isinstance(owner, ast.ClassDef):
            reads = self._facts.names.nodes.get(ast.Attribute, ())
            uses = [n for n in reads if isinstance(n, ast.Attribute) and n.attr == name]
        else:
            scope = self._facts.names.scope_of(self.function)
            uses = list(self._facts.names.uses_of(scope, name))  # type: ignore[arg-type]
        called = [call.func for call in self.calls()]
        return any(use not in called for use in uses)

    def _is_only_volatile(self) -> bool:
        scope = self._facts.names.scopes[self.function]
        # Also those in comprehensions and functions inside.
        uses = list(self._facts.names.uses_of(scope, self.parameter))
        return (
            bool(uses)
            and [b.kind for b in scope.bindings.get(self.parameter, [])] == ["parameter"]
            and all(self._is_volatile_argument(use) for use in uses)
        )

    def _is_volatile_argument(self, use: ast.Name) -> bool:
        keyword = self._facts.parent(use)
        call = None if keyword is None else self._facts.parent(keyword)
        return (
            isinstance(keyword, ast.keyword)
            and keyword.arg == "volatile"
            and isinstance(call, ast.Call)
            and self._facts.name(call.func) == VARIABLE
        )

    def _calls_helper(self, call: ast.Call) -> bool:
        func = call.func
        if isinstance(func, ast.Name):
            found = self._facts.names.scope_of(func).lookup(func.id)
            return found is not None and [b.node for b in found[1]] == [self.function]
        owner = self._facts.parent(self.function)
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
        owner = self._facts.parent(self.function)
        if not isinstance(owner, ast.ClassDef) or not isinstance(call.func, ast.Attribute):
            return False
        classes, receiver = self._facts.classes, call.func.value
        if classes.is_static(self.function):
            return False
        name = receiver.attr if isinstance(receiver, ast.Attribute) else None
        name = receiver.id if isinstance(receiver, ast.Name) else name
        # A class method gets the class also where it is called on that.
        return name != owner.name or classes.self_name(self.function) is None

    def _default(self) -> ast.expr | None:
        positional = self.function.args.args
        defaults = self.function.args.defaults
        for keyword, default in zip(
            self.function.args.kwonlyargs, self.function.args.kw_defaults, strict=True
        ):
            if keyword.arg == self.parameter:
                return default
        names = [p.arg for p in positional]
        if self.parameter not in names:
            return None
        index = names.index(self.parameter) - (len(positional) - len(defaults))
        return defaults[index] if index >= 0 else None


def helper_elsewhere(call: ast.Call, facts: Facts) -> Helper | None:
    """The helper of another file that a call with ``volatile=`` calls."""
    if not any(keyword.arg == "volatile" for keyword in call.keywords):
        return None
    found = function_named(call.func, facts)
    home = None if found is None else facts_of(found[0])
    if found is None or home is None or home.inference is facts.inference:
        return None
    helper = Helper.of(found[1], home)
    return helper if helper is not None and helper.parameter == "volatile" else None


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


def may_be_needed_elsewhere(helper: Helper, facts: Facts) -> bool:
    """Whether other files may pass the flag, where it cannot be seen that they do or do not."""
    if not facts.is_imported_elsewhere:
        return False
    return facts.files is None or helper.is_passed_elsewhere(facts.files) is None


def is_kept_elsewhere(helper: Helper, facts: Facts) -> bool:
    """Whether other files pass a flag that is not followed there.

    That is one of another name, one that is on by default, or where it is not known what is called.
    """
    if facts.files is None or not facts.is_imported_elsewhere:
        return False
    if helper.parameter == "volatile" and helper.is_off_by_default():
        return helper.is_set_out_of_sight(facts.files)
    return helper.is_passed_elsewhere(facts.files) is True


def goes_into_backward(flow: ValueFlow, facts: Facts) -> bool:
    """Whether ``backward()`` is called on what a value goes into, and nothing else comes of it.

    ``target`` of ``loss = criterion(output, target)`` with ``loss.backward()``: a volatile loss
    could not be differentiated, so the criterion reads ``target.data``, and the rest has a graph.
    """
    ends = {statement for statement in flow.recording if _is_backward(statement)}
    kept = {binding.node for binding in flow.bindings}
    return (
        bool(ends)
        and flow.recording - ends <= kept
        and any(
            isinstance(node, ast.Call) and _takes_a_graph_beside(node, flow, facts)
            for statement in flow.recording
            for node in ast.walk(statement)
        )
    )


def _takes_a_graph_beside(call: ast.Call, flow: ValueFlow, facts: Facts) -> bool:
    """Whether a call takes a value of a flow and something else that may have a graph."""
    given = values_given(call)
    others = [value for value in given if not _is_of_flow(value, flow, facts)]
    return len(others) < len(given) and any(_may_have_graph(other, facts) for other in others)


def _is_of_flow(value: ast.expr, flow: ValueFlow, facts: Facts) -> bool:
    return any(
        isinstance(node, ast.Name) and not flow.bindings.isdisjoint(facts.flow.reaching(node))
        for node in ast.walk(value)
    )


def _may_have_graph(value: ast.expr, facts: Facts) -> bool:
    known = facts.value(value)
    return isinstance(known, Unknown) or (isinstance(known, Tensor) and known.grad is not False)


def _is_backward(statement: ast.stmt) -> bool:
    """``loss.backward()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "backward"


def only_calculates(statement: ast.stmt, flows: Collection[ValueFlow], facts: Facts) -> bool:
    """Whether a statement calculates with values that have no graph, once others made them so.

    ``mean = total / n`` behind the block in which ``total += loss`` stands needs none of its own.
    """
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    bindings = frozenset[Binding]().union(*(flow.bindings for flow in flows))
    pending: list[ast.AST] = [statement.value]
    if isinstance(statement, ast.AugAssign):
        pending.append(statement.target)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            return False
        if isinstance(node, ast.Subscript):
            # What is asked for adds no graph.
            pending.append(node.value)
            continue
        if isinstance(node, ast.expr) and _is_of(node, bindings, facts):
            continue
        if isinstance(node, (ast.Name, ast.Attribute)) and _may_have_graph(node, facts):
            return False
        pending.extend(ast.iter_child_nodes(node))
    return True


def _is_of(node: ast.expr, bindings: Collection[Binding], facts: Facts) -> bool:
    """Whether a name holds nothing but what is bound in flows, or a constant to begin with."""
    reaching = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return bool(reaching) and all(
        binding in bindings
        or (binding.kind == "assign" and isinstance(binding.value, ast.Constant))
        for binding in reaching
    )


def volatile_option(options: ast.Dict, facts: Facts) -> ast.expr | None:
    """The flag of ``options = {"volatile": flag}``, with ``Variable(x, **options)`` below."""
    flag = next(
        (v for k, v in zip(options.keys, options.values, strict=True) if _is_named(k)), None
    )
    if flag is None or constant(flag) in (False, 0, None):
        return None
    return flag if any(_makes_variable(use, facts) for use in _uses_of(options, facts)) else None


def _is_named(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "volatile"


def _uses_of(options: ast.Dict, facts: Facts) -> list[ast.expr]:
    """A dict, where it is written in a call, or what reads the name that it is assigned to."""
    statement = facts.statement(options)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if not (isinstance(statement, ast.Assign) and statement.value is options):
        return [options]
    names = (target for target in targets if isinstance(target, ast.Name))
    scope = facts.names.scope_of(statement)
    return [use for name in names for use in facts.names.uses_of(scope, name.id)]


def _makes_variable(options: ast.expr, facts: Facts) -> bool:
    """Whether ``options`` are those of ``Variable(x, **options)``."""
    keyword = facts.parent(options)
    call = facts.parent(keyword) if isinstance(keyword, ast.keyword) else None
    is_unpacked = isinstance(keyword, ast.keyword) and keyword.arg is None
    return is_unpacked and isinstance(call, ast.Call) and facts.name(call.func) == VARIABLE


def volatile_calls(facts: Facts) -> list[ast.Call]:
    """All ``Variable(…, volatile=True)`` of the file, and calls of helpers that stand for one."""
    return facts.remembered("TP102", lambda: _find_volatile_calls(facts))


def _find_volatile_calls(facts: Facts) -> list[ast.Call]:
    functions = facts.names.nodes.get(ast.FunctionDef, ())
    helpers = (Helper.of(f, facts) for f in functions if isinstance(f, ast.FunctionDef))
    flagged = {
        call
        for helper in helpers
        if helper is not None
        for call in helper.calls()
        if not is_opaque(call) and _is_set(helper.flag_of(call))
    }
    return [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and (call in flagged or _is_volatile(call, facts))
    ]


def _is_volatile(call: ast.Call, facts: Facts) -> bool:
    if is_opaque(call):
        return False
    if facts.name(call.func) == VARIABLE:
        flag = argument(call, VOLATILE_POSITION, "volatile")
    else:
        flag = volatile_passed_on(call, facts.names)
        helper = helper_elsewhere(call, facts) if flag is None else None
        if helper is not None:
            flag = argument(call, helper.position(call), helper.parameter)
    return _is_set(flag)


def _is_set(flag: ast.expr | None) -> bool:
    """Whether a flag is written out, and on."""
    return constant(flag) not in (False, 0, None, ...)
