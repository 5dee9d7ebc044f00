"""Code that no run comes to, as it is written: behind ``return``, under ``if False``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, cast

from torchfix_codemods.facts.evaluation.reached_returns import never_runs
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.jumps import JUMPS, is_exit, jumps_of
from torchfix_codemods.facts.language.nodes import last_name, own_nodes, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries.misspelt_names import is_misspelt
from torchfix_codemods.facts.libraries.torch_effects import gives_indices
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import class_named
from torchfix_codemods.facts.programs.certain_calls import (
    function_called,
    is_certainly_run,
    is_named_by_class,
)
from torchfix_codemods.facts.programs.failing_imports import fails, is_lacking, star_may_bind
from torchfix_codemods.facts.programs.never_made import fails_to_be_made, is_never_made
from torchfix_codemods.facts.programs.outcomes import outcome_of
from torchfix_codemods.facts.programs.refused import is_refused
from torchfix_codemods.facts.programs.unbound import (
    UNORDERED,
    comes_to,
    evaluated,
    is_bound_by_no_cell,
    is_unbound,
    may_set_names,
)
from torchfix_codemods.facts.programs.unpacked import is_of_other_number
from torchfix_codemods.facts.programs.unset import is_unset
from torchfix_codemods.facts.values.lattice import Sequence, Tensor, Unknown
from torchfix_codemods.facts.values.options import is_undeclared

_Node = TypeVar("_Node", bound=ast.AST)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_YIELDS = (ast.Yield, ast.YieldFrom)
_BLOCKS = ("body", "orelse", "finalbody")
#: What values and places have together, whatever torch it is.
_OF_PAIRS = frozenset({*dir(tuple), "values", "indices"})


def reached(nodes: Iterable[_Node], facts: Facts) -> list[_Node]:
    """The nodes of a file that a run may come to."""
    return [node for node in nodes if not is_unreached(node, facts)]


def is_unreached(node: ast.AST, facts: Facts) -> bool:
    """Whether no run comes to a node: a constant or a statement above keeps it from that.

    That is ``if False:``, and ``if debug:`` where the function sets it to False and nothing else
    sets it, or ``self.debug`` in the line above; what stands below ``return``, ``exit()`` or
    ``assert False``; what stands below a name that nothing binds, in the same block or in a
    function that is called there, below the import of a name that the file beside or the package
    does not have, below ``x.max(1).data`` and ``torch.unsuqeeze``, below ``self.lost`` that nothing
    sets, below the call of a function that always raises, or below an option that no line declares;
    the methods of a class whose constructor raises so; a function that is defined in such a place;
    and what is asked of a name that is but a constant where a run comes to it. What a module sets
    to False is a setting, which people change.
    """
    return _is_never_come_to(node, facts) or _is_of_what_never_comes(node, facts)


def _is_never_come_to(node: ast.AST, facts: Facts) -> bool:
    if never_runs(facts.inference, node) or _is_in_what_raises(node, facts):
        return True
    names, current = facts.names, cast("ast.AST | None", node)
    while current is not None:
        if any(outcome_of(test, facts) is (not way) for test, way in tests_around(names, current)):
            return True
        if any(_is_never_passed(statement, facts) for statement in _above(current, facts)):
            return True
        if any(_keeps_out(statement, facts) for statement in _entered(current, facts)):
            return True
        if is_never_made(current, facts):
            return True
        around = names.ancestors(current)
        current = next((each for each in around if isinstance(each, _DEFINITIONS)), None)
    return False


def _is_of_what_never_comes(node: ast.AST, facts: Facts) -> bool:
    """Whether all that a name can be, but for constants, is bound where no run comes.

    That is ``total[0]`` below ``total = 0`` and a loop that raises before it adds to it.
    """
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.flow.reaching(node)
    made = [b for b in bindings if not _is_constant(b)]
    return (
        len(made) < len(bindings)
        and bool(made)
        and all(b.kind not in UNORDERED and _is_never_come_to(b.node, facts) for b in made)
    )


def _is_constant(binding: Binding) -> bool:
    return binding.kind == "assign" and isinstance(binding.written(), ast.Constant)


def _above(node: ast.AST, facts: Facts) -> Iterator[ast.stmt]:
    """The statements above a node in the blocks around it, up to its function.

    Of documents, people run the cells by themselves.
    """
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.Module) and not is_program(facts):
            return
        for field in _BLOCKS:
            block = getattr(parent, field, None)
            if isinstance(block, list) and child in block:
                yield from block[: block.index(child)]
        if isinstance(parent, _DEFINITIONS):
            return
        child = parent


def _entered(node: ast.AST, facts: Facts) -> Iterator[ast.stmt]:
    """The statements around a node, up to its function, in a block of which it stands."""
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, _DEFINITIONS):
            return
        if isinstance(parent, ast.stmt) and isinstance(child, ast.stmt):
            yield parent
        child = parent


def _is_in_what_raises(node: ast.AST, facts: Facts) -> bool:
    """Whether a part of a node, or of its statement in front of it, raises before it is done."""
    if not isinstance(node, (ast.expr, ast.stmt)):
        return False
    statement = facts.statement(node)
    if not _keeps_out(statement, facts):
        return False
    start, inside = (node.lineno, node.col_offset), {*walk(node)}
    return any(
        (part in inside or (part.end_lineno, part.end_col_offset) <= start)
        and not _is_bound_nowhere(part, facts)
        for part in _raising_parts(statement, facts)
    )


def _keeps_out(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement certainly raises before what stands in it runs.

    A name for which the file has no value at all keeps nothing out: of a few lines that somebody
    tries out, what their first statement says is told.
    """
    if isinstance(statement, ast.ImportFrom):
        return _raises(statement, facts)
    return not all(_is_bound_nowhere(part, facts) for part in _raising_parts(statement, facts))


