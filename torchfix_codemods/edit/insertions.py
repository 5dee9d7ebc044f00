"""Lines that rewrites need elsewhere: imports and definitions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from torchfix_codemods.edit.lines import aligned_below
from torchfix_codemods.edit.local_imports import local_import
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import (
    first_line,
    runs_at_once,
    start_line,
    top_statement,
)
from torchfix_codemods.facts.programs.spelling import is_imported_below
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Definition, Found, ImportOf


@dataclass
class Insertion:
    """Text that goes to a byte offset (replacing up to ``end``) once one of ``founds`` is done."""

    offset: int
    end: int
    text: str
    founds: list[Found] = field(default_factory=list)


def insertions_for(
    founds: Sequence[Found], facts: Facts, starts: Sequence[int], size: int
) -> tuple[list[Insertion], list[Found]]:
    """What the findings need at module level, or in the functions that import for themselves.

    Returns:
        the insertions, and the findings above which there is no place for what they need.
    """
    by_need: dict[Definition | ImportOf, list[Found]] = {}
    for found in founds:
        for need in found.needs:
            by_need.setdefault(need, []).append(found)
    result: dict[tuple[int, str], Insertion] = {}
    blocked: list[Found] = []
    for need, users in by_need.items():
        if isinstance(need, ImportOf) and _is_there(need, users, facts):
            continue
        if isinstance(need, Definition) and need.function is not None:
            only = users[0].node if len(users) == 1 else None
            line = line_in_function(need.function, need.after, facts, only)
            if line is None:
                blocked += users
            else:
                text = aligned_below(_indent_of(need.function, facts) + need.text, line, facts)
                text += "\n\n" if _opens_paragraph(line, facts) else "\n"
                result[starts[line], text] = Insertion(starts[line], starts[line], text, users)
            continue
        if isinstance(need, ImportOf) and (alias := _import_for_it_alone(need, users, facts)):
            offset = starts[alias.lineno - 1] + (alias.end_col_offset or 0)
            text = need.module.removeprefix(alias.name)
            result[offset, text] = Insertion(offset, offset, text, users)
            continue
        beside = [_beside_local_import(need, user, facts) for user in users]
        if all(place is not None for place in beside):
            for user, (line, text) in zip(users, filter(None, beside), strict=True):
                offset = starts[line]
                insertion = result.setdefault((offset, text), Insertion(offset, offset, text))
                insertion.founds.append(user)
            continue
        written = _lines_naming(users, facts)
        places = _places(need, written, facts)
        first_lines = {id(user): first_line(user.node, facts) for user in users}
        served = [u for u in users if any(p < first_lines[id(u)] for p in places)]
        blocked += [u for u in users if u not in served]
        if not served:
            continue
        limit = min(first_lines[id(user)] for user in served)
        line = max(place for place in places if place < limit)
        text = _text(need, facts, line, written)
        offset = starts[line] if line < len(starts) else size
        insertion = result.setdefault((offset, text), Insertion(offset, offset, text))
        insertion.founds += served
    return list(result.values()), blocked


def line_in_function(
    function: ast.FunctionDef | ast.If,
    after: ast.stmt | None,
    facts: Facts,
    only: ast.AST | None = None,
) -> int | None:
    """The number of lines above a new line of a function: below a statement, or at its head.

    Where only one place far below reads it, it stands above that. None where other code stands on
    its line.
    """
    body = function.body
    place = body.index(after) + 1 if after in body else _size_of_head(function)
    if after is None and only is not None:
        place = _far_below(body, place, only)
    above = _end_line(body[place - 1]) if place else _end_of_header(function)
    if place < len(body) and start_line(body[place]) <= above:
        return None
    if after is not None or place == len(body):
        return above
    line = start_line(body[place]) - 1
    # Comments that touch a statement speak of it.
    while line > above and facts.lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _opens_paragraph(line: int, facts: Facts) -> bool:
    """Whether a blank line ends above a place, and a comment on what is below begins there."""
    is_comment = line < len(facts.lines) and facts.lines[line].lstrip().startswith("#")
    return is_comment and line > 0 and not facts.lines[line - 1].strip()


def _reads_what_is_made(statement: ast.stmt, above: ast.stmt) -> bool:
    targets = above.targets if isinstance(above, ast.Assign) else []
    made = {target.id for target in targets if isinstance(target, ast.Name)}
    return any(isinstance(node, ast.Name) and node.id in made for node in ast.walk(statement))


_IMPORTS = (ast.Import, ast.ImportFrom)

#: So many lines below its head a function has its lines for themselves.
_FAR = 10


def _far_below(body: Sequence[ast.stmt], place: int, reader: ast.AST) -> int:
    """The number of the statement that holds a reader, where that is far below another place."""
    line = getattr(reader, "lineno", 0)
    holding = (i for i, s in enumerate(body) if start_line(s) <= line <= _end_line(s))
    found = next(holding, place)
    if found > place and _reads_what_is_made(body[found], body[found - 1]):
        # It may be made on the device.
        found -= 1
    return found if found > place and line - start_line(body[place]) >= _FAR else place


def _size_of_head(function: ast.FunctionDef | ast.If) -> int:
    """How many statements stand above what a function does: its docstring, and ``super()``.

    Above what a block does stand its imports.
    """
    size = 0
    if isinstance(function, ast.If):
        others = (n for n, s in enumerate(function.body) if not isinstance(s, _IMPORTS))
        return next(others, 0)
    if _is_docstring(function.body[0]):
        size = 1
    first = function.body[size] if size < len(function.body) else None
    call = first.value if isinstance(first, ast.Expr) else None
    if function.name == "__init__" and isinstance(call, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
            size += 1
    return size if size < len(function.body) else 0


def _end_of_header(function: ast.FunctionDef | ast.If) -> int:
    if isinstance(function, ast.If):
        return _end_line(function.test)
    parts = [*ast.walk(function.args), *([function.returns] if function.returns else [])]
    return max([function.lineno, *(getattr(part, "end_lineno", 0) for part in parts)])


def _indent_of(function: ast.FunctionDef | ast.If, facts: Facts) -> str:
    first = function.body[-1]
    return facts.lines[first.lineno - 1].encode()[: first.col_offset].decode()


def _beside_local_import(
    need: Definition | ImportOf, found: Found, facts: Facts
) -> tuple[int, str] | None:
    """The number of lines above an import of a function, and what is to be written there."""
    if isinstance(need, Definition) or (node := local_import(need, found, facts)) is None:
        return None
    indent = facts.lines[node.lineno - 1][: node.col_offset]
    return node.lineno - 1, indent + _text(need, facts, node.lineno - 1)


def _is_there(need: ImportOf, users: Sequence[Found], facts: Facts) -> bool:
    if need.name is None:
        package = need.module.partition(".")[0]
        if any(is_imported_below(facts, user.node, package) for user in users):
            return False
        is_loaded = (
            package == need.module or _first_import_from(facts.tree, need.module) is not None
        )
        return is_loaded and _is_imported(facts, package, need.module)
    return _is_imported(facts, need.name, f"{need.module}.{need.name}")


def _import_for_it_alone(need: ImportOf, users: Sequence[Found], facts: Facts) -> ast.alias | None:
    """The import of a package at the head of a file, of which only a module below it is read.

    ``import collections.abc`` gives the package its name as well, whatever else reads that.
    """
    package = need.module.partition(".")[0]
    bindings = facts.names.module.bindings.get(package, ())
    statement = bindings[0].node if len(bindings) == 1 else None
    if need.name is not None or package == need.module or statement not in facts.tree.body:
        return None
    written = {
        part for user in users if isinstance(user.node, ast.Attribute) for part in walk(user.node)
    }
    names = facts.names.nodes.get(ast.Name, ())
    if any(isinstance(n, ast.Name) and n.id == package and n not in written for n in names):
        return None
    aliases = statement.names if isinstance(statement, ast.Import) else ()
    return next((a for a in aliases if a.name == package and a.asname is None), None)


def _lines_naming(users: Sequence[Found], facts: Facts) -> range:
    """The lines of the module level that are to name what some findings need.

    What functions name, any line below may read, as they may be called there.
    """
    statements = [top_statement(user.node, facts) for user in users]
    is_run_once = all(runs_at_once(user.node, facts) for user in users)
    last = max(map(_end_line, statements)) if is_run_once else len(facts.lines)
    return range(min(map(start_line, statements)), last + 1)


def _places(need: Definition | ImportOf, written: range, facts: Facts) -> list[int]:
    """The places where a need can stand, each as the number of lines above it.

    Args:
        need: what is needed.
        written: the lines of the module level that are to name it.
        facts: what is known of the file.
    """
    tree = facts.tree
    if isinstance(need, Definition):
        if _joins_its_flag(need, facts, written):
            assert need.after is not None
            places = [_end_line(need.after)]
        else:
            imported = _import_of(facts, need.text, written)
            if need.after is not None:
                imported = max(imported, _end_line(need.after))
            ends = (*_ends_of_imports(tree), imported, _end_of_run(tree, imported))
            places = [_below_comments(line, facts) for line in ends if line >= imported]
    elif need.name is None:
        first = _first_import_from(tree, need.module)
        if first is None and need.module == "torch":
            first = _below_first(tree, "numpy")
        elif first is None:
            first = _in_order(tree, need.module)
        top = _below_head(facts)
        places = [top] if first is None else [top, max(top, first)]
    else:
        top = _below_head(facts)
        places = [top, *(line for line in _ends_of_imports(tree) if line >= top)]
    return [line for line in places if not _is_inside_statement(line, tree)]


def _joins_its_flag(need: Definition, facts: Facts, written: range) -> bool:
    """Whether a definition goes right below what it depends on, so not among imports.

    ``os.environ["CUDA_VISIBLE_DEVICES"] = "1"`` often stands above ``import torch`` itself.
    """
    if need.after is None or isinstance(need.after, ast.ImportFrom):
        return False
    anywhere = range(written.stop)
    return _import_of(facts, need.text, anywhere) <= _end_line(need.after)


def _text(need: Definition | ImportOf, facts: Facts, line: int, written: range = range(0)) -> str:
    if isinstance(need, Definition):
        if _joins_its_flag(need, facts, written):
            return aligned_below(need.text, line, facts) + "\n"
        blank = _is_blank(facts, line + 1)
        return f"\n{need.text}\n" if blank else f"\n{need.text}\n\n"
    if need.name is None:
        return f"import {need.module}\n"
    return f"from {need.module} import {need.name}\n"


def _is_inside_statement(line: int, tree: ast.Module) -> bool:
    """Whether a statement goes on below a line: ``import torch; x = f(`` and its next line."""
    return any(s.lineno <= line < _end_line(s) for s in tree.body)


def _is_imported(facts: Facts, local: str, qualified: str) -> bool:
    bindings = facts.names.module.bindings.get(local, [])
    return any(b.qualified in (qualified, qualified.partition(".")[0]) for b in bindings)


def _first_import_from(tree: ast.Module, module: str) -> int | None:
    """The number of lines above the first import from a package at module level."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        else:
            names = []
        if any(name == module or name.startswith(module + ".") for name in names):
            return statement.lineno - 1
    return None


def _below_first(tree: ast.Module, package: str) -> int | None:
    """The number of lines down to the first import from a package at the head of a module.

    An import of torch is expected below ``import numpy``.
    """
    above = _first_import_from(tree, package)
    below = None if above is None else next(_end_line(s) for s in tree.body if s.lineno > above)
    return below if below in _ends_of_imports(tree) else None


def _in_order(tree: ast.Module, module: str) -> int | None:
    """The number of lines above a module of Python's own among the imports at the head of a file.

    ``import collections.abc`` stands below ``import collections``, ``import math`` in its place
    where the first imports are sorted.
    """
    package = module.partition(".")[0]
    run = _first_run(tree)
    names = [statement.names[0].name for statement in run]
    if package != module and package in names:
        return _end_line(run[names.index(package)])
    if package != module or len(run) == 1 or names != sorted(names):
        return _below_first(tree, package)
    above = [statement for statement in run if statement.names[0].name < module]
    return _end_line(above[-1]) if above else None


def _first_run(tree: ast.Module) -> list[ast.Import]:
    """The first lines that each import one module, one right below the other."""
    run: list[ast.Import] = []
    for statement in tree.body:
        is_one = isinstance(statement, ast.Import) and len(statement.names) == 1
        if run and (not is_one or statement.lineno != _end_line(run[-1]) + 1):
            break
        if isinstance(statement, ast.Import) and is_one:
            run.append(statement)
    return run


def _import_of(facts: Facts, definition: str, written: range) -> int:
    """The last line of the imports that bring the names used in a definition, or may hide it.

    Where a document imports them again, people begin to run it there as well: the last ones above
    the lines ``written`` count. All names that are imported below them hide nothing there.
    """
    is_document = facts.speaks_of(PREFIX)
    names = [n for n in ast.walk(ast.parse(definition)) if isinstance(n, ast.Name)]
    is_read = {n.id: isinstance(n.ctx, ast.Load) for n in names}
    ends = []
    for name in is_read:
        imports = [
            _end_line(top_statement(binding.node, facts))
            for binding in facts.names.module.bindings.get(name, ())
            if binding.kind == "import"
        ]
        if imports:
            again = [end for end in imports if is_document and end < written.start]
            ends.append(max(again, default=min(imports)))
        elif name not in facts.names.module.bindings:
            stars = [s for s in facts.tree.body if _is_star_import(s)]
            ends += [_end_line(s) for s in stars if is_read[name] or s.lineno < written.stop]
    return max(ends, default=0)


def _end_of_run(tree: ast.Module, line: int) -> int:
    """The last line of the imports that follow one by one below an import that ends in a line."""
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and statement.lineno == line + 1:
            line = _end_line(statement)
    return line


def _below_comments(line: int, facts: Facts) -> int:
    """The line below the comments that touch an import and speak of it.

    Those that touch what follows speak of that, up to a last ``# import block``.
    """
    end = line
    while line and end < len(facts.lines) and facts.lines[end].startswith("#"):
        end += 1
    if _is_blank(facts, end + 1):
        return end
    old = [n for n in range(line, end) if _OLD_IMPORT.match(facts.lines[n])]
    return max(old) + 1 if old else line


_OLD_IMPORT = lazy_pattern(r"#\s*(import|from)\s+\.*\w")


def _is_star_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def _is_blank(facts: Facts, line: int) -> bool:
    return line > len(facts.lines) or not facts.lines[line - 1].strip()


def _ends_of_imports(tree: ast.Module) -> list[int]:
    """The last line of each import at the head of a module (and of its docstring).

    The line before the first one where there is neither.
    """
    ends = []
    is_top = True
    for statement in tree.body:
        # A string below something else documents nothing; in a notebook it stands for a magic.
        is_top = is_top and _is_docstring(statement)
        is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
        if is_import or is_top or _guards_imports(statement):
            ends.append(_end_line(statement))
        elif not _may_stand_among_imports(statement):
            break
    return ends or [0]


def _guards_imports(statement: ast.stmt) -> bool:
    """``try: import x``, which may keep in a flag that it could: ``has_x = True``."""
    if not isinstance(statement, (*TRIES, ast.If)):
        return False
    kept = [s for s in statement.body if not isinstance(s, (ast.Import, ast.ImportFrom))]
    return len(kept) < len(statement.body) and all(
        isinstance(flag, ast.Assign) and isinstance(flag.value, ast.Constant) for flag in kept
    )


def _below_head(facts: Facts) -> int:
    """The number of lines above the first import, or where one can stand: not above comments."""
    top = _end_of_docstring(facts.tree)
    first = next((s for s in facts.tree.body if s.lineno > top), None)
    if first is None:
        return top
    if top:
        # Blank lines stay between a docstring and the imports.
        is_import = isinstance(first, (ast.Import, ast.ImportFrom))
        between = range(top + 1, first.lineno)
        return first.lineno - 1 if is_import and all(_is_blank(facts, n) for n in between) else top
    if isinstance(first, (ast.Import, ast.ImportFrom)):
        return first.lineno - 1
    while facts.lines[top].startswith("#"):
        top += 1
    return top


def _end_of_docstring(tree: ast.Module) -> int:
    """The last line of a module's docstring and ``__future__`` imports."""
    last = 0
    for statement in tree.body:
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (future or _is_docstring(statement)):
            break
        last = _end_line(statement)
    return last


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _may_stand_among_imports(statement: ast.stmt) -> bool:
    """``__author__ = …``, ``matplotlib.use("Agg")``, ``sys.path.append(…)`` between imports."""
    return isinstance(statement, (ast.Expr, ast.Assign))


def _end_line(statement: ast.stmt | ast.expr) -> int:
    return statement.end_lineno or statement.lineno
