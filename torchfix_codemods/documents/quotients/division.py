"""`/` of whole numbers rounded down in Python 2, and gives a fraction in Python 3."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TypeGuard

from torchfix_codemods.documents.quotients.equal import (
    equal_to,
    has_rest_beside,
    runs_beside,
)
from torchfix_codemods.documents.quotients.no_integers import is_no_integer
from torchfix_codemods.documents.quotients.used_whole import (
    has_to_be_whole,
    is_asked_for_rest,
    is_compared_alike,
    is_printed_whole,
    may_have_to_be_whole,
)
from torchfix_codemods.documents.quotients.whole_numbers import (
    divides_without_rest,
    is_always_one,
    is_certainly_whole,
    is_cut_anyway,
    is_declared_whole,
    is_number_found,
    may_be_whole,
)
from torchfix_codemods.engine.edits import line_starts
from torchfix_codemods.engine.migrate import Options, facts_of
from torchfix_codemods.engine.suppression import Suppressions
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import augmented, bindings_by, uses_of
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.facts.values.lattice import NOTHING, Number, Tensor, Value, join
from torchfix_codemods.finding import Finding, Numerics, Reason
from torchfix_codemods.remarks import DIVISION

CODE, NAME = DIVISION.code, DIVISION.name
_KEPT = "/ of whole numbers rounded down in Python 2, as // does"
_TOLD = "/ of whole numbers rounded down in Python 2: write // for the same"
_OPEN = "in Python 2 this / rounded down where both sides are whole numbers: write // if they are"

#: Functions that read names without naming them.
_READ_ALL = ("locals", "vars", "eval", "exec", "dir")

#: What gives a float of one. Divisions are written as `%` here.
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Mod)

_Division = ast.BinOp | ast.AugAssign


def divided_as_before(text: str, options: Options) -> tuple[str, list[Finding]]:
    """Spell the divisions of whole numbers in a text that was Python 2 as ``//``.

    What is certainly a float on one side stays. So do tensors: what torch made of ``/`` depends on
    its version, not on Python's.

    Args:
        text: a text of Python 3; it keeps its number of lines.
        options: settings.

    Returns:
        the text, and a finding for each division that was kept, or may be another one now.
    """
    return _asked_of(text, options, rewrites=True) if "/" in text else (text, [])


def divisions_told(text: str, options: Options) -> list[Finding]:
    """What is said of the divisions of a text that is not converted: of each that may be another.

    Args:
        text: a text of Python 3.
        options: settings.
    """
    return _asked_of(text, options, rewrites=False)[1]


def _asked_of(text: str, options: Options, rewrites: bool) -> tuple[str, list[Finding]]:
    data = text.encode("utf-8")
    slashes = {position for position, _ in _divisions(ast.parse(text), data)}
    # In Python 2, `/` gave numbers of the same kind as `%` does.
    same_kind = bytes(ord("%") if n in slashes else byte for n, byte in enumerate(data))
    facts = facts_of(same_kind.decode("utf-8"), options)
    try:
        return _divided(data, facts, rewrites)
    finally:
        facts.release()


def _divided(data: bytes, facts: Facts, rewrites: bool) -> tuple[str, list[Finding]]:
    kept: list[int] = []
    findings: list[Finding] = []
    suppressions = Suppressions(facts.lines)
    divisions = [*_divisions(facts.tree, data)]
    quotients = {node for _, node in divisions}
    asked = [
        (position, node)
        for position, node in divisions
        if not (suppressions and suppressions.hides(CODE, NAME, facts.statement(node), node))
        and not _is_what_it_was(node, facts)
    ]
    whole = {node for _, node in asked if _is_whole(node, facts)}
    for position, node in asked:
        equal = [*equal_to(node, whole - {node}, facts)] if node not in whole else []
        is_shown = node in whole or any(runs_beside(other, node, facts) for other in equal)
        is_certain = is_shown and rewrites
        if is_certain:
            kept.append(position)
        elif not (is_shown or equal) and not _may_be_another(node, whole, facts):
            continue
        elif not rewrites and _is_never_read(node, facts):
            continue
        elif _is_the_same_anyway(node, quotients, facts):
            continue
        is_shown = is_shown or all(is_declared_whole(side, facts) for side in _operands(node))
        is_shown = is_shown or has_rest_beside(node, quotients, facts)
        message = _KEPT if is_certain else _TOLD if is_shown else _OPEN
        if not is_certain and any(f.line == node.lineno and f.message == message for f in findings):
            continue
        numerics = Numerics.RESTORED if is_certain else Numerics.ADVICE
        findings.append(
            Finding(
                node.lineno,
                node.col_offset + 1,
                CODE,
                NAME,
                message,
                numerics,
                is_certain,
                reason=Reason.FAILS if is_certain else None,
            )
        )
    for position in sorted(kept, reverse=True):
        data = data[:position] + b"/" + data[position:]
    return data.decode("utf-8"), findings


def _is_what_it_was(node: _Division, facts: Facts) -> bool:
    """Whether a division is no one of whole numbers, or its fraction is cut off."""
    left, right = _operands(node)
    values = [_value(left, facts), facts.value(right)]
    return (
        any(isinstance(value, Tensor) or value == Number("float") for value in values)
        or _is_made_float(left)
        or _is_made_float(right)
        or any(_began_as_float(side, facts) for side in (left, right))
        or is_cut_anyway(left, right, node, facts)
    )


def _is_whole(node: _Division, facts: Facts) -> bool:
    """Whether a division certainly was one of whole numbers."""
    left, right = _operands(node)
    values = [_value(left, facts), facts.value(right)]
    return all(
        value == Number("int") or is_number_found(side, facts) or is_certainly_whole(side, facts)
        for value, side in zip(values, (left, right), strict=True)
    ) or has_to_be_whole(node, facts)


def _may_be_another(node: _Division, whole: Collection[ast.AST], facts: Facts) -> bool:
    """Whether a division may have been one of whole numbers, as something shows, and is read."""
    left, right = _operands(node)
    return not _is_never_read(node, facts) and (
        _is_added_to(node, whole, facts)
        or may_be_whole(left, right, node, facts)
        or may_have_to_be_whole(node, facts)
    )


def _is_added_to(node: _Division, whole: Collection[ast.AST], facts: Facts) -> bool:
    """Whether a quotient is a part of a sum with one of whole numbers: ``len(x) / 2 - n / 2``."""
    around: ast.AST = node
    while _is_sum(parent := facts.parent(around)):
        around = parent
    sides = _operands(node)
    return (
        any(part in whole for part in _summands(around))
        and whole_number(sides[0]) != 1
        and not any(is_no_integer(side, facts) for side in sides)
    )


def _summands(node: ast.AST) -> Iterator[ast.AST]:
    if _is_sum(node):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def _is_sum(node: ast.AST | None) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _is_the_same_anyway(node: _Division, quotients: Collection[ast.AST], facts: Facts) -> bool:
    """Whether nothing is rounded, nothing asks for what is, or no run comes there."""
    left, right = _operands(node)
    return (
        is_always_one(right, facts)
        or is_printed_whole(node, facts)
        or is_unreached(node, facts)
        or is_compared_alike(
            node,
            facts,
            divides_without_rest(left, right, facts) or is_asked_for_rest(node, quotients, facts),
        )
    )


def _divisions(tree: ast.AST, data: bytes) -> Iterator[tuple[int, _Division]]:
    """The divisions of a module, each with the place of its ``/``."""
    starts = line_starts(data)
    for node in walk(tree):
        if not isinstance(node, _Division) or not isinstance(node.op, (ast.Div, ast.Mod)):
            continue
        left, right = _operands(node)
        begin = starts[(left.end_lineno or left.lineno) - 1] + (left.end_col_offset or 0)
        end = starts[right.lineno - 1] + right.col_offset
        position = data.find(b"/", begin, end)
        if position >= 0 and b"#" not in data[begin:position]:
            yield position, node


def _operands(node: _Division) -> tuple[ast.expr, ast.expr]:
    return (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)


def _is_never_read(node: _Division, facts: Facts) -> bool:
    """Whether a name of a function's own takes what is divided, and nothing reads it after that."""
    statement = node if isinstance(node, ast.AugAssign) else facts.parent(node)
    if isinstance(statement, ast.Assign):
        targets = statement.targets if statement.value is node else []
    else:
        targets = [statement.target] if isinstance(statement, ast.AugAssign) else []
    if not targets or any(map(facts.names.scopes_using, _READ_ALL)):
        return False
    return all(_is_unread(target, statement, facts) for target in targets)


