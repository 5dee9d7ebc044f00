"""What is said of names that are gone."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from torchfix_codemods.catalogue.rows import Gone, Value
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts


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
