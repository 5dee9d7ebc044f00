"""Many processes that each calculate in many threads take the cores from each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MODULES = ("torch.multiprocessing", "multiprocessing")
_SEVERAL = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
_LIMITS = ("set_num_threads", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "threadpool_limits")


class MultiprocessingThreads(Rule):
    """
    ## What it does
    Reports processes that are started in a loop, or a `Pool` of several, to run a function of the
    same file, which calculates with torch, where nothing in the file limits the threads.

    ## Why
    On the CPU torch calculates in as many threads as there are cores. Eight processes on eight
    cores then have 64 threads, which take the cores from each other: training with more processes
    gets slower.

    ## Example
    ```python
    def train(rank, model):
        ...

    processes = [mp.Process(target=train, args=(rank, model)) for rank in range(8)]
    ```
    should be
    ```python
    def train(rank, model):
        torch.set_num_threads(1)
        ...
    ```
    or the program is run with `OMP_NUM_THREADS=1`.

    ## Numbers
    Nothing is rewritten: sums over several threads are added in another order.

    ## When it stays its hand
    It only looks when it is selected by its code or name: what the environment says cannot be
    seen in the file. Where the function is of another file, calls nothing of torch itself, or the
    file speaks of threads anywhere, nothing is said.

    ## References
    - https://pytorch.org/docs/stable/notes/multiprocessing.html#cpu-in-multiprocessing
    """

    code = "TP806"
    name = "multiprocessing-threads"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"Process", "Pool"})
    message = "each of the processes calculates in as many threads as there are cores"
    is_optional = True

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        module, _, kind = (facts.name(call.func) or "").rpartition(".")
        if module not in _MODULES or any(map(facts.speaks_of, _LIMITS)):
            return
        target = _target(call) if kind == "Process" else _mapped(facts, call)
        is_several = _is_repeated(facts, call) if kind == "Process" else _is_pool_of_several(call)
        if target is None or not is_several:
            return
        function = classes_elsewhere.function_here(facts.inference, target)
        if function is not None and _uses_torch(facts, function):
            yield self.advice(
                call,
                f"{self.message}: write torch.set_num_threads(1) as the first line of"
                f" {function.name} (line {facts.origin(function.lineno)}), or run with"
                " OMP_NUM_THREADS=1",
            )


def _target(call: ast.Call) -> ast.expr | None:
    """The function of ``Process(target=function)``."""
    return next((k.value for k in call.keywords if k.arg == "target"), None)


def _mapped(facts: Facts, call: ast.Call) -> ast.expr | None:
    """The function of ``pool.map(function, …)``, of a pool that has one name."""
    parent = facts.parent(call)
    holder = parent.optional_vars if isinstance(parent, ast.withitem) else None
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        holder = parent.targets[0]
    if not isinstance(holder, ast.Name):
        return None
    for name in ("map", "imap", "imap_unordered", "starmap", "apply_async", "map_async"):
        for use in facts.names.method_calls(name):
            function = use.func
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                if function.value.id == holder.id and use.args:
                    return use.args[0]
    return None


def _is_repeated(facts: Facts, call: ast.Call) -> bool:
    for parent in facts.names.ancestors(call):
        if isinstance(parent, _SEVERAL):
            return True
        if isinstance(parent, (ast.FunctionDef, ast.Lambda)):
            return False
    return False


def _is_pool_of_several(call: ast.Call) -> bool:
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "processes")]
    return not given or constant(given[0]) != 1


def _uses_torch(facts: Facts, function: ast.FunctionDef) -> bool:
    """Whether a function itself calls something of torch, a module or a method of a tensor."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            if (facts.name(node.func) or "").startswith("torch."):
                return True
            if facts.is_module(node.func) or facts.is_tensor(node):
                return True
    return False
