"""What is said of names that are gone."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Mapping, Sequence

from torchfix_codemods.catalogue.rows import Gone
from torchfix_codemods.facts.guards import is_import_guarded
from torchfix_codemods.facts.language.classes import is_asked_for
from torchfix_codemods.facts.libraries.signatures import bind, parse_signature
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.systems import is_on_windows
from torchfix_codemods.rules.questions.fitting import fits
from torchfix_codemods.rules.questions.gone_uses import fails_at_import, said_beside
from torchfix_codemods.rules.questions.named_lines import numbered
from torchfix_codemods.rules.questions.own_lines import DROP, dropped
from torchfix_codemods.rules.questions.quoted import (
    Quoted,
    as_imported,
    leaves_names,
    with_call,
)
from torchfix_codemods.rules.questions.spoken import speaks_of
from torchfix_codemods.rules.questions.unread_imports import all_named, object_unread
from torchfix_codemods.text.wording import worded


def gone_message(names: Sequence[str], state: str, advice: str) -> str:
    """What to do about names that went together, as one import takes them from their module."""
    if len(names) > 1:
        advice = advice.replace("it was", "they were", 1)
    return f"{all_named(names, state)}: {advice}"


def advice_in(row: Gone, facts: Facts) -> str:
    """What to do about a name that is gone, and about those beside it that the file has."""
    said = (advice for words, advice in row.spoken.items() if speaks_of(words, facts))
    return "; ".join([next(said, row.advice), *said_beside(row, facts)])


def advice_on_import(row: Gone, node: ast.AST, facts: Facts) -> str:
    """What to do about a name that is gone where it is imported, as all calls in the file ask.

    Of arguments that differ from call to call, the names of the parameters stand there.
    """
    return as_imported(_asked_on_import(row, facts), node, facts)


def _asked_on_import(row: Gone, facts: Facts) -> str:
    if row.imported:
        return row.imported
    if row.element and (of_all := _said_of_elements(row, facts)):
        return of_all
    said, given = _said_of_calls(row, facts)
    if len(set(said)) != 1 or "" in said:
        return advice_in(row, facts)
    signature = parse_signature(row.takes)
    quoted = {p.name: _alike(p.name, given) for p in signature.parameters}
    text = said[0]
    shown = [name for name in quoted if f"{{{name}" in text]
    if not all(_is_alike(name, given) for name in shown) or leaves_names(text, quoted):
        text = with_call(text, last_part(row.old), quoted)
    return "; ".join([text.format_map(quoted), *said_beside(row, facts)])


def _said_of_elements(row: Gone, facts: Facts) -> str:
    """What is said of the one element that the file reads of it; "" where it reads several."""
    nodes = facts.names.nodes.get(ast.Subscript, ())
    reads = [n for n in nodes if isinstance(n, ast.Subscript) and facts.name(n.value) == row.old]
    keys = {worded(read.slice, "name") for read in reads}
    return row.element.format(keys.pop()) if len(keys) == 1 else ""


def is_told_at_uses(row: Gone, name: str, facts: Facts) -> bool:
    """Whether what the file does with an imported name is told, so that its import need not be."""
    if row.gone is None and row.old == name:
        return any(facts.name(use) == name for use in facts.names.nodes.get(ast.Name, ()))
    return _is_told_at_calls(row, facts)


def _is_told_at_calls(row: Gone, facts: Facts) -> bool:
    """Whether the calls in the file ask for unlike things, each of which can be said there.

    The import says nothing then, if it could only say ``resize(size, ...)``.
    """
    if row.imported or "..." not in row.advice:
        return False
    said, _ = _said_of_calls(row, facts)
    return len(set(said)) > 1 and "" not in said


def is_told_where_used(row: Gone, node: ast.expr, facts: Facts, gone: Container[str]) -> bool:
    """Whether a use tells of itself; of a name whose import fails the import tells, if it can.

    Of a module whose part is among the names that are ``gone``, the part tells.
    """
    around = facts.parent(node)
    while isinstance(around, ast.Attribute):
        if facts.name(around) in gone:
            return False
        around = facts.parent(around)
    if row.gone is None:
        return True
    if isinstance(node, ast.Attribute):
        return not fails_at_import(row.old, facts)
    return _is_told_at_calls(row, facts) and not is_import_guarded(facts, node)


def _are_asked_alike(row: Gone, facts: Facts) -> bool:
    """Whether one sentence fits all calls of the file: the first tells it, and names the others."""
    said, _ = _said_of_calls(row, facts)
    return len(said) > 1 and len(set(said)) == 1 and "" not in said


def _said_of_calls(row: Gone, facts: Facts) -> tuple[list[str], list[dict[str, ast.expr]]]:
    """What is said of each call in the file, and what it is given; "" where nothing fits it."""
    # Each use of the name asks. Rows are made once.
    return facts.remembered(("said of calls", id(row)), lambda: _find_said(row, facts))


def _find_said(row: Gone, facts: Facts) -> tuple[list[str], list[dict[str, ast.expr]]]:
    calls = [call for call in facts.names.nodes.get(ast.Call, ()) if isinstance(call, ast.Call)]
    said: list[str] = []
    given: list[dict[str, ast.expr]] = []
    beside: dict[str, list[int]] = {form.advice: [] for form in row.beside}
    for call in calls if row.takes else ():
        if facts.name(call.func) != row.old:
            continue
        signature = parse_signature(row.takes)
        bound = bind(signature, call)
        first = ""
        if bound is not None:
            first = next((f.advice for f in row.forms if fits(f, signature, bound, facts)), "")
            for form in row.beside if first else ():
                if fits(form, signature, bound, facts):
                    beside[form.advice].append(facts.origin(call.lineno))
            given.append(dict(bound.given))
        said.append(first)
    told = (
        text if len(lines) == len(said) else f"{text} ({numbered(sorted({*lines}))})"
        for text, lines in beside.items()
        if lines
    )
    rest = "".join(f"; {text}" for text in told)
    return [first and first + rest for first in said], given


def _alike(name: str, given: Sequence[Mapping[str, ast.expr]]) -> Quoted:
    """An argument that all calls give alike, or else the name of the parameter.

    Where the arguments have that name for something else, it is one that they have not.
    """
    values = [each[name] for each in given if name in each]
    others = (node for v in values if not isinstance(v, ast.Name) for node in ast.walk(v))
    is_taken = any(isinstance(node, ast.Name) and node.id == name for node in others)
    shown = f"given_{name}" if is_taken else name
    return Quoted(given[0][name] if _is_alike(name, given) else ast.Name(shown), shown)


def _is_alike(name: str, given: Sequence[Mapping[str, ast.expr]]) -> bool:
    values = [each[name] for each in given if name in each]
    return len(values) == len(given) and len({ast.dump(value) for value in values}) == 1


def advice_at(row: Gone, node: ast.AST, facts: Facts) -> str:
    """What to do about a use of a name that is gone; of a call, what its arguments ask for."""
    said = as_imported(_asked_at(row, node, facts), node, facts)
    rid = dropped(facts.statement(node), facts) if said.startswith(DROP) else DROP
    return said.replace(DROP, rid, 1)


def _asked_at(row: Gone, node: ast.AST, facts: Facts) -> str:
    on_windows = is_on_windows(node, facts) if row.on_windows else None
    if on_windows is not None:
        return row.on_windows if on_windows else row.on_others
    read = _attribute_read(row, node, facts)
    if read is not None:
        line = f"line {facts.origin(read.lineno)} reads {worded(read, read.attr)}"
        return f"{advice_in(row, facts)}; {line}: {row.attributes[read.attr]}"
    call = facts.parent(node)
    if isinstance(call, ast.Expr):
        return "drop the line, which only names it"
    if isinstance(call, ast.Subscript) and call.value is node and isinstance(call.ctx, ast.Load):
        return _said_of_elements(row, facts) or advice_in(row, facts)
    is_called = isinstance(call, ast.Call) and call.func is node
    if isinstance(call, ast.Call) and is_called and (unread := object_unread(facts, call)):
        return f"nothing reads {unread}, delete it"
    if not isinstance(call, ast.Call) or not is_called or not row.takes:
        return advice_in(row, facts)
    if row.gone is not None and _are_asked_alike(row, facts):
        return _asked_on_import(row, facts)
    signature = parse_signature(row.takes)
    bound = bind(signature, call)
    first = [f.advice for f in row.forms if bound and fits(f, signature, bound, facts)]
    if bound is None or (row.spoken and not first):
        return advice_in(row, facts)
    quoted = {p.name: _alike(p.name, [bound.given]) for p in signature.parameters}
    beside = [f.advice for f in row.beside if fits(f, signature, bound, facts)]
    text = "; ".join([*(first or [row.advice])[:1], *beside])
    if leaves_names(text, quoted):
        text = with_call(text, last_part(row.old), quoted)
    return "; ".join([text.format_map(quoted), *said_beside(row, facts)])


def _attribute_read(row: Gone, node: ast.AST, facts: Facts) -> ast.Attribute | None:
    """The first read attribute that what is made has, and what takes its place has not."""
    user = facts.parent(node)
    made = facts.parent(user) if isinstance(user, ast.Attribute) else user
    if not row.attributes or not isinstance(made, ast.Call) or made.func not in (node, user):
        return None

    def _is_read(use: Use) -> Iterable[Place] | None:
        read = facts.parent(use.node)
        if use.facts is not facts or use.place.content or not isinstance(read, ast.Attribute):
            return _whole(use)
        return None if isinstance(read.ctx, ast.Load) and read.attr in row.attributes else ()

    # A class method makes several: ``BucketIterator.splits(…)``.
    trail = follow([Place(facts, made, () if user is made else ("*",))], _is_read)
    read = None if trail is None or trail.is_cut else facts.parent(trail.end.node)
    return read if isinstance(read, ast.Attribute) else None


def _whole(use: Use) -> Iterable[Place]:
    """Where the very object goes on to."""
    if use.place.content or use.kind in ("bound", "chosen", "element"):
        yield from use.result()
        yield from use.held()
    yield from use.returned()
    yield from use.taken()


def is_kind(name: str, node: ast.AST, facts: Facts) -> bool:
    """Whether a class is asked for, or listed with others, which a deprecated one still can be."""
    is_listed = isinstance(facts.names.parents.get(node), (ast.List, ast.Set, ast.Tuple))
    return last_part(name)[:1].isupper() and (is_listed or is_asked_for(facts.names, node))
