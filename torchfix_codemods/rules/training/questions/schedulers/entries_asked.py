"""`LambdaLR(optimizer, lambda epoch: rates[epoch])`: a step behind the last epoch asks for more.

Until torch 1.0 n steps asked for the entries 0 to n - 1, since 1.1 for 1 to n, wherever they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import function_here
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Array, Sequence, Tensor
from torchfix_codemods.record import record
from torchfix_codemods.rules.training.questions.schedulers.built_again import builders

_LAMBDA = "torch.optim.lr_scheduler.LambdaLR"
_RISING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)
_ALSO = "; the last step() asks `{0}` in line {1} for one entry more than until torch 1.0: {2}"


@record
class Entry:
    """What a function takes for an epoch out of a table."""

    node: ast.Subscript
    index: str | None
    """The index that gives the last entry once more; None where that cannot be written."""


def entries_asked(step: ast.Call, facts: Facts) -> list[Entry]:
    """What the functions of a ``LambdaLR`` take out of tables by the epoch, without looking.

    How long the tables are, compared to the epochs, the code rarely shows; the guarded index is
    right for all of them.
    """
    found: dict[ast.Subscript, Entry] = {}
    for built in builders(step, facts):
        given = argument(built, 1, "lr_lambda")
        if facts.name(built.func) == _LAMBDA and given is not None:
            for function in _functions(given, facts):
                found |= {each.node: each for each in _entries(function, facts)}
    return list(found.values())


def also_of_entries(entries: Iterable[Entry], facts: Facts) -> str:
    """What to do where a table may end before the last step of a scheduler that stays."""
    told = []
    for entry in entries:
        asked = ast.unparse(entry.node)
        again = f"{ast.unparse(entry.node.value)}[{entry.index}]"
        remedy = f"write `{again}`" if entry.index else "see that there is one"
        told.append(_ALSO.format(asked, facts.origin(entry.node.lineno), remedy))
    return "".join(told)


def _functions(given: ast.expr, facts: Facts) -> Iterator[ast.Lambda | ast.FunctionDef]:
    """The functions that a scheduler gets, as far as the file shows them."""
    if isinstance(given, (ast.List, ast.Tuple)):
        for each in given.elts:
            yield from _functions(each, facts)
    elif isinstance(given, ast.Lambda):
        yield given
    elif isinstance(given, ast.Name) and (made := facts.assigned(given)) is not None:
        yield from (each for each in made if isinstance(each, ast.Lambda))
    elif (function := function_here(facts.inference, given)) is not None:
        yield function


def _entries(function: ast.Lambda | ast.FunctionDef, facts: Facts) -> Iterator[Entry]:
    is_method = isinstance(facts.parent(function), ast.ClassDef)
    parameters = function.args.args[is_method:]
    if not parameters:
        return
    epoch = parameters[0].arg
    for node in facts.names.inside(function, ast.Subscript):
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Slice):
            continue
        if _speaks_of(node.slice, epoch) and not _is_limited(node.slice, facts):
            if not _is_looked_at(node, function, epoch, facts):
                yield Entry(node, _guarded(node, epoch, facts))


def _speaks_of(node: ast.AST, epoch: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == epoch for part in ast.walk(node))


def _is_limited(index: ast.expr, facts: Facts) -> bool:
    """``epoch % 10``, ``min(epoch, 9)``."""
    if isinstance(index, ast.Call):
        return facts.names.builtin(index.func) == "min"
    return isinstance(index, ast.BinOp) and isinstance(index.op, ast.Mod)


def _is_looked_at(
    node: ast.AST, function: ast.Lambda | ast.FunctionDef, epoch: str, facts: Facts
) -> bool:
    """Whether a function looks at the epoch before it takes an entry, or catches what fails."""
    for around in facts.names.ancestors(node):
        if around is function:
            break
        if isinstance(around, ast.Try):
            return True
        if isinstance(around, (ast.If, ast.IfExp)) and _speaks_of(around.test, epoch):
            return True
    return isinstance(function, ast.FunctionDef) and any(
        _speaks_of(test.test, epoch) for test in facts.names.inside(function, ast.If)
    )


def _guarded(node: ast.Subscript, epoch: str, facts: Facts) -> str | None:
    """The index that is at most the last one: ``min(epoch, len(rates) - 1)``."""
    table = node.value
    scope = facts.names.scope_of(node)
    is_shadowed = any(scope.lookup(name) is not None for name in ("min", "len"))
    if is_shadowed or not _rises(node.slice, epoch, facts):
        return None
    index = facts.segment(node.slice)
    if isinstance(table, (ast.List, ast.Tuple)):
        is_plain = not any(isinstance(each, ast.Starred) for each in table.elts)
        return f"min({index}, {len(table.elts) - 1})" if is_plain and table.elts else None
    if not isinstance(table, (ast.Name, ast.Attribute)):
        return None
    if not isinstance(facts.value(table), (Array, Sequence, Tensor)):
        return None
    return f"min({index}, len({ast.unparse(table)}) - 1)"


def _rises(index: ast.expr, epoch: str, facts: Facts) -> bool:
    """Whether an index grows with the epoch: ``epoch``, ``epoch // 30``, ``int(epoch / 30)``."""
    if isinstance(index, ast.Call):
        is_whole = facts.names.builtin(index.func) == "int" and len(index.args) == 1
        return is_whole and _rises(index.args[0], epoch, facts)
    if isinstance(index, ast.BinOp) and isinstance(index.op, _RISING):
        return _rises(index.left, epoch, facts) and not _speaks_of(index.right, epoch)
    return isinstance(index, ast.Name) and index.id == epoch
