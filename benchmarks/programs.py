"""Random programs for `fuzz.py`: what a seed stands for never changes with the machine."""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import io
import keyword
import random
import tokenize
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"

#: A program is at most so long, so that thousands of them do not take hours.
_MOST_CHARACTERS = 4000

_IMPORTS = """\
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch import Tensor
from torch.autograd import Variable, Function
from torch.nn.init import xavier_uniform, constant
from torch.utils.data import DataLoader
import torchvision.models as models
"""

_TORCH_NAMES = (
    "torch torch.cuda torch.nn nn F Variable nn.Module self model net loss loader optimizer "
    "criterion x y out inputs targets Tensor np range len torch.LongTensor torch.zeros "
    "loss.data x.data x.grad F.softmax F.dropout nn.Dropout nn.LSTM DataLoader iter(loader) "
    "torch.no_grad torch.cuda.is_available() x.cuda() optimizer.step model.train model.eval "
    "loss.backward x.view x.sum x.t() xavier_uniform constant models.resnet18 Function device"
).split()

_HEADERS = (
    "if {e}:",
    "if not {e}:\n    pass\nelse:",
    "for item in {e}:",
    "for i, (x, y) in enumerate({e}):",
    "while {e}:",
    "with torch.no_grad():",
    "with {e} as handle:",
    "def helper(x, y={e}):",
    "def helper(self, *args: {e}, flag: bool = False, **kwargs) -> {e}:",
    "async def helper(x):",
    "class Helper(nn.Module):",
    "@torch.no_grad()\ndef helper():",
    "@{e}\nclass Helper:",
    "try:\n    pass\nexcept ({e}):",
    "try:\n    {e}\nfinally:",
    "if (found := {e}):",
    "match {e}:\n  case [x, *y]:\n    pass\n  case torch.Tensor(data=z) if z:",
    "match {e}:\n  case {{'a': x, **rest}} | (1 | None as x, rest):",
)

_STATEMENTS = (
    "print(f'{{{e}!r:>{{width}}}} and {{{e}=}}')",
    "value: {e} = {e}",
    "first = second = {e}",
    "first, *second = {e}, {e}",
    "*first, (x, *y), loss = {e}, {e}, {e}",
    "out, x, loss = {e}, *{e}",
    "loss = {e}, *{e}; loss = loss[-1]",
    "assert {e}, {e}",
    "del {e}",
    "total += {e}",
    "global total",
    "pick = lambda x, *y: {e}",
    "made = [{e} for item in {e} if {e}]",
    "made = {{**{e}, {e}: {e}}}",
    "made = ({e} if {e} else {e})",
    "if (y := {e}) and {e}: x = y",
    "x = {e}; y = {e}; print(x)",
    "x = not {e} or -{e} ** {e}",
    "x[{e}:, ..., None] = {e}",
    "'''kept\n  text\n'''",
    "from torch import *",
    "from . import sibling",
    "import torch.nn.functional",
    "torch = {e}",
    "return {e}",
    "yield {e}",
    "await {e}",
    "raise {e} from {e}",
)

_COMMENTS = (
    "# kept",
    "# noqa: E501",
    "# type: ignore",
    "# fmt: off",
    "# torchfix: off",
    "# TODO(me): x.cuda() # twice",
    "#!kept ä 漢 \U0001f525",
    "#",
)


def program(seed: int) -> tuple[str, bytes]:
    """The kind and the bytes of the program of a seed."""
    rng = random.Random(seed)
    name = rng.choices(list(_KINDS), [weight for weight, _ in _KINDS.values()])[0]
    text = _KINDS[name][1](rng)
    return name, _encoded(text, rng)


# Pieces of the fixtures


@functools.cache
def _pieces() -> tuple[str, ...]:
    """Each fixture as a few small modules: its head, and its definitions with it."""
    result = []
    for path in sorted(FIXTURES.glob("[cpr]*/*.py")):
        if path.parent.name == "record":
            continue
        text = path.read_text("utf-8").replace("async=", "non_blocking=")
        lines = text.splitlines(keepends=True)
        head, bodies = [], []
        for start, end, is_definition in _top_level(text):
            (bodies if is_definition else head).append("".join(lines[start:end]))
        bodies = [body for body in bodies if len(body) < _MOST_CHARACTERS]
        for first in range(0, len(bodies), 3):
            result.append("".join([*head, *bodies[first : first + 3]]))
    return tuple(piece for piece in result if len(piece) < 2 * _MOST_CHARACTERS)