def _is_bound_nowhere(node: ast.AST, facts: Facts) -> bool:
    return isinstance(node, ast.Name) and facts.names.scope_of(node).lookup(node.id) is None


def is_program(facts: Facts) -> bool:
    """Whether a text is a file that runs from its start, no piece of code and no document."""
    return facts.files is not None and facts.files.path.suffix in ("", ".py", ".pyw")


# What is never passed


def _is_never_passed(statement: ast.stmt, facts: Facts) -> bool:
    """Whether what stands below a statement, in its block, never runs."""
    key = "never passed", statement
    return facts.remembered(key, lambda: _ends(statement, facts)) or _raises(statement, facts)


def _ends(statement: ast.stmt, facts: Facts) -> bool:
    if isinstance(statement, JUMPS) or is_exit(statement, facts.names):
        return True
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, ast.Constant) and not statement.test.value
    if isinstance(statement, ast.If):
        decided = outcome_of(statement.test, facts)
        ways = [statement.body, statement.orelse]
        return all(_is_left(w, facts) for w in (ways if decided is None else [ways[not decided]]))
    if isinstance(statement, ast.While):
        has_end = any(jumps_of(facts.names, statement, ast.Break))
        return not has_end and outcome_of(statement.test, facts) is True
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        # What is raised, its manager may take.
        if all(_lets_raise(item.context_expr, facts) for item in statement.items):
            return _is_left(statement.body, facts)
        return any(isinstance(s, JUMPS) and not isinstance(s, ast.Raise) for s in statement.body)
    if isinstance(statement, TRIES):
        tried = _is_left([*statement.body, *statement.orelse], facts)
        is_left = tried and all(_is_left(h.body, facts) for h in statement.handlers)
        return is_left or _is_left(statement.finalbody, facts)
    return False


def _is_left(block: list[ast.stmt], facts: Facts) -> bool:
    """Whether control never comes to the end of a block."""
    return any(_is_never_passed(statement, facts) for statement in block)


def _lets_raise(manager: ast.expr, facts: Facts) -> bool:
    """Whether what is raised inside of a ``with`` of torch, or of a file, is raised around it."""
    if not isinstance(manager, ast.Call):
        return False
    name = facts.name(manager.func) or facts.names.builtin(manager.func) or ""
    return name == "open" or name.startswith("torch.")


# What raises


