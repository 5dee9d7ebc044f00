"""The line that defines the device of a module."""

from __future__ import annotations

from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rule import Definition


def definition_of_device(name: str, device: str, flag: Flag | None) -> Definition:
    """``NAME = torch.device("cuda" if FLAG else "cpu")``.

    Args:
        name: the name of the device.
        device: how the file writes ``torch.device``.
        flag: what tells whether CUDA is to be used; None: whether there is CUDA.
    """
    torch = device.rpartition(".")[0] or "torch"
    test = f"{torch}.cuda.is_available()" if flag is None else flag.text
    line = f'{name} = {device}("cuda" if {test} else "cpu")'
    return Definition(line) if flag is None else Definition(line, flag.after, flag.function)
