"""Which rewrites wait for a round, because others change what they rest on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.facts.evaluation.classes_elsewhere import function_here
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found, Rule

_Name = tuple[Scope, str]


def waiting(founds: Sequence[Found], facts: Facts, covering: Sequence[Found] = ()) -> list[Found]:
    """What is asked again after a round of the other rewrites.

    Args:
        founds: what was found.
        facts: the facts of the module.
        covering: what would switch gradients off in whole functions, once the others are done.
    """
    return [*_for_blocks(founds, facts, covering), *_for_values(founds, facts)]


def _for_blocks(founds: Sequence[Found], facts: Facts, covering: Sequence[Found]) -> list[Found]:
    """What waits for the blocks that others make in the same function, or around a call of it.

    All others wait there as well: they may take away what shows that something is a tensor. So do
    those of other functions, where what they go together with waits. A rule that makes blocks there
    itself goes on, but for what waits for the blocks of others.
    """
    around = facts.names.enclosing_function
    making: dict[ast.AST | None, set[Rule]] = {}
    waits: set[ast.AST | None] = {around(found.node) for found in founds if found.waits}
    for found in (*founds, *covering):
        for statement in _put_under_block(found):
            for function in (around(statement), *_called_in(statement, waits, facts)):
                making.setdefault(function, set()).add(found.rule)
    held = {around(f.node) for f in founds if f.waits and around(f.node) in making}
    while True:
        result = [
            found
            for found in founds
            if (function := around(found.node)) in held
            and not _goes_on(found, making.get(function, set()))
        ]
        # What goes together waits everywhere, and what shows that it is a tensor stays as well.
        groups = {found.group for found in result} - {None}
        more = {around(found.node) for found in founds if found.group in groups}
        if more <= held:
            return result
        held |= more


def _put_under_block(found: Found) -> Sequence[ast.stmt]:
    """The statements that may stand under a block after a rewrite, or under a decorator."""
    region = found.region
    if isinstance(region, Sequence):
        return region
    if found.rule.covers_functions and isinstance(region, ast.FunctionDef):
        return region.body
    return ()


def _called_in(
    statement: ast.AST, among: set[ast.AST | None], facts: Facts
) -> Iterator[ast.FunctionDef]:
    """Those of some functions that a statement calls, and that run under its block then."""
    named = {each.name for each in among if isinstance(each, ast.FunctionDef)}
    for node in ast.walk(statement) if named else ():
        if isinstance(node, ast.Call) and last_name(node.func) in named:
            function = function_here(facts.inference, node.func)
            if function in among and function is not None:
                yield function


def _goes_on(found: Found, making: set[Rule]) -> bool:
    is_alone = making == {found.rule}
    return found.rule in making and (is_alone or not found.waits)


def _for_values(founds: Sequence[Found], facts: Facts) -> list[Found]:
    """What reads a name that keeps a number, once others make one of a tensor.

    So does what waits, and reads one that keeps what others cut from its graph.
    """
    numbers = _kept([found for found in founds if found.gives_number], facts)
    cut = _kept([found for found in founds if found.cuts_graph], facts)
    return [
        found
        for found in founds
        if not found.gives_number
        and isinstance(found.region, ast.expr)
        and (made := numbers | cut if found.waits else numbers)
        and not made.isdisjoint(_names_in(found.region, facts, ast.Load))
    ]


def _kept(changing: Sequence[Found], facts: Facts) -> set[_Name]:
    """The names that keep what is changed, or what may be calculated of it."""
    made = {name for found in changing for name in _given_to(found.node, facts)}
    _spread(made, facts)
    return made


def _spread(made: set[_Name], facts: Facts) -> None:
    """Add the names whose values may hang on the others: ``acc = 100. * correct / n``."""
    pending = list(made)
    while pending:
        for use in facts.names.uses_of(*pending.pop()):
            new = set(_given_to(use, facts)) - made
            made |= new
            pending += new


def _given_to(node: ast.AST, facts: Facts) -> Iterator[_Name]:
    """The names that a statement gives values to with what is written in it.

    Those of an assignment or a loop, and the parameters of functions of the file that are called.
    """
    statement = facts.statement(node)
    targets: Iterable[ast.expr] = ()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    for around in facts.names.ancestors(node):
        if isinstance(around, (ast.For, ast.comprehension)):
            targets = [*targets, around.target]
        if isinstance(around, ast.stmt):
            break
        call = around if isinstance(around, ast.Call) else None
        function = None if call is None else function_here(facts.inference, call.func)
        if function is not None:
            scope = facts.names.scopes[function]
            for name, bindings in scope.bindings.items():
                if bindings[0].kind == "parameter":
                    yield scope, name
    for target in targets:
        yield from _names_in(target, facts, ast.Store)


def _names_in(node: ast.expr, facts: Facts, context: type[ast.expr_context]) -> Iterator[_Name]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, context):
            found = facts.names.scope_of(part).lookup(part.id)
            if found is not None:
                yield found[0], part.id
