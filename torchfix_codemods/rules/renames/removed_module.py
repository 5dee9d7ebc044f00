"""Modules and private names of torch that are gone."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.removed import Removed


class RemovedModule(Removed):
    """
    ## What it does
    Writes what the names of `torch._six` and other private modules stood for, and says for modules
    that went without a successor, such as `torch.utils.ffi`, `torch.legacy` or the fields of
    torchtext, what to use: all rows of the [catalogue](../catalogue.md) about them. A name that is
    imported and that no file reads goes from the import.

    ## Why
    The import fails, and the whole file with it.

    ## Example
    ```python
    from torch._six import inf, string_classes
    if isinstance(name, string_classes) or norm == inf:
        ...
    ```
    becomes
    ```python
    import math
    if isinstance(name, (str, bytes)) or norm == math.inf:
        ...
    ```

    ## Numbers
    Restored: the import fails today.

    ## When it stays its hand
    Where the import stands under `try` or a test of the version. Names that are imported but only
    used by other files, or beside which a comment stands, and modules without successor, are
    reported.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.13.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.0.0
    """

    code = "TP904"
    name = "removed-module"
    tor = (
        "TOR101",
        "TOR103",
        "TOR202",
    )
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "this module is gone from torch"