def _raises(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement certainly raises before any block of it runs."""
    if isinstance(statement, ast.ImportFrom):
        key = "fails", statement
        return is_program(facts) and facts.remembered(
            key, lambda: fails(statement, facts.inference)
        )
    return bool(_raising_parts(statement, facts))


def _is_faulty(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement raises, and not on purpose: by a part that calls what only raises."""
    parts = _raising_parts(statement, facts)
    return any(not _calls_what_stops(part, facts) for part in parts)


def _calls_what_stops(part: ast.expr, facts: Facts) -> bool:
    found = function_called(part, facts) if isinstance(part, ast.Call) else None
    return found is not None and _comes_to_no_end(found[1], found[0])


def _raising_parts(statement: ast.stmt, facts: Facts) -> list[ast.expr]:
    """What of a statement raises where it is evaluated, before any block of it runs."""

    def find() -> list[ast.expr]:
        asks = _part_raises if is_program(facts) else _is_asked_of_cells
        parts = (part for part in evaluated(statement) if isinstance(part, ast.expr))
        return [part for part in parts if asks(part, facts)]

    return facts.remembered(("raising parts", statement), find)


def _is_asked_of_cells(node: ast.AST, facts: Facts) -> bool:
    """Whether a notebook asks for a name that none of its cells binds."""
    is_notebook = facts.files is not None and facts.files.path.suffix == ".ipynb"
    return is_notebook and isinstance(node, ast.Name) and is_bound_by_no_cell(node, facts)


def _part_raises(node: ast.AST, facts: Facts) -> bool:
    """Whether what is evaluated asks for what there is not, or calls what raises."""
    if isinstance(node, ast.Name):
        return is_unbound(node, facts)
    if isinstance(node, ast.Call):
        return (
            _raises_when_called(node, facts)
            or is_refused(node, facts)
            or is_of_other_number(node, facts)
        ) and not _may_be_of_star(node.func, facts)
    return (
        isinstance(node, ast.Attribute)
        and (
            _is_asked_of_pair(node, facts)
            or is_lacking(node, facts.inference)
            or _is_of_no_torch(node, facts)
            or (is_undeclared(node, facts.inference) and not may_set_names(facts))
            or is_unset(node, facts)
        )
        and not _may_be_of_star(node.value, facts)
    )


def _is_of_no_torch(node: ast.Attribute, facts: Facts) -> bool:
    """Whether torch is asked for a name that is misspelt: ``torch.unsuqeeze``.

    A project may give torch what it has not, or ask whether it has it.
    """
    return (
        isinstance(node.ctx, ast.Load)
        and is_misspelt(facts.name(node) or "")
        and not facts.names.texts(node.attr)
        and facts.files is not None
        and not facts.files.is_assigned_anywhere(node.attr)
    )


def _may_be_of_star(node: ast.expr, facts: Facts) -> bool:
    """Whether a star import may give the name that an expression is."""
    return isinstance(node, ast.Name) and star_may_bind(node.id, facts.inference)


def _raises_when_called(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is of a function that comes to no end, or asks for what there is not before
    it returns, or makes an object of a class whose constructor does.

    A method that raises on purpose is there for the classes below, unless it is named by its own
    class, or as that of the base.
    """
    cls = facts.classes.definition_of(call.func) if isinstance(call.func, ast.Name) else None
    if cls is not None:
        return fails_to_be_made(cls, facts)
    if class_named(call.func, facts) is not None:
        return False
    found = function_called(call, facts)
    if found is None or any(isinstance(node, _YIELDS) for node in own_nodes(found[1])):
        return False
    home, function = found
    is_method = isinstance(home.parent(function), ast.ClassDef)
    is_meant = not is_method or is_named_by_class(call, facts)
    return (
        (is_meant and _comes_to_no_end(function, home)) or _comes_to_fault(function, home)
    ) and is_certainly_run(call, home, function, facts)


def _comes_to_no_end(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function raises whenever it is called, or stops the program."""

    def find() -> bool:
        returns = any(isinstance(node, ast.Return) for node in own_nodes(function))
        return not returns and _is_left(function.body, facts)

    return _unless_asked(("comes to no end", function), find, facts)


def _comes_to_fault(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function asks for what there is not before it can return."""

    def find() -> bool:
        return comes_to(function, lambda statement: _is_faulty(statement, facts))

    return _unless_asked(("comes to a fault", function), find, facts)


def _unless_asked(key: tuple[object, ...], find: Callable[[], bool], facts: Facts) -> bool:
    """What is found once; no, where it is asked for while it is looked for.

    A function that calls itself is not known meanwhile.
    """
    known = facts.remembered("unless asked", dict[tuple[object, ...], bool])
    if key not in known:
        known[key] = False
        known[key] = find()
    return known[key]


def _is_asked_of_pair(node: ast.Attribute, facts: Facts) -> bool:
    """Whether the pair of values and places is asked for what a tensor has: ``x.max(1).data``.

    That was a plain tuple, and has had two names of its own since torch 0.4.
    """
    call = node.value
    if not isinstance(call, ast.Call) or not gives_indices(last_name(call.func) or ""):
        return False
    if node.attr.startswith(("_", "n_")) or node.attr in _OF_PAIRS:
        return False
    if not isinstance(facts.value(call), Sequence):
        return False
    name = facts.name(call.func)
    if name is not None or not isinstance(call.func, ast.Attribute):
        return (name or "").startswith("torch.")
    # Of what is not known, it is ``keepdim`` that shows a tensor.
    of = facts.value(call.func.value)
    is_shown = isinstance(of, Unknown) and any(k.arg == "keepdim" for k in call.keywords)
    return is_shown or isinstance(of, Tensor)
