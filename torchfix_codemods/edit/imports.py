"""Imports that lost their last use to a rewrite, and imports of what moved."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.stale_comments import names_of_types
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries.torch_names import (
    VARIABLE,
    canonical,
    last_part,
    star_exports,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: The function that made Variables, and before 0.4 the module of the class.
_OTHER_CASE = "torch.autograd.variable"

#: The module that had the class.
_HOME = VARIABLE.rpartition(".")[0]

#: What certainly gives a name its value where it stands in a module or class itself.
_BINDING = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.ClassDef)


class _DropNames(Rule):
    """Takes names out of an import statement; the statement goes with its last name."""

    code = ""
    name = "orphaned-import"
    numerics = Numerics.IDENTICAL
    words = frozenset()

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return without_names(updated, self.data["positions"])

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Of ``import torch; from torch.autograd import Variable`` one statement is left."""
        line = updated.body[0]
        if len(updated.body) != 1 or not isinstance(line, cst.SimpleStatementLine):
            return updated
        kept: list[cst.BaseSmallStatement] = []
        for index, statement in enumerate(line.body):
            positions = self.data["by_statement"].get(index, ())
            alone = line.with_changes(body=[statement])
            left = without_names(alone, positions) if positions else alone
            if isinstance(left, cst.SimpleStatementLine):
                kept += left.body
        if not kept:
            return updated.with_changes(body=[])
        kept[-1] = kept[-1].with_changes(semicolon=line.body[-1].semicolon)
        return updated.with_changes(body=[line.with_changes(body=kept)])


def orphaned_imports(
    used_before: frozenset[str], after: Facts, drops_variable: bool
) -> list[Found]:
    """The imports that were used before the rewriting and are not used any more, to be removed.

    An import that nobody used in the first place stays, and so does one whose statement carries
    a comment, one that the module exports by ``__all__``, and one that another file of the
    project takes from this module. ``import torch.utils.model_zoo as zoo`` was used also where
    that stood as ``torch.utils.model_zoo``, and ``from torch.autograd import *`` where a name of
    it did.

    Args:
        used_before: the names that the original module used.
        after: the facts of the rewritten module.
        drops_variable: whether an import of Variable goes also where nobody ever used it.
    """
    used_after = used_names(after)
    dropped: dict[ast.stmt, Collection[int]] = {}
    for cls in (ast.Import, ast.ImportFrom):
        for node in after.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Import, ast.ImportFrom))
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                continue
            positions = {
                index
                for index, alias in enumerate(node.names)
                if (
                    (local := _local_name(node, alias)) in used_before
                    or _whole_name(node, alias) in used_before
                    or (drops_variable and _is_variable(node, alias))
                )
                and used_after.isdisjoint((local, _whole_name(node, alias)))
                and _may_go(after, node, local)
                and (local or is_imported_above("torch", node, after))
            }
            positions |= _other_case_beside(node, positions, used_after, after)
            if _lost_all_names(node, used_before, used_after, after):
                positions = {0}
            if positions:
                dropped[node] = positions
    return _found_by_lines(dropped, after)


def unused_variables(node: ast.ImportFrom, facts: Facts) -> frozenset[int]:
    """The places of Variable in an import that has a line of its own, where nobody uses it.

    None in a file that others import: whether they use it changes as they are migrated themselves.
    """
    if facts.is_imported_elsewhere:
        return frozenset()
    lines = facts.lines[node.lineno - 1 : node.end_lineno]
    if any("#" in line or ";" in line for line in lines):
        return frozenset()
    used = used_names(facts)
    positions = {
        index
        for index, alias in enumerate(node.names)
        if _is_variable(node, alias)
        and (local := _local_name(node, alias)) not in used
        and _may_go(facts, node, local)
    }
    return frozenset(positions | _other_case_beside(node, positions, used, facts))


def _other_case_beside(
    node: ast.Import | ast.ImportFrom,
    positions: Collection[int],
    used: Collection[str],
    facts: Facts,
) -> set[int]:
    """The place of ``variable`` where nothing reads it, in an import that loses ``Variable``."""
    if not any(_is_variable(node, node.names[index]) for index in positions):
        return set()
    return {
        index
        for index, alias in enumerate(node.names)
        if isinstance(node, ast.ImportFrom)
        and f"{node.module}.{alias.name}" == _OTHER_CASE
        and (local := _local_name(node, alias)) not in used
        and _may_go(facts, node, local)
    }


def _found_by_lines(dropped: Mapping[ast.stmt, Collection[int]], facts: Facts) -> list[Found]:
    """What goes from each line; of several statements in one line together."""
    founds: list[Found] = []
    done: set[ast.stmt] = set()
    for node, positions in dropped.items():
        beside = [s for s in facts.block(node) if s.lineno == node.lineno]
        if node in done:
            continue
        if len(beside) == 1:
            founds.append(_DropNames().found(node, "unused", positions=positions))
            continue
        done.update(beside)
        by_statement = {n: dropped[s] for n, s in enumerate(beside) if s in dropped}
        founds.append(_DropNames().found(node, "unused", region=beside, by_statement=by_statement))
    return founds


