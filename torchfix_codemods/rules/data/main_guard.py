"""Workers of a loader run the whole script again, unless it asks whether it is the main one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import own_nodes, start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Loader
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.data.questions.pickled_sets import may_fail_to_pickle
from torchfix_codemods.rules.data.questions.script_names import (
    names_read_by,
    names_set_below,
    needed_by_workers,
)
from torchfix_codemods.rules.data.questions.started_workers import may_start_workers, writes_files

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NOT_RUN = (*_DEFINITIONS, ast.Import, ast.ImportFrom)


class MainGuard(Rule):
    """
    ## What it does
    Reports a `DataLoader` with workers over which a script loops at module level, or in a function
    that it calls there, without `if __name__ == "__main__":`.

    ## Why
    Where processes are spawned (Windows, macOS, and Linux since Python 3.14) each worker imports
    the script first: it comes to the same loop, and fails with "An attempt has been made to start
    a new process before the current process has finished its bootstrapping phase". What it opens to
    write above is emptied, too, so that this belongs under the guard as well.

    ## Example
    ```python
    loader = DataLoader(data, num_workers=4)
    for x, y in loader:
        train(x, y)
    ```
    should be
    ```python
    if __name__ == "__main__":
        loader = DataLoader(data, num_workers=4)
        for x, y in loader:
            train(x, y)
    ```

    ## Numbers
    Nothing is rewritten: which lines only the main process should run is for a person to say.

    ## When it stays its hand
    Where the file speaks of `__main__` anywhere, or asks for processes by "fork", where the
    number of workers is not a literal above 0, and where the loop stands in a function that
    nothing at module level calls. Where the data set cannot be pickled anyway, as it is given a
    lambda or keeps an open file of h5py, or may do so, and where the workers need a class of the
    script that reads what the guard would hide. One finding is given per file.

    ## References
    - https://pytorch.org/docs/stable/data.html#platform-specific-behaviors
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """

    code = "TP804"
    name = "main-guard"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"num_workers"})
    message = "workers that are spawned run the script again"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not _has_workers(facts, call) or facts.speaks_of("__main__") or _asks_for_forks(facts):
            return
        calls = [c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call)]
        loaders = [c for c in sorted(calls, key=start_of) if _has_workers(facts, c)]
        loop = _first_loop(facts) if loaders[0] is call else None
        guarded = None if loop is None else _guarded(loop, facts)
        if guarded is not None and not any(may_fail_to_pickle(c, facts) for c in loaders):
            yield self.advice(
                call,
                "where processes are spawned (Windows, macOS, Python 3.14) each worker runs this"
                f' script again: put {guarded} under if __name__ == "__main__":',
            )


def _asks_for_forks(facts: Facts) -> bool:
    """``multiprocessing_context="fork"``, ``set_start_method("fork")``: such run nothing again."""
    texts = facts.names.nodes.get(ast.Constant, ()) if facts.speaks_of("fork") else ()
    return any(constant(text) == "fork" for text in texts if isinstance(text, ast.Constant))


def _has_workers(facts: Facts, call: ast.Call) -> bool:
    workers = [constant(k.value) for k in call.keywords if k.arg == "num_workers"]
    is_positive = workers and isinstance(workers[0], int) and workers[0] > 0
    return bool(is_positive) and isinstance(facts.value(call), Loader)


def _first_loop(facts: Facts) -> ast.stmt | None:
    """The first statement of the module that certainly loops over a loader with workers."""
    for statement in facts.tree.body:
        if not isinstance(statement, _DEFINITIONS) and _loops(facts, _nodes(statement), 0):
            return statement
    return None


def _guarded(loop: ast.stmt, facts: Facts) -> str | None:
    """What is to be put under the guard: from what may start workers, or writes files, to the end.

    None where the workers need a class or a function that reads what is set there.
    """
    body = facts.tree.body
    above = (s for s in body[: body.index(loop)] if not isinstance(s, _NOT_RUN))
    first = next((s for s in above if may_start_workers(s, facts) or writes_files(s, facts)), loop)
    needed = needed_by_workers(facts)
    if names_set_below(first, facts) & names_read_by(needed):
        return None
    line = f"what runs from line {facts.origin(first.lineno)} on"
    is_below = any(definition.lineno > first.lineno for definition in needed)
    return f"{line}, apart from definitions," if is_below else line


def _nodes(statement: ast.stmt) -> Iterable[ast.AST]:
    return [statement, *own_nodes(ast.Module([statement], []))]


def _loops(facts: Facts, nodes: Iterable[ast.AST], depth: int) -> bool:
    """Whether code, or a function of this file that it calls, loops over a loader with workers."""
    for node in nodes:
        if isinstance(node, (ast.For, ast.comprehension)) and _iterates(facts, node.iter):
            return True
        if isinstance(node, ast.Call) and depth < 3:
            function = classes_elsewhere.function_here(facts.inference, node.func)
            if function is not None and _loops(facts, own_nodes(function), depth + 1):
                return True
    return False


def _iterates(facts: Facts, iterated: ast.expr) -> bool:
    """``loader``, ``enumerate(loader)``, ``tqdm(loader)``."""
    if isinstance(iterated, ast.Call) and iterated.args:
        return _iterates(facts, iterated.args[0])
    if not isinstance(iterated, ast.Name):
        return False
    sources = facts.assigned(iterated) or []
    return any(isinstance(s, ast.Call) and _has_workers(facts, s) for s in sources)
