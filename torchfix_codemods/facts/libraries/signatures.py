"""Signatures of functions that are no more, and which argument of a call is for which parameter."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from torchfix_codemods.record import record


@record
class Parameter:
    """One parameter of a signature.

    ``default`` is None where it has to be given, and ``"..."`` where what is not given has no
    value that could be written.
    """

    name: str
    default: str | None = None
    is_keyword_only: bool = False


@record
class Signature:
    """What a function takes. ``variadic`` is the name of ``*args``."""

    name: str
    parameters: tuple[Parameter, ...]
    variadic: str | None = None


@functools.cache
def parse_signature(text: str) -> Signature:
    """Read ``torch.symeig(input, eigenvectors=False, *, out=...)``.

    Raises:
        SyntaxError: it is no signature.
    """
    name, _, rest = text.partition("(")
    (function,) = ast.parse(f"def f({rest}: ...").body
    assert isinstance(function, ast.FunctionDef)
    takes = function.args
    without = len(takes.args) - len(takes.defaults)
    plain = [
        Parameter(arg.arg, ast.unparse(takes.defaults[i - without]) if i >= without else None)
        for i, arg in enumerate(takes.args)
    ]
    named = [
        Parameter(arg.arg, None if default is None else ast.unparse(default), True)
        for arg, default in zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
    ]
    return Signature(name, (*plain, *named), takes.vararg.arg if takes.vararg else None)


@record
class Bound:
    """The arguments of a call by parameter.

    ``index`` tells where an argument stands among those of the call, keywords behind positions;
    -1 is the receiver of a method. ``given`` has the expressions themselves.
    """

    index: Mapping[str, int]
    given: Mapping[str, ast.expr]
    variadic: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()
    """The parameters that are given by keyword."""


def bind(signature: Signature, call: ast.Call, receiver: ast.expr | None = None) -> Bound | None:
    """Which argument of ``call`` is for which parameter.

    Args:
        signature: what is called.
        call: the call.
        receiver: what is given for the first parameter where a method is called.

    Returns:
        None where the call does not fit the signature, or where that cannot be seen.
    """
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    index: dict[str, int] = {}
    given: dict[str, ast.expr] = {}
    by_place = [p.name for p in signature.parameters if not p.is_keyword_only]
    if receiver is not None:
        if not by_place:
            return None
        first = by_place.pop(0)
        index[first], given[first] = -1, receiver
    variadic: tuple[int, ...] = ()
    for place, argument in enumerate(call.args):
        if place >= len(by_place) and signature.variadic is not None:
            variadic = tuple(range(place, len(call.args)))
            break
        if place >= len(by_place) or isinstance(argument, ast.Starred):
            return None
        index[by_place[place]], given[by_place[place]] = place, argument
    known = {p.name for p in signature.parameters}
    for place, keyword in enumerate(call.keywords, len(call.args)):
        name = keyword.arg or ""
        if name not in known or name in index:
            return None
        index[name], given[name] = place, keyword.value
    missing = [p for p in signature.parameters if p.default is None and p.name not in index]
    named = frozenset(keyword.arg or "" for keyword in call.keywords)
    return None if missing else Bound(index, given, variadic, named)
