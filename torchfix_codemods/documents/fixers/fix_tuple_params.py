"""``def f((a, b))`` is ``def f(a_b)``, whose first line is ``a, b = a_b``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword
from typing import Any

from fissix.fixes import fix_tuple_params
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import root_of

#: Of more, the joined names are no name.
_LONGEST = 30
_EMPTY_LINES = re.compile(r"\A(?:[ \t]*\n)*")


class FixTupleParams(fix_tuple_params.FixTupleParams):  # type: ignore[misc]
    """Gives the tuple a name that says what it is, and leaves what stands below the docstring.

    fissix calls it ``xxx_todo_changeme``, and takes away the empty lines and the comments between
    the docstring and the first statement.
    """

    _names: Iterator[str] = iter(())

    def transform(self, node: Any, results: Any) -> Any:
        if "lambda" in results:
            return super().transform(node, results)
        given = results["args"]
        parameters = given.children if given.type == python_symbols.typedargslist else [given]
        tuples = [p for p in parameters if p.type == python_symbols.tfpdef]
        if not tuples:
            return None
        self._names = iter(_names_for(node, parameters))
        body = results["suite"][0]
        is_block = body.children[1].type == token.INDENT
        has_docstring = is_block and fix_tuple_params.is_docstring(body.children[2])
        below = body.children[3] if has_docstring else None
        between = below.prefix if below is not None else ""
        result = super().transform(node, results)
        start = 3 if has_docstring else 2 if is_block else 0
        for line in body.children[start : start + len(tuples)]:
            _unpack_plainly(line.children[0])
        if below is not None:
            # With nothing below it, what follows stands outside.
            is_last = below.type == token.DEDENT
            above = 0 if is_last else len(between) - len(_EMPTY_LINES.sub("", between, count=1))
            first = body.children[start]
            first.prefix = between[:above] + first.prefix
            below.prefix = between[above:]
        return result

    def new_name(self, template: str | None = None) -> str:
        """The name of the next tuple; fissix asks for that of a lambda by its template."""
        return next(self._names) if template is None else str(super().new_name(template))


def _unpack_plainly(assignment: Any) -> None:
    """``a, b = …`` of ``(a, b) = …``, in one line."""
    opening, names, closing = assignment.children[0].children
    is_one = names.type == token.NAME or names.children[-1].type == token.COMMA
    if not is_one and "\n" not in f"{names}{closing}":
        names.prefix = opening.prefix
        opening.remove()
        closing.remove()


def _names_for(function: Any, parameters: list[Any]) -> Iterator[str]:
    """What to call each tuple, no name of another: as docstrings do, or as its parts."""
    # What stands behind a comma begins a parameter; a default value does not.
    shown = [p for i, p in enumerate(parameters) if not i or parameters[i - 1].type == token.COMMA]
    taken = {leaf.value for leaf in function.leaves() if leaf.type == token.NAME}
    documented = list(_documented(function, root_of(function)))
    for index, parameter in enumerate(shown):
        if parameter.type != python_symbols.tfpdef:
            continue
        wanted = [
            names[index]
            for names in documented
            if index < len(names) and all(map(_fits, names[:index], shown))
        ]
        inner = (leaf.value.strip("_") for leaf in parameter.leaves() if leaf.type == token.NAME)
        joined = "_".join(filter(None, inner))
        wanted += [joined] if len(joined) <= _LONGEST else []
        wanted += ["parts", *(f"parts_{number}" for number in range(len(taken)))]
        name = next(n for n in wanted if n.isidentifier() and n not in taken and not iskeyword(n))
        taken.add(name)
        yield name


def _fits(name: str, parameter: Any) -> bool:
    """Whether a docstring calls a parameter as the function does; a tuple has no name."""
    is_tuple = parameter.type == python_symbols.tfpdef
    return is_tuple or name == str(parameter).strip()


def _documented(function: Any, module: Any) -> Iterator[list[str]]:
    """The parameters as the docstrings of a function and of its file write them: ``f(a, b=1)``."""
    call = re.compile(rf"\b{function.children[1].value}\(([^()]*)\)")
    for leaf in (*function.leaves(), *module.leaves()):
        statement = leaf.parent
        if leaf.type == token.STRING and statement.type == python_symbols.simple_stmt:
            for match in call.finditer(leaf.value):
                yield [name.partition("=")[0].strip() for name in match[1].split(",")]
