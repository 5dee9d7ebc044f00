"""Memory of the GPU that torch holds is called reserved, no longer cached."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.renamed import Renamed


class RenamedCudaApi(Renamed):
    """
    ## What it does
    Spells the functions of `torch.cuda` that measure memory by their new names: `memory_cached` is
    `memory_reserved`, `max_memory_cached` is `max_memory_reserved`, and
    `reset_max_memory_allocated` and `reset_max_memory_cached` are `reset_peak_memory_stats`.

    ## Why
    The old names warn at each call since torch 1.4. Both resets have long reset all of the peaks:
    the new name says so.

    ## Example
    ```python
    torch.cuda.reset_max_memory_allocated()
    print(torch.cuda.memory_cached() / 2**20)
    ```
    becomes
    ```python
    torch.cuda.reset_peak_memory_stats()
    print(torch.cuda.memory_reserved() / 2**20)
    ```

    ## Numbers
    Identical: the old names call the new functions.

    ## When it stays its hand
    Where the file chooses between both names itself (by `try`, by `hasattr` or by a test of the
    version) or replaces the function, where the new name is something else in the file, and where
    another file may import the old name from this one.

    ## References
    - https://pytorch.org/docs/stable/notes/cuda.html#memory-management
    - https://github.com/pytorch/pytorch/releases/tag/v1.4.0
    """

    code = "TP208"
    name = "renamed-cuda-api"
    since = "1.4"
    numerics = Numerics.IDENTICAL
    message = "the functions that measure memory say reserved, no longer cached"
