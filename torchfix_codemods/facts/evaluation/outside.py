"""What stays certain of a value that another file holds, for one that asks from outside of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.layers import is_built_reduced
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    ClassObject,
    Function,
    Instance,
    Mapping,
    Maybe,
    Method,
    Module,
    Sequence,
    Value,
    maybe,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def is_set_by_others(inference: Inference, name: str) -> bool:
    """Whether files that know of this one may set an attribute of that name of any object."""
    return inference.files is None or inference.files.is_assigned(name, by_module=False)


# What comes from another file


def seen_from_outside(value: Value, owner: Inference) -> Value:
    """A value of another file, as any file can use it: nothing of it refers to nodes there."""
    if isinstance(value, (Function, ClassObject, Instance)):
        return Imported(value, owner)
    if isinstance(value, Module):
        return _module_from_outside(value, owner)
    if isinstance(value, Sequence):
        items = value.items
        if items is not None:
            items = tuple(seen_from_outside(item, owner) for item in items)
        return Sequence(seen_from_outside(value.element, owner), items)
    if isinstance(value, Mapping):
        pairs = tuple((key, seen_from_outside(item, owner)) for key, item in value.items)
        return Mapping(seen_from_outside(value.element, owner), pairs)
    if isinstance(value, Maybe):
        return maybe(seen_from_outside(value.value, owner))
    if isinstance(value, Method):
        return Method(seen_from_outside(value.receiver, owner), value.name)
    return value


def _module_from_outside(module: Module, owner: Inference) -> Module:
    if module.origin is not None:
        return module
    if module.definition is not None or _only_its_file_can_tell(module):
        return Module(origin=Imported(replace(module, call=None, either=frozenset()), owner))
    either = frozenset(_module_from_outside(one, owner) for one in module.either)
    return replace(module, call=None, either=either, is_reduced=is_built_reduced(module))


def _only_its_file_can_tell(module: Module) -> bool:
    """Whether what a module of torch gives depends on how it was built."""
    keywords = module.call.keywords if module.call is not None else ()
    gives_indices = any(keyword.arg in ("return_indices", None) for keyword in keywords)
    return module.cls in torch_api.MODULE_CONTAINERS or gives_indices
