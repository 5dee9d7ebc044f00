"""Values that come from another file of the project, and only make sense among its names."""

from __future__ import annotations

from torchfix_codemods.facts.values.inference import Inference, OtherFile
from torchfix_codemods.facts.values.lattice import Module, Origin, Value
from torchfix_codemods.record import record


@record(eq=False)
class Imported(Origin):
    """Something that only makes sense among the names of another file of the project.

    Two are equal where they stand for the same place of the same file, however often it was read.
    """

    value: Value
    """A function, a class, an object of a class, or a module, as seen in that file."""
    owner: Inference
    """What is known of that file."""

    def _place(self) -> object:
        files = self.owner.files
        node = getattr(self.value, "definition", None)
        kind = self.value.cls if isinstance(self.value, Module) else None
        where = (node.lineno, node.col_offset) if node is not None else None
        return None if files is None else files.path, type(self.value), where, kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Imported) and self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())


@record
class ImportedFile(Value):
    """Another file of the project itself, imported as a module."""

    file: OtherFile


def imported_as(module: Module) -> Imported | None:
    """What a module is in the file that defines its class or builds it; None for this file."""
    return module.origin if isinstance(module.origin, Imported) else None