def _is_unread(target: ast.expr, statement: ast.AST | None, facts: Facts) -> bool:
    if not isinstance(target, ast.Name) or statement is None:
        return False
    found = facts.names.scope_of(target).lookup(target.id)
    if found is None or found[0].kind != "function":
        return False
    bindings = bindings_by(facts, statement, target.id)
    return bool(bindings) and not any(
        any(uses_of(facts, binding)) or augmented(facts, binding) for binding in bindings
    )


def _is_made_float(node: ast.expr) -> bool:
    """``1.0 * n``: no whole number, whatever ``n`` is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return _is_made_float(node.left) or _is_made_float(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # x.astype(float), x.astype(np.float32)
        return node.func.attr == "astype" and any(
            "float" in ast.unparse(argument) for argument in node.args[:1]
        )
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _began_as_float(node: ast.expr, facts: Facts) -> bool:
    """Whether a name was 0.0 once, and only added to since, or is calculated with: ``100 * n``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return _began_as_float(node.left, facts) or _began_as_float(node.right, facts)
    if not isinstance(node, ast.Name):
        return False
    begins = [b.value for b in _reaching(node, facts) if not isinstance(b.node, ast.AugAssign)]
    return bool(begins) and all(value is not None and _is_made_float(value) for value in begins)


def _reaching(name: ast.Name, facts: Facts) -> Sequence[Binding]:
    """What a name may hold where it is divided; the target of ``x /= 2`` is read before."""
    if isinstance(name.ctx, ast.Store):
        return facts.flow.reaching_before(facts.statement(name), name.id)
    return facts.flow.reaching(name)


def _value(node: ast.expr, facts: Facts) -> Value:
    """What an expression is; for the target of ``x /= 2``, what it was."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
        return facts.value(node)
    result: Value = NOTHING
    for binding in _reaching(node, facts):
        result = join(result, facts.inference.bound(binding))
    return result
