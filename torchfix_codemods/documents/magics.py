"""What IPython takes besides Python: magics, shell commands, and requests for help."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

from torchfix_codemods.documents.readable import Unreadable, names_touched_by, read_as_python
from torchfix_codemods.record import record

#: Cell magics that run the rest of their cell as Python, in the notebook's own names.
_RUNS_CELL = frozenset({"time", "capture", "prun"})

#: Line magics that touch no name of the notebook.
_HARMLESS = frozenset(
    """alias autoreload autosave bookmark cat cd colors conda config cp debug env set_env history
    install_ext javascript lf ll load_ext ls lsmagic matplotlib mkdir more mv notebook page
    pdb pdoc pfile pinfo pinfo2 pip precision psource pwd quickref reload_ext rm rmdir system sx
    tensorboard tensorflow_version unload_ext uv wandb watermark who who_ls whos xmode""".split()
)

#: Line magics that may give any name of the notebook a new value.
_BINDS_ANYTHING = frozenset(
    """aimport edit load loadpy macro pylab pycat recall rerun reset reset_selective run store
    xdel""".split()
)

#: Line magics that IPython also takes without a percent sign, where nothing has their name.
_AUTOMAGIC = _HARMLESS | _BINDS_ANYTHING | {"time", "timeit", "prun"}

#: What runs the rest of its line as Python, in the notebook's own names.
_RUNS_LINE = re.compile(r"(%[ \t]*time[ \t]+)(?=\S)")

#: What is left of a statement that would go if it had no magic.
_SELF_ASSIGNED = re.compile(r"(\w+) = \1\s*")

_CELL_MAGIC = re.compile(r"(?:[ \t]*\r?\n)*%%(\S+)([^\n]*)(?:\n|\Z)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_MAGIC = re.compile(r"[ \t]*(?:%{1,2}[ \t]*(?P<name>[\w.]+)(?P<code>[^\n]*)|[!?][^\n]*)")
_ASSIGNED = re.compile(r"[ \t]*(?P<targets>[\w \t,.\[\]*()'\"]+?)[ \t]*=[ \t]*[%!][^=]")
_WORDS = re.compile(r"[ \t]*(?P<name>[a-z_]\w*)(?P<code>[ \t]+[^\n]+)\n?")
_HELP = re.compile(r"[ \t]*[%\w.*\[\]'\"]+\?{1,2}[ \t;]*(?:#[^\n]*)?\r?\n?\Z")
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<quote>'''|\"\"\"|'|\")|(?P<open>[(\[{])|(?P<close>[)\]}])"
)


@record
class Masked:
    """Text in which each line that is no Python is replaced by one that is.

    Args:
        text: the masked text, of as many lines.
        name: the beginning of the names that stand in masks.
        kept: what stood there, in order.
        runs: the magics whose statements stand there without them, by the lines these are in.
    """

    text: str
    name: str = ""
    kept: tuple[str, ...] = ()
    runs: tuple[tuple[int, str], ...] = ()

    def restored(self, text: str) -> str | None:
        """A text with the lines that were replaced; None where one of them was touched.

        A magic gets its statement back as that was rewritten, if it still is one of one line.
        """
        for line, magic in self.runs:
            mark = re.escape(_mark_of_statement(self.name, line))
            found = re.findall(rf"^([ \t]*)([^\r\n]*){mark}(\r?)$", text, re.MULTILINE)
            if len(found) != 1 or text.count(f"# {self.name}run{line}_") != 1:
                return None
            indent, code, end = found[0]
            if not _is_code(code) or _SELF_ASSIGNED.fullmatch(code):
                return None
            marked = f"{indent}{code}{_mark_of_statement(self.name, line)}{end}"
            text = text.replace(marked, f"{indent}{magic}{code}{end}")
        for number, kept in enumerate(self.kept):
            name = re.escape(f"{self.name}{number}_")
            mask = re.compile(
                rf"^([ \t]*)[^\r\n]*{name}[^\r\n]*(?:\r?\n[ \t]*# {name})*", re.MULTILINE
            )
            found = mask.findall(text)
            if len(found) != 1:
                return None
            text = mask.sub(lambda match, kept=kept: match[1] + kept, text)  # type: ignore[misc]
        return text


def cell_magic(text: str) -> tuple[str, str, str, str] | None:
    """The first line of a cell with a ``%%magic``: that line, its name, its rest, and the body."""
    match = _CELL_MAGIC.match(text)
    if match is None:
        return None
    return match[0], match[1], match[2], text[match.end() :]


def runs_cell(name: str) -> bool:
    """Whether a cell magic runs its cell as Python in the notebook's own names."""
    return name in _RUNS_CELL


