"""Versions of torch, and which of them a file can have been written for."""

from __future__ import annotations

import dataclasses

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record

Version = tuple[int, ...]

LATER = "the file uses what came later"
"""Why an older version is not counted."""

_EARLIER = "the file uses what was gone by then"

#: What ``torch.__version__`` and pip say: a release, and how it was built.
_VERSION = lazy_pattern(r"v?([0-9]+(?:\.[0-9]+)*)(?:\.?(?:post|dev|a|b|rc)[0-9]+)*(?:\+[\w.]+)?")


@record
class Era:
    """An interval of torch versions, both ends included; None is open.

    A short version stands for all of its releases: ``newest=(1, 3)`` includes 1.3.1.
    ``evidence`` holds lines such as ``"line 12: volatile= (0.3 at most)"``.
    """

    oldest: Version | None = None
    newest: Version | None = None
    evidence: tuple[str, ...] = ()
    uses: Version | None = None
    """The version that the file's own code needs: a requirement alone shows no such thing."""
    pins: tuple[str, ...] = ()
    """The requirements that ``newest`` comes from."""
    is_shown_beside: bool = False
    """Whether ``newest`` comes from other files, which may be rewritten, too."""
    has_variables: bool = False
    """Whether the file has ``torch.autograd.Variable``: nothing newer than 0.3 needs it."""
    runs_since: Version | None = None
    """The first torch on which nothing fails that people wrote in the file."""
    runs_until: Version | None = None
    """The last one."""

    @property
    def is_open(self) -> bool:
        """Whether nothing says which versions these are."""
        return self.oldest is None and self.newest is None

    def before(self, version: Version) -> bool:
        """Whether the file was certainly written for a torch older than ``version``."""
        return self.newest is not None and last_release(self.newest) < version

    def needs(self, version: Version) -> bool:
        """Whether the code of the file itself needs at least that torch."""
        return self.uses is not None and self.uses >= version

    def within(self, project: Era) -> Era:
        """This era of a file, narrowed by what its project requires.

        Where the two contradict each other the file is believed: what it is written with is a
        fact, while a requirement may be older or newer than the code.
        """
        if project.newest is not None and self.oldest is not None and project.before(self.oldest):
            return self._beside(project, LATER)
        if project.oldest is not None and self.before(project.oldest):
            return self._beside(project, _EARLIER)
        newest = min(filter(None, (self.newest, project.newest)), key=last_release, default=None)
        oldest = max(filter(None, (self.oldest, project.oldest)), default=None)
        evidence = (*self.evidence, *project.evidence)
        pins, is_beside = self.pins, self.is_shown_beside
        if newest != self.newest:
            pins, is_beside = project.pins, project.is_shown_beside
        return dataclasses.replace(
            self,
            oldest=oldest,
            newest=newest,
            evidence=evidence,
            pins=pins,
            is_shown_beside=is_beside,
        )

    def _beside(self, project: Era, reason: str) -> Era:
        doubted = (f"{line} (not counted: {reason})" for line in project.evidence)
        evidence = (*self.evidence, *doubted)
        return dataclasses.replace(self, evidence=evidence, pins=(), is_shown_beside=False)

    def __str__(self) -> str:
        """``0.4 or newer``, ``0.3 at most``, ``0.4 to 1.1``, ``1.4.0``, ``any version``."""
        if self.is_open:
            return "any version"
        if self.newest is None:
            return f"{dotted(self.oldest or ())} or newer"
        if self.oldest is None:
            return f"{dotted(self.newest)} at most"
        only = self.oldest == self.newest
        return dotted(self.newest) if only else f"{dotted(self.oldest)} to {dotted(self.newest)}"


def parse_version(text: str) -> Version:
    """Return ``(0, 4, 1)`` for ``"0.4.1"``, and for what torch itself says: ``"0.4.1.post2+cu92"``.

    Raises:
        ValueError: not a version.
    """
    release = text
    if not text[-1:].isdecimal() or not text.replace(".", "").isdecimal():
        match = _VERSION.fullmatch(text.strip())
        release = match[1] if match is not None else ""
    try:
        return tuple(int(part) for part in release.split("."))
    except ValueError:
        raise ValueError(f"not a torch version: {text!r} (write it as 0.3 or 1.13.1)") from None


def dotted(version: Version) -> str:
    """Return ``"0.4.1"`` for ``(0, 4, 1)``."""
    return ".".join(map(str, version))


def last_release(version: Version) -> tuple[float, ...]:
    """Past the last release that ``version`` stands for: 1.3.1 is one of 1.3, 1.4 is not."""
    return (*version, float("inf"))