def _top_level(text: str) -> Iterator[tuple[int, int, bool]]:
    """The lines of each statement of a module, with those above it that are no code."""
    start = 0
    for node in ast.parse(text).body:
        end = node.end_lineno or node.lineno
        yield start, end, isinstance(node, (ast.FunctionDef, ast.ClassDef))
        start = end


@functools.cache
def _expressions() -> tuple[str, ...]:
    """Small expressions of the fixtures."""
    found: dict[str, None] = {}
    for piece in _pieces():
        for node in ast.walk(ast.parse(piece)):
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", LOAD), ast.Load):
                if not isinstance(node, (ast.Starred, ast.FormattedValue, ast.Constant)):
                    code = ast.unparse(node)
                    if len(code) < 90 and is_python(f"({code})"):
                        found[code] = None
    return tuple(found)


@functools.cache
def _statements() -> tuple[str, ...]:
    """Statements of the fixtures as they are written there, at no indentation."""
    found: dict[str, None] = {}
    for piece in _pieces():
        for node in ast.walk(ast.parse(piece)):
            if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                code = ast.get_source_segment(piece, node) or ""
                if "\n" not in code and len(code) < 120:
                    found[code] = None
    return tuple(found)


LOAD = ast.Load()


def _expression(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(_TORCH_NAMES)
    return rng.choice(_expressions())


def _statement(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return rng.choice(_statements())
    return _filled(rng.choice(_STATEMENTS), rng)


def _filled(form: str, rng: random.Random) -> str:
    for _ in range(form.count("{e}")):
        form = form.replace("{e}", _expression(rng).replace("{", "{{").replace("}", "}}"), 1)
    return form.replace("{{", "{").replace("}}", "}")


# Kinds of programs


def _crossed(rng: random.Random) -> str:
    """Expressions of a fixture replaced by others, at any place."""
    tree = ast.parse(rng.choice(_pieces()))
    for _ in range(rng.randint(1, 6)):
        places = list(_expression_places(tree))
        parent, field, index = rng.choice(places)
        new = ast.parse(f"({_expression(rng)})", mode="eval").body
        if index is None:
            setattr(parent, field, new)
        else:
            getattr(parent, field)[index] = new
    return _unparsed(tree) or rng.choice(_pieces())


def _expression_places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.pattern)):
            continue
        for field, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            for index, each in enumerate(values):
                if isinstance(each, ast.expr) and isinstance(getattr(each, "ctx", LOAD), ast.Load):
                    yield node, field, index if isinstance(value, list) else None


def _unparsed(tree: ast.AST) -> str | None:
    try:
        code = ast.unparse(tree)
    except (ValueError, RecursionError):
        return None
    return code if is_python(code) else None


def _built(rng: random.Random) -> str:
    """Statements of all fixtures one after the other, in blocks of all kinds."""
    lines: list[str] = []
    for _ in range(rng.randint(3, 12)):
        lines += _block(rng, depth=0)
    return _IMPORTS + "\n".join(lines) + "\n"


def _block(rng: random.Random, depth: int) -> list[str]:
    if depth > 3 or rng.random() < 0.65:
        statement = _statement(rng)
        return statement.split("\n") if is_python(_framed(statement)) else ["pass"]
    header = _filled(rng.choice(_HEADERS), rng)
    if not is_python(_framed(f"{header}\n        pass")):
        header = "if True:"
    body = [line for _ in range(rng.randint(1, 4)) for line in _block(rng, depth + 1)]
    body = ["pass"] if not is_python(_framed("\n".join(body))) else body
    indent = "    " if "match" not in header else "      "
    return [*header.split("\n"), *(indent + line for line in body)]


def _framed(code: str) -> str:
    return "async def f():\n" + "\n".join("  " + line for line in code.split("\n"))


def _dressed(rng: random.Random) -> str:
    """A fixture laid out otherwise: comments, line breaks, semicolons, indentation."""
    text = rng.choice(_pieces()) if rng.random() < 0.6 else _built(rng)
    for _ in range(rng.randint(1, 4)):
        changed = rng.choice(_LAYOUTS)(text, rng)
        if is_python(changed):
            text = changed
    return text


