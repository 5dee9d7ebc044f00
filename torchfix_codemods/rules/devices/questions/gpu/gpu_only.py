"""Whether code is meant for a GPU, so that it need not run without one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.jumps import JUMPS, is_exit
from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    is_cuda_available,
    mentions_cuda,
    speaks_of_device,
    without_not,
)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Through so many functions that call each other a question is followed.
_MOST_CALLERS = 3


def is_meant_for_gpu(node: ast.AST, facts: Facts) -> bool:
    """Whether the code around ``node`` speaks of the GPU, so that it may run with one only.

    A test, a ``with``, a decorator or the name of the function around it, or of a class; or a line
    above that ends the program where there is none.
    """
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and _chooses_place(parent, facts):
                return True
        elif isinstance(parent, (ast.With, ast.AsyncWith)):
            if any(mentions_cuda(item.context_expr) for item in parent.items):
                return True
        elif isinstance(parent, _DEFINITIONS):
            if any(map(mentions_cuda, (ast.Name(parent.name), *parent.decorator_list))):
                return True
        child = parent
    return _runs_below_demand(node, facts)


def _chooses_place(choice: ast.If | ast.IfExp, facts: Facts) -> bool:
    """Whether a choice is one between the GPU and the CPU: by its test, or where a file is loaded.

    ``if TEST_MODE:`` below ``TEST_MODE = opt.mode == "GPU"`` asks for it as well, as does what
    loads with ``map_location`` only where the test does not hold.
    """
    if speaks_of_device(choice.test):
        return True
    asked = without_not(choice.test)
    made = facts.assigned(asked) if isinstance(asked, ast.Name) else None
    if made and all(map(speaks_of_device, made)):
        return True
    return _maps_loads(choice.body) == {False} and _maps_loads(choice.orelse) == {True}


def _maps_loads(branch: ast.expr | list[ast.stmt]) -> set[bool]:
    """Whether what a branch loads is given a place: ``torch.load(path, map_location=…)``."""
    return {
        argument(node, 1, "map_location") is not None
        for part in (branch if isinstance(branch, list) else [branch])
        for node in walk(part)
        if isinstance(node, ast.Call) and last_name(node.func) == "load"
    }


def _runs_below_demand(node: ast.AST, facts: Facts, depth: int = 0) -> bool:
    """Whether ``if not torch.cuda.is_available(): raise`` comes before, in all calls as well.

    Also before what defines the function, as below ``if __name__ == "__main__":``.
    """
    if _demands_gpu(statements_above(facts.names, node), facts):
        return True
    function = facts.names.enclosing_function(node)
    if function is None:
        return False
    if facts.remembered("a GPU is demanded", lambda: _demands_gpu(facts.tree.body, facts)):
        return True
    if _runs_below_demand(function, facts, depth) or _is_made_with_gpu(function, facts):
        return True
    calls = list(_calls_in_file(function, facts))
    return bool(calls) and all(
        call is not None and depth < _MOST_CALLERS and _runs_below_demand(call, facts, depth + 1)
        for call in calls
    )


def _is_made_with_gpu(function: ast.AST, facts: Facts) -> bool:
    """Whether a method is one of an object that cannot be made without a GPU."""
    owner = facts.parent(function)
    if not isinstance(owner, ast.ClassDef) or not isinstance(function, ast.FunctionDef):
        return False
    made = facts.classes.method(owner, "__init__")
    is_of_object = facts.classes.gets_object(function) and function is not made
    return made is not None and is_of_object and _demands_gpu(made.body, facts)


def _calls_in_file(function: ast.AST, facts: Facts) -> Iterator[ast.Call | None]:
    """The calls of a function of the module; a None for what may call it otherwise."""
    if not isinstance(function, ast.FunctionDef) or facts.parent(function) is not facts.tree:
        return
    if facts.is_used_elsewhere(function.name):
        yield None
    for use in facts.names.uses_of(facts.names.module, function.name):
        call = facts.parent(use)
        yield call if isinstance(call, ast.Call) and call.func is use else None


def _demands_gpu(statements: Iterable[ast.stmt], facts: Facts) -> bool:
    return any(
        _ends_without_gpu(statement, facts)
        for statement in statements
        if isinstance(statement, (ast.Assert, ast.If))
    )


def _ends_without_gpu(statement: ast.Assert | ast.If, facts: Facts) -> bool:
    """``if not torch.cuda.is_available(): raise …``, ``assert torch.cuda.is_available()``.

    Or ``if torch.cuda.is_available(): … else: sys.exit()``.
    """
    if isinstance(statement, ast.Assert):
        return not _is_negated(statement.test) and mentions_cuda(statement.test)
    if _is_negated(statement.test):
        return mentions_cuda(statement.test) and _ends(statement.body[-1], facts)
    is_asked = any(_asks_for_gpu(part, facts) for part in _all_of(statement.test))
    return is_asked and bool(statement.orelse) and _ends(statement.orelse[-1], facts)


def is_refused_else(test: ast.expr, facts: Facts) -> bool:
    """Whether a program ends where a test does not hold: ``else: raise RuntimeError("no GPU")``."""
    choice = next((up for up in facts.names.ancestors(test) if isinstance(up, ast.If)), None)
    if choice is None or facts.statement(test) is not choice:
        return False
    return any(_stops(way[-1], facts) for way in (choice.body, choice.orelse) if way)


def _asks_for_gpu(test: ast.expr, facts: Facts) -> bool:
    """``torch.cuda.is_available()``, and ``self.use_gpu`` that its class sets to that alone."""
    owner = facts.names.enclosing_class(test)
    if isinstance(test, ast.Attribute) and owner is not None and is_self(facts, test.value):
        stored = [source.value for source in facts.classes.attribute_sources(owner, test.attr)]
        return bool(stored) and all(s is not None and is_cuda_available(s, facts) for s in stored)
    return is_cuda_available(test, facts)


def _all_of(test: ast.expr) -> list[ast.expr]:
    """What has to hold, all of it, for a test to hold."""
    is_all = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if isinstance(test, ast.BoolOp) and is_all else [test]


def _is_negated(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _ends(last: ast.stmt, facts: Facts) -> bool:
    return isinstance(last, JUMPS) or _stops(last, facts)


def _stops(last: ast.stmt, facts: Facts) -> bool:
    """``raise …``, ``sys.exit()``."""
    return isinstance(last, ast.Raise) or is_exit(last, facts.names)
