"""Arguments that torch, or PyYAML, took at another place, by position, or not at all once."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.rewritten import Rewritten


class ChangedSignature(Rewritten):
    """
    ## What it does
    Writes arguments by their names, or in their order, where torch takes them in another place
    today: all rows of the [catalogue](../catalogue.md) about the places of arguments. What a test
    says of a mock of such a function follows where all calls of the project do. `yaml.load(f)`,
    which stands in many training scripts, gets the loader that PyYAML 5 took by itself, or, where
    the project calls `yaml.dump`, which also writes objects of Python, the one of those before it.
    `np.fromstring(data)` of bytes is `np.frombuffer(data).copy()`; `np.set_printoptions` takes
    `threshold=np.inf` for `np.nan`, which raises since numpy 1.16. `np.load(f).item()` that is used
    as a dict, or with an `encoding`, gets the `allow_pickle=True` that it asks for since numpy
    1.16.3. `np.in1d`, `np.asscalar`, `np.asfarray`, `np.msort`, `np.cast[dtype](x)` and
    `inspect.getargspec` are gone, and what gives the same is written.

    ## Why
    An argument that was inserted shifts all that are given by position behind it: some calls fail,
    others quietly give an argument to its neighbour.

    ## Example
    ```python
    assert gradcheck(f, inputs, 1e-6, 1e-4)
    ```
    becomes
    ```python
    assert gradcheck(f, inputs, eps=1e-6, atol=1e-4)
    ```

    ## Numbers
    Restored where the old call fails today, identical where both are still taken.

    ## When it stays its hand
    Beside `*args` and `**kwargs`, where the arguments would be evaluated in another order, and
    where the file tries which arguments its torch takes.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/index.html
    """

    code = "TP905"
    name = "changed-signature"
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "torch takes these arguments in another way today"
