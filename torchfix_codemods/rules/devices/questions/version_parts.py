"""Tests of a version by its parts that no newer release passes: ``major == 0 and minor > 3``."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import TODAY
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Path
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record

_VERSION = "torch.__version__"
_NEWER = {ast.Gt: ">", ast.GtE: ">="}
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
_MAJOR, _MINOR = 0, 1


@record
class Least:
    """The least version that ``major == 0 and minor > 3`` asks for, and how its parts are read."""

    major: ast.expr
    minor: ast.expr
    operator: str
    numbers: tuple[int, int]


@record
class _Part:
    """One comparison of a number of the version: ``minor > 3``."""

    place: int
    read: ast.expr
    operator: type[ast.cmpop]
    number: int


def least_version(test: ast.BoolOp, facts: Facts) -> Least | None:
    """What a test of torch's major and minor number means that no later major number passes.

    None where a branch for later ones may be there, or where the test is a part of another.
    """
    if not isinstance(test.op, ast.And) or len(test.values) != 2:
        return None
    parts = {part.place: part for value in test.values if (part := _part(value, facts))}
    if set(parts) != {_MAJOR, _MINOR} or not _decides_alone(test, facts):
        return None
    major, minor = parts[_MAJOR], parts[_MINOR]
    operator = _NEWER.get(minor.operator)
    if operator is None or major.number >= TODAY[0] or not _is_only_asked_for(major, facts):
        return None
    return Least(major.read, minor.read, operator, (major.number, minor.number))


def _decides_alone(test: ast.BoolOp, facts: Facts) -> bool:
    """Whether a test chooses between two branches, of which none refuses other versions."""
    branch = facts.parent(test)
    if isinstance(branch, ast.IfExp):
        return branch.test is test
    if not isinstance(branch, ast.If) or branch.test is not test or not branch.orelse:
        return False
    return not any(isinstance(n, ast.Raise) for statement in branch.orelse for n in walk(statement))


def _is_only_asked_for(major: _Part, facts: Facts) -> bool:
    """Whether a function asks for one major number alone, and compares versions in no other way."""
    scope = facts.names.scope_of(major.read)
    for node in facts.names.nodes.get(ast.Compare, ()):
        if not isinstance(node, ast.Compare) or facts.names.scope_of(node) is not scope:
            continue
        part = _part(node, facts)
        if part is None:
            if any(isinstance(n, ast.expr) and facts.name(n) == _VERSION for n in walk(node)):
                return False
        elif part.place == _MAJOR and (part.operator, part.number) != (ast.Eq, major.number):
            return False
    return major.operator is ast.Eq


def _part(test: ast.expr, facts: Facts) -> _Part | None:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    place, number = _place(test.left, facts), constant(test.comparators[0])
    if place is None or type(number) is not int:
        return None
    return _Part(place, test.left, type(test.ops[0]), number)


def _place(read: ast.expr, facts: Facts) -> int | None:
    """Which number of torch's version this is: 0 the major, 1 the minor one."""
    if isinstance(read, ast.Call):
        if facts.names.builtin(read.func) != "int" or len(read.args) != 1:
            return None
        whole, path = _taken(read.args[0], facts)
        is_version = _is_split(whole, facts)
    else:
        whole, path = _taken(read, facts)
        if not path and isinstance(whole, ast.Call):
            return _place(whole, facts)
        is_version = _are_numbers(whole, facts)
    return path[0] if is_version and path in ((_MAJOR,), (_MINOR,)) else None


def _taken(read: ast.expr, facts: Facts) -> tuple[ast.expr, Path]:
    """What a part is taken of, by its index or by a name of its own, and where it stands there."""
    if isinstance(read, ast.Name):
        whole, path = _bound(read, facts)
        return (whole, path) if path else _taken(whole, facts) if whole is not read else (read, ())
    if isinstance(read, ast.Subscript):
        index = constant(read.slice)
        return _bound(read.value, facts)[0], (index,) if type(index) is int else ()
    return read, ()


def _bound(read: ast.expr, facts: Facts) -> tuple[ast.expr, Path]:
    """What a name is given, where that is one thing."""
    bindings = facts.flow.reaching(read) if isinstance(read, ast.Name) else ()
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
        return read, ()
    return bindings[0].value, bindings[0].path


def _are_numbers(whole: ast.expr, facts: Facts) -> bool:
    """``[int(v) for v in parts]``, ``map(int, parts)``, also as a tuple or a list."""
    if isinstance(whole, ast.Call) and len(whole.args) == 1:
        return facts.names.builtin(whole.func) in ("tuple", "list") and _are_numbers(
            whole.args[0], facts
        )
    if isinstance(whole, ast.Call) and len(whole.args) == 2:
        is_map = facts.names.builtin(whole.func) == "map"
        return (
            is_map
            and facts.names.builtin(whole.args[0]) == "int"
            and _is_split(whole.args[1], facts)
        )
    if not isinstance(whole, _COMPREHENSIONS) or len(whole.generators) != 1:
        return False
    (each,) = whole.generators
    part = whole.elt
    return (
        isinstance(part, ast.Call)
        and facts.names.builtin(part.func) == "int"
        and isinstance(each.target, ast.Name)
        and [getattr(arg, "id", "") for arg in part.args] == [each.target.id]
        and not each.ifs
        and _is_split(each.iter, facts)
    )


def _is_split(whole: ast.expr, facts: Facts) -> bool:
    """``torch.__version__.split(".")``, whole or its first parts."""
    whole = _bound(whole, facts)[0]
    if isinstance(whole, ast.Subscript) and isinstance(whole.slice, ast.Slice):
        part = whole.slice
        if part.lower is not None or part.step is not None:
            return False
        whole = whole.value
    version = _split_at(".", whole)
    if isinstance(version, ast.Subscript) and constant(version.slice) == 0:
        # Without how torch was built.
        version = _split_at("+", version.value)
    return version is not None and facts.name(version) == _VERSION


def _split_at(sign: str, node: ast.expr) -> ast.expr | None:
    """The text that ``text.split(sign)`` splits."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    is_split = node.func.attr == "split" and [constant(arg) for arg in node.args] == [sign]
    return node.func.value if is_split and not node.keywords else None
