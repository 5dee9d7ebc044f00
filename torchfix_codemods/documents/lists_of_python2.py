"""`map`, `zip`, `range`, `d.keys()` gave lists in Python 2; what only lists have is gone.

https://docs.python.org/3/whatsnew/3.0.html#views-and-iterators-instead-of-lists
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.documents.only_python2 import is_dict, is_guarded
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.nodes import last_name, start_of
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import runs_with, uses_given_by
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.remarks import ONLY_PYTHON_2
from torchfix_codemods.text.wording import listed, worded, worded_lines

_LAZY = frozenset({"filter", "map", "zip"})
#: What is no list any more, but has a length and elements.
_RANGE = "range"
_NO_LISTS = _LAZY | {_RANGE}
#: What calls a function for each item.
_CALLING = frozenset({"filter", "map"})
#: What gave a list in Python 2.
_LISTS = _NO_LISTS | {"list", "sorted"}
#: What reads the rows of a text file.
_TABLES = frozenset({"csv.reader", "csv.DictReader"})
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
#: Functions that put other items into the places of what they are given.
_FILLING = frozenset({"numpy.random.shuffle", "random.shuffle"})
#: Types that raise TypeError for what has no places, also in a list of such.
_TENSORS = frozenset(f"torch.{k}Tensor" for k in ("", "Byte", "Double", "Float", "Int", "Long"))
#: Functions that raise TypeError for what has no places.
_OF_PLACES = (
    _FILLING
    | _TENSORS
    | {
        *("random.choice", "random.sample", "numpy.mean", "numpy.median", "numpy.std"),
        *("numpy.concatenate", "numpy.hstack", "numpy.stack", "numpy.vstack"),
    }
)
#: Functions that take what has no places for one object, and raise nothing.
_OF_OBJECTS = frozenset({"numpy.argmax", "numpy.argmin", "numpy.max", "numpy.min"})


def lists_of_python2(facts: Facts) -> Iterator[Finding]:
    """A finding at the first iterator that is certainly used as the list that it was.

    Args:
        facts: of a module that Python 3 can read.
    """
    if any((star.module or "").startswith("past") for star in facts.names.unknown_star_imports):
        return
    calls = [
        call
        for name in sorted(_NO_LISTS | container_methods.viewing())
        for call in facts.names.calls(name)
        if _gave_list(call, facts) is not None
    ]
    found = [
        (call, use)
        for call in sorted(calls, key=start_of)
        if (use := _use_of_list(call, facts)) is not None and not is_unreached(use, facts)
    ]
    for kind in _said_apart(found):
        call, use = kind[0]
        name = _gave_list(call, facts)
        more = _said_of_others(call, [other for other, _ in kind[1:]], facts)
        more += _said_of_unknown(facts) if use is not call else ""
        said = (
            f"{name}() gives no list on Python 3, and {_what_becomes(call, use, facts)}: "
            f"write {_lists_of_line(call, kind, facts)}{more}{_of_bytes(call, facts)}"
        )
        remark = ONLY_PYTHON_2
        place = call.lineno, call.col_offset + 1
        yield Finding(*place, remark.code, remark.name, said, Numerics.ADVICE, False)


def _lists_of_line(
    first: ast.Call, found: Sequence[tuple[ast.Call, ast.expr]], facts: Facts
) -> str:
    """``list(range(3)) and list(range(4, 9))``: a line runs only with all that it needs."""
    line = facts.origin(first.lineno)
    beside = [call for call, _ in found if facts.origin(call.lineno) == line]
    written = [f"list({worded(call, f'{_gave_list(call, facts)}(...)')})" for call in beside]
    return listed(dict.fromkeys(written), "and")


def _of_bytes(call: ast.Call, facts: Facts) -> str:
    """What else fails of a table that is read as bytes: ``csv.reader(open(path, "rb"))``."""
    for table in (made for given in call.args for made in _made(given, facts)):
        if facts.name(table.func) not in _TABLES or not table.args:
            continue
        for opened in _made(table.args[0], facts):
            mode = argument(opened, 1, "mode")
            is_bytes = facts.names.builtin(opened.func) == "open" and constant(mode) == "rb"
            if is_bytes and mode is not None:
                line = worded_lines([facts.origin(opened.lineno)])
                return f"; {last_name(table.func)} takes text: open(..., 'r', newline='') in {line}"
    return ""


def _made(node: ast.expr, facts: Facts) -> Iterator[ast.Call]:
    """The calls that make something, or what a name is given."""
    for each in _given(node, facts) if isinstance(node, ast.Name) else [node]:
        if isinstance(each, ast.Call):
            yield each


def _said_of_others(first: ast.Call, others: list[ast.Call], facts: Facts) -> str:
    """``, and so for keys() and range() in lines 3 and 5``; without names where all are alike."""
    others = [call for call in others if facts.origin(call.lineno) != facts.origin(first.lineno)]
    if not others:
        return ""
    names = sorted({_gave_list(call, facts) or "" for call in others})
    is_alike = names == [_gave_list(first, facts)]
    kinds = "" if is_alike else f" for {' and '.join(f'{name}()' for name in names)}"
    lines = list(dict.fromkeys(facts.origin(call.lineno) for call in others))
    return f", and so{kinds} in {worded_lines(lines)}"


def _said_of_unknown(facts: Facts) -> str:
    """``, and so in line 3 if net.params is a dict``, of which ``keys()[0]`` is asked for.

    It is only said where something else shows that the file was written for Python 2.
    """
    held: dict[str, list[int]] = {}
    for name in sorted(container_methods.viewing()):
        for call in facts.names.method_calls(name):
            if call.args or call.keywords or _gave_list(call, facts) is not None:
                continue
            if _is_indexed(call, facts) and not is_unreached(call, facts):
                assert isinstance(call.func, ast.Attribute)
                asked = worded(call.func.value, "that")
                held.setdefault(asked, []).append(facts.origin(call.lineno))
    return "".join(
        f", and so in {worded_lines(lines)} if {asked} is a dict" for asked, lines in held.items()
    )


def _is_indexed(call: ast.Call, facts: Facts) -> bool:
    """``x.keys()[i]`` of what is not known, itself or by a name that is given nothing else."""
    assert isinstance(call.func, ast.Attribute)
    statement = facts.parent(call)
    uses: list[ast.expr] = [call]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        uses = [*_uses(statement.targets[0], statement, call, facts)]
    return isinstance(facts.value(call.func.value), Unknown) and any(
        isinstance(part := facts.parent(use), ast.Subscript)
        and part.value is use
        and not isinstance(constant(part.slice), str)
        and not is_guarded(facts.names, part)
        for use in uses
    )


def _said_apart(
    found: Sequence[tuple[ast.Call, ast.expr]],
) -> Iterator[list[tuple[ast.Call, ast.expr]]]:
    """What raises, and what is never done, which nobody notices: each is told once."""
    yield from filter(
        None, ([f for f in found if (f[0] is f[1]) is idle] for idle in (False, True))
    )


def _what_becomes(call: ast.Call, use: ast.expr, facts: Facts) -> str:
    if use is call:
        return "calls nothing before it is gone through"
    named = worded(use, "its use")
    if isinstance(use, ast.Call) and _is_array(use, facts) and not _kinds(use):
        return f"{named} is an array of one object"
    if isinstance(use, ast.Call) and facts.name(use.func) in _OF_OBJECTS:
        return f"{named} takes it for one object"
    return f"{named} raises {'AttributeError' if isinstance(use, ast.Attribute) else 'TypeError'}"


def _gave_list(call: ast.Call, facts: Facts) -> str | None:
    """What gave a list in Python 2: a function of Python's own, or a method of a dict."""
    function = call.func
    if isinstance(function, ast.Attribute):
        is_view = container_methods.gives_view(function.attr) and not (call.args or call.keywords)
        is_own = is_view and hasattr(dict, function.attr)
        is_known = is_own and (
            is_dict(facts.names, function.value)
            or (function.attr != "values" and _is_archive(function.value, facts))
        )
        return function.attr if is_known else None
    name = facts.names.builtin(function)
    return name if name in _NO_LISTS else None


