"""Files that are imported before a program may ask for CUDA: their module level makes no device."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.gpu.forked import forking_importer, forks
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import chooser_after_import

_FORKED = (
    "make a device in the function that each process runs, as processes that are forked cannot use "
    "CUDA once it was asked whether it is there, and write .to(device)"
)

_ELSEWHERE = "make a device in the functions that need one, as {}, and write .to(device)"

_FORKS = (
    "{} forks processes, which cannot use CUDA once a file that it imports asked whether it is "
    "there"
)


def is_asked_too_early(flag: Flag | None, facts: Facts) -> bool:
    """Whether a device that the module level makes by a flag would ask for CUDA too early.

    Args:
        flag: the flag; None: it is asked whether CUDA is there.
        facts: the facts of the module.
    """
    return _reason(flag, facts) is not None or (_asks(flag) and forks(facts))


def place_for_device(
    calls: Sequence[ast.Call], flag: Flag | None, facts: Facts
) -> tuple[ast.Call | None, str]:
    """The one of the calls that need a device to tell of, and where to make it by hand.

    What stands under ``if __name__ == "__main__":`` runs in no program that imports the file.
    """
    first = next(iter(calls), None)
    if _asks(flag) and forks(facts):
        return first, _FORKED
    imported = next((call for call in calls if _main_guard(call, facts) is None), None)
    guard = None if first is None else _main_guard(first, facts)
    if imported is None and guard is not None:
        line = facts.origin(guard.lineno)
        return first, f"write .to(...) with a device that is made below line {line}"
    return imported, _ELSEWHERE.format(_reason(flag, facts))


def chosen_elsewhere(chooser: str) -> str:
    """Where to make a device, as another file chooses the GPU after it imports this one."""
    return _ELSEWHERE.format(_chooses(chooser))


def _asks(flag: Flag | None) -> bool:
    return flag is None or flag.asks_for_cuda


def _reason(flag: Flag | None, facts: Facts) -> str | None:
    """What another file of the project does, so that this one may not ask when it is imported."""
    forker = forking_importer(facts) if _asks(flag) else None
    if forker is not None:
        return _FORKS.format(forker)
    chooser = chooser_after_import(facts) if flag is None else None
    return None if chooser is None else _chooses(chooser)


def _chooses(chooser: str) -> str:
    return f"{chooser} sets CUDA_VISIBLE_DEVICES after it imports this file"


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
