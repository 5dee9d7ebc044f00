"""Whether a loader can hand its data set to workers that are spawned: all of it is pickled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import class_of, find_method
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import own_nodes, walk
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Unknown

_MOST_FOLLOWED = 4
#: What opens a file that cannot be pickled, and neither can what is taken from it.
_OPENING = frozenset(
    "h5py.File lmdb.open lmdb.Environment sqlite3.connect tables.open_file".split()
)


def may_fail_to_pickle(loader: ast.Call, facts: Facts) -> bool:
    """Whether what a loader is given holds a lambda or an open file, or may do so.

    Args:
        loader: the call that makes the loader.
        facts: the facts of its file.
    """
    return any(_fails(given, facts, 0) for given in values_given(loader))


def _fails(node: ast.expr, facts: Facts, depth: int) -> bool:
    for part in walk(node):
        if isinstance(part, ast.Lambda):
            return True
        if isinstance(part, ast.Name) and depth < _MOST_FOLLOWED:
            if any(_fails(made, facts, depth + 1) for made in facts.assigned(part) or ()):
                return True
        if isinstance(part, ast.Call) and _is_of_file(part, facts):
            return True
    return False


def _is_of_file(call: ast.Call, facts: Facts) -> bool:
    """Whether a call makes what keeps an open file, or may, as the project has such."""
    value, owner = facts.value(call), facts.inference
    if isinstance(value, Imported):
        owner, value = value.owner, value.value
    definition, there = class_of(value), facts_of(owner)
    if definition is None or there is None:
        return isinstance(value, Unknown) and any(map(facts.is_mentioned, _OPENING))
    if find_method(owner, definition, "__getstate__") is not None:
        return False
    found = find_method(owner, definition, "__init__")
    home = None if found is None else facts_of(found[0])
    return found is not None and home is not None and any(_kept_files(found[1], home))


def _kept_files(constructor: ast.FunctionDef, facts: Facts) -> Iterator[ast.expr]:
    """What a constructor keeps of an open file: the file, or a part of it that is not copied."""
    for node in own_nodes(constructor):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        source = node.value
        while isinstance(source, ast.Subscript) and not isinstance(source.slice, ast.Slice):
            source = source.value
        made = facts.assigned(source) if isinstance(source, ast.Name) else [source]
        yield from (
            each
            for each in made or ()
            if isinstance(each, ast.Lambda)
            or (isinstance(each, ast.Call) and facts.name(each.func) in _OPENING)
        )
