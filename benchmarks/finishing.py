"""Lists what no owner of the code would have written of Variables, `volatile` and `.data`.

Each folder is migrated on its own, without writing anything, and what was changed is searched, with
`ast` alone and without the rules that it judges, for each kind of thing in ``KINDS``.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from benchmarks.trees import source_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_SPEAKS = re.compile(r"\b(Variables?|volatile)\b|\bwrap(s|ped)? (it|them|the|in)\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: How far from a changed line a comment is about it.
_NEAR = 3


@dataclass
class Change:
    """A file before and after, and which lines of the latter are new."""

    path: str
    before: str
    after: str

    @cached_property
    def lines(self) -> list[str]:
        return self.after.split("\n")

    @cached_property
    def had_variables(self) -> set[int]:
        """The numbers of the lines that were written in the place of some with a Variable."""
        before = self.before.split("\n")
        matcher = SequenceMatcher(None, before, self.lines, autojunk=False)
        return {
            number + 1
            for tag, old, old_stop, start, stop in matcher.get_opcodes()
            if tag != "equal" and any("Variable" in line for line in before[old:old_stop])
            for number in range(start, stop)
        }

    @cached_property
    def new_lines(self) -> set[int]:
        """The numbers of the lines that were written."""
        matcher = SequenceMatcher(None, self.before.split("\n"), self.lines, autojunk=False)
        return {
            number + 1
            for tag, _, _, start, stop in matcher.get_opcodes()
            if tag != "equal"
            for number in range(start, max(stop, start + 1))
        }


@dataclass(frozen=True)
class Case:
    """One thing to read."""

    path: str
    line: int
    shown: str


def main() -> int:
    """Count, list, and return the exit status."""
    options = _parse_options()
    cases: dict[str, list[Case]] = {kind: [] for kind in KINDS}
    for change in _kept_or_made(options.folders, options.keep):
        for kind, find in KINDS.items():
            cases[kind] += (Case(change.path, *found) for found in find(change))
    for kind, found in cases.items():
        print(f"{kind:<12} {len(found):>5} in {len({case.path for case in found})} files")
    for kind in filter(None, options.show.split(",")):
        chosen = random.Random(options.seed).sample(
            cases[kind], min(options.number, len(cases[kind]))
        )
        for case in sorted(chosen, key=lambda case: (case.path, case.line)):
            print(f"\n=== {kind} {case.path}:{case.line}\n{case.shown}")
    return 0


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.finishing", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="one project each")
    parser.add_argument("--show", default="", metavar="KINDS", help=f"some of {', '.join(KINDS)}")
    parser.add_argument("--number", type=int, default=60, help="how many of each are shown")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another draw")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="written, or read if it is there")
    return parser.parse_args()


def _kept_or_made(folders: Iterable[Path], kept: Path | None) -> list[Change]:
    """What was changed, from a file if there is one."""
    if kept is not None and kept.exists():
        return [Change(*texts) for texts in json.loads(kept.read_text())]
    changes = [change for folder in folders for change in _changes(folder)]
    if kept is not None:
        kept.write_text(json.dumps([(c.path, c.before, c.after) for c in changes]))
    return changes


def _changes(folder: Path) -> Iterator[Change]:
    paths = list(source_files(folder, suffixes=(".py",)))
    results = migrate_files(paths, Settings(), write=False)
    for path, result in zip(paths, results, strict=True):
        if result.before is not None and result.after is not None:
            name = Path(folder.resolve().name, path.relative_to(folder)).as_posix()
            if _parsed(result.before) is not None and _parsed(result.after) is not None:
                yield Change(name, result.before, result.after)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _detached(change: Change) -> Iterator[tuple[int, str]]:
    """Each `.detach()` that was written."""
    for number in sorted(change.new_lines):
        if number <= len(change.lines) and ".detach()" in change.lines[number - 1]:
            yield number, _around(change, number)


def _inside(change: Change) -> Iterator[tuple[int, str]]:
    """Each `.detach()` and `.data` in a block under `no_grad` that was written."""
    new = change.new_lines
    for node in ast.walk(ast.parse(change.after)):
        if isinstance(node, ast.With) and node.lineno in new and _is_no_grad(node):
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and part.attr in ("data", "detach"):
                    if isinstance(part.ctx, ast.Load):
                        yield part.lineno, _around(change, part.lineno)


def _islands(change: Change) -> Iterator[tuple[int, str]]:
    """Blocks under `no_grad` of one function that another new one is near, or of one short line."""
    new = change.new_lines
    for function in _functions(ast.parse(change.after)):
        blocks = [
            node
            for node in _own(function)
            if isinstance(node, ast.With) and node.lineno in new and _is_no_grad(node)
        ]
        for block in blocks:
            is_append = len(block.body) == 1 and ".append(" in ast.unparse(block.body[0])
            others = [b for b in blocks if b is not block]
            if others or is_append:
                yield block.lineno, _around(change, block.lineno, block.end_lineno)


def _is_no_grad(node: ast.With) -> bool:
    return any(ast.unparse(item.context_expr).endswith("no_grad()") for item in node.items)


def _names(change: Change) -> Iterator[tuple[int, str]]:
    """`x = y` on a line that was written, and `x = f(…)` right above `return x`."""
    new = change.had_variables
    was = Counter(line.strip() for line in change.before.split("\n"))
    for node in ast.walk(ast.parse(change.after)):
        for block in _blocks(node):
            for first, second in zip_longest(block, block[1:]):
                if first.lineno not in new or not isinstance(first, ast.Assign):
                    continue
                if was[change.lines[first.lineno - 1].strip()]:
                    continue
                target = first.targets[0]
                if isinstance(target, ast.Name) and _is_folded(target, first.value, second):
                    yield first.lineno, _around(change, first.lineno)


def _is_folded(target: ast.Name, value: ast.expr, below: ast.stmt | None) -> bool:
    """Whether a name stands for another one, or is handed on by the next statement."""
    if isinstance(value, ast.Name):
        return True
    returned = below.value if isinstance(below, ast.Return) else None
    return isinstance(returned, ast.Name) and returned.id == target.id


def _imports(change: Change) -> Iterator[tuple[int, str]]:
    """Imports that are read nowhere any more."""
    before, after = _read(change.before), _read(change.after)
    if change.path.endswith("__init__.py"):
        return
    for node in ast.walk(ast.parse(change.after)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                name = (alias.asname or alias.name).split(".")[0]
                if name not in after and (name in before or name == "Variable"):
                    yield node.lineno, f"{name}: {change.lines[node.lineno - 1]}"


def _read(text: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}


def _comments(change: Change) -> Iterator[tuple[int, str]]:
    """Comments and docstrings about Variables beside lines that were written."""
    new, lines = change.new_lines, change.lines
    for number, line in enumerate(lines, 1):
        comment = line.partition("#")[2]
        if _SPEAKS.search(comment) and any(abs(number - other) <= _NEAR for other in new):
            yield number, _around(change, number)
    tree = ast.parse(change.after)
    for function in _functions(tree):
        text = ast.get_docstring(function) or ""
        is_near = any(function.lineno <= n <= (function.end_lineno or 0) for n in new)
        if is_near and _SPEAKS.search(text):
            yield function.lineno, f"{function.name}: {text}"


def _unequal(change: Change) -> Iterator[tuple[int, str]]:
    """Equal `x.data`, `Variable(x)` of a function of which only some were rewritten."""
    after = {f.name: f for f in _functions(ast.parse(change.after))}
    for function in _functions(ast.parse(change.before)):
        now = after.get(function.name)
        if now is None:
            continue
        had, has = _legacy(function), _legacy(now)
        for text, count in had.items():
            if 0 < has[text] < count:
                line = next(
                    node.lineno
                    for node in _own(now)
                    if isinstance(node, (ast.Attribute, ast.Call)) and ast.unparse(node) == text
                )
                rest = [
                    change.lines[n - 1]
                    for n in range(now.lineno, (now.end_lineno or 0) + 1)
                    if text.removesuffix(".data") in change.lines[n - 1]
                ]
                yield line, f"{text}: {has[text]} of {count} left\n" + "\n".join(rest)


def _legacy(function: ast.AST) -> Counter[str]:
    return Counter(
        ast.unparse(node)
        for node in _own(function)
        if (isinstance(node, ast.Attribute) and node.attr == "data")
        or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Variable"))
    )


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, without the functions in it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, _FUNCTIONS):
            pending += ast.iter_child_nodes(node)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _around(change: Change, first: int, last: int | None = None) -> str:
    """Some lines, marked, and those around them."""
    new = change.new_lines
    shown = range(max(1, first - 6), min(len(change.lines), (last or first) + 6) + 1)
    marks = {n: ">" if first <= n <= (last or first) else "+" if n in new else " " for n in shown}
    return "\n".join(f"{mark} {change.lines[n - 1]}" for n, mark in marks.items())


KINDS: dict[str, Callable[[Change], Iterator[tuple[int, str]]]] = {
    "detached": _detached,
    "inside": _inside,
    "islands": _islands,
    "names": _names,
    "imports": _imports,
    "comments": _comments,
    "unequal": _unequal,
}


if __name__ == "__main__":
    raise SystemExit(main())
