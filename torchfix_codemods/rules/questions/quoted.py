"""How a row's message writes the user's arguments, and the names that it proposes."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import spelling
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.text.wording import worded, worded_operand

#: A dotted name, unless it is a part of another, of a string or of the text of an import.
_NAME = lazy_pattern(r"(?<![\w.'\"/])(?<!from )(?<!import )[A-Za-z_]\w*(?:\.\w+)+")
#: How rows write what files import by other names as well.
_SHORT = {"np": "numpy"}


@record
class Quoted:
    """An argument as a message writes it: ``{a}``, or ``{size[0]}`` for a part of it.

    ``{a:operand}`` stands beside an operator, ``{a:text}`` is a string without its quotes,
    ``{a:short}`` is ``...`` where the argument is long. ``{a:name}{a:with}`` gives what is none a
    name, so that it stands there once.
    """

    node: ast.expr
    name: str

    def __str__(self) -> str:
        return worded(self.node, self.name)

    def __format__(self, spec: str) -> str:
        if spec == "text":
            text = constant(self.node)
            return text if isinstance(text, str) else self.name.upper()
        if spec == "short":
            return worded(self.node, "...")
        if spec in ("name", "with"):
            is_named = isinstance(self.node, ast.Name) or str(self) == self.name
            text = "" if is_named else f", with {self.name} = {self}"
            return text if spec == "with" else str(self) if is_named else self.name
        is_operand = spec == "operand" and not isinstance(self.node, ast.Constant)
        return worded_operand(self.node, self.name) if is_operand else str(self)

    def __getitem__(self, place: int) -> Quoted:
        if not isinstance(self.node, (ast.Tuple, ast.List)):
            return Quoted(ast.Name(f"{self.name}[{place}]"), self.name)
        return Quoted(self.node.elts[place], f"{self.name}[{place}]")


def as_imported(text: str, place: ast.AST, facts: Facts) -> str:
    """A proposal with its names as the file's imports bring them: ``models.get_model_weights``.

    What nothing in the file imports keeps its whole name, from which its import can be told.

    Args:
        text: what is proposed, in the names that the documentation has.
        place: where it is to be written.
        facts: the facts of the module.
    """

    def _as_there(found: re.Match[str]) -> str:
        written = found.group()
        root, dot, rest = written.partition(".")
        if facts.names.scope_of(place).lookup(root) is not None:
            return written
        return spelling(facts, place, f"{_SHORT.get(root, root)}{dot}{rest}") or written

    return _NAME.sub(_as_there, text)
