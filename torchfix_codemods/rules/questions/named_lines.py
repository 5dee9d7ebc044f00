"""How messages name several lines of a file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.text.wording import listed

#: So many lines are all named; of more, one less, and the others are counted.
_MOST_LISTED = 6


def numbered(lines: Sequence[int]) -> str:
    """``lines 3 and 5``."""
    return f"line{'s' if len(lines) > 1 else ''} {listed(lines)}"


def also_in(lines: Sequence[int], facts: Facts, begun: str = ", here and in") -> str:
    """What is said of a place as well as of others: ``, here and in lines 3 and 5``.

    Args:
        lines: the numbers of the other lines, as the file has them, in their order.
        facts: the facts of the module.
        begun: how that begins.
    """
    if not lines:
        return ""
    shown = lines if len(lines) <= _MOST_LISTED else lines[: _MOST_LISTED - 1]
    more = [f"{len(lines) - len(shown)} more"] if len(shown) < len(lines) else []
    if facts.speaks_of(PREFIX):
        # Each of these is named by its cell in the end, with a comma of its own.
        *first, last = [*(f"line {line}" for line in shown), *more]
        return f"{begun} {'; '.join(first)}{' and ' if first else ''}{last}"
    if more:
        return f"{begun} lines {listed([*shown, *more])}"
    return f"{begun} {numbered(lines)}"


def told_once(
    node: ast.expr,
    facts: Facts,
    key: object,
    others: Iterable[ast.AST],
    said: Callable[[ast.AST], str | None],
) -> str | None:
    """What is said of a place and, in the same words, of others: the first of them names all.

    Args:
        node: the place.
        facts: the facts of the module.
        key: by which the answer for the same others is remembered.
        others: what the same may be said of, the place among them.
        said: what is said of a place, if anything.

    Returns:
        None where another place tells.
    """
    return facts.remembered(("told once", key), lambda: _told(facts, others, said)).get(node)


def told_of_alike(
    node: ast.expr, facts: Facts, said: Callable[[ast.expr, Facts], str | None]
) -> str | None:
    """What is said of a place and, in the same words, of what its function writes as it is written.

    Args:
        node: the place.
        facts: the facts of the module.
        said: what is said of a place, if anything.

    Returns:
        None where another place tells.
    """
    text, function = ast.unparse(node), facts.names.enclosing_function(node)
    alike = (
        other
        for other in facts.names.nodes.get(type(node), ())
        if isinstance(other, ast.expr)
        and facts.names.enclosing_function(other) is function
        and ast.unparse(other) == text
    )
    key = said.__qualname__, function, text
    return told_once(
        node, facts, key, alike, lambda n: said(n, facts) if isinstance(n, ast.expr) else None
    )


def _told(
    facts: Facts, others: Iterable[ast.AST], said: Callable[[ast.AST], str | None]
) -> dict[ast.expr, str]:
    """What is told, by the places that tell it."""
    alike: dict[str, list[ast.expr]] = {}
    for each in others:
        message = said(each) if isinstance(each, ast.expr) else None
        if message is not None and isinstance(each, ast.expr):
            alike.setdefault(message, []).append(each)
    told: dict[ast.expr, str] = {}
    for message, places in alike.items():
        run = sorted(reached(places, facts), key=start_of)
        if not run:
            told |= dict.fromkeys(places, message)
            continue
        first, *more = run
        lines = {facts.origin(each.lineno) for each in more} - {facts.origin(first.lineno)}
        told[first] = message + also_in(sorted(lines), facts)
    return told


def beside(others: Sequence[int], is_subject: bool) -> str:
    """Where the same is to be done: `` here and in line 3``; of a subject within commas."""
    if not others:
        return ""
    lines = f" here and in {numbered(others)}"
    return f",{lines}," if is_subject else lines
