"""What is asked of other files of the project; :mod:`torchfix_codemods.project` answers."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.facts.names import Names


class OtherFile(Protocol):
    """A file or a folder of the project that can be imported."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def facts(self) -> Facts | None:
        """What is known of it; None for a folder, and where it cannot be read."""

    @property
    def inference(self) -> Inference | None:
        """What its expressions are; None for a folder, and where it cannot be read."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder without an ``__init__.py``."""

    def may_bind(self, name: str) -> bool:
        """Whether the text of the file, or of one that it takes all names from, may bind a name.

        Of a folder anything may.
        """

    def submodule(self, name: str) -> OtherFile | None:
        """The file of a package, or of a folder, that ``import package.name`` imports."""


class Files(Protocol):
    """The other files of the project, as one file imports them."""

    @property
    def path(self) -> Path:
        """Where the importing file is."""

    waits: bool
    """Whether something was left because of what other files hold, and may go once they
    changed."""

    def own_names(self, text: str) -> Names | None:
        """The scopes of the importing file, where others have asked for it, and it is ``text``."""

    def as_begun(self) -> Facts | None:
        """What is known of the importing file as it was when the run began, as others see it."""

    def is_of_library(self) -> bool:
        """Whether programs out of sight may import the importing file."""

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether a file that may take names from the importing one speaks of a name."""

    def mentioning(self, word: str) -> Collection[OtherFile] | None:
        """The other files of the project that hold a word; None where that is not known."""

    def is_imported_by(self, path: Path) -> bool:
        """Whether a file is the importing one, or may import it, by itself or by way of others."""

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to another file, too."""

    def offers(self, file: OtherFile, name: str) -> bool:
        """Whether other files may take a name from ``file``."""

    def module(self, dotted: str) -> OtherFile | None:
        """What an import names, ``package.module`` or ``..module``; None where not certain."""

    def is_method(self, name: str) -> bool:
        """Whether a class of the project may have a method of that name without arguments."""

    def is_defined(self, name: str) -> bool:
        """Whether any file of the project may define a function or method of that name."""

    def is_assigned_anywhere(self, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not called ``self``."""

    def is_assigned(self, name: str, by_module: bool) -> bool:
        """Whether a file that may import this one assigns to ``….name``.

        Args:
            name: the attribute.
            by_module: only assignments to what the file imports count.
        """