def _commented(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 12)):
        index = rng.randrange(len(lines))
        line = lines[index]
        comment = rng.choice(_COMMENTS)
        if rng.random() < 0.6:
            lines[index] = f"{line}{rng.choice(('', ' ', '  ', '	'))}{comment}"
        else:
            indent = line[: len(line) - len(line.lstrip())]
            lines.insert(index, indent + comment)
        if not is_python("\n".join(lines)):
            return text
    return "\n".join(lines)


def _broken_lines(text: str, rng: random.Random) -> str:
    """New lines, comments and backslashes between tokens."""
    tokens = _tokens(text)
    depth, inside, outside = 0, [], []
    for index, token in enumerate(tokens[:-1]):
        depth += (token.string in "([{" and token.type == tokenize.OP and token.string != "") - (
            token.string in ")]}" and token.type == tokenize.OP and token.string != ""
        )
        if token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER):
            if tokens[index + 1].start[0] == token.end[0]:
                (inside if depth else outside).append(token)
    lines = text.split("\n")
    chosen = rng.sample(inside, min(len(inside), rng.randint(1, 8)))
    glue = {id(t): rng.choice(("\n", "\n        ", "  # kept\n    ", " \\\n  ")) for t in chosen}
    if outside and rng.random() < 0.3:
        token = rng.choice(outside)
        glue[id(token)] = " \\\n  "
        chosen.append(token)
    for token in sorted(chosen, key=lambda token: token.end, reverse=True):
        line, column = token.end
        lines[line - 1] = lines[line - 1][:column] + glue[id(token)] + lines[line - 1][column:]
    return "\n".join(lines)


def _joined(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 6)):
        if len(lines) < 3:
            break
        index = rng.randrange(len(lines) - 1)
        glue = rng.choice(("; ", ";", " ; "))
        joined = lines[index] + ("" if lines[index].endswith(":") else glue)
        changed = [*lines[:index], joined + " " + lines[index + 1].strip(), *lines[index + 2 :]]
        if is_python("\n".join(changed)):
            lines = changed
    return "\n".join(lines)


def _reindented(text: str, rng: random.Random) -> str:
    unit = rng.choice(("\t", "  ", " ", "        "))
    lines = []
    for line in text.split("\n"):
        rest = line.lstrip(" ")
        levels, odd = divmod(len(line) - len(rest), 4)
        lines.append(unit * levels + " " * odd + rest)
    return "\n".join(lines)


