"""Branches of a function for each kind of what it is given, among them tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.dtypes import is_floating
from torchfix_codemods.facts.values.torch_api import LEGACY_TYPES, TENSOR_CLASSES, TYPED_CLASSES
from torchfix_codemods.rules.questions.as_of_tensor import as_of_tensor

_FLOATS = frozenset(
    name for name in TYPED_CLASSES if is_floating(LEGACY_TYPES[name.rpartition(".")[2]] or "")
)
_LEAVES = (ast.Return, ast.Raise)


def checked_subject(test: ast.expr, facts: Facts) -> tuple[str, str] | None:
    """The text of ``x`` and the type of ``isinstance(x, Type)`` or ``torch.is_tensor(x)``."""
    if not isinstance(test, ast.Call) or not test.args:
        return None
    if facts.name(test.func) == "torch.is_tensor":
        return ast.unparse(test.args[0]), "torch.Tensor"
    if isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
        return ast.unparse(test.args[0]), facts.name(test.args[1]) or ""
    return None


def takes_every_tensor(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether every tensor goes into a branch, alone or among others."""
    return asks_for(branch.test, subject, TENSOR_CLASSES, facts)


def takes_typed_tensors(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether every tensor of some type goes into a branch: ``if isinstance(x, FloatTensor):``."""
    return asks_for(branch.test, subject, TYPED_CLASSES, facts)


def takes_floats(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether tensors of some type that can have a gradient go into a branch."""
    return asks_for(branch.test, subject, _FLOATS, facts)


def asks_for(test: ast.expr, subject: str, kinds: frozenset[str], facts: Facts) -> bool:
    """Whether a test holds for all ``x`` of one of some classes, and maybe for others."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(asks_for(value, subject, kinds, facts) for value in test.values)
    checked = checked_subject(test, facts)
    if checked is None or checked[0] != subject:
        return False
    classes = argument(test, 1, "class_or_tuple") if isinstance(test, ast.Call) else None
    if isinstance(classes, ast.Tuple):
        return any(facts.name(element) in kinds for element in classes.elts)
    return checked[1] in kinds


def names_tensor(classes: ast.Tuple, facts: Facts) -> bool:
    """Whether every tensor is of one of some classes."""
    return any(facts.name(element) in TENSOR_CLASSES for element in classes.elts)


def left_above(branch: ast.If, subject: str, facts: Facts) -> ast.If | None:
    """The branch above another one by which every tensor has left their block."""
    ways_out = _ways_out_above(branch, subject, facts)
    return next((way for way in ways_out if takes_every_tensor(way, subject, facts)), None)


def _ways_out_above(branch: ast.If, subject: str, facts: Facts) -> Iterator[ast.If]:
    """The branches that end above another one, from below, as long as ``x`` stays what it is."""
    for other in _above(branch, facts):
        if _may_bind(other, subject):
            return
        if isinstance(other, ast.If) and isinstance(other.body[-1], _LEAVES):
            yield other


def passed_above(branch: ast.If, subject: str, facts: Facts) -> Iterator[ast.If]:
    """The branches that what comes to another one has not gone into, from below."""
    around = facts.parent(branch)
    while isinstance(around, ast.If) and around.orelse == [branch]:
        yield around
        branch, around = around, facts.parent(around)
    yield from _ways_out_above(branch, subject, facts)


def _above(branch: ast.If, facts: Facts) -> Iterator[ast.stmt]:
    """What stands above a branch in its block, from below."""
    block = facts.block(branch)
    return reversed(block[: block.index(branch)])


def _may_bind(statement: ast.stmt, subject: str) -> bool:
    """Whether what is called ``subject`` may be something else after a statement."""
    return any(
        isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        and not isinstance(node.ctx, ast.Load)
        and f"{subject}.".startswith((f"{ast.unparse(node)}.", f"{ast.unparse(node)}["))
        for node in ast.walk(statement)
    )


def ends_its_function(branch: ast.If, facts: Facts) -> bool:
    """Whether a function has nothing to do behind a branch."""
    function = facts.parent(branch)
    is_function = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    return is_function and not branch.orelse and facts.block(branch)[-1] is branch


def next_for_tensors(
    branch: ast.If, subject: str, facts: Facts, kinds: frozenset[str] = TENSOR_CLASSES
) -> ast.If | None:
    """The first ``elif`` below a branch that is for tensors of some kinds, and for nothing else."""
    while len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
        branch = branch.orelse[0]
        if checked_subject(branch.test, facts) in [(subject, kind) for kind in kinds]:
            return branch
    return None


def repeated_for_tensors(branch: ast.If, facts: Facts) -> tuple[ast.If, int | None] | None:
    """What of two branches that do the same for Variables and for tensors is rewritten.

    Returns:
        the ``if`` of a chain and the depth of the first of both in it, or the second, and None,
        where that is a statement of its own that goes.
    """
    if _is_left_to_one_above(branch, facts):
        return branch, None
    return start_of_chain(branch, facts) if repeats_for_tensors(branch, facts) else None


def repeats_for_tensors(branch: ast.If, facts: Facts) -> bool:
    """Whether a branch for Variables has one right below it that does the same for tensors.

    Those may be of one type: ``elif isinstance(x, torch.FloatTensor):``.
    """
    checked = checked_subject(branch.test, facts)
    if checked is None or checked[1] != VARIABLE:
        return False
    below = next_for_tensors(branch, checked[0], facts, TENSOR_CLASSES | TYPED_CLASSES)
    if below is None or branch.orelse != [below] or not _is_elif(below, branch, facts):
        return False
    return _does_the_same(below, branch, checked[0], facts)


def _is_left_to_one_above(branch: ast.If, facts: Facts) -> bool:
    """Whether a branch for tensors stands below one by which Variables left, and does the same."""
    block = facts.block(branch)
    above = block[block.index(branch) - 1] if branch is not block[0] else None
    if not isinstance(above, ast.If) or above.orelse or branch.orelse:
        return False
    if not isinstance(above.body[-1], _LEAVES):
        return False
    checked, asked = checked_subject(above.test, facts), checked_subject(branch.test, facts)
    if checked is None or checked[1] != VARIABLE:
        return False
    if asked not in [(checked[0], kind) for kind in TENSOR_CLASSES | TYPED_CLASSES]:
        return False
    return _does_the_same(branch, above, checked[0], facts)


def _does_the_same(below: ast.If, branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether a branch does for tensors what the one above does, and nothing is said of it."""
    if any(
        "#" in line for line in facts.lines[branch.body[-1].end_lineno : below.body[-1].end_lineno]
    ):
        # What a comment says of one of them is for a person to read.
        return False
    of_variables, of_tensors = (
        [as_of_tensor(s, subject, facts) for s in each.body] for each in (branch, below)
    )
    return of_variables == of_tensors


def _is_elif(below: ast.If, branch: ast.If, facts: Facts) -> bool:
    """Whether a branch is an ``elif``, and no ``if`` of its own below an ``else``."""
    return below.col_offset == branch.col_offset and facts.parent(below) is branch


def start_of_chain(branch: ast.If, facts: Facts) -> tuple[ast.If, int]:
    """The ``if`` whose ``elif`` a branch is, and how many branches stand above it there."""
    depth, above = 0, facts.parent(branch)
    while isinstance(above, ast.If) and above.orelse == [branch] and _is_elif(branch, above, facts):
        branch, above, depth = above, facts.parent(above), depth + 1
    return branch, depth
