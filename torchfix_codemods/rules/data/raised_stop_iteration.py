"""`raise StopIteration` in a generator is a `RuntimeError` since Python 3.7: `return` ends it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: What may take the exception before it leaves the generator, or is no part of it.
_TAKES = (ast.With, ast.Try, ast.ClassDef)


class RaisedStopIteration(Rule):
    """
    ## What it does
    Ends a generator by `return` where it raised `StopIteration`.

    ## Why
    Until Python 3.6 what went through a generator ended there. Since 3.7 the exception becomes
    `RuntimeError: generator raised StopIteration`.

    ## Example
    ```python
    def lines(file, size):
        while True:
            line = file.readline()
            if not line:
                raise StopIteration
            yield torch.tensor([float(word) for word in line.split()])
    ```
    becomes
    ```python
    def lines(file, size):
        while True:
            line = file.readline()
            if not line:
                return
            yield torch.tensor([float(word) for word in line.split()])
    ```

    ## Numbers
    Restored: the generator gives the same as on older Pythons, and raises today.

    ## When it stays its hand
    Within `try` or `with`, which may take the exception; where it has arguments or a cause; in
    functions without `yield`, such as `__next__`, where it is what ends the iteration.

    ## References
    - https://peps.python.org/pep-0479/
    """

    code = "TP809"
    name = "raised-stop-iteration"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"StopIteration"})
    message = "raise StopIteration in a generator is a RuntimeError since Python 3.7: return"

    def find_Raise(self, node: ast.Raise, facts: Facts) -> Iterator[Found]:
        function = facts.names.enclosing_function(node)
        if (
            isinstance(function, ast.FunctionDef)
            and node.cause is None
            and _is_stop(node.exc, facts)
            and _is_generator(function, facts)
            and not _is_taken(node, function, facts)
        ):
            yield self.found(node)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        raised = updated.body[0]
        if not isinstance(raised, cst.Raise) or len(updated.body) > 1:
            return updated
        return updated.with_changes(body=[cst.Return(semicolon=raised.semicolon)])


def _is_stop(raised: ast.expr | None, facts: Facts) -> bool:
    """``StopIteration`` or ``StopIteration()``."""
    if isinstance(raised, ast.Call) and not raised.args and not raised.keywords:
        raised = raised.func
    return raised is not None and facts.names.builtin(raised) == "StopIteration"


def _is_generator(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function yields."""
    return any(
        facts.names.enclosing_function(node) is function
        for cls in (ast.Yield, ast.YieldFrom)
        for node in facts.names.nodes.get(cls, ())
    )


def _is_taken(node: ast.AST, function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether it stands in a statement of its function that may take what is raised in it."""
    inside = itertools.takewhile(lambda around: around is not function, facts.names.ancestors(node))
    return any(isinstance(around, _TAKES) for around in inside)
