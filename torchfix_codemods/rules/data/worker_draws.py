"""Workers of a loader that draw from numpy drew the same numbers until torch 1.8."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.numpy_draws import method_draws
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Loader
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: What a loader asks a data set for, and a data set its transformations.
_ASKED = ("__getitem__", "__call__")
_MOST_FOLLOWED = 3


class WorkerDraws(Rule):
    """
    ## What it does
    Tells, in code for torch 1.8 or older, of a `DataLoader` with several workers over a data set
    of the project that draws from `numpy.random`, or has a transformation that does.

    ## Why
    Each worker is a copy of the main process, with the generator of numpy as it stands there. Until
    torch 1.8 all workers drew the same numbers, and the same again in each epoch: crops and noise
    came in groups of equals. Since 1.9 each worker has a seed of its own in each epoch. That is
    what was meant, but training goes other ways than it did.

    ## Example
    ```python
    class Crops(Dataset):
        def __getitem__(self, index):
            top = np.random.randint(32)
            return self.images[index][:, top : top + 32]
    loader = DataLoader(Crops(), batch_size=16, num_workers=4)
    ```
    is reported. For the numbers of then, write
    ```python
    state = np.random.get_state()
    loader = DataLoader(
        Crops(), batch_size=16, num_workers=4,
        worker_init_fn=lambda worker: np.random.set_state(state),
    )
    ```

    ## Numbers
    Nothing is rewritten: the old numbers are worse ones.

    ## When it stays its hand
    Where nothing shows that the file is as old as that, where the workers are 0 or 1, the loader
    has a `worker_init_fn` or the data set seeds numpy itself, and where the class of the data set
    is not known. One finding is given per file.

    ## References
    - https://github.com/pytorch/pytorch/pull/56488
    - https://pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    """

    code = "TP807"
    name = "worker-draws"
    since = "0.2"
    numerics = Numerics.ADVICE
    words = frozenset({"num_workers"})
    message = "workers have seeds of their own for numpy since torch 1.9"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not facts.era_of(call).before((1, 9)) or not _is_told(call, facts):
            return
        calls = [c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call)]
        earlier = [c for c in calls if (c.lineno, c.col_offset) < (call.lineno, call.col_offset)]
        if not any(_is_told(other, facts) for other in earlier):
            yield self.advice(
                call,
                "this data set draws from numpy: until torch 1.8 all workers drew the same numbers,"
                " again in each epoch, and since 1.9 each has a seed of its own. With"
                " state = np.random.get_state(), for the numbers of then write"
                " worker_init_fn=lambda worker: np.random.set_state(state)",
            )


def _is_told(call: ast.Call, facts: Facts) -> bool:
    return facts.remembered(("worker draws", call), lambda: _draws_alike(call, facts))


def _draws_alike(call: ast.Call, facts: Facts) -> bool:
    """Whether a loader gives several workers a data set that draws from numpy's generator."""
    workers = argument(call, None, "num_workers")
    if workers is None or constant(workers) in (0, 1, None) or is_opaque(call):
        return False
    if argument(call, 10, "worker_init_fn") is not None or not isinstance(
        facts.value(call), Loader
    ):
        return False
    given = argument(call, 0, "dataset")
    return given is not None and _draws(given, facts, 0)


def _draws(node: ast.expr, facts: Facts, depth: int) -> bool:
    """Whether a data set or a transformation draws, or has what it was built with do so."""
    value = facts.value(node)
    if any(method_draws(facts.inference, value, name) for name in _ASKED):
        return True
    if depth > _MOST_FOLLOWED:
        return False
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return any(_draws(value, facts, depth + 1) for value in made)
    return isinstance(node, ast.Call) and any(
        _draws(part, facts, depth + 1)
        for given in values_given(node)
        for part in walk(given)
        if isinstance(part, (ast.Name, ast.Call))
    )
