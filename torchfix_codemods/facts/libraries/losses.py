"""The losses of torch, a line each in ``losses.csv``.

It has where ``size_average`` and ``reduce`` stood among the positional parameters of torch 0.3
(0-based, after self), the one parameter that stood between them, where there was one, and the
function that does what the objects of a class do.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries.data import cells

_CELLS = cells("losses.csv")

#: The losses of ``torch.nn``, and those of its functions that are 0-dim unless they are told not to
#: reduce, by their bare names.
LOSSES = frozenset(name for name in _CELLS if ".functional." not in name)
FUNCTIONAL_LOSSES = frozenset(name.rpartition(".")[2] for name in _CELLS.keys() - LOSSES)

#: Where ``size_average`` and ``reduce`` stand among the positional arguments of a loss.
FLAG_POSITIONS = {
    name: (int(cells[0]), int(cells[1])) for name, cells in _CELLS.items() if cells[0]
}

#: The one parameter that stood between the two flags, where there was one.
BETWEEN_FLAGS = {name: cells[2] for name, cells in _CELLS.items() if cells[2]}

#: The function that does what the objects of a class do.
FUNCTION_OF = {name: cells[3] for name, cells in _CELLS.items() if cells[3]}

#: The functions whose target holds indices of classes, and nothing else until torch 1.10.
OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})
