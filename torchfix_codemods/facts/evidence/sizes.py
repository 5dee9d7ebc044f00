"""How many dimensions a tensor has whose size is taken apart: ``batch, length = x.size()``.

Or by a test that lets it through: ``if x.dim() != 1: raise ValueError``; or asserted, as in
``assert x.size() == y.size() == (batch, length)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import constant, is_one, whole_number
from torchfix_codemods.facts.language.branches import statements_above, tests_passed
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values.lattice import Tensor

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_Apart = dict[str, list[tuple[ast.stmt, ast.Name, int]]]
_Asked = dict[str, dict[ast.Compare, tuple[ast.Name, int]]]


def with_dimensions(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], tensor: Tensor
) -> Tensor:
    """A tensor with as many dimensions as a statement before a use needs to take its size apart.

    Or with as many as a test found that is passed before the use.

    Args:
        inference: what is known of the file.
        use: a use of a name.
        bindings: those that reach it.
        tensor: what the name holds there, of which nothing else says how many it has.
    """
    apart = _taken_apart(inference.names).get(use.id, ()) if bindings else ()
    # What held one element had a dimension when such a test was written, and has none today.
    may_tell = bool(bindings) and not tensor.single
    asked = _asked(inference.names).get(use.id, {}) if may_tell else {}
    if not (apart or asked) or may_be_reshaped(inference, use):
        return tensor
    for test, outcome in tests_passed(inference.names, use) if asked else ():
        found = _told(test, outcome, asked)
        if found is not None and _is_of(inference, found[0], use, bindings):
            return replace(tensor, ndim=found[1])
    above = set(statements_above(inference.names, use))
    for statement, other, ndim in apart:
        if statement in above and _is_of(inference, other, use, bindings):
            return replace(tensor, ndim=ndim)
    return tensor


def _is_of(
    inference: Inference, other: ast.Name, use: ast.Name, bindings: tuple[Binding, ...]
) -> bool:
    """Whether an earlier use is of the same tensor: nothing between them binds the name."""
    is_same = set(inference.flow.reaching(other)) == set(bindings)
    return is_same and not any(_at(other) < _at(b.node) < _at(use) for b in bindings)


def _told(
    test: ast.expr, outcome: bool, asked: dict[ast.Compare, tuple[ast.Name, int]]
) -> tuple[ast.Name, int] | None:
    """The dimensions that a test which came out so leaves, and of which use: ``x.dim() == 2``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _told(test.operand, not outcome, asked)
    if isinstance(test, ast.BoolOp):
        parts = test.values
        if isinstance(test.op, ast.And) is not outcome:
            # ``x is not None and x.dim() != 1`` of a tensor, which is not None.
            parts = [part for part in parts if not _asks_for_none(part, asked, outcome)]
            parts = parts if len(parts) == 1 else []
        return next((told for p in parts if (told := _told(p, outcome, asked)) is not None), None)
    if isinstance(test, ast.Compare) and test in asked:
        return asked[test] if isinstance(test.ops[0], ast.Eq) is outcome else None
    return None


def _asks_for_none(
    test: ast.expr, asked: dict[ast.Compare, tuple[ast.Name, int]], outcome: bool
) -> bool:
    """Whether this tells that what is asked for its dimensions is None, where it comes out so."""
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return False
    is_name = any(name.id == test.left.id for name, _ in asked.values())
    is_none = [constant(other) for other in test.comparators] == [None]
    return is_name and is_none and isinstance(test.ops[0], ast.Is if outcome else ast.IsNot)


def _asked(names: Names) -> _Asked:
    """The names whose dimensions are compared with a number, by what they are called."""
    return names.remembered(_asked, lambda: _found_asked(names))


def _found_asked(names: Names) -> _Asked:
    found: _Asked = {}
    for node in names.nodes.get(ast.Compare, ()):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            continue
        count = whole_number(node.comparators[0])
        owner = _counted(names, node.left)
        if count is not None and len(node.ops) == 1 and isinstance(owner, ast.Name):
            found.setdefault(owner.id, {})[node] = owner, count
    return found


def _counted(names: Names, count: ast.expr) -> ast.expr | None:
    """``x`` of ``x.dim()``, ``x.ndim`` and ``len(x.size())``."""
    if isinstance(count, ast.Call) and names.builtin(count.func) == "len":
        return _owner(count.args[0]) if len(count.args) == 1 else None
    is_call = isinstance(count, ast.Call) and not count.args
    asked = count.func if isinstance(count, ast.Call) else count
    if not isinstance(asked, ast.Attribute):
        return None
    if asked.attr not in (("dim", "ndimension") if is_call else ("ndim",)):
        return None
    return without_data(asked.value)


def _taken_apart(names: Names) -> _Apart:
    """The names whose sizes are taken apart, by what they are called."""
    return names.remembered(_taken_apart, lambda: _found(names))


def _found(names: Names) -> _Apart:
    found: _Apart = {}
    for node in names.nodes.get(ast.Assign, ()):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
            continue
        elements = node.targets[0].elts
        if any(isinstance(element, ast.Starred) for element in elements):
            continue
        owner = _owner(node.value)
        if isinstance(owner, ast.Name):
            found.setdefault(owner.id, []).append((node, owner, len(elements)))
    for node in names.nodes.get(ast.Assert, ()):
        assert isinstance(node, ast.Assert)
        for owner, ndim in _asserted(node.test):
            found.setdefault(owner.id, []).append((node, owner, ndim))
    return found


def _asserted(test: ast.expr) -> Iterator[tuple[ast.Name, int]]:
    """The names whose sizes are equal to one that is written down, and how long that is."""
    known: dict[str, int] = {}
    equal = [*_equal_sizes(test)]
    for _ in equal:
        for sides in equal:
            lengths = {known[ast.dump(side)] for side in sides if ast.dump(side) in known}
            lengths |= {n for side in sides if (n := _length(side)) is not None}
            known |= dict.fromkeys(map(ast.dump, sides), lengths.pop()) if lengths else {}
    for side in (side for sides in equal for side in sides if ast.dump(side) in known):
        owner = _owner(side)
        if isinstance(owner, ast.Name):
            yield owner, known[ast.dump(side)]


def _equal_sizes(test: ast.expr) -> Iterator[list[ast.expr]]:
    """What is equal where a test holds: ``x.size() == y.size() and y.size() == (n, 3)``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _equal_sizes(part)
    elif isinstance(test, ast.Compare) and all(isinstance(op, ast.Eq) for op in test.ops):
        yield [test.left, *test.comparators]


def _length(size: ast.expr) -> int | None:
    """How long ``(batch, 3)`` is; of ``(1,)`` that is no longer certain."""
    # What held one number had a dimension until torch 0.3, of this length.
    elements = size.elts if isinstance(size, ast.Tuple) else []
    if any(isinstance(each, ast.Starred) for each in elements) or all(map(is_one, elements)):
        return None
    return len(elements)


def _owner(sizes: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``x.shape``, of which ``x.data`` has as many."""
    is_call = isinstance(sizes, ast.Call) and not (sizes.args or sizes.keywords)
    sizes = sizes.func if isinstance(sizes, ast.Call) and is_call else sizes
    if not isinstance(sizes, ast.Attribute) or sizes.attr != ("size" if is_call else "shape"):
        return None
    return without_data(sizes.value)


def without_data(tensor: ast.expr) -> ast.expr:
    """``x`` of ``x.data``, and what is no ``.data`` itself."""
    return tensor.value if isinstance(tensor, ast.Attribute) and tensor.attr == "data" else tensor


def _at(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
