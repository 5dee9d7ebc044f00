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
    variable_set,
)

_FORKED = "one that is forked cannot use CUDA once its parent has asked for it"


def is_asked_too_early(flag: Flag | None, facts: Facts) -> bool:
    """Whether a device that the module level makes by a flag would ask for CUDA too early.

    Args:
        flag: the flag; None: it is asked whether CUDA is there.
        facts: the facts of the module.
    """
    if _asks(flag) and (forks(facts) or forking_importer(facts) is not None):
        return True
    return flag is None and chooser_after_import(facts) is not None


def place_of_device(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """When a device can be made that asks whether there is CUDA; None where the file can make it.

    What stands under ``if __name__ == "__main__":`` runs in no program that imports the file.

    Args:
        moves: the moves that need the device.
        facts: the facts of the module.
    """
    if forks(facts):
        return f"in each process: {_FORKED}"
    choices = choices_of_gpu(facts)
    if choices:
        line = facts.origin(choices[-1].lineno)
        where = _functions_named(moves, choices[-1], facts)
        return f"{where}after line {line} has set {variable_set(choices[-1], facts)}"
    if all(_main_guard(move, facts) is not None for move in moves):
        return None
    forker, chooser = forking_importer(facts), chooser_after_import(facts)
    if forker is not None:
        return f"in each process that {forker} starts: {_FORKED}"
    return None if chooser is None else f"after {chooser} has set {variable_set(None, facts)}"


def _functions_named(moves: Sequence[ast.Call], choice: ast.stmt, facts: Facts) -> str:
    """In which functions a device has to be made, as none of the chooser's is seen in them."""
    chooser = facts.names.enclosing_function(choice)
    functions = {facts.names.enclosing_function(move) for move in moves}
    if chooser is None or None in functions:
        return ""
    if all(chooser in (f, *facts.names.ancestors(f)) for f in functions if f is not None):
        return ""
    names = {getattr(function, "name", None) for function in functions}
    name = names.pop()
    return "in each function, " if names or name is None else f"in {name}(), "


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
