"""How a test comes out in each run, by constants that its function shows or by tests around it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from torchfix_codemods.facts.evaluation.reached_returns import Constants, outcome, spelled_name
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import is_name, same_expression, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.kept_constants import kept_constant
from torchfix_codemods.facts.programs.unbound import may_set_names


def outcome_of(test: ast.expr, facts: Facts) -> bool | None:
    """How a test comes out in each run; None where that is not known."""
    return facts.remembered(("outcome", test), lambda: _found_outcome(test, facts))


def _found_outcome(test: ast.expr, facts: Facts) -> bool | None:
    constants: Constants = {}
    for node in walk(test):
        if isinstance(node, ast.Name) and (value := _constant_of(node, facts)) is not None:
            constants[node.id] = value.value
        if isinstance(node, ast.Attribute) and (kept := kept_constant(node, facts)) is not None:
            constants[spelled_name(node)] = kept.value
    constants.update(_just_set(test, facts))
    return outcome(test, constants, facts.names)


def _just_set(test: ast.expr, facts: Facts) -> Constants:
    """The attributes that the lines right above an ``if`` set to a constant: ``self.debug = True``.

    Only what cannot set others may stand between, and a property may give something else.
    """
    above = facts.names.parents.get(test)
    if not isinstance(above, ast.If) or any(isinstance(node, ast.Call) for node in walk(test)):
        return {}
    asked = {spelled_name(node) for node in walk(test) if isinstance(node, ast.Attribute)} - {""}
    if not asked:
        return {}
    found: Constants = {}
    block = facts.block(above)
    for statement in reversed(block[: block.index(above)]):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            break
        if not all(isinstance(t, (ast.Name, ast.Attribute)) for t in statement.targets):
            break
        for target in statement.targets:
            found.setdefault(spelled_name(target), statement.value.value)
    if found.keys().isdisjoint(asked):
        return {}
    functions = facts.names.nodes.get(ast.FunctionDef, ())
    own = {node.name for node in functions if isinstance(node, ast.FunctionDef)}
    if "__setattr__" in own or facts.names.enclosing_function(above) is None:
        return {}
    return {n: found[n] for n in asked & found.keys() if n.partition(".")[2] not in own}


def _constant_of(node: ast.Name, facts: Facts) -> ast.Constant | None:
    """The constant that a name of a function stands for and that nobody sets."""
    found = facts.names.scope_of(node).lookup(node.id)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "assign":
        return None
    holder, (binding,) = found
    value = binding.written()
    if not isinstance(value, ast.Constant) or holder.kind != "function" or may_set_names(facts):
        return None
    if any(node.id in getattr(n, "names", ()) for n in facts.names.nodes.get(ast.Nonlocal, ())):
        return None
    # Decorators, such as those of sacred, may run a body with other values.
    return None if getattr(holder.node, "decorator_list", ()) else value


#: What a test is made of that comes out alike each time, as long as its names stay what they are.
_STEADY = (ast.BoolOp, ast.Compare, ast.Constant, ast.Name, ast.UnaryOp)
_STEADY_PARTS = (ast.boolop, ast.cmpop, ast.expr_context, ast.unaryop)

#: Comparisons, each with the one that it is when it is turned around.
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def outcome_there(test: ast.expr, facts: Facts) -> bool | None:
    """How a test comes out where it stands, as the tests that let it run came out.

    ``not train`` is False below ``if train:``, where nothing sets ``train`` in between.
    """
    known = [
        part
        for above, way in tests_around(facts.names, test)
        for part in _parts(above, way)
        if _stays_so(part[0], test, facts.names.parents[above], facts)
    ]
    return _outcome_by(test, known) if known else None


def _parts(test: ast.expr, way: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The tests of a test that came out so: both of ``a and b`` that is True."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand, not way)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is way:
        for value in test.values:
            yield from _parts(value, way)
    else:
        yield test, way


def _stays_so(asked: ast.expr, test: ast.expr, choice: ast.AST, facts: Facts) -> bool:
    """Whether what was asked for comes out alike all over what the test of a choice lets run."""
    steady = _STEADY + _STEADY_PARTS
    if not all(isinstance(node, steady) for node in walk(asked)) or may_set_names(facts):
        return False
    read = {
        n.id: facts.names.scope_of(n).lookup(n.id) for n in walk(asked) if isinstance(n, ast.Name)
    }
    again = (n for n in walk(test) if isinstance(n, ast.Name) and n.id in read)
    if any(facts.names.scope_of(n).lookup(n.id) != read[n.id] for n in again):
        return False
    inside = {*walk(choice)}
    return bool(read) and all(
        found is not None
        and found[0].kind == "function"
        and not any(binding.node in inside for binding in found[1])
        and not _is_changed_in_place(name, inside, facts)
        for name, found in read.items()
    )


def _is_changed_in_place(name: str, inside: Collection[ast.AST], facts: Facts) -> bool:
    """Whether a name may be that of a list that gets shorter, or may be set by another function."""
    if any(name in getattr(n, "names", ()) for n in facts.names.nodes.get(ast.Nonlocal, ())):
        return True
    return any(
        isinstance(node, (ast.Attribute, ast.Subscript)) and is_name(node.value, name)
        for node in inside
    )


def _outcome_by(test: ast.expr, known: Sequence[tuple[ast.expr, bool]]) -> bool | None:
    """How a test comes out, where it is known how others do."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _outcome_by(test.operand, known)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        deciding = isinstance(test.op, ast.Or)
        outcomes = [_outcome_by(value, known) for value in test.values]
        if deciding in outcomes:
            return deciding
        return None if None in outcomes else not deciding
    turned = _turned_around(test)
    for other, way in known:
        if same_expression(other, test):
            return way
        if turned is not None and same_expression(other, turned):
            return not way
    constants = {name: value for other, way in known for name, value in _said(other, way)}
    return outcome(test, constants)


def _turned_around(test: ast.expr) -> ast.expr | None:
    """``a == b`` of ``a != b``."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    turned = _TURNED.get(type(test.ops[0]))
    return None if turned is None else ast.Compare(test.left, [turned()], test.comparators)


def _said(test: ast.expr, way: bool) -> Iterator[tuple[str, object]]:
    """The name and the text of ``phase == "train"`` that is True."""
    if (
        not isinstance(test, ast.Compare)
        or len(test.ops) != 1
        or not isinstance(test.left, ast.Name)
    ):
        return
    given = test.comparators[0]
    is_said = isinstance(test.ops[0], ast.Eq if way else ast.NotEq)
    if is_said and isinstance(given, ast.Constant) and isinstance(given.value, str):
        yield test.left.id, given.value
