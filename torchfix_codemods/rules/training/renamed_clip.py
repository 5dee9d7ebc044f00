"""`clip_grad_norm` became `clip_grad_norm_`."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.renamed import Renamed


class RenamedClip(Renamed):
    """
    ## What it does
    Writes `clip_grad_norm_` for `clip_grad_norm`, wherever the name comes from: by attribute, by
    a `from` import (the import changes with it), under an alias, as a value, in `mock.patch`.

    ## Why
    Functions that change their argument end in an underscore since torch 0.4. The old name warns
    at each call, that is at each training step.

    ## Example
    ```python
    nn.utils.clip_grad_norm(model.parameters(), 5)
    ```
    becomes
    ```python
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    ```

    ## Numbers
    Identical: the old name calls the new function.

    ## When it stays its hand
    Where the file chooses between both names itself (by `try` or by a test of the version) or
    replaces the function, where `clip_grad_norm_` is something else in the file, where another
    file may import the old name from this one, and on functions of that name that are not torch's.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    """

    code = "TP605"
    name = "renamed-clip"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    message = "clip_grad_norm is now clip_grad_norm_"
