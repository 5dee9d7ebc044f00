"""Calls of one legacy constructor that stand side by side, to be written in one way."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern

_NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:\.\d*)?\b")
_TEXT = lazy_pattern(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)


Stays = Callable[[str, ast.Call, Facts], bool]
"""Whether a call of a type, of this name, is left as it is."""


def stays_beside(
    call: ast.Call,
    stays: Stays,
    constructors: Collection[str],
    facts: Facts,
    outgrows: Stays = lambda name, call, facts: False,
) -> bool:
    """Whether a constructor stays right beside one, of what has a name as well.

    ``torch.LongTensor(ids)`` in the same statement or in the one above or below, and
    ``torch.cuda.LongTensor(ids)`` in the same one. Of a list that is written down there, it is an
    assignment right above or below of the same form: ``r = wrap(torch.FloatTensor([r]))``; so it is
    of two that have names, or of two lists, of another type. Lines that fill the same place,
    ``ids[i] = torch.LongTensor([1])``, count as if they stood there. What is written alike is so in
    all of a function: ``torch.LongTensor(ids)`` may stand in one branch alone and in the other
    beside one that stays, and of two tables of numbers one may be too long, as may be that of
    ``[r["box"] for r in rows]`` beside that of ``[r["kind"] for r in rows]``. Where it is the line
    alone that one stays for, so do those written alike in other functions, and arrays of any type
    that the same function of numpy makes there, as they do for any reason in one statement. What is
    beside one that is beside another is in a row with it, which stays as a whole.

    Args:
        call: the call of a constructor that is given values.
        stays: whether a call stays whatever is beside it.
        constructors: what the constructors are called, whose calls are alike.
        facts: the facts of the module.
        outgrows: whether a call stays because its line would become too long.
    """
    seen, row = {call}, [call]
    for one in row:
        alike = [*_written_alike(one, facts)]
        if any(stays(facts.name(other.func) or "", other, facts) for other in alike):
            return True
        elsewhere = [*_written_alike(one, facts, in_file=True)]
        made = [*_made_alike(one, constructors, facts)]
        elsewhere += made
        if any(outgrows(facts.name(other.func) or "", other, facts) for other in elsewhere):
            return True
        alike += (other for other in made if facts.statement(other) is facts.statement(one))
        for other in [*_in_row_with(one, constructors, facts), *alike]:
            name = facts.name(other.func) or ""
            is_same = facts.statement(other) is facts.statement(one)
            if (is_same and name.startswith("torch.cuda.")) or stays(name, other, facts):
                return True
            if other not in seen and name.count(".") == 1:
                seen.add(other)
                row.append(other)
    return False


def sizes_stay_beside(
    call: ast.Call, stays: Stays, constructors: Collection[str], facts: Facts
) -> bool:
    """Whether in the line above or below a name gets in the same way memory that stays.

    What is given one thing alone may be made of values, and counts where both are wrapped:
    ``nn.Parameter(torch.Tensor(n, m))`` beside ``nn.Parameter(torch.Tensor(shape))``.

    Args:
        call: the call of a constructor that is given sizes.
        stays: whether a call stays whatever is beside it.
        constructors: what the constructors are called, whose calls are alike.
        facts: the facts of the module.
    """
    for other in (one for name in constructors for one in _beside(call, facts, name)):
        if _are_assigned_alike(call, other, facts, is_wrapped=len(other.args) == 1):
            if stays(facts.name(other.func) or "", other, facts):
                return True
    return False


def nameless(node: ast.expr, start: ast.expr) -> str:
    """The code of an expression without the name that another part of it starts with.

    ``.size()`` of ``x.size()`` and ``y.size()`` is the same, and so is ``x.new(x.size())``.

    Args:
        node: the expression.
        start: what in it starts with the name.
    """
    while isinstance(start, (ast.Attribute, ast.Call, ast.Subscript)):
        start = start.func if isinstance(start, ast.Call) else start.value
    text = ast.unparse(node)
    if not isinstance(start, ast.Name):
        return text
    return re.sub(rf"(?<![\w.]){start.id}(?!\w)", "…", text)


def without_numbers(text: str) -> str:
    """Code with 0 for each number that is written in it: what two lines have in common."""
    return _NUMBER.sub("0", text)


def _in_row_with(call: ast.Call, constructors: Collection[str], facts: Facts) -> Iterator[ast.Call]:
    """The calls right beside one that are to be written as it is."""
    has_name = _is_of_what_has_a_name(call)
    for name in constructors:
        is_same_type = name == last_name(call.func)
        for other in _beside(call, facts, name):
            is_named = _is_of_what_has_a_name(other)
            if has_name != is_named and (has_name or not is_same_type):
                continue
            if has_name and is_same_type:
                yield other
            elif _are_assigned_alike(call, other, facts, is_wrapped=is_named and not has_name):
                yield other


def _written_alike(call: ast.Call, facts: Facts, in_file: bool = False) -> Iterator[ast.Call]:
    """The other calls of the same function, or of the file, written alike but for constants."""
    function = facts.names.enclosing_function(call)
    text = _without_constants(call, facts)
    for other in _calls_like(call, facts, last_name(call.func)):
        if in_file or facts.names.enclosing_function(other) is function:
            if _without_constants(other, facts) == text:
                yield other


def _made_alike(call: ast.Call, constructors: Collection[str], facts: Facts) -> Iterator[ast.Call]:
    """The calls of any type in the file that are given what the same function of numpy makes."""
    maker = _maker_of(call, facts)
    if not maker.startswith("numpy."):
        return
    for name in constructors:
        yield from (o for o in _calls_like(call, facts, name) if _maker_of(o, facts) == maker)


def _maker_of(call: ast.Call, facts: Facts) -> str:
    given = call.args[0] if len(call.args) == 1 else None
    return (facts.name(given.func) or "") if isinstance(given, ast.Call) else ""


def _without_constants(call: ast.Call, facts: Facts) -> str:
    """A call without its numbers, and the texts that only name what a list is made of."""
    # Each is compared with all others of the file.
    key = _without_constants, call
    return facts.remembered(key, lambda: _find_without_constants(call))


def _find_without_constants(call: ast.Call) -> str:
    text = ast.unparse(call)
    if len(call.args) == 1 and isinstance(call.args[0], _DISPLAYS):
        text = _TEXT.sub("''", text)
    return without_numbers(text)


def _are_assigned_alike(
    call: ast.Call, other: ast.Call, facts: Facts, is_wrapped: bool = False
) -> bool:
    """Whether two statements give a name each the same but for what the calls are given.

    Args:
        call: one call.
        other: the other.
        facts: the facts of the module.
        is_wrapped: whether only what is given to another call counts: ``wrap(torch.Tensor(r))``.
    """
    form = _form_of(call, facts)
    return form is not None and form == _form_of(other, facts) and (form != () or not is_wrapped)


def _form_of(call: ast.Call, facts: Facts) -> tuple[str, ...] | None:
    """What a call is wrapped in where it is assigned, from the inside; None elsewhere.

    ``.requires_grad_()`` behind it is no part of that, nor is ``requires_grad=`` of a Variable.
    """
    found, part = list[str](), call
    around = facts.parent(part)
    if isinstance(around, ast.Attribute) and around.attr == "requires_grad_":
        marked = facts.parent(around)
        if isinstance(marked, ast.Call) and marked.func is around:
            part, around = marked, facts.parent(marked)
    while isinstance(around, ast.Call) and around.args == [part]:
        if around.keywords and facts.name(around.func) != VARIABLE:
            break
        found.append(ast.unparse(around.func))
        part, around = around, facts.parent(around)
    is_one = isinstance(around, ast.Assign) and len(around.targets) == 1
    return (*found,) if is_one else None


def _is_of_what_has_a_name(call: ast.Call) -> bool:
    """Whether a call is given one value, and no list that is written down there."""
    return len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], _DISPLAYS)


def _beside(call: ast.Call, facts: Facts, name: str | None) -> Iterator[ast.Call]:
    statement = facts.statement(call)
    block = facts.block(statement)
    at = block.index(statement)
    near = block[max(at - 1, 0) : at + 2]
    if (index := _index_filled(statement)) is not None:
        near += [one for one in block if _index_filled(one) == index]
    for other in _calls_like(call, facts, name):
        if any(facts.statement(other) is one for one in near):
            yield other


def _index_filled(statement: ast.stmt) -> str | None:
    """``i`` of ``questions[i] = …``: of several lists the same place is filled alike."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Subscript):
        return None
    index = targets[0].slice
    return index.id if isinstance(index, ast.Name) else None


def _calls_like(call: ast.Call, facts: Facts, name: str | None) -> Iterator[ast.Call]:
    """The other calls of the file of an attribute of this name."""
    if name is None or not isinstance(call.func, ast.Attribute):
        return
    for other in facts.names.attributes(name):
        around = facts.parent(other)
        if isinstance(around, ast.Call) and around.func is other and around is not call:
            yield around
