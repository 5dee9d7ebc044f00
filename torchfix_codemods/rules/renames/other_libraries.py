"""Names of numpy, Pillow, SciPy and Python that went in the time of torch 0.x and 1.x."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.removed import Removed


class OtherLibraries(Removed):
    """
    ## What it does
    Writes `int` for `np.int`, `np.nan` for `np.NaN`, `collections.abc.Iterable` for
    `collections.Iterable`, `Image.LANCZOS` for `Image.ANTIALIAS`, and so on for all rows of the
    [catalogue](../catalogue.md) about other libraries; says what to use for `scipy.misc.imread`,
    `time.clock` and others that have no successor by another name. What is imported and read
    nowhere goes from the import. All Python files of a project that uses torch are looked at, those
    that do not mention torch as well.

    ## Why
    The Python and the numpy that today's torch runs on do not have them: a file that is brought up
    to date for torch fails at the next line.

    ## Example
    ```python
    labels = np.zeros(n, dtype=np.int)
    if isinstance(batch, collections.Sequence):
        ...
    ```
    becomes
    ```python
    labels = np.zeros(n, dtype=int)
    if isinstance(batch, collections.abc.Sequence):
        ...
    ```

    ## Numbers
    Restored: the names fail. Identical for `np.bool` and `np.long`, which numpy 1.24 took away and
    2.0 brought back for its own types; as a `dtype` they mean the same.

    ## When it stays its hand
    In projects of which no file imports torch, where the import stands under `try`, where `int` or
    another new name is something else in the file, and where `np.bool` is called or asked for by
    `isinstance`.

    ## References
    - https://numpy.org/doc/stable/release/1.24.0-notes.html
    - https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
    - https://docs.python.org/3/whatsnew/3.10.html
    """

    code = "TP907"
    name = "other-libraries"
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "this name is gone from its library"
