"""Code for torch 0.x and 1.x on today's torch, with the meaning it had.

What raises today is given its old meaning for everybody: no working code depends on it. Where
working code of today would mean something else (`mask + mask`, `~byte_mask`, `torch.load`), only
calls from the user's own files get the old meaning. What cannot be given is left failing.
"""

from __future__ import annotations

from collections.abc import Callable

from ..frames import caller
from . import (
    data,
    distributions,
    division,
    functions,
    indexing,
    linalg,
    losses,
    masks,
    names,
    optimizers,
    spectral,
    variables,
)

_installed = False


def install(
    is_users: Callable[[str], bool],
    *,
    integer_division: bool = False,
    zero_gradients: bool = False,
) -> None:
    """Install the old meanings; `is_users` tells the user's files by name.

    `integer_division` also brings back `/` of integer tensors as it was up to torch 1.4 (it
    truncates), `zero_gradients` what `zero_grad()` did up to 1.13: both change the numbers of
    working code, so only where the code is known to be that old.
    """
    global _installed
    if _installed:
        return
    _installed = True
    known: dict[str, bool] = {}

    def users() -> bool:
        file = caller()
        answer = known.get(file)
        if answer is None:
            answer = known[file] = bool(is_users(file))
        return answer

    names.install()
    variables.install()
    functions.install()
    distributions.install()
    losses.install()
    optimizers.install()
    indexing.install(users)
    masks.install(users)
    linalg.install()
    spectral.install(users)
    data.install(users)
    if integer_division:
        division.install(users)
    if zero_gradients:
        optimizers.install_zeros(users)
