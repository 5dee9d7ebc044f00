"""Who takes what a function makes volatile by a flag: the code that its message names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.facts.evaluation.reached_returns import constants_of, outcome
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import start_of, values_returned, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved
from torchfix_codemods.rules.questions.named_lines import numbered
from torchfix_codemods.text.wording import listed

#: A call of so many letters is quoted.
_MOST_QUOTED = 60


def takers_of_all(calls: Iterable[ast.Call], switch: ast.expr | None, facts: Facts) -> str | None:
    """``the loop over batches(train=False) in line 9 goes``, of ``volatile=not train`` in batches.

    None where no such sentence is true of all that some calls make.
    """
    functions = {facts.names.enclosing_function(call) for call in calls}
    said = {_takers(function, switch, facts) for function in functions}
    return said.pop() if len(said) == 1 else None


def _takers(function: ast.AST | None, switch: ast.expr | None, facts: Facts) -> str | None:
    if not isinstance(function, ast.FunctionDef) or facts.speaks_of(PREFIX):
        return None
    loops = [*_loops_by(function, switch, facts)]
    if not loops or any(trains(loop.body, there) for loop, _, there in loops):
        return None
    loops.sort(key=lambda each: (each[2] is not facts, _called(each[2], facts), start_of(each[0])))
    texts = {ast.unparse(call) for _, call, _ in loops}
    quoted = texts.pop() if len(texts) == 1 else ""
    named = quoted if 0 < len(quoted) <= _MOST_QUOTED else f"{function.name}()"
    places = _places([(loop, there) for loop, _, there in loops], facts)
    many = len(loops) > 1
    goes = "go" if many else "goes"
    return None if not places else f"the loop{'s' * many} over {named} in {places} {goes}"


def named_in_sight(calls: Sequence[ast.Call], switch: ast.expr | None, facts: Facts) -> str | None:
    """What goes under ``no_grad`` of what some calls make for the callers of their functions.

    Args:
        calls: what makes the values.
        switch: the condition that they are volatile by; None where they always are.
        facts: the facts of the module.

    Returns:
        None where that is not in sight.
    """
    setters = _setters_of(calls[0], switch, facts)
    return _returned_by(calls, facts) if setters is None and switch is None else setters


def _setters_of(call: ast.Call, switch: ast.expr | None, facts: Facts) -> str | None:
    """``lines 3 and 5 ask for it, and what only evaluates behind them``: the calls of a function
    that make what it marks volatile by its parameters.

    None where some call in sight may do so, or not.
    """
    function = facts.names.enclosing_function(call)
    if not isinstance(function, ast.FunctionDef) or facts.speaks_of(PREFIX):
        return None
    tests = [*_by_parameters(call, switch, function, facts)]
    is_bound = facts.classes.gets_object(function)
    setting: list[tuple[ast.expr, Facts]] = []
    for each, there in calls_in_sight(facts, function) if tests else ():
        if is_opaque(each):
            return None
        given = constants_of(facts.inference, function, each, {}, is_bound)
        ways = {None if (o := outcome(test, given)) is None else o is way for test, way in tests}
        if None in ways and False not in ways:
            return None
        if ways == {True} and not is_under_no_grad(each, there):
            setting.append((each, there))
    places = _places(setting, facts) if setting else ""
    is_one = len({(there, each.lineno) for each, there in setting}) == 1
    ask, them = ("asks", "it") if is_one else ("ask", "them")
    return f"{places} {ask} for it, and what only evaluates behind {them}" if places else None


def _returned_by(calls: Sequence[ast.Call], facts: Facts) -> str | None:
    """``what is calculated from fetch(), called in line 9,``: of functions that return nothing but
    what their calls always make volatile.

    None where a caller is out of sight, trains, or records nothing anyway.
    """
    functions = dict.fromkeys(facts.names.enclosing_function(call) for call in calls)
    taken: list[tuple[ast.expr, Facts]] = []
    for function in functions:
        if not isinstance(function, ast.FunctionDef) or not _returns_only(function, facts):
            return None
        found = [*calls_in_sight(facts, function)]
        if not found or any(_records_otherwise(call, there) for call, there in found):
            return None
        taken += found
    places = _places(taken, facts)
    names = listed([f"{f.name}()" for f in functions if isinstance(f, ast.FunctionDef)])
    return f"what is calculated from {names}, called in {places}," if places else None


def _returns_only(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function always returns what it makes volatile, as it is."""
    made = {moved(call, facts) for call in volatile_calls(facts)}
    values = values_returned(function)
    for value in values or ():
        bindings = facts.flow.reaching(value) if isinstance(value, ast.Name) else ()
        given = [None if b.path else b.value for b in bindings] if bindings else [value]
        if not all(one in made for one in given):
            return False
    return bool(values)


def _records_otherwise(call: ast.Call, facts: Facts) -> bool:
    """Whether the code around a call trains, or records nothing."""
    around = facts.names.enclosing_function(call) or facts.tree
    return is_under_no_grad(call, facts) or trains([around], facts)


def _by_parameters(
    call: ast.Call, switch: ast.expr | None, function: ast.FunctionDef, facts: Facts
) -> Iterator[tuple[ast.expr, bool]]:
    """What has to hold of parameters, or not to hold, for a call to make something volatile."""
    given = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    around = tests_passed(facts.names, call)
    for test, way in (*around, *([] if switch is None else [(switch, True)])):
        if any(isinstance(name, ast.Name) and name.id in given for name in walk(test)):
            yield test, way


def _places(nodes: Sequence[tuple[ast.expr | ast.stmt, Facts]], facts: Facts) -> str:
    """``lines 3 and 5 of train.py``; "" where only some are in this file."""
    homes = list(dict.fromkeys(there for _, there in nodes))
    lines = [_lines(home, [node for node, there in nodes if there is home]) for home in homes]
    if homes == [facts]:
        return lines[0]
    if facts in homes:
        return ""
    each = zip(lines, homes, strict=True)
    return listed([f"{place} of {_called(home, facts)}" for place, home in each])


def _loops_by(
    function: ast.FunctionDef, switch: ast.expr | None, facts: Facts
) -> Iterator[tuple[ast.For, ast.Call, Facts]]:
    """The loops over what a function gives by a flag that is certainly set, outside of ``no_grad``.

    Each with the call of the function and the facts of its file.
    """
    is_bound = facts.classes.gets_object(function)
    for call, there in calls_in_sight(facts, function):
        if is_opaque(call):
            continue
        given = constants_of(facts.inference, function, call, {}, is_bound)
        is_set = switch is None or outcome(switch, given)
        loop = _loop_over(call, there) if is_set else None
        if loop is not None and not is_under_no_grad(loop, there):
            yield loop, call, there


def _loop_over(call: ast.Call, facts: Facts) -> ast.For | None:
    """The loop whose batches a call gives, as they are or by ``enumerate()``."""
    node: ast.AST = call
    above = facts.parent(node)
    while isinstance(above, ast.Call) and node in above.args:
        node, above = above, facts.parent(above)
    return above if isinstance(above, ast.For) and node is above.iter else None


def _lines(facts: Facts, nodes: Iterable[ast.expr | ast.stmt]) -> str:
    return numbered(sorted({facts.origin(start_of(node)[0]) for node in nodes}))


def _called(there: Facts, facts: Facts) -> str:
    """How a message calls the file of the loop."""
    if facts.files is None or there.files is None:
        return ""
    return facts.files.called(there.files.path)
