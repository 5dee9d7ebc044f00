"""Files that are imported before a program may ask for CUDA: their module level makes no device."""

from __future__ import annotations

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.gpu.forked import forking_importer, forks
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import chooser_after_import


def is_asked_too_early(flag: Flag | None, facts: Facts) -> bool:
    """Whether a device that the module level makes by a flag would ask for CUDA too early.

    Args:
        flag: the flag; None: it is asked whether CUDA is there.
        facts: the facts of the module.
    """
    if _asks(flag) and (forks(facts) or forking_importer(facts) is not None):
        return True
    return flag is None and chooser_after_import(facts) is not None


def _asks(flag: Flag | None) -> bool:
    return flag is None or flag.asks_for_cuda