def masked(
    text: str, name: str, quote: str, variables: Iterable[str], with_statements: bool = True
) -> Masked:
    """Replace the lines of a cell that only IPython understands.

    Args:
        text: the cell.
        name: a name that nothing else has, for the masks.
        quote: the quote to write masks with.
        variables: all names that the notebook assigns.
        with_statements: whether ``%time statement`` becomes the statement.
    """
    try:
        read_as_python(text)
    except Unreadable:
        pass
    else:
        return Masked(text)
    result: list[str] = []
    kept: list[str] = []
    runs: list[tuple[int, str]] = []
    number = 1
    for line, is_magic in _lines(text):
        row, number = number, number + line.count("\n")
        if not is_magic:
            result.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        body = line.removesuffix("\n").removesuffix("\r")
        run = _RUNS_LINE.match(body, len(indent)) if with_statements else None
        if run is not None and _is_code(body[run.end() :]):
            runs.append((row, run[1]))
            statement = body[run.end() :] + _mark_of_statement(name, row)
            result.append(f"{indent}{statement}{line[len(body) :]}")
            continue
        own = f"{name}{len(kept)}_"
        result.append(f"{indent}{_mask(body, own, quote, variables)}")
        result.append(f"\n{indent}# {own}" * body.count("\n"))
        result.append(line[len(body) :])
        kept.append(body[len(indent) :])
    code = "".join(result)
    if runs and not _are_outside_of_functions((row for row, _ in runs), code):
        return masked(text, name, quote, variables, with_statements=False)
    return Masked(code, name, tuple(kept), tuple(runs))


def _mark_of_statement(name: str, line: int) -> str:
    """The comment behind a statement whose magic was taken away."""
    return f"  # {name}run{line}_"


def _is_code(code: str) -> bool:
    """Whether a text is one line of statements without a block."""
    if "\n" in code:
        return False
    try:
        body = read_as_python(code).body
    except Unreadable:
        return False
    return bool(body) and not any(hasattr(statement, "body") for statement in body)


def _are_outside_of_functions(rows: Iterable[int], text: str) -> bool:
    """Whether lines of a cell bind names of the notebook: in a function, a magic binds nothing."""
    try:
        nodes = [*ast.walk(read_as_python(text))]
    except Unreadable:
        return False
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    inner = [(node.lineno, node.end_lineno or 0) for node in nodes if isinstance(node, kinds)]
    return not any(first <= row <= last for row in rows for first, last in inner)


def _mask(line: str, name: str, quote: str, variables: Iterable[str]) -> str:
    """The Python that stands for a line of IPython's."""
    unknown = f"get_ipython({quote}{name}{quote}"
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        _, spoken = names_touched_by(line)
        return f"{assigned['targets'].strip()} = {', '.join([unknown, *spoken])})"
    magic = _MAGIC.match(line) or _automagic(line)
    word = None if magic is None else magic["name"]
    if word in ("env", "set_env") and magic is not None:
        # What CUDA looks at once has to be seen: nothing may ask for a GPU above it.
        variable = re.match(r"[ \t]*(CUDA_\w+)[ \t]*[= \t]", magic["code"])
        if variable is not None:
            environment = f"get_ipython().environ[{quote}{variable[1]}{quote}]"
            return f"{environment} = {quote}{name}{quote}"
    if magic is None or word is None or word in _HARMLESS:
        return f"{quote}{name}{quote}"
    if word in _BINDS_ANYTHING:
        targets = "".join(f"{variable} = " for variable in sorted(variables))
        return f"from {name} import *; {targets}get_ipython()"
    bound, spoken = names_touched_by(magic["code"])
    targets = "".join(f"{target} = " for target in bound)
    return f"{targets}{', '.join([unknown, *spoken])})"


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a cell, and whether each is a magic; one that goes on is given as a whole."""
    state = _State()
    pending = ""
    for match in _LINE.finditer(text):
        line = pending + match[0]
        if not pending and not (state.is_free and _is_magic(line)):
            state.read(line)
            yield line, False
            continue
        if line.rstrip("\r\n").endswith("\\"):
            pending = line
            continue
        pending = ""
        yield line, True
    if pending:
        yield pending, True


def _is_magic(line: str) -> bool:
    is_like = _MAGIC.match(line) or _HELP.match(line) or _ASSIGNED.match(line) or _automagic(line)
    return is_like is not None and not _is_python(line.strip())


def _automagic(line: str) -> re.Match[str] | None:
    """A line magic without its percent sign, ``cd ..``: what goes on in the next line is none."""
    words = _WORDS.fullmatch(line)
    if words is None or words["name"] not in _AUTOMAGIC:
        return None
    state = _State()
    state.read(line)
    return words if state.is_free else None


def _is_python(line: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(line)
    except (SyntaxError, ValueError):
        return False
    return True


class _State:
    """Whether a line begins a statement: not in a bracket, a string, or behind a backslash."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._goes_on = False

    @property
    def is_free(self) -> bool:
        return not (self._depth or self._quote or self._goes_on)

    def read(self, line: str) -> None:
        """Go on by one line."""
        position = 0
        while True:
            if self._quote:
                end = _end_of_string(line, position, self._quote)
                if end < 0:
                    # A string of one line ends with it.
                    if len(self._quote) == 1 and not line.rstrip("\r\n").endswith("\\"):
                        self._quote = ""
                    break
                position, self._quote = end, ""
            match = _TOKEN.search(line, position)
            if match is None or match["comment"]:
                break
            position = match.end()
            if match["quote"]:
                self._quote = match["quote"]
            else:
                self._depth = max(0, self._depth + (1 if match["open"] else -1))
        self._goes_on = not self._quote and line.rstrip("\r\n").endswith("\\")


def _end_of_string(line: str, position: int, quote: str) -> int:
    """Where a string ends in a line; -1 where it goes on."""
    while position < len(line):
        if line[position] == "\\":
            position += 2
        elif line.startswith(quote, position):
            return position + len(quote)
        else:
            position += 1
    return -1
