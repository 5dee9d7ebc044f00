"""Arguments of calls, found on the ``ast``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names


def is_opaque(call: ast.Call) -> bool:
    """Whether ``*args`` or ``**kwargs`` could carry any argument."""
    # Asked of most calls: lists are faster than any().
    is_starred = ast.Starred in [argument.__class__ for argument in call.args]
    return is_starred or None in [keyword.arg for keyword in call.keywords]


def keyword_names(names: Names, call: ast.Call) -> set[str | None]:
    """The keywords that a call may give, those of ``**kwargs`` too; None where that is not
    known."""
    given: set[str | None] = set()
    for keyword in call.keywords:
        if keyword.arg is not None:
            given.add(keyword.arg)
        else:
            keys = _keys_of(names, keyword.value)
            given |= {None} if keys is None else keys
    return given


def _keys_of(names: Names, node: ast.expr) -> set[str | None] | None:
    """The keys of a dict that is written down once, ``{…} if cuda else {}``, and never changed."""
    dicts = _dicts_of(names, node)
    if dicts is None:
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for d in dicts for key in d.keys]
    return {key if isinstance(key, str) else None for key in keys}


def _dicts_of(names: Names, node: ast.expr) -> list[ast.Dict] | None:
    """What ``options`` of ``**options`` may be, as it is written down; None for anything else."""
    if isinstance(node, ast.IfExp):
        either, other = _dicts_of(names, node.body), _dicts_of(names, node.orelse)
        return None if either is None or other is None else [*either, *other]
    if isinstance(node, ast.Dict):
        return [node]
    if not isinstance(node, ast.Name):
        return None
    found = names.scope_of(node).lookup(node.id)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "assign" or found[1][0].path:
        return None
    parents = [names.parents.get(use) for use in names.uses_of(found[0], node.id)]
    is_only_spread = all(isinstance(p, ast.keyword) and p.arg is None for p in parents)
    value = found[1][0].value
    return _dicts_of(names, value) if is_only_spread and value is not None else None


def given_for(
    names: Names, call: ast.Call, position: int | None, name: str
) -> list[ast.expr] | None:
    """What a parameter may be given, also in ``**options``; None where that is not known.

    Empty where it is left at its default.
    """
    direct = argument(call, position, name)
    found = [] if direct is None else [direct]
    for starred in (k.value for k in call.keywords if k.arg is None):
        dicts = _dicts_of(names, starred)
        if dicts is None:
            return None
        for options in dicts:
            if not all(isinstance(key, ast.Constant) for key in options.keys):
                return None
            pairs = zip(options.keys, options.values, strict=True)
            found += [value for key, value in pairs if getattr(key, "value", None) == name]
    return None if any(isinstance(given, ast.Starred) for given in call.args) else found


def argument(call: ast.Call, position: int | None, name: str) -> ast.expr | None:
    """The expression given for a parameter, by position or by keyword."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        return call.args[position]
    return None


def call_taking(names: Names, node: ast.expr) -> ast.Call | None:
    """The call that an expression is an argument of, by position or by name; else None."""
    parent = names.parents.get(node)
    call = names.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    return call if isinstance(call, ast.Call) and call.func is not node else None


def only_argument(names: Names, receiver: ast.expr, method: str) -> ast.expr | None:
    """``x`` of ``receiver.append(x)``: what a method is given that gets nothing else."""
    function = names.parents.get(receiver)
    call = names.parents.get(function) if isinstance(function, ast.Attribute) else None
    if not isinstance(function, ast.Attribute) or not isinstance(call, ast.Call):
        return None
    is_it = function.attr == method and call.func is function and len(call.args) == 1
    return call.args[0] if is_it and not call.keywords else None


def values_given(call: ast.Call) -> list[ast.expr]:
    """All that a call passes, by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def constant(node: ast.AST | None) -> object:
    """The value of a literal; ``...`` for everything else."""
    return node.value if isinstance(node, ast.Constant) else ...


def begin_of_text(text: ast.expr) -> str:
    """``"layer"`` of ``"layer" + str(i)``, ``"layer%d" % i`` and ``f"layer{i}"``.

    Args:
        text: what makes the text.

    Returns:
        what is known of its begin, all of a literal; empty where nothing is.
    """
    if isinstance(text, ast.JoinedStr):
        return begin_of_text(text.values[0]) if text.values else ""
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        return begin_of_text(text.left)
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Mod):
        return begin_of_text(text.left).partition("%")[0]
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
        is_format = text.func.attr == "format"
        return begin_of_text(text.func.value).partition("{")[0] if is_format else ""
    written = constant(text)
    return written if isinstance(written, str) else ""


def whole_number(node: ast.AST | None) -> int | None:
    """The value of a literal whole number, ``-1`` too; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = whole_number(node.operand)
        return None if inner is None else -inner
    value = constant(node)
    return value if type(value) is int else None


def are_first_two(node: ast.expr | None) -> bool:
    """``sizes[:2]``."""
    cut = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(cut, ast.Slice) or cut.step is not None or cut.upper is None:
        return False
    return whole_number(cut.upper) == 2 and (cut.lower is None or whole_number(cut.lower) == 0)


def without_offset(node: ast.expr) -> tuple[ast.expr, int]:
    """``epoch`` and -1 of ``epoch - 1``; 0 where nothing is added."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        by = whole_number(node.right)
        if by is not None:
            return node.left, by if isinstance(node.op, ast.Add) else -by
    return node, 0


def is_one(node: ast.AST | None) -> bool:
    """Whether an expression is the literal ``1`` or ``1.0``."""
    value = constant(node)
    return type(value) in (int, float) and value == 1


def written_float(node: ast.AST | None) -> float | None:
    """The value of a literal float, ``-1.5`` too; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = written_float(node.operand)
        return None if inner is None else -inner
    value = constant(node)
    return value if isinstance(value, float) else None


def numbers_in(node: ast.expr) -> list[int | float] | None:
    """The numbers that a literal, or a list of literals, holds; None where it holds others.

    ``-0`` counts as another one: ``-0.0`` is not the same.
    """
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [numbers_in(element) for element in node.elts]
        return None if None in parts else [number for part in parts if part for number in part]
    is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    value = constant(node.operand if isinstance(node, ast.UnaryOp) and is_negative else node)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if is_negative:
        return [-value] if value else None
    return [value]
