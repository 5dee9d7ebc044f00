"""An evaluation that records a graph nobody needs: it goes under `torch.no_grad()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.statements import under_with
from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import model_of
from torchfix_codemods.facts.programs.steps import mode_calls, mode_of
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.recording.spans import (
    Span,
    hoisted,
    position_in,
    smallest_span,
    suspends,
)
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.outcomes import (
    History,
    history_of,
    inputs_of,
    keeps_to_itself,
)

#: Hooks, and layers that take another path in evaluation mode where no gradients are recorded.
_OTHER_WAYS = ("register_forward_hook", "register_hook", "TransformerEncoder", "MultiheadAttention")

#: Signs of a file that asks for gradients: then a model that is not seen may do so as well.
_SIGNS = (
    "autograd.grad",
    "create_graph",
    "requires_grad=True",
    "requires_grad = True",
    "requires_grad_(",
)


class MissingNoGrad(Rule):
    """
    ## What it does
    Puts an evaluation under `with torch.no_grad():`, the loop over the data where all of the loop
    just evaluates, else the statements from the run of the model to the last one that computes
    something from its output. An evaluation is what follows `model.eval()` and ends in numbers:
    printed, compared, read with `.item()`, `.data` or `.detach()`.

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
    through or handed to code that may do so; where only a part of the file's models is evaluated
    in the code; where a model may take gradients itself; without an `eval()` that certainly comes
    before; and where a `volatile` flag, a decorator or `set_grad_enabled` is at work.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.no_grad.html
    - https://pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    """

    code = "TP112"
    name = "missing-no-grad"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"eval", "train"})
    message = "the evaluation records a graph that nobody needs: torch.no_grad() keeps it away"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if mode_of(call, facts) != "eval" or not _opens_evaluation(call, facts):
            return
        for run, span in _spans(_runs_after(call, facts), facts):
            spelling = spell(facts, "torch.no_grad", run)
            if spelling is not None:
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


def _opens_evaluation(call: ast.Call, facts: Facts) -> bool:
    """Whether ``model.eval()`` is a statement, the first such one of its block, of a kind to see.

    The others of the block are looked at together with it.
    """
    if not _sets_mode(facts.statement(call), "eval", facts) or is_version_checked(facts, call):
        return False
    block = facts.block(facts.statement(call))
    first = next(s for s in block if _sets_mode(s, "eval", facts))
    if first is not facts.statement(call) or _has_own_ways(call, facts):
        return False
    function = facts.names.enclosing_function(call)
    if function is None:
        return True
    sites = call_sites(facts.inference, function)
    return not sites or not all(is_under_no_grad(site, facts) for site in sites)


def _sets_mode(statement: ast.stmt, mode: str, facts: Facts) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    return mode_of(statement.value, facts) == mode


def _has_own_ways(call: ast.Call, facts: Facts) -> bool:
    """Whether gradients are switched by other means, or outputs are caught on their way."""
    if any(word in facts.text for word in _OTHER_WAYS):
        return True
    for node in facts.names.nodes.get(ast.Expr, ()):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if facts.name(node.value.func) == "torch.set_grad_enabled":
                return True
    around: ast.AST = facts.names.enclosing_function(call) or facts.tree
    return "volatile" in facts.text and any(map(_is_volatile, walk(around)))


def _is_volatile(node: ast.AST) -> bool:
    """The flag of 0.3, which TP102 knows how to replace."""
    if isinstance(node, ast.keyword):
        is_off = isinstance(node.value, ast.Constant) and not node.value.value
        return node.arg == "volatile" and not is_off
    return isinstance(node, ast.Attribute) and node.attr == "volatile"


def _runs_after(call: ast.Call, facts: Facts) -> list[ast.Call]:
    """The runs of models that an ``eval()`` of the same block has certainly reached."""
    block = facts.block(facts.statement(call))
    runs: list[ast.Call] = []
    for statement in block:
        if not _sets_mode(statement, "eval", facts):
            continue
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        receiver = statement.value.func
        assert isinstance(receiver, ast.Attribute)
        model = receiver.value
        for later in block[block.index(statement) + 1 :]:
            if _trains_again(later, model, facts):
                break
            runs += [run for run in _runs_in(later, model, facts) if run not in runs]
    return runs


