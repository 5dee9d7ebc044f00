"""How a row's message writes the user's arguments, and the names that it proposes."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from string import Formatter

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import spelling
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.text.wording import LONGEST, SIMPLE, worded

#: A dotted name, unless it is a part of another, of a string or of the text of an import.
_NAME = lazy_pattern(r"(?<![\w.'\"/])(?<!from )(?<!import )[A-Za-z_]\w*(?:\.\w+)+")
#: How rows write what files import by other names as well.
_SHORT = {"np": "numpy"}
#: A size is calculated, and has no name, as often as not.
_LONGEST_PART = 60


@record
class Quoted:
    """An argument as a message writes it: ``{a}``, or ``{size[0]}`` for a part of it.

    ``{a:operand}`` stands beside an operator, ``{a:text}`` is a string without its quotes,
    ``{a:short}`` is ``...`` where the argument is long. ``{a:name}{a:with}`` gives what is none a
    name, so that it stands there once.
    """

    node: ast.expr
    name: str
    longest: int = LONGEST

    def __str__(self) -> str:
        text = ast.unparse(self.node)
        return text if len(text) <= self.longest else self.name

    @property
    def is_left(self) -> bool:
        """Whether the name of the parameter stands for code that is too long."""
        return str(self) == self.name != ast.unparse(self.node)

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
        is_operand = spec == "operand" and not isinstance(self.node, (ast.Constant, *SIMPLE))
        return f"({self})" if is_operand and not self.is_left else str(self)

    def __getitem__(self, place: int) -> Quoted:
        if not isinstance(self.node, (ast.Tuple, ast.List)):
            return Quoted(ast.Name(f"{self.name}[{place}]"), self.name)
        return Quoted(self.node.elts[place], f"{self.name}[{place}]", _LONGEST_PART)


def leaves_names(text: str, quoted: Mapping[str, Quoted]) -> bool:
    """Whether a message would name a parameter where the file has no such name.

    Args:
        text: the message, with the parameters in braces.
        quoted: what is given for each.
    """
    fields = [(name, spec) for _, name, spec, _ in Formatter().parse(text) if name]
    return any(
        Formatter().get_field(name, (), quoted)[0].is_left
        for name, spec in fields
        if spec not in ("short", "text")
    )


def with_call(text: str, function: str, quoted: Mapping[str, Quoted]) -> str:
    """A message that says first which arguments its names are: ``for imresize(arr, size), …``.

    Args:
        text: the message, with the parameters in braces.
        function: the name of what is called.
        quoted: what is given for each parameter, in the order of them.
    """
    places = list(quoted)
    passed = (
        f"{{{name}}}" if places[index] == name else f"{name}={{{name}}}"
        for index, name in enumerate(name for name in places if f"{{{name}" in text)
    )
    called = f"{function}({', '.join(passed)})"
    is_told_of = text.startswith("it ")
    return f"{called} {text.removeprefix('it ')}" if is_told_of else f"for {called}, {text}"


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
