"""The functions of `torch.nn.init` end in an underscore."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.renamed import Renamed


class InitWithoutUnderscore(Renamed):
    """
    ## What it does
    Writes `xavier_uniform_` for `xavier_uniform`, and so on for all functions of `torch.nn.init`
    that had a name without underscore, wherever the name comes from.

    ## Why
    Functions that change their argument end in an underscore since torch 0.4; the old names warn
    at each call.

    ## Example
    ```python
    nn.init.xavier_uniform(m.weight)
    ```
    becomes
    ```python
    nn.init.xavier_uniform_(m.weight)
    ```

    ## Numbers
    Identical: the old name calls the new function.

    ## When it stays its hand
    Where the file chooses between both names itself (by `try` or by a test of the version) or
    replaces the function, where the new name is something else in the file, where another file
    may import the old name from this one, and on other functions of the same names:
    `torch.normal`, `numpy.random.normal`.

    ## References
    - https://pytorch.org/docs/stable/nn.init.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    """

    code = "TP701"
    name = "init-without-underscore"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    message = "the functions of torch.nn.init end in an underscore"
