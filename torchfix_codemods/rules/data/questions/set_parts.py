"""Which half of a data set an attribute is of: ``train_data``, ``test_labels`` of torchvision."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources


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
        chosen = True if train is None else constant(train)
        return () if chosen is is_training and not is_opaque(call) else None

    return come_from([Place(facts, part.value)], ask)
