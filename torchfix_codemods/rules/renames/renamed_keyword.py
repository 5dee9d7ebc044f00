"""Arguments of torch's functions that have another name today, or are no more."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.rewritten import Rewritten


class RenamedKeyword(Rewritten):
    """
    ## What it does
    Writes keyword arguments by their names of today, and drops those that have no effect any more:
    all rows of the [catalogue](../catalogue.md) about names of arguments. What a test says of a
    mock of such a function, `mock.assert_called_with(...)`, follows where all calls of the project
    do.

    ## Why
    A keyword that is gone is a `TypeError`; one that is deprecated warns at each call.

    ## Example
    ```python
    data = TensorDataset(data_tensor=x, target_tensor=y)
    ```
    becomes
    ```python
    data = TensorDataset(x, y)
    ```

    ## Numbers
    Identical where the old argument is still taken; restored where it is gone.

    ## When it stays its hand
    Beside `**kwargs`, where the new keyword is given as well, where the argument that would go
    calls something, and where the file tries which arguments its torch takes.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/index.html
    """

    code = "TP902"
    name = "renamed-keyword"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    message = "this argument has another name today"
