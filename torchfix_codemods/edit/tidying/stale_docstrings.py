"""Docstrings that name Variables as types, or parameters, once the code has none any more."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_VARIABLE = lazy_pattern(r"\bVariables?\b")
#: A line about what is done, which no other type makes right: ``Converts numpy to Variable``.
_DOING = lazy_pattern(
    r"(?i)\b(convert|turn|make|put|cast|transform|wrap(?!s (?:h|hidden states) in new))\w*\b"
)
#: What a line says again of the type that it names: ``x (Variable): a batch wrapped in Variable``.
_SAID_AGAIN = lazy_pattern(
    r"(\((?:torch\.)?(?:autograd\.)?Variable\): .*(?<! be)) wrapped in (?:an? )?Variable(?=[,.]|$)"
)
#: The same where it goes on, or stands, in the line below.
_SAID_BELOW = lazy_pattern(
    r"(?m)^([ \t]*)(\w+ ?\((?:torch\.)?(?:autograd\.)?Variable\): [^\n]*?(?<! be)),?"
    r"(?:\n\1[ \t]+wrapped in (?:an? )?| wrapped in(?: an?)?\n\1[ \t]+)Variable(?=[,.]?[ \t]*$)"
)
_NOT_A_TYPE = r"(?![- ]?(?:length|siz|name|number|selection|importance|rate))"

#: What a line of an example holds is code: only what torch makes there is told without its wrapper.
_EXAMPLE = lazy_pattern(r"^\s*(?:>>>|\.\.\.) ")
_WRAPPED = lazy_pattern(
    r"((?:>>>|\.\.\.) (?:\w+ = )?)(?:torch\.)?(?:autograd\.)?Variable\((torch\.\w+\([^()#]*\))\)$"
)

_TYPES = (
    # ``Variable, GPU tensor, or CPU tensor``.
    (
        lazy_pattern(r"(?<![\w.])Variable, (\w+ [Tt]ensor),? or (\w+ [Tt]ensor)\b"),
        r"\1 or \2",
    ),
    # ``a Variable containing a LongTensor``.
    (
        lazy_pattern(r"\ba Variable (?:containing|holding) (an? `*(?:torch\.)?\w*Tensor\b)"),
        r"\1",
    ),
    (
        lazy_pattern(r"\bA Variable (?:containing|holding) a(n? `*(?:torch\.)?\w*Tensor\b)"),
        r"A\1",
    ),
    # ``a `Tensor` or `Variable` ``.
    (
        lazy_pattern(r"(`+)((?:torch\.)?\w*[Tt]ensors?)\1(?:\s*[,/|]\s*| or )\1Variables?\1(?!`)"),
        r"\1\2\1",
    ),
    (
        lazy_pattern(
            r"(`*)(?<![\w.])(?:torch\.(?:autograd\.)?)?Variable\1(?:\s*[,/|]\s*| or | and )"
            r"(`*torch\.(?:\w*Tensor)\b`*)"
        ),
        r"\2",
    ),
    (
        lazy_pattern(
            r"(`*)\b(torch\.(?:\w*Tensor)\b)\1(?:\s*[,/|]\s*| or | and )"
            r"\1(?:torch\.)?(?:autograd\.)?Variable\b\1"
        ),
        r"\1\2\1",
    ),
    (lazy_pattern(r"\b(?:torch\.)?autograd\.{1,2}(?:variable\.)?Variable\b"), "torch.Tensor"),
    (lazy_pattern(r"\b(?:[Tt]orch\.(?:nn\.)?|nn\.)Variable\b"), "torch.Tensor"),
    (lazy_pattern(r"\bVariable\(\s*((?:torch\.)?\w*[Tt]ensor)\s*\)"), r"\1"),
    (lazy_pattern(r"\b((?:torch\.)?[A-Z][a-z]+Tensor) Variables?\b"), r"\1"),
    (lazy_pattern(r"\b(\w*[Tt]ensors?)(?:\s*[,/|]\s*| or | and )Variables?\b"), r"\1"),
    (lazy_pattern(r"(?<![\w.])Variables?(?:\s*[,/|]\s*| or | and )(\w*[Tt]ensors?)\b"), r"\1"),
    (lazy_pattern(rf"(?<=[(:\[{{>|])(\s*)Variable\b{_NOT_A_TYPE}"), r"\1Tensor"),
    (
        lazy_pattern(
            rf"\b((?:[Pp]y)?[Tt]orch|th|cuda|new|an?|as|input|output|[Rr]eturns?|\d[Dd])"
            rf" Variable(s?)\b{_NOT_A_TYPE}"
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
    # ``A Variable with any shape``, ``takes Variable inputs``, ``a single Variable.``.
    (lazy_pattern(r"\b(An?) Variable(?= (?:of|that|which|with)\b)"), r"\1 Tensor"),
    (
        lazy_pattern(r"(?<=[a-z] )Variable(?= (?:arguments?|inputs?|outputs?)\b(?! (?:siz|len)))"),
        "Tensor",
    ),
    (lazy_pattern(r"\b(single|[Tt]uple of\)) Variable(?=[.),]|$)"), r"\1 Tensor"),
    # ``dict of (name, Variable)``, ``type is Variable``, ``the Variables that require grad``.
    (lazy_pattern(r"(?<=\()(\w+), Variable(?=\))"), r"\1, Tensor"),
    (lazy_pattern(rf"\b(type is|array[-_]like) Variable\b{_NOT_A_TYPE}"), r"\1 Tensor"),
    (lazy_pattern(r"\b(the) Variable(s?)(?= that requires? grad)"), r"\1 Tensor\2"),
    # ``logits: [B, H, W] Variable, …``, ``x: BxCxM Variable``.
    (lazy_pattern(r"(?<=\] )Variable(?=,|$)"), "Tensor"),
    (lazy_pattern(r"\b((?:[A-Z\d]+x)+[A-Z\d]+) Variable\b(?= in\b|,|$)"), r"\1 Tensor"),
    (lazy_pattern(r"^(\s*)Variable(?=\()"), r"\1Tensor"),
    # What is returned, below its heading: ``Variable: the loss``.
    (lazy_pattern(r"^(\s+)Variable(?=: )"), r"\1Tensor"),
)

#: What is returned, in a line of its own: ``Variable so it is ready for a model``.
_RETURNED = lazy_pattern(
    r"(?m)(^[ \t]*Returns?:[ \t]*\n[ \t]+)Variable(?= (?:for|of|so|that|which|with)\b)"
)

#: ``x (Variable): the batch to convert``: what is done has nothing to do with the type.
_TYPED = lazy_pattern(
    r"^(\s*(?::param )?\w+ ?\()(?:torch\.)?(?:autograd\.)?Variable(?=\): )(?!.*\bVariables?\b)"
)
#: ``a dict of the means and stds Variables``, in a text that names them as types elsewhere.
_OF_BOTH = lazy_pattern(rf"\b(\w+ and \w+ )Variables\b{_NOT_A_TYPE}")
#: What a text still says of Variables as things, be it as types or of what was done to them.
_LEFT = lazy_pattern(
    r"(?:(?<=\w )|(?<=, )|(?<=\()|\b(?:in|to|into|an?)\n[ \t]+)"
    rf"(?:torch\.)?(?:autograd\.)?Variables?\b{_NOT_A_TYPE}"
)

#: ``an autograd.Variable`` leaves its article behind: ``an torch.Tensor``.
_ARTICLE = lazy_pattern(r"\b([Aa])n (?=`*(?:torch\.)?Tensor\b)")

#: What a line says in small letters of its types: ``x (Variable): tensor or variable``.
_ALIKE = lazy_pattern(rf"(?<![\w.])([Tt]ensors?) or variables?\b(?!-){_NOT_A_TYPE}")

#: All that is said of a function: ``Convert Tensor to Variable.``.
_CONVERTING = lazy_pattern(
    r"(?s)(['\"]{1,3}\s*)Convert(s?) ((?:an? |the )?(?:torch |PyTorch )?[Tt]ensors?) (?:in)?to "
    r"(?:(an? |the )|(?:torch |autograd )?)Variables?(\.?\s*['\"]{1,3})"
)

#: ``:param volatile: …``, ``:type volatile: …``, ``@param volatile …``, ``volatile (bool): …``.
_PARAMETER = lazy_pattern(
    r"\s*(?P<tag>:(?:param|type|arg) (?:\w+ )?(?=\w+:)|@(?:param|type) )?"
    r"(?P<name>\w+)(?(tag)\b| ?(?:\([^()]*\))?:)"
)


class StaleDocstring(Tidying):
    """Writes ``torch.Tensor`` in docstrings that say ``torch.autograd.Variable``.

    The line about a parameter goes with it: ``:param volatile: whether to infer only``. A function
    that converted to Variables, and only moves since, says that it moves.
    """

    name = "stale-docstring"

    def find_FunctionDef(self, node: _Definition, facts: Facts) -> Iterator[Found]:
        docstring = node.body[0]
        if not isinstance(docstring, ast.Expr) or not is_docstring(docstring):
            return
        text = facts.segment(docstring.value)
        gone = _gone(node, text, facts)
        if gone and without_parameters(text, gone) != text:
            yield self.found(docstring.value, "speaks of a parameter that is gone", gone=gone)
            return
        # All of a file speak alike, also those of functions in which nothing else was to do.
        said = about_tensors(text)
        is_stale = said != text and not _is_code(docstring.value) and lost_variables(facts)
        if not is_stale and not _has_variables(facts) and _only_moves(node, facts):
            said = about_moving(text)
            is_stale = said != text
        if is_stale:
            yield self.found(docstring.value, "speaks of what is gone", gone=(), said=said)

    find_AsyncFunctionDef = find_ClassDef = find_FunctionDef

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        gone = self.data["gone"]
        value = without_parameters(updated.value, gone) if gone else self.data["said"]
        return updated.with_changes(value=value)


def _only_moves(node: _Definition, facts: Facts) -> bool:
    """Whether ``return x.to(device)`` is all that a rewrite left of a function."""
    last = node.body[-1]
    if isinstance(node, ast.ClassDef) or len(node.body) != 2 or not isinstance(last, ast.Return):
        return False
    return last.value is not None and facts.touched(last) and is_move(last.value, facts)


def about_moving(text: str) -> str:
    """``Move Tensor to device.`` for all that a text says: ``Convert Tensor to Variable.``."""
    found = _CONVERTING.fullmatch(text)
    if found is None:
        return text
    opening, ending, what, article, end = found.groups()
    return f"{opening}Move{ending} {what} to {'the ' if article else ''}device{end}"


def _is_code(text: ast.expr) -> bool:
    """Whether a text in the place of a docstring is code that was put away between quotes."""
    assert isinstance(text, ast.Constant)
    try:
        body = ast.parse(textwrap.dedent(str(text.value))).body
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(statement, (ast.Assign, ast.AugAssign)) for statement in body)


def _gone(node: _Definition, text: str, facts: Facts) -> tuple[str, ...]:
    """The parameters of a function, or of the constructor of a class, that a rewrite took out.

    Of those only that a text of documentation has a line about.
    """
    for function in node.body if isinstance(node, ast.ClassDef) else [node]:
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if node is not function and function.name != "__init__":
            continue
        signature = range(function.lineno, function.body[0].lineno)
        if not any(map(facts.is_rewritten, signature)):
            return ()
        given = function.args
        known = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        there = {each.arg for each in known if each is not None}
        was = "\n".join(facts.as_read(number).rstrip() for number in signature)
        matches = filter(None, map(_PARAMETER.match, text.splitlines()))
        told = {match["name"] for match in matches}
        return tuple(sorted((told - there) & _parameters_of(was)))
    return ()


def _parameters_of(signature: str) -> set[str]:
    """The names of what a function took; none where the lines hold more, or less, than its head."""
    try:
        head = ast.parse(f"{signature.strip()}\n    pass").body[0]
    except SyntaxError:
        return set()
    return {part.arg for part in ast.walk(head) if isinstance(part, ast.arg)}


def without_parameters(text: str, gone: Collection[str]) -> str:
    """A text of documentation without the lines about some parameters.

    Those that go on in the next line stay, and so do those that stand alone below a heading.

    Args:
        text: the text, with its quotes.
        gone: the names of the parameters.
    """
    lines = text.splitlines(keepends=True)
    kept = lines[:1]
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        found = _PARAMETER.match(line)
        goes = found is not None and found["name"] in gone and _ends(line, below)
        if goes and found is not None and found["tag"] is None:
            goes = _is_listed(above, line) or _is_listed(below, line)
        kept += [] if goes else [line]
    return "".join([*kept, *lines[1:][-1:]])


def _ends(line: str, below: str) -> bool:
    """Whether the line below does not go on with what a line says."""
    return not below.strip() or _indent(below) <= _indent(line)


def _is_listed(other: str, line: str) -> bool:
    """Whether a line next to one of a list is of the same list."""
    found = _PARAMETER.match(other)
    return found is not None and found["tag"] is None and _indent(other) == _indent(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def about_tensors(text: str) -> str:
    """A text of documentation with tensors where it names Variables as types.

    What it says of Variables otherwise stays: ``Variable length``, ``convert it to a Variable``.
    Where it would go on to speak of them so, all of it stays: no text has one thing by two names.
    """
    if "Variable" not in text:
        return text
    said = _SAID_BELOW.sub(r"\1\2", _RETURNED.sub(r"\1Tensor", text))
    said = "".join(map(_about_tensors, said.splitlines(keepends=True)))
    if said != text:
        said = _OF_BOTH.sub(r"\1Tensors", said)
    prose = (line for line in said.splitlines() if _EXAMPLE.search(line) is None)
    return said if _LEFT.search("\n".join(prose)) is None else text


def _about_tensors(line: str) -> str:
    if "Variable" not in line:
        return line
    line = _SAID_AGAIN.sub(r"\1", line)
    if _VARIABLE.search(line) is None:
        return line
    if _DOING.search(line) is not None:
        return _TYPED.sub(r"\1Tensor", line)
    end = line[len(line.rstrip("\r\n")) :]
    line = line[: len(line) - len(end)]
    if _EXAMPLE.search(line) is not None:
        return _WRAPPED.sub(r"\1\2", line) + end
    before = line
    for pattern, tensor in _TYPES:
        line = pattern.sub(tensor, line)
    if line != before:
        line = _ARTICLE.sub(r"\1 ", line)
    if line != before and _VARIABLE.search(line) is None:
        line = _ALIKE.sub(r"\1", line)
    return line + end


def lost_variables(facts: Facts) -> bool:
    """Whether the code had Variables, by whatever name, and has none since they were rewritten."""
    return not _has_variables(facts) and any(
        facts.had_variable(number)
        and _VARIABLE.search(line) is None
        and line.strip() != facts.as_read(number).strip()
        for number, line in enumerate(facts.lines, 1)
    )


def _has_variables(facts: Facts) -> bool:
    is_used = "Variable" in facts.names.used or bool(facts.names.attributes("Variable"))
    return is_used or facts.speaks_of("Variable as ")
