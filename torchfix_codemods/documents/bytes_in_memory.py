"""Python 2's ``StringIO`` held bytes: what pictures and pickles are read from is ``BytesIO``."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding

_IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+c?StringIO\b", re.MULTILINE)
_FROM_IO = re.compile(r"^([ \t]*from io import )StringIO(?=[ \t]*(?:#|$))", re.MULTILINE)
#: Functions that read bytes from their first argument, or write them there.
_OF_BYTES = frozenset(
    """PIL.Image.open Image.open numpy.load numpy.save numpy.savez pickle.load torch.load
    imageio.imread matplotlib.image.imread matplotlib.pyplot.imread matplotlib.pyplot.savefig
    scipy.misc.imread skimage.io.imread soundfile.read wave.open zipfile.ZipFile""".split()
)
#: The same for the second argument.
_TO_SECOND = frozenset({"pickle.dump", "torch.save"})
#: What opens a file of bytes, so that ``read()`` gives them.
_OPENS_BYTES = frozenset({"urllib.request.urlopen"})
#: What a file may be asked for besides.
_OF_ANY_FILE = frozenset("close flush getvalue read seek tell truncate write".split())


def with_bytes_in_memory(converted: str, text: str) -> str:
    """The text with ``BytesIO`` where bytes are certainly read from, or written to, memory.

    Args:
        converted: a module of Python 3.
        text: the same as Python 2, which says ``StringIO`` for both kinds.
    """
    if _IMPORTED.search(text) is None:
        return converted
    names = Names(ast.parse(converted))
    calls = [c for c in names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call)]
    made = [call for call in calls if names.name(call.func) == "io.StringIO"]
    of_bytes = [call.func for call in made if _is_of_bytes(call, names)]
    if not of_bytes:
        return converted
    lines = converted.split("\n")
    for function in sorted(of_bytes, key=_end, reverse=True):
        number, end = _end(function)
        line = lines[number - 1].encode("utf-8")
        start = end - len("StringIO")
        if line[start:end] != b"StringIO":
            return converted
        lines[number - 1] = (line[:start] + b"BytesIO" + line[end:]).decode("utf-8")
    is_by_name = any(isinstance(function, ast.Name) for function in of_bytes)
    imported = "BytesIO" if len(of_bytes) == len(made) == _count(converted) else "BytesIO, StringIO"
    result, count = _FROM_IO.subn(rf"\g<1>{imported}", "\n".join(lines))
    return result if count or not is_by_name else converted


def _count(text: str) -> int:
    """How often the name is used besides its imports."""
    return len(re.findall(r"\bStringIO\b(?!\s*$)", text, re.MULTILINE))


def _end(function: ast.expr) -> tuple[int, int]:
    return function.end_lineno or 0, function.end_col_offset or 0


def _is_of_bytes(call: ast.Call, names: Names) -> bool:
    """Whether what is made is given to a function of bytes, at once or by the name it gets.

    Or is made of bytes, of which no text can be made: ``StringIO(urlopen(url).read())``.
    """
    if call.args and _reads_bytes(call.args[0], names):
        return True
    statement = names.statement(call)
    if not (isinstance(statement, ast.Assign) and statement.value is call):
        return _takes_bytes(call, names)
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Name):
        return False
    found = names.scope_of(target).lookup(target.id)
    bindings: list[Binding] = [] if found is None else found[1]
    if found is None or len(bindings) != 1:
        return False
    uses = [*names.uses_of(found[0], target.id)]
    return any(_takes_bytes(use, names) for use in uses) and all(
        _takes_bytes(use, names) or _is_asked(use, names) for use in uses
    )


def _reads_bytes(node: ast.expr, names: Names) -> bool:
    """``urlopen(url).read()``, at once."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr != "read":
        return False
    opened = method.value
    return isinstance(opened, ast.Call) and names.name(opened.func) in _OPENS_BYTES


def _takes_bytes(node: ast.expr, names: Names) -> bool:
    call = names.parents.get(node)
    if not isinstance(call, ast.Call) or node not in call.args:
        return False
    place, name = call.args.index(node), names.name(call.func)
    if place == 0 and isinstance(call.func, ast.Attribute) and call.func.attr == "save":
        # Of a picture; ``torch.save`` takes the file second.
        return name in _OF_BYTES or (name is None and len(call.args) + len(call.keywords) > 1)
    return name in (_TO_SECOND if place == 1 else _OF_BYTES if place == 0 else ())


def _is_asked(node: ast.expr, names: Names) -> bool:
    around = names.parents.get(node)
    return isinstance(around, ast.Attribute) and around.attr in _OF_ANY_FILE
