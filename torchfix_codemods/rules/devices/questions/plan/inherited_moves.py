"""Classes of other files whose methods move something for an object that moves here as well."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import bases_elsewhere
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.rules.devices.questions.gpu_moves import moves_to_default_gpu

_MOST_BASES = 20


def files_of_bases_that_move(calls: Iterable[ast.Call], facts: Facts) -> Iterator[Facts]:
    """The other files of the project in which a base of a class that moves here moves, too."""
    around = {facts.names.enclosing_class(call): None for call in calls}
    pending = [(facts.inference, owner) for owner in around if owner is not None]
    for inference, owner in pending:
        for there, base in bases_elsewhere(inference, owner):
            home = facts_of(there)
            if home is None or len(pending) > _MOST_BASES:
                continue
            if any(isinstance(n, ast.Call) and moves_to_default_gpu(n) for n in walk(base)):
                yield home
            pending.append((there, base))
