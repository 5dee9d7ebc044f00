"""The argument `async=` became `non_blocking=`."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Rule


class AsyncArgument(Rule):
    """
    ## What it does
    Spells the keyword argument `async=` of `cuda`, `to`, `type` and `copy_` as `non_blocking=`.
    A parameter `async` of the file's own gets that name, too, where it is handed on to one of
    them, and else `async_`, with the variables and attributes of `self` of that name.

    ## Why
    `async` is a keyword since Python 3.7: a file with `x.cuda(async=True)` does not even parse.
    torch renamed the argument in 0.4.

    ## Example
    ```python
    target = target.cuda(async=True)
    ```
    becomes
    ```python
    target = target.cuda(non_blocking=True)
    ```

    ## Numbers
    Restored: the same copy. This rewrite is done on the text, before anything else, because
    nothing else can be done with a file that does not parse.

    ## When it stays its hand
    On functions and methods of other files with an argument of that name, on attributes of other
    objects, where a string says `async` (`getattr(opt, "async")`), and where `non_blocking` is
    given as well. The file then stays unreadable, and is reported with the line.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.cuda.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.1
    """

    code = "TP204"
    name = "async-argument"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"async"})
    message = "async= is now non_blocking="
