"""A state that is kept over training: whether the owner changes meanwhile, and what is meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.branches import is_let_through_alike
from torchfix_codemods.facts.language.nodes import LOOPS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.programs.training_calls import is_step


def is_never_set_again(facts: Facts, statement: ast.Assign, load: ast.Call) -> bool:
    """Whether a state is kept once, before all training, and loaded once, behind it.

    A copy would throw the training away. That is wanted where a model is put back to where it
    was, and not where the best of all rounds should have been kept: nothing but what stands
    between tells the two apart, and it does not here.

    Args:
        facts: the facts of the module.
        statement: what keeps the state.
        load: what loads it.
    """
    function = facts.names.enclosing_function(statement)
    is_made = function is not None and function.name == "__init__"
    if facts.names.enclosing_function(load) is not function:
        return is_made and not _other_values(facts, statement)
    if any(_is_repeated(facts, node) for node in (statement, load)):
        return False
    return not _other_values(facts, statement) and not any(
        _loads_into(between, load) for between in _between(facts, statement, load)
    )


def _is_repeated(facts: Facts, node: ast.AST) -> bool:
    """Whether a loop of the same function is around a place."""
    function = facts.names.enclosing_function(node)
    return any(
        isinstance(around, LOOPS) and facts.names.enclosing_function(around) is function
        for around in facts.names.ancestors(node)
    )


def _other_values(facts: Facts, statement: ast.Assign) -> bool:
    """Whether anything else than a constant is given to the name or attribute elsewhere."""
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        found = facts.names.scope_of(statement).lookup(target.id)
        given = [] if found is None else found[1]
    else:
        owner = facts.names.enclosing_class(statement)
        assert isinstance(target, ast.Attribute) and owner is not None
        given = facts.classes.attribute_sources(owner, target.attr)
    others = [binding for binding in given if facts.statement(binding.node) is not statement]
    return any(not isinstance(binding.written(), ast.Constant) for binding in others)


def is_after_training(facts: Facts, kept: ast.Call, load: ast.Call) -> bool:
    """Whether the owner certainly changes between the place that keeps its state and the load."""
    function = facts.names.enclosing_function(kept)
    if function is not facts.names.enclosing_function(load):
        return False
    if any(_changes(facts, statement, kept) for statement in _between(facts, kept, load)):
        return True
    if kept.lineno < load.lineno and is_let_through_alike(facts.names, kept, load):
        around = [p for p in facts.names.ancestors(load) if isinstance(p, (ast.For, ast.While))]
    else:
        around = []
    return any(
        loop not in around and trains(loop.body, facts) and not _is_left_at_once(facts, kept)
        for loop in facts.names.ancestors(kept)
        if isinstance(loop, (ast.For, ast.While))
        and facts.names.enclosing_function(loop) is function
    )


def _between(facts: Facts, kept: ast.AST, load: ast.Call) -> Iterator[ast.stmt]:
    """The statements that run after ``kept`` and before ``load``, in whatever round."""
    above = [facts.statement(load), *facts.names.ancestors(facts.statement(load))]
    for child in (facts.statement(kept), *facts.names.ancestors(kept)):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(child, ast.stmt):
            later = [s for s in facts.block(child) if child.lineno < s.lineno < load.lineno]
            for statement in later:
                if statement not in above or isinstance(statement, (ast.For, ast.While)):
                    yield statement


def _changes(facts: Facts, statement: ast.stmt, kept: ast.Call) -> bool:
    """Whether a statement steps, or loads something else into the owner of the state.

    What only runs forward and backward writes into no weight. It does write the statistics of a
    `BatchNorm`, which whoever puts back weights around it wants to keep.
    """
    return trains([statement], facts, by=is_step) or _loads_into(statement, kept)


def _loads_into(statement: ast.stmt, of: ast.Call) -> bool:
    """Whether a statement loads something into the owner of the method that ``of`` calls."""
    assert isinstance(of.func, ast.Attribute)
    owner = ast.dump(of.func.value)
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "load_state_dict"
        and ast.dump(call.func.value) == owner
        for call in walk(statement)
    )


def _is_left_at_once(facts: Facts, kept: ast.Call) -> bool:
    """Whether the loop ends where the state is kept: nothing trains any more."""
    return isinstance(facts.block(facts.statement(kept))[-1], (ast.Break, ast.Return, ast.Raise))
