"""An evaluation that records a graph nobody needs: it goes under `torch.no_grad()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.statements import under_with
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.modes import mode_of
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.outcomes.evaluation_blocks import spans_of_runs
from torchfix_codemods.rules.autograd.questions.outcomes.evaluation_runs import (
    opens_evaluation,
    runs_after,
)
from torchfix_codemods.rules.autograd.questions.outcomes.named_tests import TESTS, runs_in_test


class MissingNoGrad(Rule):
    """
    ## What it does
    Puts an evaluation under `with torch.no_grad():`, the loop over the data where all of the loop
    just evaluates, unless it is long and does so in a few lines, else the statements from the run
    of the model to the end of its calculation. An evaluation is what follows `model.eval()` and
    ends in numbers: printed, compared, read with `.item()`, `.data` or `.detach()`. So is a loop of
    a function that is called a test (`def validate(loader):`), where nothing that it runs trains.

    ## Why
    Without it, each run of the model builds a graph and keeps all activations for a `backward()`
    that never comes: the evaluation takes a multiple of the memory, and more time.

    ## Example
    ```python
    model.eval()
    for data, target in test_loader:
        output = model(data)
        test_loss += F.nll_loss(output, target, reduction="sum").item()
    ```
    becomes
    ```python
    model.eval()
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
    ```

    ## Numbers
    Identical: `no_grad` changes what is recorded, not what is computed.

    ## When it stays its hand
    Where the output, or something computed from it, is returned, stored, yielded, back-propagated
    through or handed to code that may do so; where another module of the block gets the same
    inputs, and would stay outside, in code that trains neither; where only a part of the file's
    models is evaluated in the code; where a model may take gradients itself; without an `eval()`
    that certainly comes before, unless the function is called a test, sets no mode and trains
    nothing; and where a `volatile` flag, a decorator or `set_grad_enabled` is at work.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.no_grad.html
    - https://pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    """

    code = "TP112"
    name = "missing-no-grad"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"eval", "train", *TESTS})
    message = "the evaluation records a graph that nobody needs: torch.no_grad() keeps it away"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if mode_of(call, facts) != "eval" or not opens_evaluation(call, facts):
            return
        yield from self._found(runs_after(call, facts), facts)

    def find_FunctionDef(self, function: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        yield from self._found(runs_in_test(function, facts), facts)

    def _found(self, runs: list[ast.Call], facts: Facts) -> Iterator[Found]:
        for run, span in spans_of_runs(runs, facts):
            spelling = spell(facts, "torch.no_grad", run)
            if spelling is not None and not _has_twin_beside(run, span.statements, runs, facts):
                yield self.found(
                    run,
                    region=span.statements,
                    needs=spelling.needs,
                    context=f"{spelling.text}()",
                )

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return under_with(cst.parse_expression(self.data["context"]), updated, self.indent)


def _has_twin_beside(
    run: ast.Call, inside: Sequence[ast.stmt], runs: list[ast.Call], facts: Facts
) -> bool:
    """Whether the same block gives the same inputs to another module, which would stay outside.

    ``y = model(x)`` of two that are compared: one of them alone is no evaluation. Where one is
    trained, the other may be what teaches it.
    """
    block, given = facts.block(inside[0]), run.args[0] if run.args else None
    if not isinstance(given, ast.Name):
        return False
    uses = facts.names.uses_of(facts.names.scope_of(given), given.id)
    calls = [(facts.parent(use), use) for use in uses if use is not given]
    has_twin = any(
        isinstance(call, ast.Call)
        and use in call.args
        and not same_expression(call.func, run.func)
        and call not in runs
        and (statement := facts.statement(call)) in block
        and statement not in inside
        and not isinstance(statement, (ast.For, ast.While, ast.If, ast.With, ast.Try))
        and facts.flow.reaching(use) == facts.flow.reaching(given)
        and isinstance(facts.value(call.func), Module)
        for call, use in calls
    )
    return has_twin and not trains([facts.names.enclosing_function(run) or facts.tree], facts)
