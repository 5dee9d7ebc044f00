"""`map`, `filter`, `zip`, `range` gave lists in Python 2; what only a list has raises in Python 3.

https://docs.python.org/3/whatsnew/3.0.html#views-and-iterators-instead-of-lists
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.documents.only_python2 import is_guarded
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.remarks import ONLY_PYTHON_2
from torchfix_codemods.text.wording import worded, worded_lines

_LAZY = frozenset({"filter", "map", "zip"})
#: What is no list any more, but has a length and elements.
_RANGE = "range"
_NO_LISTS = _LAZY | {_RANGE}
#: What gave a list in Python 2.
_LISTS = _NO_LISTS | {"list", "sorted"}
_CALLED = lazy_pattern(r"\b(?:filter|map|zip|range)[ \t]*\(")
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
#: What an iterator lacks of a list.
_METHODS = frozenset(dir(list)) - frozenset(dir(map))
_METHODS_OF_RANGE = _METHODS - frozenset(dir(range))


def lists_of_python2(text: str, facts: Facts) -> Iterator[Finding]:
    """A finding at the first iterator that is certainly used as the list that it was.

    Args:
        text: a module that Python 3 can read.
        facts: of the same.
    """
    if _CALLED.search(text) is None or any(
        (star.module or "").startswith("past") for star in facts.names.unknown_star_imports
    ):
        return
    nodes = facts.names.nodes.get(ast.Call, ())
    calls = [
        call
        for call in nodes
        if isinstance(call, ast.Call) and facts.names.builtin(call.func) in _NO_LISTS
    ]
    found = [
        (call, use)
        for call in sorted(calls, key=start_of)
        if (use := _use_of_list(call, facts)) is not None and not is_unreached(use, facts)
    ]
    if not found:
        return
    call, use = found[0]
    name = facts.names.builtin(call.func)
    others = list(dict.fromkeys(facts.origin(other.lineno) for other, _ in found[1:]))
    others = [line for line in others if line != facts.origin(call.lineno)]
    more = f", and so in {worded_lines(others)}" if others else ""
    error = "AttributeError" if isinstance(use, ast.Attribute) else "TypeError"
    said = (
        f"{name}() gives no list on Python 3, and {worded(use, 'its use')} raises {error}: "
        f"write list({worded(call, f'{name}(...)')}){more}"
    )
    remark = ONLY_PYTHON_2
    place = call.lineno, call.col_offset + 1
    yield Finding(*place, remark.code, remark.name, said, Numerics.ADVICE, False)


def _use_of_list(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What raises of an iterator, or of a name that is only given this one where it is read."""
    if is_guarded(facts.names, call):
        return None
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign):
        return _raising(call, call, facts)
    for target in statement.targets:
        for use in (
            uses_given_by(facts, statement, target.id) if isinstance(target, ast.Name) else ()
        ):
            raising = _raising(use, call, facts)
            is_only = facts.assigned(use) == [call] and not is_guarded(facts.names, use)
            if raising is not None and is_only:
                return raising
    return None


def _raising(iterator: ast.expr, call: ast.Call, facts: Facts) -> ast.expr | None:
    """``xs[0]``, ``len(xs)``, ``xs + [0]``, ``xs.sort`` and ``np.array(xs, dtype=float)``.

    Args:
        iterator: where it is used.
        call: what makes it.
        facts: the facts of the module.
    """
    around = facts.parent(iterator)
    is_range = facts.names.builtin(call.func) == _RANGE
    if isinstance(around, ast.Attribute):
        return around if around.attr in (_METHODS_OF_RANGE if is_range else _METHODS) else None
    if isinstance(around, ast.BinOp):
        other = around.right if around.left is iterator else around.left
        is_sum = isinstance(around.op, ast.Add) and _is_list(other, facts)
        return around if is_sum else None
    if is_range:
        return None
    if isinstance(around, ast.Subscript):
        return around if around.value is iterator else None
    if not isinstance(around, ast.Call) or around.args[:1] != [iterator]:
        return None
    if facts.names.builtin(around.func) == "len":
        return around if len(around.args) == 1 and not around.keywords else None
    is_array = facts.name(around.func) in _ARRAYS
    kinds = [*around.args[1:2], *(k.value for k in around.keywords if k.arg == "dtype")]
    return around if is_array and any(_is_number_type(kind, facts) for kind in kinds) else None


def _is_number_type(kind: ast.expr, facts: Facts) -> bool:
    """``float``, ``np.float32``: an iterator is no number."""
    name = facts.names.builtin(kind) or (facts.name(kind) or "").removeprefix("numpy.")
    return name.rstrip("0123456789") in ("float", "int", "uint")


def _is_list(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression was a list in Python 2: what adds to itself may take an iterator."""
    if isinstance(node, ast.Call):
        return facts.names.builtin(node.func) in _LISTS
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _is_list(node.left, facts) or _is_list(node.right, facts)
    return isinstance(node, (ast.List, ast.ListComp))
