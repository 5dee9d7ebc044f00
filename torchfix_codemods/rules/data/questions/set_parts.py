"""Which half of a data set an attribute is of: ``train_data``, ``test_labels`` of torchvision."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.classes_elsewhere import class_of
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Foreign
from torchfix_codemods.rules.data.questions.torchvision_names import DATASETS

_FOLDERS = frozenset(
    {"torchvision.datasets.ImageFolder", "torchvision.datasets.folder.ImageFolder"}
)
_JOINED = frozenset(f"torch.utils.data.{path}ConcatDataset" for path in ("", "dataset."))
_LOADERS = frozenset(f"torch.utils.data.{path}DataLoader" for path in ("", "dataloader."))


def set_with_part(facts: Facts, part: ast.Attribute) -> tuple[str, bool] | None:
    """The data set of torchvision that ``train_data`` is a part of, and whether a class derives it.

    A class of the file that derives from one has what that has, unless it defines the part itself;
    it may read what it sets itself, as long as torchvision lets it set that.
    """
    value = facts.value(part.value)
    if isinstance(value, Foreign):
        name, is_derived = value.name or "", False
    else:
        definition = class_of(value)
        line = [] if definition is None else facts.classes.bases(definition)
        above = [base for cls in line for base in cls.bases if _is_from_elsewhere(facts, base)]
        if len(above) != 1 or any(part.attr in facts.names.scopes[cls].bindings for cls in line):
            return None
        if isinstance(part.ctx, ast.Load) and part.attr in facts.names.assigned_attributes:
            return None
        name, is_derived = facts.name(above[0]) or "", True
    is_known = name.startswith("torchvision.datasets.") and name.rpartition(".")[2] in DATASETS
    return (name.rpartition(".")[2], is_derived) if is_known else None


def _is_from_elsewhere(facts: Facts, base: ast.expr) -> bool:
    return facts.classes.definition_of(base) is None


def is_of_its_half(facts: Facts, part: ast.Attribute) -> bool:
    """Whether a data set certainly took its samples from this part, by the ``train=`` it was given.

    That with ``train=True`` had ``train_data`` and ``train_labels`` only, the other the other two.
    """
    is_training = part.attr.startswith("train_")

    def ask(place: Place) -> Iterable[Place] | None:
        call = place.node
        name = place.facts.name(call.func) if isinstance(call, ast.Call) else None
        if name is None or not name.startswith("torchvision.datasets."):
            return sources(place)
        assert isinstance(call, ast.Call)
        # The second that EMNIST takes is its split.
        index = len(call.args) if name.endswith(".EMNIST") else 1
        train = argument(call, index, "train")
        chosen = True if train is None else _outcome(facts, part, place.facts, train)
        return () if chosen is is_training and not is_opaque(call) else None

    return come_from([Place(facts, part.value)], ask)


def _outcome(facts: Facts, part: ast.expr, there: Facts, train: ast.expr) -> object:
    """What ``train`` is where the part stands: ``if train:`` tells, while that stays the same."""
    if not isinstance(train, ast.Name) or there is not facts:
        return constant(train)
    given = facts.flow.reaching(train)
    for test, came_out in tests_around(facts.names, part):
        if isinstance(test, ast.Name) and test.id == train.id:
            if facts.flow.reaching(test) == given:
                return came_out
    return None


def leaves_samples(facts: Facts, images: ast.Attribute) -> bool:
    """Whether ``folder.imgs`` is set of what may be an ``ImageFolder``, and not its ``samples``."""
    if not isinstance(images.ctx, ast.Store) or not _may_be_folder(facts, images.value):
        return False
    owner = ast.unparse(images.value)
    return not any(
        isinstance(other.ctx, ast.Store) and ast.unparse(other.value) == owner
        for other in facts.names.attributes("samples")
    )


def _may_be_folder(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression may be an ``ImageFolder``, by one of the lines that it comes from.

    ``loader.dataset``, too, and ``sets.datasets[i]`` of several that are joined.
    """
    if isinstance(node, ast.Subscript):
        joined = node.value
        if not isinstance(joined, ast.Attribute) or joined.attr != "datasets":
            return False
        lists = [argument(call, 0, "datasets") for call in _made_by(facts, joined.value, _JOINED)]
        parts = [part for sets in lists for part in getattr(sets, "elts", ())]
        return any(_may_be_folder(facts, part) for part in parts)
    return bool(_made_by(facts, node, _FOLDERS))


def _made_by(facts: Facts, node: ast.expr, classes: frozenset[str]) -> list[ast.Call]:
    """The calls of some classes that an expression may come from, also as ``loader.dataset``."""
    if isinstance(node, ast.Attribute) and node.attr == "dataset":
        loaders = _made_by(facts, node.value, _LOADERS)
        given = [argument(loader, 0, "dataset") for loader in loaders if not is_opaque(loader)]
        return [call for each in given if each for call in _made_by(facts, each, classes)]
    made = (facts.assigned(node) or ()) if isinstance(node, ast.Name) else [node]
    calls = [each for each in made if isinstance(each, ast.Call)]
    return [call for call in calls if facts.name(call.func) in classes]
