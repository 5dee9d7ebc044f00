"""The code that messages propose: found in what is said, and in the sources of the rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.catalogue.rows import Call, Form, Gone, Row

_QUOTED = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_WRITE = "write "
_BEFORE_CODE = re.compile(r"\b(?:write|move) ")
_HOLE = "…"
#: What may begin another proposal: "write x.item() for one number, x.tolist() for several".
_NEXT = re.compile(r", (?:or )?| or ")


def proposals(message: str) -> list[str]:
    """The code that a message proposes: in back-ticks, or all that is code after "write", "move"."""
    found = _QUOTED.findall(message)
    for part in _BEFORE_CODE.split(message)[1:]:
        first = _code_at_start(part)
        others = (_code_at_start(part[match.end() :]) for match in _NEXT.finditer(part))
        found += [first, *(code for code in others if not code.isidentifier())]
    return [code for code in dict.fromkeys(found) if code]


def _code_at_start(text: str) -> str:
    ends = [match.start() for match in re.finditer(r"[\s,;:]|$", text)]
    codes = (text[:end].rstrip(",;:") for end in reversed(ends))
    return next((code for code in codes if code and _is_code(code)), "")


def is_written(proposal: str, code: str) -> bool:
    """Whether code holds a proposal, whose ``...`` and ``…`` stand for anything."""
    parts = re.split(r"\.\.\.|…", re.sub(r"\s", "", proposal))
    pattern = ".+?".join(map(re.escape, parts))
    return re.search(pattern, re.sub(r"\s", "", code)) is not None


def _is_code(text: str) -> bool:
    if re.match(r"(with|if|for) ", text):
        text += " pass"
    text = re.sub(r"^(\.\w)", r"x\1", text.replace(_HOLE, "..."))
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return False
    # "write f(x), unless …", "write y = f(x), unless …": the comma is one of the sentence.
    return not any(
        isinstance(n, (ast.Expr, ast.Assign))
        and isinstance(n.value, ast.Tuple)
        and not text.endswith(")")
        for n in body
    )


def templates(path: Path) -> Iterator[str]:
    """The texts of a module that tell to write something, with ``{}`` for what they are given."""
    tree = ast.parse(path.read_text("utf-8"))
    passed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            # A docstring, also one of an attribute.
            passed.add(node.value)
        if isinstance(node, ast.JoinedStr):
            passed.update(part for part in ast.walk(node) if part is not node)
        text = "" if node in passed else _template(node)
        if _WRITE in text:
            yield text


def _template(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r"\{\w*\}", "{}", node.value)
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
    )


def advice_of(row: Row) -> list[str]:
    """What a row of the catalogue tells a person, with ``{}`` for what a call is given."""
    if isinstance(row, Call):
        return [row.advice, row.earlier, *map(_said, row.forms)]
    if isinstance(row, Gone):
        return [row.advice, *map(_said, (*row.forms, *row.beside))]
    return [getattr(row, "advice", "")]


def _said(form: Form) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", form.advice)


def is_made_from(message: str, template: str) -> bool:
    """Whether a message can come from a template."""
    return re.search(".*".join(map(re.escape, template.split("{}"))), message) is not None
