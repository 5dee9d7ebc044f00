"""Objects of ``torch.utils.data.TensorDataset``, and what they called their tensors.

Also what ``ConcatDataset`` called its sizes.
"""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts, facts_of

#: What torch 0.3 kept the first two tensors as; their place in ``tensors`` since.
OLD_TENSORS = {"data_tensor": 0, "target_tensor": 1}

#: What ``ConcatDataset`` once kept its sizes as, and no other library: it is misspelt.
OLD_SIZES = "cummulative_sizes"

_JOINED = ("torch.utils.data.ConcatDataset", "torch.utils.data.dataset.ConcatDataset")
_DATASETS = ("torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset")
_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")


def is_tensor_dataset(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a ``TensorDataset``, also as ``loader.dataset``."""
    if isinstance(node, ast.Attribute) and node.attr == "dataset":
        loaders = _made(facts, node.value, _LOADERS)
        given = [
            None if is_opaque(loader) else argument(loader, 0, "dataset") for loader in loaders
        ]
        return bool(given) and all(g is not None and is_tensor_dataset(facts, g) for g in given)
    return bool(_made(facts, node, _DATASETS))


def _made(facts: Facts, node: ast.expr, names: tuple[str, ...]) -> list[ast.Call]:
    """The calls of a class that an expression comes from; none where it may come otherwise."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    calls = [value for value in made or () if isinstance(value, ast.Call)]
    if len(calls) != len(made or ()) or any(facts.name(call.func) not in names for call in calls):
        return []
    return calls


def may_be_tensor_dataset(facts: Facts, node: ast.Attribute) -> bool:
    """Whether ``loader.dataset.data_tensor`` of an unknown loader can only be meant for one.

    The project speaks of ``TensorDataset``, and none of its classes has such an attribute itself.
    """
    if not (isinstance(node.value, ast.Attribute) and node.value.attr == "dataset"):
        return False
    if not facts.is_mentioned("TensorDataset") or _stores(facts, node.attr):
        return False
    if facts.files is None or not facts.is_mentioned_elsewhere(node.attr):
        return True
    others = facts.files.mentioning(node.attr)
    return others is not None and not any(
        (there := facts_of(other)) is None or _stores(there, node.attr) for other in others
    )


def is_of_joined_datasets(facts: Facts) -> bool:
    """Whether what a file calls ``x.cummulative_sizes`` are the sizes of a ``ConcatDataset``.

    The project speaks of that, and none of its other classes has such an attribute itself.
    """
    files = _files_with(facts, OLD_SIZES) if facts.is_mentioned("ConcatDataset") else None
    return files is not None and not any(
        OLD_SIZES in (*there.names.scopes[cls].bindings, *there.classes.attribute_names(cls))
        and not any(there.name(base) in _JOINED for base in cls.bases)
        for there in files
        for cls in there.names.nodes.get(ast.ClassDef, ())
        if isinstance(cls, ast.ClassDef)
    )


def only_tensor_datasets(facts: Facts) -> bool:
    """Whether each loader of the project holds one, so that ``loader.dataset`` is one as well.

    Asked of what may be a ``TensorDataset``. A loader that is not called where it is named may get
    any data set, as one may that an attribute ``dataset`` of something else is.
    """
    files = _files_with(facts, "DataLoader")
    others = _files_with(facts, "dataset")
    if files is None or others is None or any(_stores(there, "dataset") for there in others):
        return False
    loaders = [(there, loader) for there in files for loader in _loaders_named(there)]
    return bool(loaders) and all(
        isinstance(call := there.parent(loader), ast.Call)
        and call.func is loader
        and not is_opaque(call)
        and (given := argument(call, 0, "dataset")) is not None
        and is_tensor_dataset(there, given)
        for there, loader in loaders
    )


def _files_with(facts: Facts, word: str) -> list[Facts] | None:
    """A file and the others of its project that hold a word; None where one cannot be read."""
    others = [] if facts.files is None else facts.files.mentioning(word)
    if others is None:
        return None
    found = [there for other in others if (there := facts_of(other)) is not None]
    return [facts, *found] if len(found) == len(others) else None


def _loaders_named(facts: Facts) -> list[ast.AST]:
    """Where a file names a ``DataLoader``, be it one of torch or its own."""
    nodes = facts.names.nodes
    return [
        node
        for node in (*nodes.get(ast.Name, ()), *nodes.get(ast.Attribute, ()))
        if (last_name(node) or "").endswith("DataLoader") or facts.name(node) in _LOADERS
    ]


def _stores(facts: Facts, name: str) -> bool:
    return any(isinstance(node.ctx, ast.Store) for node in facts.names.attributes(name))
