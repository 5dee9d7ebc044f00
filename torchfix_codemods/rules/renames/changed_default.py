"""Defaults of torch that are others today: the file's own numbers are written down."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.rewritten_once import RewrittenOnce


class ChangedDefault(RewrittenOnce):
    """
    ## What it does
    Writes down the default that torch had when the file was written, where it has another one
    today: all rows of the [catalogue](../catalogue.md) about such defaults.

    ## Why
    Nothing warns of a default that changed: the program runs and gives other numbers.

    ## Example
    ```python
    mask = torch.full((n, n), 1)
    ```
    in code for torch 1.4 or older becomes
    ```python
    mask = torch.full((n, n), 1.0)
    ```

    ## Numbers
    Pinned: what the torch gave that the file was written for. Only files that are certainly for an
    older torch are touched, by what they use, what the project requires, or `--from`. A number of
    Python that is a tensor today comes back as a number, of the tensor's precision. Restored
    where today's torch refuses what was taken, as `Bernoulli(p).log_prob(x)` of grey pixels.

    ## When it stays its hand
    Where the file can be for a torch with today's default, where the argument is given, beside
    `*args` and `**kwargs`, and where the file chooses by torch's version itself. Nothing is written
    where no use tells the difference: a range of which only a remainder, a comparison or
    `.float()` is taken, a norm of gradients that is compared or formatted. A reduction whose
    result is calculated with or compared to another tensor than such a one is only reported: torch
    0.1 took `(N, 1)` and `(N)` for one shape, where today each meets each.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/index.html
    """

    code = "TP906"
    name = "changed-default"
    since = "1.0"
    numerics = Numerics.PINNED
    message = "this default was another one in the torch of this file"