def _is_archive(node: ast.expr, facts: Facts) -> bool:
    """Whether numpy loads what has the items of a dict: ``np.load("arrays.npz")``."""
    made = _given(node, facts) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(
        isinstance(each, ast.Call) and facts.name(each.func) == "numpy.load" for each in made
    )


def _given(name: ast.Name, facts: Facts) -> list[ast.expr | None]:
    """What a name is assigned, or stands for below ``with np.load(path) as name:``."""
    return [
        binding.value
        if binding.kind == "with" and not binding.path
        else (binding.written() if binding.kind == "assign" else None)
        for binding in facts.flow.reaching(name)
    ]


def _use_of_list(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What raises of an iterator, or of a name that is only given this one where it is read.

    The call itself, where nothing goes through what it gives.
    """
    if is_guarded(facts.names, call):
        return None
    statement = facts.parent(call)
    if isinstance(statement, ast.Expr):
        return call if facts.names.builtin(call.func) in _CALLING and call.args[1:] else None
    if isinstance(statement, ast.ListComp):
        return _tensor_of_each(call, statement, facts)
    for use in _uses_alone(call, facts):
        raising = _raising(use, call, facts)
        if raising is not None and not is_guarded(facts.names, use):
            return raising
    return None


def _tensor_of_each(call: ast.Call, rows: ast.ListComp, facts: Facts) -> ast.expr | None:
    """``torch.LongTensor(xs)`` of ``xs = [map(len, y) for y in ys]``: an iterator is no row."""
    if rows.elt is not call or facts.names.builtin(call.func) not in _LAZY:
        return None
    uses = [*_uses_alone(rows, facts)]
    if any(_is_stored_into(use, facts) for use in uses):
        return None
    for use in uses:
        taker = facts.parent(use)
        if isinstance(taker, ast.Call) and taker.args[:1] == [use]:
            if facts.name(taker.func) in _TENSORS and not is_guarded(facts.names, taker):
                return taker
    return None


def _uses_alone(made: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """Where something stands, or the names that certainly hold it."""
    statement = facts.parent(made)
    if not isinstance(statement, ast.Assign):
        yield made
        return
    for target in statement.targets:
        yield from _uses(target, statement, made, facts)


def _is_stored_into(listed: ast.expr, facts: Facts) -> bool:
    """``xs[i] = list(xs[i])``, which puts other rows there."""
    element = facts.parent(listed)
    return isinstance(element, ast.Subscript) and isinstance(element.ctx, ast.Store)


def _uses(
    target: ast.expr, statement: ast.Assign, call: ast.expr, facts: Facts
) -> Iterator[ast.expr]:
    """Where a name, or an attribute of its object, is certainly what a call gives."""
    if isinstance(target, ast.Name):
        for use in uses_given_by(facts, statement, target.id):
            if facts.assigned(use) == [call] or _is_read_whoever_gave(use, statement, facts):
                yield use
    elif isinstance(target, ast.Attribute) and is_self(facts, target.value):
        same = facts.names.attributes(target.attr)
        stored = [each for each in same if not isinstance(each.ctx, ast.Load)]
        if stored == [target] and not is_set_by_others(facts.inference, target.attr):
            yield from (u for u in same if u is not target and is_self(facts, u.value))


def _is_read_whoever_gave(use: ast.Name, statement: ast.Assign, facts: Facts) -> bool:
    """Whether a name is read as well where a statement in a branch gave it another value last."""
    given = facts.assigned(use)
    return (
        given is not None
        and max(given, key=start_of) is statement.value
        and any(runs_with(use, around, facts) for around in facts.names.ancestors(statement))
    )


def _raising(iterator: ast.expr, call: ast.Call, facts: Facts) -> ast.expr | None:
    """``xs[0]``, ``len(xs)``, ``xs + [0]``, ``xs.sort`` and ``np.array(xs, dtype=float)``.

    Args:
        iterator: where it is used.
        call: what makes it.
        facts: the facts of the module.
    """
    around, name = facts.parent(iterator), _gave_list(call, facts) or ""
    if isinstance(around, ast.Attribute):
        return around if hasattr([], around.attr) and not _has(name, around.attr) else None
    if isinstance(around, ast.BinOp):
        other = around.right if around.left is iterator else around.left
        is_sum = isinstance(around.op, ast.Add) and _is_list(other, facts)
        is_repeated = isinstance(around.op, ast.Mult) and type(constant(other)) is int
        return around if is_sum or is_repeated else None
    if isinstance(around, ast.Subscript):
        is_read = isinstance(around.ctx, ast.Load)
        return around if around.value is iterator and (name != _RANGE or not is_read) else None
    if not isinstance(around, ast.Call) or around.args[:1] != [iterator]:
        return None
    if facts.name(around.func) in (_FILLING if name == _RANGE else _OF_PLACES):
        return around
    if name == _RANGE:
        return None
    if facts.name(around.func) in _OF_OBJECTS:
        return None if around.args[1:] or around.keywords else around
    if facts.names.builtin(around.func) == "len":
        is_len = name in _LAZY and len(around.args) == 1 and not around.keywords
        return around if is_len else None
    kinds = _kinds(around)
    is_told = not kinds or any(_is_number_type(kind, facts) for kind in kinds)
    return around if _is_array(around, facts) and is_told else None


def _has(made: str, attribute: str) -> bool:
    """Whether an iterator, a range or a view has an attribute of lists as well."""
    if made in _LAZY:
        return hasattr(map, attribute)
    return hasattr(range(0) if made == _RANGE else getattr({}, made)(), attribute)


def _is_array(call: ast.Call, facts: Facts) -> bool:
    return facts.name(call.func) in _ARRAYS


def _kinds(call: ast.Call) -> list[ast.expr]:
    """The dtype that an array is asked for."""
    return [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "dtype")]


def _is_number_type(kind: ast.expr, facts: Facts) -> bool:
    """``float``, ``np.float32``: an iterator is no number."""
    name = facts.names.builtin(kind) or (facts.name(kind) or "").removeprefix("numpy.")
    return name.rstrip("0123456789") in ("float", "int", "uint")


def _is_list(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression was a list in Python 2: what adds to itself may take an iterator."""
    if isinstance(node, ast.Call):
        return facts.names.builtin(node.func) in _LISTS or _gave_list(node, facts) is not None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        is_one = [_is_list(side, facts) for side in (node.left, node.right)]
        return any(is_one) if isinstance(node.op, ast.Mult) else all(is_one)
    return isinstance(node, (ast.List, ast.ListComp))
