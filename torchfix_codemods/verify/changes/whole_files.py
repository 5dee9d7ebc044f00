"""Files that differ as a whole: those that come or go, and those that are not Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath

from torchfix_codemods.record import record


@record
class WholeFile:
    """A file that one version of a project has and the other has not, or not with these bytes."""

    path: str
    """Relative to the project."""
    before: bytes | None
    """None: it comes."""
    after: bytes | None
    """None: it goes."""

    @property
    def key(self) -> str:
        """What the change is called."""
        return f"{self.path}#file"

    @property
    def kind(self) -> str:
        """``added``, ``deleted`` or ``changed``."""
        if self.before is None:
            return "added"
        return "deleted" if self.after is None else "changed"

    def lines(self) -> tuple[int, int]:
        """How many lines it has before and after."""
        before, after = (len((data or b"").splitlines()) for data in (self.before, self.after))
        return before, after

    def watched(self, is_chosen: bool) -> list[list[int]] | None:
        """The lines to be told of when they run; none of what is no Python: when it is opened.

        Args:
            is_chosen: whether the change is made.

        Returns:
            the lines; None where there is no file.
        """
        data = self.after if is_chosen else self.before
        if data is None:
            return None
        return [[1, max(sum(self.lines()), 1)]] if self.path.endswith(".py") else []


def overrides_of(
    files: Iterable[WholeFile],
    chosen: Collection[str],
    texts: Mapping[str, str],
    afters: Mapping[str, str],
) -> dict[str, bytes | None]:
    """What the files hold when some changes are made.

    A file that goes is still there where a line names it that goes, too, but did not yet.

    Args:
        files: the files.
        chosen: the keys of the changes.
        texts: what the files that change in parts hold.
        afters: what these hold when all is changed.
    """
    leaving = [
        line
        for path, text in texts.items()
        for line in set(text.splitlines()).difference(afters[path].splitlines())
    ]
    return {
        file.path: file.after
        for file in files
        if file.key in chosen and not (file.after is None and _is_named(file.path, leaving))
    }


def _is_named(path: str, lines: Iterable[str]) -> bool:
    if not path.endswith(".py"):
        name = re.escape(PurePath(path).name)
        return any(re.search(rf"(?<!\w){name}(?!\w)", line) for line in lines)
    own = PurePath(path)
    name = re.escape(own.parent.name if own.name == "__init__.py" else own.stem)
    return any(re.match(rf"\s*(?:from|import)\b.*\b{name}\b", line) for line in lines)
