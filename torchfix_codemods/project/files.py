"""The other files of the project, as one file sees them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.project.beside import is_found_elsewhere
from torchfix_codemods.project.imports import module_in
from torchfix_codemods.project.own_libraries import own_libraries
from torchfix_codemods.project.paths import is_of_library, resolved

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from torchfix_codemods.facts.age.ages import Ages
    from torchfix_codemods.facts.age.era import Era, Version
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference, OtherFile
    from torchfix_codemods.project.asked import ProjectFiles


class FilesOf:
    """The other files of the project, as one file imports them.

    Args:
        path: the importing file.
        index: the project.
    """

    def __init__(self, path: Path, index: ProjectFiles) -> None:
        self.given = path
        self.path = resolved(path)
        self.index = index
        self._known: dict[Path, ProjectFile] = {}
        self._modules: dict[str, ProjectFile | None] = {}
        self._mentioning: dict[str, list[ProjectFile] | None] = {}
        self._assigned: dict[tuple[str, bool], bool] = {}
        self.waits = False
        """Whether something was left because of what other files hold, and may go once they
        changed."""
        self.asks_project = False
        """Whether anything was asked about other files, or about what the project requires."""
        self.asks_age = False
        """Whether it was asked how old the file is, beyond what it says itself."""
        self.asks_run = False
        """Whether it was asked which files the run is about."""

    @property
    def own_libraries(self) -> Mapping[str, str]:
        """The libraries that the project has itself, as the file sees them."""
        return own_libraries(self.path)

    def is_imported_elsewhere(self) -> bool:
        """Whether other files of the project may take names from this one."""
        self.asks_project = True
        return self.index.texts.is_imported_elsewhere(self.given)

    def is_of_library(self) -> bool:
        """Whether programs out of sight may import the file."""
        self.asks_project = True
        return is_of_library(self.path.parent)

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether a file that may take names from this one speaks of a name."""
        self.asks_project = True
        return self.index.texts.is_used_elsewhere(self.given, name)

    def is_mentioned_elsewhere(self, name: str) -> bool:
        """Whether any file of the project speaks of a name."""
        self.asks_project = True
        return self.index.texts.is_mentioned(self.given, name)

    def is_attribute_read(self, name: str) -> bool:
        """Whether any file of the project reads an attribute of that name."""
        self.asks_project = True
        return self.index.texts.is_attribute_read(self.given, name)

    def ages(self, text: str) -> Ages:
        """What is known of the age of the lines of this file, with that text."""
        from torchfix_codemods.facts.age.ages import Ages, Kept
        from torchfix_codemods.project.history import written_for

        def kept() -> Kept:
            self.asks_age = True
            return self.index.kept_ages(self.path, text)

        def history() -> Mapping[int, Version]:
            self.asks_age = True
            return written_for(self.path, text)

        return Ages(kept, history)

    def required(self) -> Era:
        """Which torch versions the project requires."""
        from torchfix_codemods.project.requirements import required_torch

        self.asks_project = True
        return required_torch(self.given, self.index.required)

    def shown_beside(self) -> Era:
        """For which torch versions the project was written, as its files show it together."""
        from torchfix_codemods.project.vintage import project_era

        self.asks_project = True
        return project_era(self.given, self.index)

    def needed(self) -> Collection[Version]:
        """The torch versions that the project requires, and that its other files need, at least."""
        from torchfix_codemods.project.needs import needed_beside

        beside = needed_beside(self.path, self.index)
        return [*filter(None, (self.required().oldest, beside))]

    def module(self, dotted: str) -> ProjectFile | None:
        """What an import names; None where that is not certainly a file of the project."""
        self.asks_project = True
        # Paths are slow to build and to compare, and the same few are asked for all the time.
        if dotted not in self._modules:
            path = self.index.resolve(dotted, self.path)
            self._modules[dotted] = None if path is None else self.file(path)
        return self._modules[dotted]

    def module_with(self, dotted: str, name: str) -> ProjectFile | None:
        """Where ``from GAN import name`` finds a name, of ``GAN/__init__.py`` and ``GAN/GAN.py``.

        Args:
            dotted: a module, for which :meth:`module` may know several files.
            name: what is imported from it.

        Returns:
            None where not just one of the files has the name.
        """
        self.asks_project = True
        meant = [*map(self.file, self.index.may_mean(dotted, self.path) or ())]
        having = [each for each in meant if each.submodule(name) or each.may_bind(name)]
        return having[0] if len(having) == 1 else None

    def file(self, path: Path) -> ProjectFile:
        """A file or folder of the project."""
        if path not in self._known:
            self._known[path] = ProjectFile(path, self)
        return self._known[path]

    def is_found_elsewhere(self, name: str, taken: Collection[str]) -> bool:
        """Whether Python 3 may find what this file of a package has beside it."""
        self.asks_project = True
        return is_found_elsewhere(name, taken, self.path, self.index)

    def own_names(self, text: str) -> Names | None:
        """The scopes of the importing file, where others have asked for it, and it is ``text``."""
        facts = self.index.parsed(self.path)
        return facts.names.again() if facts is not None and facts.text == text else None

    def keep_names(self, text: str, names: Names) -> None:
        """Keep the scopes of the importing file for others that will ask for it, as ``text``."""
        self.index.keep_names(self.path, text, names)

    def as_begun(self) -> Inference | None:
        """What is known of the importing file as it was when the run began, as others see it."""
        self.asks_project = True
        facts = self.index.facts(self.path)
        return None if facts is None else facts.inference

    def is_assigned(self, name: str, by_module: bool) -> bool:
        """Whether a file that may import this one assigns to ``….name``."""
        self.asks_project = True
        key = name, by_module
        if key not in self._assigned:
            self._assigned[key] = self.index.texts.is_assigned(self.path, *key)
        return self._assigned[key]

    def is_assigned_anywhere(self, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not ``self``."""
        self.asks_project = True
        return self.index.texts.is_assigned_anywhere(self.path, name)

    def offers(self, file: OtherFile, name: str) -> bool:
        """Whether other files may take a name from ``file``."""
        self.asks_project = True
        return self.index.texts.is_used_elsewhere(file.path, name)

    def is_method(self, name: str) -> bool:
        """Whether a class of the project may have a method of that name without arguments."""
        self.asks_project = True
        methods = self._methods
        return methods is None or name.encode() in methods

    @functools.cached_property
    def _methods(self) -> frozenset[bytes] | None:
        return self.index.texts.methods(self.path)

    def is_defined(self, name: str) -> bool:
        """Whether any file of the project may define a function or method of that name."""
        self.asks_project = True
        defined = self._defined
        return defined is None or name.encode() in defined

    @functools.cached_property
    def _defined(self) -> frozenset[bytes] | None:
        return self.index.texts.defined(self.path)

    def is_imported_by(self, path: Path) -> bool:
        """Whether a file is this one, or may import it, by itself or by way of others."""
        self.asks_project = True
        return self.index.texts.may_import(path, self.path)

    def nearness(self, path: Path) -> tuple[bool, int]:
        """How near a file that may import this one is: least in the same folder, by few imports."""
        self.asks_project = True
        steps = self.index.texts.steps(path, self.path)
        return path.parent != self.path.parent, 0 if steps is None else steps

    def called(self, path: Path) -> str:
        """How a message calls another file of the project."""
        self.asks_project = True
        return self.index.texts.called(path)

    def may_meet(self, path: Path) -> bool:
        """Whether one program may run this file and another one of the project."""
        self.asks_project = True
        return self.index.programs.may_meet(self.path, path)

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to another file, too."""
        self.asks_run = True
        return self.index.applies(path, code)

    def mentioning(self, word: str) -> list[ProjectFile] | None:
        """The other files of the project that hold a word; None where that is not known."""
        self.asks_project = True
        if word not in self._mentioning:
            found = self.index.texts.mentioning(self.path, word)
            self._mentioning[word] = None if found is None else [self.file(p) for p in found]
        return self._mentioning[word]


class ProjectFile:
    """A file, or a folder without ``__init__.py``, that can be imported.

    Args:
        path: where it is.
        importer: the files as seen from the one that asks.
    """

    def __init__(self, path: Path, importer: FilesOf) -> None:
        self.path = path
        self.is_folder = path.suffix != ".py"
        """Whether it is a folder without an ``__init__.py``."""
        self._importer = importer
        self._submodules: dict[str, Path | None] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProjectFile) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    @functools.cached_property
    def inference(self) -> Inference | None:
        """What the expressions of the file are; None for a folder, and where it is not parsed."""
        if self.is_folder:
            return None
        index = self._importer.index
        facts = index.facts(self.path)
        index.note_drawn(self._importer.path, self.path)
        return None if facts is None else facts.inference

    def may_bind(self, name: str) -> bool:
        """Whether the text of the file, or of one that it takes all names from, may bind a name.

        Of a folder anything may.
        """
        return self.is_folder or self._importer.index.texts.may_bind(self.path, name)

    def submodule(self, name: str) -> ProjectFile | None:
        """The file of a package, or of a folder, that ``import package.name`` imports."""
        if not self.is_folder and self.path.stem != "__init__":
            return None
        if name not in self._submodules:
            folder = self.path if self.is_folder else self.path.parent
            self._submodules[name] = module_in(folder, name)
        path = self._submodules[name]
        return None if path is None else self._importer.file(path)
