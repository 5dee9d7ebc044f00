"""Files that are imported before a program may ask for CUDA: their module level makes no device."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.gpu.forked import forking_importer, forks
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import (
    choices_of_gpu,
    chooser_after_import,
)


def is_asked_too_early(flag: Flag | None, facts: Facts) -> bool:
    """Whether a device that the module level makes by a flag would ask for CUDA too early.

    Args:
        flag: the flag; None: it is asked whether CUDA is there.
        facts: the facts of the module.
    """
    if _asks(flag) and (forks(facts) or forking_importer(facts) is not None):
        return True
    return flag is None and chooser_after_import(facts) is not None


def is_chosen_later(moves: Sequence[ast.Call], facts: Facts) -> bool:
    """Whether the module level is too early to ask whether there is CUDA.

    What stands under ``if __name__ == "__main__":`` runs in no program that imports the file.

    Args:
        moves: the moves that need the device.
        facts: the facts of the module.
    """
    if forks(facts) or choices_of_gpu(facts):
        return True
    if all(_main_guard(move, facts) is not None for move in moves):
        return False
    return forking_importer(facts) is not None or chooser_after_import(facts) is not None


def _asks(flag: Flag | None) -> bool:
    return flag is None or flag.asks_for_cuda


def _main_guard(node: ast.AST, facts: Facts) -> ast.If | None:
    """The ``if __name__ == "__main__":`` of the module level that a node stands under."""
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.If) and child in parent.body and _asks_main(parent.test):
            return parent if facts.parent(parent) is facts.tree else None
        child = parent
    return None


def _asks_main(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return {ast.unparse(test.left), *map(ast.unparse, test.comparators)} == {
        "__name__",
        "'__main__'",
    }
