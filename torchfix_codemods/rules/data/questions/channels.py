"""Which data sets of torchvision take a transformation, and whether their images are grey."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.record import record

#: Data sets whose images have one channel.
GREY = frozenset({"EMNIST", "FashionMNIST", "KMNIST", "MNIST", "Omniglot", "QMNIST", "USPS"})

#: Transformations that leave as many channels as they find.
_KEEPING = frozenset(
    """
    CenterCrop ConvertImageDtype FiveCrop Normalize Pad PILToTensor RandomAffine RandomCrop
    RandomErasing RandomHorizontalFlip RandomPerspective RandomResizedCrop RandomRotation
    RandomSizedCrop RandomVerticalFlip Resize Scale TenCrop ToPILImage ToTensor
    """.split()
)


_COMPOSE = "torchvision.transforms.Compose"
#: Functions that make an image grey, each as the step that it is.
_MAKING_GREY = ("PIL.ImageOps.grayscale", "torchvision.transforms.ImageOps.grayscale")


@record
class DataSets:
    """Where a transformation is used.

    Attributes:
        grey: the first class of images with one channel that takes it; None without one.
        is_all: whether nothing but such classes takes it.
    """

    grey: str | None
    is_all: bool


def data_sets_of(facts: Facts, transformation: ast.Call) -> DataSets:
    """The data sets that a transformation is given to, alone or in a ``Compose``."""
    grey: list[str] = []
    others: list[Use] = []

    def ways(use: Use) -> Iterable[Place]:
        if use.kind == "element" and isinstance(use.by, (ast.List, ast.Tuple)):
            if _keeps_channels(use.facts, use.by, use.node):
                return use.result()
        elif use.kind in ("bound", "chosen", "item"):
            return [*use.result(), *use.held()]
        elif use.kind == "returned":
            return use.returned()
        elif use.kind == "argument" and isinstance(use.by, ast.Call):
            name = use.facts.name(use.by.func) or ""
            if name == _COMPOSE:
                return use.result()
            package, _, short = name.rpartition(".")
            if package == "torchvision.datasets" and short in GREY:
                grey.append(short)
                return ()
            if use.parameters():
                return use.taken()
        others.append(use)
        return ()

    follow([Place(facts, transformation)], ways)
    return DataSets(grey[0] if grey else None, not others)


def made_grey_by(facts: Facts, transformation: ast.Call) -> str | None:
    """The step before a transformation after which an image has one channel, in words.

    Args:
        facts: the facts of the module.
        transformation: the later step: ``Normalize(…)`` of a list that ``Compose`` is given.
    """
    steps = facts.parent(transformation)
    if not isinstance(steps, (ast.List, ast.Tuple)):
        return None
    whole = facts.parent(steps)
    if not isinstance(whole, ast.Call) or facts.name(whole.func) != _COMPOSE:
        return None
    for step in reversed(steps.elts[: steps.elts.index(transformation)]):
        if _makes_grey(facts, step):
            return ast.unparse(step)
        if not _keeps(facts, step):
            return None
    return None


def _makes_grey(facts: Facts, step: ast.expr) -> bool:
    if not isinstance(step, ast.Call):
        return facts.name(step) in _MAKING_GREY
    if facts.name(step.func) != "torchvision.transforms.Grayscale" or is_opaque(step):
        return False
    channels = argument(step, 0, "num_output_channels")
    return channels is None or whole_number(channels) == 1


def _keeps_channels(facts: Facts, steps: ast.List | ast.Tuple, step: ast.expr) -> bool:
    """Whether the steps before one certainly leave the channels of an image as they are."""
    return all(_keeps(facts, each) for each in steps.elts[: steps.elts.index(step)])


def _keeps(facts: Facts, step: ast.expr) -> bool:
    name = facts.name(step.func) if isinstance(step, ast.Call) else None
    package, _, short = (name or "").rpartition(".")
    return package == "torchvision.transforms" and short in _KEEPING
