"""What another program writes was a str of Python 2, and is bytes for Python 3.

https://docs.python.org/3/library/subprocess.html#subprocess.check_output
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.engine.migrate import Options, facts_of
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by, writes_text_of
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.remarks import PYTHON_2
from torchfix_codemods.text.wording import worded

_ASKED = "subprocess.check_output"
_OF_TEXT = frozenset({"encoding", "errors", "text", "universal_newlines"})
_KINDS = lazy_pattern(r"%[^a-zA-Z%]*([a-zA-Z%])")
_STRIPS = frozenset({"lstrip", "rstrip", "strip"})


def bytes_of_processes(text: str, options: Options) -> list[Finding]:
    """A finding for each output of a program that is certainly used as the str that it was.

    Args:
        text: a module that was converted from Python 2.
        options: settings.
    """
    if "check_output" not in text:
        return []
    facts = facts_of(text, options)
    try:
        return [*_told(facts)]
    finally:
        facts.release()


def _told(facts: Facts) -> Iterator[Finding]:
    for call in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(call, ast.Call) or facts.name(call.func) != _ASKED or is_opaque(call):
            continue
        if any(keyword.arg in _OF_TEXT for keyword in call.keywords):
            continue
        done = [_wants_text(use, facts) for use in _uses(call, facts)]
        does = next(filter(None, done), None)
        if does is not None:
            # Another use may go on with bytes.
            instead = "pass text=True" if all(done) else "decode it there"
            said = f"{worded(call.func, _ASKED)}() gives bytes on Python 3, {does}: {instead}"
            place = call.lineno, call.col_offset + 1
            yield Finding(*place, PYTHON_2.code, PYTHON_2.name, said, Numerics.ADVICE, False)


def _uses(call: ast.Call, facts: Facts) -> list[ast.expr]:
    """The output where it is used, by a name that is only given this one, too.

    None where it is decoded at one of them.
    """
    output = _stripped(call, facts)
    statement = facts.parent(output)
    uses = [output]
    if isinstance(statement, ast.Assign):
        names = [target for target in statement.targets if isinstance(target, ast.Name)]
        found = [use for name in names for use in uses_given_by(facts, statement, name.id)]
        uses = [_stripped(use, facts) for use in found if facts.assigned(use) == [output]]
    return [] if any(_is_decoded(use, facts) for use in uses) else uses


def _is_decoded(use: ast.expr, facts: Facts) -> bool:
    """``x.decode()``, and ``str(x, "utf-8")``."""
    around = facts.parent(use)
    if not isinstance(around, ast.Call):
        return isinstance(around, ast.Attribute) and around.attr == "decode"
    return facts.names.builtin(around.func) == "str" and around.args != [use]


def _stripped(output: ast.expr, facts: Facts) -> ast.expr:
    """``x.strip()`` around an ``x``: of bytes it is bytes."""
    method = facts.parent(output)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_strip = isinstance(method, ast.Attribute) and method.attr in _STRIPS
    if is_strip and isinstance(call, ast.Call) and call.func is method and not call.args:
        return _stripped(call, facts)
    return output


def _wants_text(use: ast.expr, facts: Facts) -> str | None:
    """What becomes of bytes where a text is meant."""
    around = facts.parent(use)
    if isinstance(around, ast.Tuple):
        outer = facts.parent(around)
        is_written = isinstance(outer, ast.BinOp) and _writes_texts(outer, around, facts)
        return _written(outer) if is_written and isinstance(outer, ast.BinOp) else None
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add):
        other = around.right if around.left is use else around.left
        return _raising(around) if isinstance(constant(other), str) else None
    if isinstance(around, ast.BinOp):
        return _written(around) if _writes_texts(around, use, facts) else None
    if isinstance(around, ast.Attribute):
        call = facts.parent(around)
        if not isinstance(call, ast.Call) or call.func is not around:
            return None
        is_given = any(isinstance(constant(given), str) for given in call.args)
        return _raising(call) if is_given and hasattr(bytes, around.attr) else None
    if not isinstance(around, ast.Call) or use not in around.args:
        return None
    function = around.func
    if isinstance(function, ast.Attribute) and isinstance(constant(function.value), str):
        return _written(around) if function.attr == "format" else None
    is_str = facts.names.builtin(function) == "str" and not around.keywords
    return _written(around) if is_str else None


def _writes_texts(operation: ast.BinOp, operand: ast.expr, facts: Facts) -> bool:
    """``"%s and %s" % x``, where no number is wanted."""
    form = operation.left
    if not isinstance(form, ast.Constant) or not writes_text_of(facts, operation, operand):
        return False
    return isinstance(form.value, str) and set(_KINDS.findall(form.value)) == {"s"}


def _written(place: ast.expr) -> str:
    return f"which {worded(place, 'a text')} writes as \"b'...'\""


def _raising(place: ast.expr) -> str:
    return f"and {worded(place, 'its use as a text')} raises TypeError"
