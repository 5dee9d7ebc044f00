"""What is asked of all files of a project together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torchfix_codemods.facts.age.ages import Kept
    from torchfix_codemods.facts.age.era import Era, Version
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.project.kept_ages import KeptAges
    from torchfix_codemods.project.programs import Programs
    from torchfix_codemods.project.texts import Texts


class ProjectFiles(Protocol):
    """The files of a project, each read and parsed when it is first asked for.

    :class:`torchfix_codemods.project.index.Index` is one.
    """

    required: dict[Path, Era | None]
    vintages: dict[Path, Era]
    needs: dict[Path, list[tuple[Version, str]]]
    needed: dict[str, Version | None]
    notes: KeptAges | None

    @property
    def texts(self) -> Texts:
        """What the texts of the files say of each other."""

    @property
    def programs(self) -> Programs:
        """Which files belong to the same program."""

    def read(self, path: str | Path) -> bytes:
        """The bytes of a file when the run began; none where it cannot be read."""

    def resolve(self, dotted: str, importer: Path) -> Path | None:
        """The file that an import leads to."""

    def may_mean(self, dotted: str, importer: Path) -> frozenset[Path] | None:
        """The files that an import can lead to; None: any."""

    def facts(self, path: Path) -> Facts | None:
        """What is known of a file that others import; None where it cannot be parsed."""

    def parsed(self, path: Path) -> Facts | None:
        """What is known of a file that was asked for already."""

    def keep_names(self, path: Path, text: str, names: Names) -> None:
        """Keep the scopes of a file that was parsed for itself, for others that ask for it."""

    def kept_ages(self, path: Path, text: str) -> Kept:
        """What an earlier run knew of the age of a file."""

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to a file."""

    def note_drawn(self, importer: Path, path: Path) -> None:
        """Remember that what is known of a file was drawn from another one."""

    def drawn_from(self, importer: Path) -> tuple[tuple[str, str], ...]:
        """The files that a file's facts were drawn from, and the digests of their bytes."""
