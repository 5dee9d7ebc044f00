"""Names that neither the file nor another one reads: of imports, and of what a call makes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from torchfix_codemods.catalogue.rows import Gone, Row, Value
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries.torch_names import canonical, last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import is_program


def idle_message(row: Row, node: ast.Import | ast.ImportFrom, name: str = "") -> str:
    """What is said of a name that nothing reads."""
    todo = "delete the import" if len(node.names) == 1 else "take it out of the import"
    return f"{name or row.names[0]} {row.state}, and nothing in this file reads it: {todo}"


def unread_message(node: ast.ImportFrom, rows: Mapping[int, Value | Gone]) -> str:
    """What is said of imported names that go, by what became of them."""
    said = []
    for state in dict.fromkeys(row.state for row in rows.values()):
        names = [node.names[index].name for index, row in rows.items() if row.state == state]
        names[0] = f"{node.module}.{names[0]}"
        them = "it" if len(names) == 1 else "them"
        said.append(f"{all_named(names, state)}, and nothing reads {them}")
    return "; ".join(said)


def all_named(names: Sequence[str], state: str) -> str:
    """What became of names of one module, as one import takes them from it."""
    first, *others = names
    if others:
        state = state.replace("is ", "are ", 1)
    return f"{', '.join([first, *map(last_part, others)])} {state}"


def is_unread(facts: Facts, node: ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether an imported name can go, as nothing reads it and no comment speaks of its import."""
    return is_plain(facts, node) and is_idle(facts, node, alias)


def why_needless(facts: Facts, node: ast.ImportFrom, alias: ast.alias, new: str) -> str:
    """Why an imported name that has the name ``new`` today can go; empty where it cannot."""
    if is_unread(facts, node, alias):
        return "nothing reads it"
    local = alias.asname or alias.name
    if is_plain(facts, node) and _is_imported_beside(facts, node, local, new):
        return f"another import beside it brings {local}"
    return ""


def is_plain(facts: Facts, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import stands in the module itself, and no comment speaks of it."""
    lines = facts.lines[node.lineno - 1 : node.end_lineno]
    return facts.parent(node) is facts.tree and not any("#" in line for line in lines)


def _is_imported_beside(facts: Facts, node: ast.ImportFrom, local: str, new: str) -> bool:
    """Whether another import brings the same name, and nothing but imports stands between."""
    block = facts.block(node)
    place = block.index(node)
    others = [b for b in facts.names.module.bindings.get(local, ()) if b.node is not node]
    for other in others:
        if other.kind != "import" or other.qualified != new or other.node not in block:
            continue
        first, last = sorted((place, block.index(other.node)))
        if all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in block[first:last]):
            return True
    return False


def is_idle(facts: Facts, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether neither the file nor another one reads an imported name."""
    local = alias.asname or alias.name
    return not is_read(facts, node, alias) and not is_exported(
        facts, facts.names.scope_of(node), local
    )


def is_read(facts: Facts, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether the file reads an imported name, and not what a star import makes of it below."""
    names, whole = facts.names, getattr(node, "module", None)
    known = canonical(f"{whole}.{alias.name}" if whole else alias.name)
    uses = names.uses_of(names.scope_of(node), alias.asname or alias.name)
    return any(not names.is_given_by_star(use, known) for use in uses)


def is_exported(facts: Facts, holder: Scope, local: str) -> bool:
    """Whether other files take, or may take, an imported name from this one."""
    if holder is not facts.names.module:
        return False
    if facts.is_used_elsewhere(local):
        return True
    for binding in facts.names.module.bindings.get("__all__", ()):
        for node in ast.walk(binding.value) if binding.value is not None else ():
            if isinstance(node, ast.Constant) and node.value == local:
                return True
    return False


def object_unread(facts: Facts, call: ast.Call) -> str | None:
    """The name that holds the object of a class, where neither the file nor another one reads it.

    A function can do more than return something: ``torch.onnx._export`` wrote a file.
    """
    if not last_part(facts.name(call.func) or "")[:1].isupper():
        return None
    statement = facts.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        return None
    if any(map(facts.speaks_of, ("locals(", "globals("))):
        return None
    found = facts.names.scope_of(targets[0]).lookup(targets[0].id)
    if found is None or not _is_seen_whole(facts, found[0], targets[0].id):
        return None
    if any(binding.kind != "assign" for binding in found[1]):
        return None
    return None if any(facts.names.uses_of(found[0], targets[0].id)) else targets[0].id


def _is_seen_whole(facts: Facts, holder: Scope, local: str) -> bool:
    """Whether all that may read a name is in sight; a part of a text may go on elsewhere."""
    if holder.kind == "module":
        return is_program(facts) and not is_exported(facts, holder, local)
    return holder.kind == "function"
