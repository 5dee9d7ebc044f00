"""Arguments of a `DataLoader` that lose samples or time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MOST_WORKERS = 16
_SAMPLERS = ("sampler", "batch_sampler")


class LoaderArguments(Rule):
    """
    ## What it does
    Reports `pin_memory=True` that does not ask for a GPU, `drop_last=True` without shuffling, a
    shuffled loader without workers, and more workers than most machines have cores.

    ## Why
    Pinned memory is of use only for copies to a GPU, and warns without one. `drop_last` without
    shuffling leaves out the same samples every time; in an evaluation they are never seen.
    Without workers the training waits for each batch; too many of them wait for each other.

    ## Example
    ```python
    train = DataLoader(data, 64, shuffle=True, pin_memory=True)
    test = DataLoader(data, 64, drop_last=True)
    ```
    should be
    ```python
    train = DataLoader(
        data, 64, shuffle=True, num_workers=4, pin_memory=torch.cuda.is_available()
    )
    test = DataLoader(data, 64)
    ```

    ## Numbers
    Nothing is rewritten: without `drop_last` an evaluation gives other numbers, and how many
    workers pay depends on the machine.

    ## When it stays its hand
    It only looks when it is selected by its code or name: small data needs none of this. Beside
    `*args` or `**kwargs`, and where the arguments are no literals, nothing is said.

    ## References
    - https://pytorch.org/docs/stable/data.html
    """

    code = "TP803"
    name = "loader-arguments"
    tor = ("TOR401",)
    since = "0.2"
    numerics = Numerics.ADVICE
    words = frozenset({"DataLoader"})
    message = "this loader loses samples or time"
    is_optional = True

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.utils.data.DataLoader" or is_opaque(call):
            return
        for problem in _problems(call):
            yield self.advice(call, problem)


def _problems(call: ast.Call) -> Iterator[str]:
    shuffle = constant(argument(call, 2, "shuffle") or ast.Constant(False))
    is_sampled = any(argument(call, 3 + i, name) for i, name in enumerate(_SAMPLERS))
    workers = constant(argument(call, 5, "num_workers") or ast.Constant(0))
    if constant(argument(call, 7, "pin_memory")) is True:
        yield "pin_memory only helps copies to a GPU: write pin_memory=torch.cuda.is_available()"
    if constant(argument(call, 8, "drop_last")) is True and shuffle is False and not is_sampled:
        yield "drop_last=True without shuffle leaves out the same samples every time"
    if shuffle is True and workers == 0:
        yield "the training waits for each batch: give num_workers= a number above 0"
    if isinstance(workers, int) and workers > _MOST_WORKERS:
        yield f"{workers} workers wait for each other on most machines: num_workers=os.cpu_count()"
