"""Names of which a star import further down makes something else: ``from utils import *``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.language.scopes import Binding


class StarsBelow:
    """What the star imports of a module make of the names that it binds above them."""

    def __init__(self) -> None:
        self.name_of_star: Callable[[str, ast.ImportFrom], str | None] = lambda name, star: None
        """What a star import of another file certainly gives a name: "" for what is of no library,
        None where that is not known."""
        self._given: dict[tuple[str, ast.ImportFrom], str | None] = {}

    def change(
        self,
        name: str,
        known: str,
        bindings: Iterable[Binding],
        stars: Iterable[ast.ImportFrom],
        before: int | None = None,
    ) -> bool:
        """Whether a star import below some bindings makes something else of a name.

        Args:
            name: the name.
            known: the qualified name that the bindings give it.
            bindings: all that bind it, at the module level.
            stars: the star imports of the module.
            before: the line above which the import has to stand.
        """
        last = max(getattr(binding.node, "lineno", 0) for binding in bindings)
        for star in sorted(stars, key=lambda star: -star.lineno):
            if star.lineno > last and (before is None or star.lineno < before):
                given = self._given_by(name, star)
                if given is not None:
                    return given != known and known != f"{'.' * star.level}{star.module}.{name}"
        return False

    def _given_by(self, name: str, star: ast.ImportFrom) -> str | None:
        """What a star import gives a name; files that import each other give nothing."""
        key = name, star
        if key not in self._given:
            self._given[key] = None
            self._given[key] = self.name_of_star(name, star)
        return self._given[key]