def _trains_again(statement: ast.stmt, model: ast.expr, facts: Facts) -> bool:
    inside = set(walk(statement))
    return any(mode == "train" and call in inside for call, mode in mode_calls(facts)) or any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == _root(model)
        for node in inside
    )


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _runs_in(statement: ast.stmt, model: ast.expr, facts: Facts) -> Iterator[ast.Call]:
    owner = facts.names.enclosing_function(model)
    for node in walk(statement):
        if not isinstance(node, ast.Call) or facts.names.enclosing_function(node) is not owner:
            continue
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("forward", "module"):
            function = function.value
        if _is_same_model(model, function, facts) and not is_under_no_grad(node, facts):
            yield node


def _is_same_model(model: ast.expr, function: ast.expr, facts: Facts) -> bool:
    if not isinstance(function, (ast.Name, ast.Attribute)):
        return False
    if ast.unparse(model) == ast.unparse(function):
        return True
    return model_of(facts, model) is not None and model_of(facts, model) == model_of(
        facts, function
    )


def _spans(runs: list[ast.Call], facts: Facts) -> list[tuple[ast.Call, Span]]:
    """The statements to put under ``no_grad``, each with the first run of a model in them."""
    if not runs:
        return []
    history = history_of(runs, facts)
    if history is None or not _is_certain(history, runs, facts):
        return []
    harmless = _harmless_parts(runs, history, facts)
    groups: dict[ast.AST | None, list[ast.Call]] = {}
    for run in runs:
        groups.setdefault(next(_loops_around(run, facts), None), []).append(run)
    found: list[tuple[ast.Call, Span]] = []
    for group in groups.values():
        spans = _spans_of_group(group, history, harmless, facts)
        if spans is None:
            return []
        found += zip(group, spans, strict=False)
    return [
        (run, span)
        for position, (run, span) in enumerate(found)
        if not any(_holds(other, span) for _, other in found[:position])
        and not any(_holds(o, span) and not _holds(span, o) for _, o in found[position:])
    ]


def _harmless_parts(runs: list[ast.Call], history: History, facts: Facts) -> set[ast.expr]:
    """What is computed from outputs, and on the way to the models from what the loops give."""
    scope = facts.names.scope_of(facts.statement(runs[0]))
    items = [
        binding
        for loop in {loop for run in runs for loop in _loops_around(run, facts)}
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is loop
    ]
    inputs = inputs_of(runs, items, facts)
    return set(history.expressions if inputs is None else history.expressions | inputs.expressions)


def _loops_around(run: ast.Call, facts: Facts) -> Iterator[ast.stmt]:
    for parent in facts.names.ancestors(run):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        if isinstance(parent, (ast.For, ast.While)):
            yield parent


def _is_certain(history: History, runs: list[ast.Call], facts: Facts) -> bool:
    """Whether no code out of sight asks for gradients: models do so at times, to move atoms."""
    models = [
        keeps_to_itself(
            facts.value(
                run.func.value
                if isinstance(run.func, ast.Attribute) and run.func.attr == "forward"
                else run.func
            ),
            facts,
        )
        for run in runs
    ]
    if False in models:
        return False
    if None not in models and not history.asks_others:
        return True
    return history.classifies and not any(sign in facts.text for sign in _SIGNS)


def _spans_of_group(
    runs: list[ast.Call], history: History, harmless: set[ast.expr], facts: Facts
) -> list[Span] | None:
    """One span for the runs of a loop, or one for each; None where they cannot be held."""
    span = smallest_span({facts.statement(run) for run in runs}, facts)
    if span is not None:
        for held in (_to_last_use(span, history, facts), span):
            if _fits(held, harmless, facts):
                wider = hoisted(held, harmless, facts)
                return [held if suspends(wider) else wider]
    spans = [smallest_span({facts.statement(run)}, facts) for run in runs]
    fitting = [s for s in spans if s is not None and _fits(s, harmless, facts)]
    return fitting if len(fitting) == len(runs) else None


def _fits(span: Span, harmless: set[ast.expr], facts: Facts) -> bool:
    return is_harmless(span.statements, harmless, facts) and not suspends(span)


def _to_last_use(span: Span, history: History, facts: Facts) -> Span:
    """A span up to the last statement of its block that computes something from the outputs."""
    positions = [position_in(span.block, s, facts) for s in history.statements]
    last = max([p for p in positions if p is not None], default=span.last)
    return Span(span.block, span.first, max(last, span.last))


def _holds(outer: Span, inner: Span) -> bool:
    inside = {node for statement in outer.statements for node in walk(statement)}
    return inside.issuperset(inner.statements)
