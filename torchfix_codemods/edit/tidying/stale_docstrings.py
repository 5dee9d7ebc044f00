"""Docstrings that name Variables as types, once the code has none any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_VARIABLE = lazy_pattern(r"\bVariables?\b")
#: A line about what is done, which no other type makes right: ``Converts numpy to Variable``.
_DOING = lazy_pattern(r"(?i)\b(convert|turn|make|put|cast|transform|wrap(?!s hidden states))\w*\b")
_NOT_A_TYPE = r"(?![- ]?(?:length|siz|name|number|selection|importance|rate))"

#: What a line of an example holds is code: only what torch makes there is told without its wrapper.
_EXAMPLE = lazy_pattern(r"^\s*(?:>>>|\.\.\.) ")
_EXAMPLES = lazy_pattern(r"(?m)^\s*(?:>>>|\.\.\.) .*\bVariable\(")
_WRAPPED = lazy_pattern(
    r"((?:>>>|\.\.\.) (?:\w+ = )?)(?:torch\.)?(?:autograd\.)?Variable\((torch\.\w+\([^()#]*\))\)$"
)

_TYPES = (
    (lazy_pattern(r"\b(?:torch\.)?autograd\.{1,2}Variable\b"), "torch.Tensor"),
    (lazy_pattern(r"\b[Tt]orch\.Variable\b"), "torch.Tensor"),
    (lazy_pattern(r"\bVariable\(\s*((?:torch\.)?\w*[Tt]ensor)\s*\)"), r"\1"),
    (lazy_pattern(r"\b((?:torch\.)?[A-Z][a-z]+Tensor) Variables?\b"), r"\1"),
    (lazy_pattern(r"\b(\w*[Tt]ensors?)(?:\s*[,/|]\s*| or | and )Variables?\b"), r"\1"),
    (lazy_pattern(r"\bVariables?(?:\s*[,/|]\s*| or | and )(\w*[Tt]ensors?)\b"), r"\1"),
    (lazy_pattern(rf"(?<=[(:\[{{>|])(\s*)Variable\b{_NOT_A_TYPE}"), r"\1Tensor"),
    (
        lazy_pattern(
            rf"\b([Tt]orch|cuda|new|an?|as|input|output|[Rr]eturns?) Variable(s?)\b{_NOT_A_TYPE}"
        ),
        r"\1 Tensor\2",
    ),
    (
        lazy_pattern(
            r"\bVariable(s?)(?= (?:of (?:shape|size)|containing|holding|with shape|float|long)\b)"
        ),
        r"Tensor\1",
    ),
    (
        lazy_pattern(
            r"\b((?:[Ll]ist|[Tt]uple|[Ss]equence)s? of|[Vv]ariable[- ]length|all(?: of)?(?: the)?)"
            rf" Variables\b{_NOT_A_TYPE}"
        ),
        r"\1 Tensors",
    ),
    (lazy_pattern(r"(?<=\) )Variable$"), "Tensor"),
    (lazy_pattern(r"^(\s*)Variable(?=\()"), r"\1Tensor"),
)


class StaleDocstring(Tidying):
    """Writes ``torch.Tensor`` in docstrings that say ``torch.autograd.Variable``."""

    name = "stale-docstring"

    def find_FunctionDef(self, node: _Definition, facts: Facts) -> Iterator[Found]:
        docstring = node.body[0]
        if not isinstance(docstring, ast.Expr) or not is_docstring(docstring):
            return
        text = facts.segment(docstring.value)
        # The examples of all docstrings lose the import that goes.
        is_meant = facts.touched(node) or _EXAMPLES.search(text) is not None
        if about_tensors(text) != text and is_meant and lost_variables(facts):
            yield self.found(docstring.value, "speaks of what is gone")

    find_AsyncFunctionDef = find_ClassDef = find_FunctionDef

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        return updated.with_changes(value=about_tensors(updated.value))


def about_tensors(text: str) -> str:
    """A text of documentation with tensors where it names Variables as types.

    What it says of Variables otherwise stays: ``Variable length``, ``convert it to a Variable``.
    """
    return "".join(map(_about_tensors, text.splitlines(keepends=True)))


def _about_tensors(line: str) -> str:
    if _VARIABLE.search(line) is None or _DOING.search(line) is not None:
        return line
    end = line[len(line.rstrip("\r\n")) :]
    line = line[: len(line) - len(end)]
    if _EXAMPLE.search(line) is not None:
        return _WRAPPED.sub(r"\1\2", line) + end
    for pattern, tensor in _TYPES:
        line = pattern.sub(tensor, line)
    return line + end


def lost_variables(facts: Facts) -> bool:
    """Whether the code had Variables, and has none since they were rewritten."""
    names = facts.names
    if "Variable" in names.used or names.attributes("Variable"):
        return False
    return any(
        _VARIABLE.search(facts.as_read(number)) is not None and _VARIABLE.search(line) is None
        for number, line in enumerate(facts.lines, 1)
    )