def _spaced(text: str, rng: random.Random) -> str:
    """Form feeds, blank lines, spaces at line ends."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 5)):
        index = rng.randrange(len(lines))
        if rng.random() < 0.5:
            lines[index] += rng.choice((" ", "  \t", "\f"))
        else:
            lines.insert(index, rng.choice(("", "  ", "\f", "")))
    return "\n".join(lines)


def _renamed(text: str, rng: random.Random) -> str:
    """One identifier everywhere another: shadowed modules, non-ASCII names, soft keywords."""
    names = sorted({t.string for t in _tokens(text) if t.type == tokenize.NAME})
    names = [name for name in names if not keyword.iskeyword(name)]
    if not names:
        return text
    old = rng.choice(names)
    fresh = ("torch", "match", "case", "type", "_", "tensör", "data", "self", "F", "nn", "Variable")
    new = rng.choice((*fresh, *dir(builtins), *names))
    return _retokenized(text, lambda token: new if token.string == old else token.string)


_LAYOUTS = (_commented, _commented, _broken_lines, _broken_lines, _joined, _reindented, _spaced)
_LAYOUTS += (_renamed,)


def _mutated(rng: random.Random) -> str:
    """A fixture with tokens deleted, doubled, swapped or replaced; Python takes most of them."""
    text = rng.choice(_pieces())
    for _ in range(rng.randint(1, 4)):
        for _ in range(4):
            changed = _with_other_tokens(text, rng)
            if is_python(changed):
                text = changed
                break
        else:
            if rng.random() < 0.2:
                return changed
    return text


def _with_other_tokens(text: str, rng: random.Random) -> str:
    tokens = [t for t in _tokens(text) if t.string.strip() and t.type != tokenize.ENDMARKER]
    if len(tokens) < 3:
        return text
    index = rng.randrange(len(tokens) - 1)
    token, following = tokens[index], tokens[index + 1]
    chosen = rng.randrange(5)
    if chosen == 0:
        return _retokenized(text, lambda t: "" if t == token else t.string)
    if chosen == 1:
        return _retokenized(text, lambda t: f"{t.string} {t.string}" if t == token else t.string)
    if chosen == 2:
        swap = {token: following.string, following: token.string}
        return _retokenized(text, lambda t: swap.get(t, t.string))
    if chosen == 3:
        same = [t.string for t in tokens if t.type == token.type]
        other = rng.choice(same)
    else:
        other = _expression(rng) if token.type != tokenize.OP else rng.choice(".,()[]:=+-*/@%<")
    return _retokenized(text, lambda t: other if t == token else t.string)


def _generated(rng: random.Random) -> str:
    """A program by pysource-codegen, with names of torch; another kind where that is missing."""
    try:
        from pysource_codegen import generate
    except ImportError:
        return _crossed(rng)
    try:
        text = generate(rng.randrange(1 << 30), node_limit=rng.choice((60, 200)))
    except ValueError:
        # What it built has no spelling.
        return _crossed(rng)
    new: dict[str, str] = {}

    def torchlike(token: tokenize.TokenInfo) -> str:
        if token.type != tokenize.NAME or not token.string.startswith("name_"):
            return token.string
        if token.string not in new or rng.random() < 0.3:
            new[token.string] = rng.choice(_TORCH_NAMES)
        name = new[token.string]
        return name if rng.random() < 0.5 else name.rpartition(".")[2].removesuffix("()")

    for _ in range(3):
        changed = _retokenized(text, torchlike)
        if is_python(_IMPORTS + changed):
            return _IMPORTS + changed
    simple = [name for name in _TORCH_NAMES if name.isidentifier()]
    table = {f"name_{n}": rng.choice(simple) for n in range(7)}
    return _IMPORTS + _retokenized(text, lambda token: table.get(token.string, token.string))


def _noise(rng: random.Random) -> str:
    """Characters of all kinds, alone or in a fixture."""
    line = "".join(rng.choice(_CHARACTERS) for _ in range(rng.randint(1, 60)))
    if rng.random() < 0.2:
        return "import torch\n" + line
    text = rng.choice(_pieces())
    start = rng.randrange(len(text))
    end = start + rng.choice((0, 0, 1, 5, 200))
    return text[:start] + line[: rng.randint(1, 60)] + text[end:]


_CHARACTERS = (
    "".join(map(chr, range(1, 128))) + "\\\\\\\"''#()[]{}:;,.\n\n\r\f\té漢\U0001f525\u2028\x85\xa0"
)

_KINDS: dict[str, tuple[int, Callable[[random.Random], str]]] = {
    "crossed": (25, _crossed),
    "built": (20, _built),
    "dressed": (25, _dressed),
    "mutated": (18, _mutated),
    "generated": (7, _generated),
    "noise": (5, _noise),
}


# Tokens and bytes


def is_python(text: str) -> bool:
    """Whether this Python can compile the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    result: list[tokenize.TokenInfo] = []
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        result.extend(tokenize.generate_tokens(io.StringIO(text).readline))
    return result


def _retokenized(text: str, new: Callable[[tokenize.TokenInfo], str]) -> str:
    """The text with its tokens replaced, and all between them as it is."""
    lines = text.split("\n")
    changes = []
    for token in _tokens(text):
        if token.start[0] == token.end[0] and token.string:
            replacement = new(token)
            if replacement != token.string:
                changes.append((token.start[0] - 1, token.start[1], token.end[1], replacement))
    for line, start, end, replacement in reversed(changes):
        lines[line] = lines[line][:start] + replacement + lines[line][end:]
    return "\n".join(lines)


def _encoded(text: str, rng: random.Random) -> bytes:
    """The bytes of a program, with line ends and in an encoding of any kind."""
    if rng.random() < 0.1:
        text = text.replace("non_blocking=", "async=")
    chosen = rng.random()
    if chosen < 0.10:
        text = text.replace("\n", "\r\n")
    elif chosen < 0.13:
        text = text.replace("\n", "\r")
    elif chosen < 0.18:
        text = "".join(rng.choice(("\n", "\r\n")) if c == "\n" else c for c in text)
    if rng.random() < 0.1:
        text = text.rstrip("\r\n")
    chosen = rng.random()
    if chosen < 0.05:
        return b"\xef\xbb\xbf" + text.encode("utf-8")
    if chosen < 0.10:
        return f"# -*- coding: latin-1 -*-  \xe4\n{text}".encode("latin-1", "replace")
    return text.encode("utf-8")
