"""What is said of names that are gone."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from torchfix_codemods.catalogue.rows import Gone, Value
from torchfix_codemods.facts.language.classes import is_asked_for
from torchfix_codemods.facts.libraries.signatures import bind, parse_signature
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.questions.fitting import fits
from torchfix_codemods.text.wording import worded, worded_operand


def gone_message(names: Sequence[str], state: str, advice: str) -> str:
    """What to do about names that went together, as one import takes them from their module."""
    if len(names) > 1:
        advice = advice.replace("it was", "they were", 1)
    return f"{_of_all(names, state)}: {advice}"


def advice_in(row: Gone, facts: Facts) -> str:
    """What to do about a name that is gone, and about those beside it that the file has."""
    names = facts.names
    there = (
        text for name, text in row.also.items() if name in names.used or names.attributes(name)
    )
    return "; ".join([row.advice, *there])


def advice_at(row: Gone, node: ast.AST, facts: Facts) -> str:
    """What to do about a use of a name that is gone; of a call, what its arguments ask for."""
    call = facts.parent(node)
    is_called = isinstance(call, ast.Call) and call.func is node
    if not isinstance(call, ast.Call) or not is_called or not row.takes:
        return advice_in(row, facts)
    signature = parse_signature(row.takes)
    bound = bind(signature, call)
    if bound is None:
        return advice_in(row, facts)
    given = {name: _Quoted(value, name) for name, value in bound.given.items()}
    first = (f.advice for f in row.forms if fits(f, signature, bound, facts))
    beside = [f.advice for f in row.beside if fits(f, signature, bound, facts)]
    said = [next(first, advice_in(row, facts)), *beside]
    return "; ".join(said).format_map(given)


def is_kind(name: str, node: ast.AST, facts: Facts) -> bool:
    """Whether a class is asked for, or listed with others, which a deprecated one still can be."""
    is_listed = isinstance(facts.names.parents.get(node), (ast.List, ast.Set, ast.Tuple))
    return last_part(name)[:1].isupper() and (is_listed or is_asked_for(facts.names, node))


@record
class _Quoted:
    """An argument as a message writes it: ``{a}``, or ``{size[0]}`` for a part of it."""

    node: ast.expr
    name: str

    def __str__(self) -> str:
        return worded(self.node, self.name)

    def __format__(self, spec: str) -> str:
        return worded_operand(self.node, self.name) if spec == "operand" else str(self)

    def __getitem__(self, place: int) -> _Quoted:
        assert isinstance(self.node, (ast.Tuple, ast.List))
        return _Quoted(self.node.elts[place], f"{self.name}[{place}]")


def unread_message(node: ast.ImportFrom, rows: Mapping[int, Value | Gone]) -> str:
    """What is said of imported names that go, by what became of them."""
    said = []
    for state in dict.fromkeys(row.state for row in rows.values()):
        names = [node.names[index].name for index, row in rows.items() if row.state == state]
        names[0] = f"{node.module}.{names[0]}"
        them = "it" if len(names) == 1 else "them"
        said.append(f"{_of_all(names, state)}, and nothing reads {them}")
    return "; ".join(said)


def _of_all(names: Sequence[str], state: str) -> str:
    """What became of names of one module, as one import takes them from it."""
    first, *others = names
    if others:
        state = state.replace("is ", "are ", 1)
    return f"{', '.join([first, *map(last_part, others)])} {state}"