def _local_name(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if alias.asname:
        return alias.asname
    if isinstance(node, ast.ImportFrom):
        return alias.name
    # ``import a.b`` also makes ``a.b`` importable elsewhere; only ``import a`` is just a name.
    return alias.name if "." not in alias.name else ""


def _whole_name(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name of a module of torch that ``import torch`` gives as well, or has a shorter one."""
    is_short = isinstance(node, ast.Import) and alias.asname is not None
    is_given = isinstance(node, ast.Import) and alias.name == _HOME
    return alias.name if is_given or (is_short and alias.name.startswith("torch.")) else ""


def _lost_all_names(
    node: ast.Import | ast.ImportFrom,
    used_before: frozenset[str],
    used_after: frozenset[str],
    facts: Facts,
) -> bool:
    """Whether ``from torch.autograd import *`` gave a name that was used, and gives none now."""
    if not isinstance(node, ast.ImportFrom) or node.level or node.names[0].name != "*":
        return False
    given = star_exports(node.module or "") or frozenset()
    if used_after.issuperset(given & used_before):
        return False
    return not any(_may_be_of_star(name, facts) for name in given & used_after) and all(
        _may_go(facts, node, name) for name in given
    )


def _may_be_of_star(name: str, facts: Facts) -> bool:
    """Whether a star import may give a name its value somewhere; a text may speak of any."""
    uses = facts.names.scopes_using(name)
    return not uses or any(not _is_bound_above(name, scope) for scope in uses)


def _is_bound_above(name: str, scope: Scope) -> bool:
    """Whether what a scope reads is its function's own, or has its value by a statement above."""
    holder, bindings = scope.lookup(name) or (None, [])
    if holder is None or holder.kind not in ("module", "class"):
        return holder is not None
    block = getattr(holder.node, "body", [])
    first = min((use.lineno for use in scope.uses.get(name, ())), default=0)
    return any(
        isinstance(each.node, _BINDING) and each.node in block and each.node.lineno < first
        for each in bindings
    )


def _is_variable(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """``from torch.autograd import Variable``, which is there for old code alone."""
    if not isinstance(node, ast.ImportFrom) or node.level:
        return False
    return canonical(f"{node.module}.{alias.name}") == VARIABLE


def is_imported_above(module: str, node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement above, in the same block, imports a module by its own name.

    ``import torch.autograd`` gives the name ``torch``, too.
    """
    return any(
        isinstance(one, ast.Import)
        and one.lineno < node.lineno
        and any(alias.name == module and alias.asname is None for alias in one.names)
        for one in facts.block(node)
    )


def _may_go(facts: Facts, node: ast.Import | ast.ImportFrom, local: str) -> bool:
    parent = facts.parent(node)
    # Under ``try: import … except ImportError:`` the import is itself a question.
    if isinstance(parent, (*TRIES, ast.ExceptHandler)):
        return False
    if parent is not facts.tree or not facts.is_imported_elsewhere:
        return True
    return not facts.is_used_elsewhere(local)


def used_names(facts: Facts) -> frozenset[str]:
    """The names that a module reads, and those it may speak of in a string or types in comments.

    With them, the whole names by which it reads modules that have a shorter one.
    """
    names = {*facts.names.used, *names_of_types(facts.text)}
    for node in facts.names.nodes.get(ast.Import, ()):
        assert isinstance(node, ast.Import)
        wholes = {_whole_name(node, alias) for alias in node.names} - {""}
        names |= {w for w in wholes if _is_read(w, facts)}
    for node in facts.names.nodes.get(ast.Constant, ()):
        # Names in __all__ and in annotations written as strings.
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.isidentifier():
                names.add(node.value)
    return frozenset(names)


def _is_read(module: str, facts: Facts) -> bool:
    """Whether ``torch.utils.model_zoo`` stands somewhere."""
    uses = facts.names.attributes(last_part(module))
    return any(ast.unparse(use) == module for use in uses)


def without_names(
    updated: cst.SimpleStatementLine, positions: Collection[int]
) -> cst.SimpleStatementLine | cst.RemovalSentinel:
    """An import without the names at some places; nothing is left of it without its last name."""
    statement = updated.body[0]
    assert isinstance(statement, (cst.Import, cst.ImportFrom))
    if isinstance(statement.names, cst.ImportStar):
        return cst.RemoveFromParent()
    names = list(statement.names)
    kept = [alias for index, alias in enumerate(names) if index not in positions]
    if not kept:
        return cst.RemoveFromParent()
    kept[-1] = _ending_as(kept[-1], names[-1])
    return updated.with_changes(body=[statement.with_changes(names=kept), *updated.body[1:]])


def with_moved_names(
    updated: cst.SimpleStatementLine, renamed: Mapping[int, str]
) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
    """A ``from`` import with other names, those of another module in a line of their own.

    Args:
        updated: the line of the import.
        renamed: the qualified new names, by their place in the import.
    """
    statement = updated.body[0]
    if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
        return updated
    assert statement.module is not None
    module = _dotted(statement.module)
    stays: list[cst.ImportAlias] = []
    moved: dict[str, list[cst.ImportAlias]] = {}
    for index, alias in enumerate(statement.names):
        new = renamed.get(index)
        home = module if new is None else new.rpartition(".")[0]
        if home or new is None:
            changed = alias if new is None else _with_name(alias, last_part(new))
        else:
            changed = _as_module(alias, new)
        (stays if home == module else moved.setdefault(home, [])).append(changed)
    if not moved:
        return updated.with_changes(body=[statement.with_changes(names=stays)])
    lines = [_import_line(home, aliases) for home, aliases in moved.items()]
    if not stays:
        first = lines[0].with_changes(
            leading_lines=updated.leading_lines,
            trailing_whitespace=updated.trailing_whitespace,
        )
        return cst.FlattenSentinel([first, *lines[1:]])
    stays[-1] = _ending_as(stays[-1], statement.names[-1])
    kept = updated.with_changes(body=[statement.with_changes(names=stays)])
    return cst.FlattenSentinel([kept, *lines])


def with_class_from_module(
    updated: cst.SimpleStatementLine, index: int
) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
    """``from a import C as D`` for ``import a.C as D``, and ``import a`` for ``import a.C``.

    Args:
        updated: the line of the import.
        index: the place of ``a.C`` in it.
    """
    statement = updated.body[0]
    if not isinstance(statement, cst.Import):
        return updated
    names = list(statement.names)
    path = names[index].name
    assert isinstance(path, cst.Attribute)
    if names[index].asname is None:
        names[index] = names[index].with_changes(name=path.value)
        return updated.with_changes(body=[statement.with_changes(names=names), *updated.body[1:]])
    taken = _with_name(names.pop(index), path.attr.value)
    line = _import_line(_dotted(path)[: -len(path.attr.value) - 1], [taken])
    if not names:
        return updated.with_changes(body=[*line.body, *updated.body[1:]])
    names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    kept = updated.with_changes(body=[statement.with_changes(names=names), *updated.body[1:]])
    return cst.FlattenSentinel([kept, line])


def _ending_as(kept: cst.ImportAlias, last: cst.ImportAlias) -> cst.ImportAlias:
    """``kept`` as the last name of an import: the bracket stands where it stood behind ``last``."""
    if not isinstance(last.comma, cst.Comma) or not isinstance(kept.comma, cst.Comma):
        return kept.with_changes(comma=last.comma)
    # The comment beside a name is its own.
    own, end = kept.comma.whitespace_after, last.comma.whitespace_after
    if isinstance(own, cst.ParenthesizedWhitespace) and isinstance(
        end, cst.ParenthesizedWhitespace
    ):
        end = own.with_changes(indent=end.indent, last_line=end.last_line)
    return kept.with_changes(comma=kept.comma.with_changes(whitespace_after=end))


def _dotted(node: cst.Attribute | cst.Name) -> str:
    if isinstance(node, cst.Name):
        return node.value
    assert isinstance(node.value, (cst.Attribute, cst.Name))
    return f"{_dotted(node.value)}.{node.attr.value}"


def _with_name(alias: cst.ImportAlias, name: str) -> cst.ImportAlias:
    """``alias`` with another imported name; ``as`` goes where it says the same."""
    local = alias.asname.name if alias.asname is not None else None
    if isinstance(local, cst.Name) and local.value in (name, _old_name(alias)):
        return alias.with_changes(name=cst.Name(name), asname=None)
    return alias.with_changes(name=cst.Name(name))


def _old_name(alias: cst.ImportAlias) -> str:
    return alias.name.value if isinstance(alias.name, cst.Name) else ""


def _as_module(alias: cst.ImportAlias, module: str) -> cst.ImportAlias:
    """A whole module under the local name of ``alias``."""
    local = alias.name if alias.asname is None else alias.asname.name
    assert isinstance(local, cst.Name)
    as_local = cst.AsName(local, cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    return cst.ImportAlias(cst.Name(module), None if local.value == module else as_local)


def _import_line(module: str, aliases: list[cst.ImportAlias]) -> cst.SimpleStatementLine:
    """The import of names from a module; of whole modules where that is empty."""
    plain = [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in aliases]
    if not module:
        return cst.SimpleStatementLine(body=[cst.Import(plain)])
    path = cst.parse_expression(module)
    assert isinstance(path, (cst.Attribute, cst.Name))
    return cst.SimpleStatementLine(body=[cst.ImportFrom(module=path, names=plain)])
