"""The device that another file of the project keeps: ``config.device``."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import class_of
from torchfix_codemods.facts.evaluation.elsewhere import attribute, member, module_of
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import Imported, ImportedFile
from torchfix_codemods.facts.values.inference import OtherFile
from torchfix_codemods.facts.values.lattice import Device
from torchfix_codemods.rules.devices.questions.named.device_names import runs_after
from torchfix_codemods.rules.devices.questions.named.same_device import is_gpu_or_cpu


def project_device(node: ast.AST, facts: Facts) -> str | None:
    """How the device of a file that is imported is written where ``node`` runs.

    ``cfg.device`` after ``import config as cfg``, ``device`` after ``from config import *``; also
    that of the class of an object, after ``from config import cfg``. It certainly is the GPU, or
    the CPU instead of it, and no file of the project sets it again.
    """
    scope = facts.names.scope_of(node)
    for root, text, statement in facts.remembered(project_device, lambda: [*_kept(facts)]):
        found = scope.lookup(root)
        is_meant = found is None or found[0] is facts.names.module
        if is_meant and runs_after(node, statement, facts):
            return text
    return None


def _kept(facts: Facts) -> Iterator[tuple[str, str, ast.stmt]]:
    """The devices of imported files: the name that leads to each, its text, and the import."""
    for bindings in facts.names.module.bindings.values():
        only = bindings[0] if len(bindings) == 1 else None
        if only is not None and isinstance(only.node, (ast.Import, ast.ImportFrom)):
            yield from _by_name(only, only.node, facts)
    stars = facts.names.unknown_star_imports if facts.files is not None else []
    files = {star: facts.files.module(module_of(star)) for star in stars} if facts.files else {}
    for star, file in files.items():
        others = [other for each, other in files.items() if each is not star]
        for name in () if file is None else _devices_of(file, facts):
            if not facts.names.module.bindings.get(name) and _is_of_one(name, file, others, facts):
                yield name, name, star


def _by_name(
    binding: Binding, statement: ast.Import | ast.ImportFrom, facts: Facts
) -> Iterator[tuple[str, str, ast.stmt]]:
    value = facts.inference.bound(binding)
    if isinstance(value, Imported):
        for name in _devices_of_class(value):
            yield binding.name, f"{binding.name}.{name}", statement
    elif isinstance(value, ImportedFile):
        for name in _devices_of(value.file, facts):
            yield binding.name, f"{binding.name}.{name}", statement
    elif isinstance(value, Device) and isinstance(statement, ast.ImportFrom) and facts.files:
        file = facts.files.module(module_of(statement))
        if file is not None and (binding.qualified or "").rpartition(".")[2] in _devices_of(
            file, facts
        ):
            yield binding.name, binding.name, statement


def _devices_of(file: OtherFile, facts: Facts) -> list[str]:
    """The names that a file gives to the GPU, or the CPU instead of it, once and for all."""
    there = facts_of(file)
    if there is None or facts.files is None or facts.files.is_imported_by(file.path):
        # A file that imports this one may not have come to its device yet.
        return []
    return [
        name
        for name, bindings in there.names.module.bindings.items()
        if len(bindings) == 1
        and there.parent(bindings[0].node) is there.tree
        and (value := bindings[0].written()) is not None
        and isinstance(there.value(value), Device)
        and isinstance(member(file, name), Device)
        and is_gpu_or_cpu(value, there)
    ]


def _devices_of_class(kept: Imported) -> list[str]:
    """The attributes with which the class of an object says it, and that nothing sets again."""
    there, definition = facts_of(kept.owner), class_of(kept.value)
    if there is None or definition is None:
        return []
    return [
        name
        for name in there.classes.attribute_names(definition)
        if len(sources := there.classes.attribute_sources(definition, name)) == 1
        and there.parent(sources[0].node) is definition
        and (value := sources[0].written()) is not None
        and isinstance(attribute(kept, name), Device)
        and is_gpu_or_cpu(value, there)
    ]


def _is_of_one(
    name: str, file: OtherFile | None, others: list[OtherFile | None], facts: Facts
) -> bool:
    """Whether ``import *`` from a file certainly brings a name, and none beside it may."""
    there = facts_of(file)
    is_hidden = there is None or name.startswith("_") or "__all__" in there.names.module.bindings
    if is_hidden or hasattr(builtins, name) or facts.names.names_from_torch(name):
        return False
    return not any(other is None or other.may_bind(name) for other in others)
