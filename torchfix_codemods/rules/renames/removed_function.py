"""Functions of torch that are gone, where others give the same numbers."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.rewritten_once import RewrittenOnce


class RemovedFunction(RewrittenOnce):
    """
    ## What it does
    Writes what gives the same numbers today, with the arguments where they belong: all rows of the
    [catalogue](../catalogue.md) about functions that went, such as `torch.symeig`, `torch.solve`,
    `torch.rfft`. Of a function that gave several results the one that is used is written. Where
    no such form is certain, the finding says what to write.

    ## Why
    The linear algebra of torch moved to `torch.linalg` in 1.8 and 1.9 with other arguments, other
    defaults and other results; the Fourier transforms moved to `torch.fft` in 1.7. The old
    functions were taken away one after the other.

    ## Example
    ```python
    e, v = torch.symeig(a, eigenvectors=True)
    x, _ = torch.solve(b, a)
    ```
    becomes
    ```python
    e, v = torch.linalg.eigh(a, UPLO="U")
    x = torch.linalg.solve(a, b)
    ```

    ## Numbers
    Restored where the function is gone, identical where it is still there: equal up to the last
    digits of the library that computes them, with the sign of eigenvectors as LAPACK gives it.

    ## When it stays its hand
    Beside `*args` and `**kwargs`, on arguments that are no literals where they decide about the
    function, where a result is used that the new function does not give, where the arguments would
    be evaluated in another order, on `torch.stft` of what may be complex, on methods of what is not
    certainly a tensor, and where the file chooses by torch's version itself. Methods that only
    tensors had, such as `potrf`, are reported on anything.

    ## References
    - https://pytorch.org/docs/stable/linalg.html
    - https://pytorch.org/docs/stable/fft.html
    - https://github.com/pytorch/pytorch/releases/tag/v1.9.0
    """

    code = "TP903"
    name = "removed-function"
    tor = (
        "TOR001",
        "TOR004",
        "TOR101",
        "TOR103",
        "TOR003",
    )
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "this function is gone from torch"
