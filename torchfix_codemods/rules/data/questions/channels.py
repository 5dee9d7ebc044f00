"""Which data sets of torchvision take a transformation, and whether their images are grey."""

from __future__ import annotations

import ast
from collections.abc import Iterable

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
            if name == "torchvision.transforms.Compose":
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


def _keeps_channels(facts: Facts, steps: ast.List | ast.Tuple, step: ast.expr) -> bool:
    """Whether the steps before one certainly leave the channels of an image as they are."""
    before = steps.elts[: steps.elts.index(step)]
    return all(
        isinstance(each, ast.Call)
        and (facts.name(each.func) or "").rpartition(".")[0] == "torchvision.transforms"
        and (facts.name(each.func) or "").rpartition(".")[2] in _KEEPING
        for each in before
    )
