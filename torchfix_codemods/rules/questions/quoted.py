"""Arguments of a call, as messages of the catalogue write them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.record import record
from torchfix_codemods.text.wording import worded, worded_operand


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
