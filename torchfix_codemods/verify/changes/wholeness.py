"""Whether some parts of a change, without the others, still make a program."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.text.repair import repair_async

_GIVEN = frozenset({*dir(builtins), "__file__", "__path__"})


class Whole:
    """What two versions of a file have in common with any mixture of them that is a program.

    Args:
        before: the file as it was.
        after: the file with all parts of the change.
    """

    def __init__(self, before: str, after: str) -> None:
        versions = [_unbound(runnable(text)) for text in (before, after)]
        self._is_known = None not in versions
        self._unbound = {name for found in versions if found is not None for name in found}
        self._lost: dict[str, Counter[str] | None] = {before: Counter(), after: Counter()}

    def lost(self, text: str) -> Counter[str] | None:
        """How often a mixture reads which names that it gives no value, though both versions do.

        Returns:
            None where it does not parse. Where one of the versions does not, nothing is lost.
        """
        if not self._is_known:
            return Counter()
        if text not in self._lost:
            found = _unbound(runnable(text))
            if found is not None:
                found = Counter({n: c for n, c in found.items() if n not in self._unbound})
            self._lost[text] = found
        return self._lost[text]

    def size(self, text: str) -> float:
        """How much is lost in a mixture: nothing where it is a program as much as both versions."""
        lost = self.lost(text)
        return float("inf") if lost is None else float(lost.total())


def runnable(text: str) -> str:
    """A text in which ``async=`` is no obstacle; its lines are the same ones."""
    if "async" not in text:
        return text
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return repair_async(text)[0]
    return text


def belonging_together(
    number: int, mixed: Callable[[frozenset[int]], str], whole: Whole
) -> list[frozenset[int]]:
    """Which parts of a change only make a program together: ``ctx`` here, and its reads there.

    Args:
        number: how many parts there are.
        mixed: gives the text with some of them.
        whole: what each mixture is measured by.
    """
    clusters = [frozenset({part}) for part in range(number)]
    position = 0
    while position < len(clusters):
        cluster = clusters[position]
        size = whole.size(mixed(cluster))
        if not size:
            position += 1
            continue
        others = [(whole.size(mixed(cluster | o)), o) for o in clusters if o is not cluster]
        least, other = min(others, key=lambda found: found[0], default=(size, cluster))
        if least >= size:
            position += 1
            continue
        clusters = [c for c in clusters if c not in (cluster, other)]
        clusters = sorted([*clusters, cluster | other], key=min)
        position = 0
    return clusters


def _unbound(text: str) -> Counter[str] | None:
    """How often a text reads which names that it binds nowhere; None where it does not parse."""
    try:
        names = Names(ast.parse(text))
    except (SyntaxError, ValueError):
        return None
    return Counter(
        {
            name: sum(len(s.uses.get(name, ())) for s in names.scopes.values() if _lacks(s, name))
            for scope in names.scopes.values()
            for name in scope.uses
            if name not in _GIVEN and _lacks(scope, name)
        }
    )


def _lacks(scope: Scope, name: str) -> bool:
    return scope.lookup(name) is None
