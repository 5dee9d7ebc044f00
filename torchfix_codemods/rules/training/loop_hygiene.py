"""Loops that torch can do without: a cache emptied each round, gradients one sample at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import way_to_backward
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Loader, LoaderIterator, Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_DATA_LOADER = "torch.utils.data.DataLoader"
_WALKERS = frozenset({"enumerate", "tqdm", "zip", "iter"})
_ENDS_OF_LOSSES = ("loss", "entropy", "entropy_with_logits", "kl_div")


class LoopHygiene(Rule):
    """
    ## What it does
    Speaks of three habits that cost time or memory: `torch.cuda.empty_cache()` for each batch, the
    gradients of single samples by a loop over the losses, and a data set that is evaluated in one
    batch.

    ## Why
    `empty_cache()` waits for the GPU and gives memory back that the next batch has to ask for
    again; it frees none for the program itself. A loop over the losses goes through the whole graph
    once for each sample, which `torch.func.vmap` does for all at once. One batch of everything
    needs memory for the activations of the whole data set.

    ## Example
    ```python
    for x, y in loader:
        train(x, y)
        torch.cuda.empty_cache()
    ```
    should be
    ```python
    for x, y in loader:
        train(x, y)
    ```

    ## Numbers
    Nothing is rewritten.

    ## When it stays its hand
    It speaks of `empty_cache()` only in a loop over a data loader, not under a condition or in a
    handler (after an "out of memory"), not once for each epoch; of gradients only where the loop
    goes over what a loss gave (others compute Jacobians); and of one batch only where its size is
    the length of the very data set, which is neither shuffled nor sampled, and a module runs on it
    without being trained: steps along the gradients of parts would be other steps. A loop over one
    such batch empties no cache for each.

    ## References
    - https://pytorch.org/docs/stable/notes/cuda.html#memory-management
    - https://pytorch.org/tutorials/intermediate/per_sample_grads.html
    """

    code = "TP607"
    name = "loop-hygiene"
    since = "2.0"
    numerics = Numerics.ADVICE
    words = frozenset({"empty_cache", "grad", "backward", "DataLoader"})
    message = "a loop that torch can do without"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        if name in ("torch.cuda.empty_cache", "torch.cuda.memory.empty_cache"):
            loop = _loop_around(call, facts)
            if loop is not None and _goes_over_batches(loop, facts):
                yield self.advice(
                    call,
                    "empty_cache() for each batch slows the loop down and frees no memory for this "
                    f"program: take it out, or write {facts.segment(call)} below the loop",
                )
        elif name == _DATA_LOADER:
            if _is_one_batch(call, facts):
                yield self.advice(
                    call,
                    "this makes one batch of the whole data set, which needs memory for all of it "
                    "at once",
                )
        else:
            loop = _loop_around(call, facts)
            loss = _loss_of(call, name, facts)
            if loss is not None and isinstance(loop, ast.For) and _is_sample(loss, loop, facts):
                yield self.advice(
                    call,
                    "this goes through the graph once for each sample: "
                    "torch.func.vmap(torch.func.grad(loss_of_one_sample), in_dims=(None, 0, 0)) "
                    "gives the gradients of all samples at once, of loss_of_one_sample(parameters, "
                    "x, y) by torch.func.functional_call(model, parameters, x)",
                )


def _loop_around(call: ast.Call, facts: Facts) -> ast.stmt | None:
    """The innermost loop, where a call is made in each of its rounds."""
    child: ast.AST = call
    for parent in facts.names.ancestors(call):
        if isinstance(parent, LOOPS):
            return parent if child in parent.body else None
        if isinstance(parent, (ast.If, ast.IfExp, *TRIES, ast.FunctionDef, ast.Lambda)):
            return None
        child = parent
    return None


def _goes_over_batches(loop: ast.stmt, facts: Facts) -> bool:
    if not isinstance(loop, ast.For):
        return False
    pending = [loop.iter]
    while pending:
        node = pending.pop()
        if isinstance(facts.value(node), (Loader, LoaderIterator)):
            return not _gives_one_batch(node, facts)
        if isinstance(node, ast.Call):
            callee = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            callee = callee.id if isinstance(callee, ast.Name) else callee
            if callee in _WALKERS:
                pending += node.args
    return False


def _gives_one_batch(loader: ast.expr, facts: Facts) -> bool:
    """Whether a loader, whichever way it is made, makes one batch of its data set."""
    made = facts.assigned(loader) if isinstance(loader, ast.Name) else [loader]
    return bool(made) and all(
        isinstance(m, ast.Call) and facts.name(m.func) == _DATA_LOADER and _takes_all(m)
        for m in made or ()
    )


def _takes_all(call: ast.Call) -> bool:
    """``DataLoader(data, batch_size=len(data))``"""
    data, size = argument(call, 0, "dataset"), argument(call, 1, "batch_size")
    if data is None or not isinstance(size, ast.Call) or len(size.args) != 1:
        return False
    is_length = isinstance(size.func, ast.Name) and size.func.id == "len"
    return is_length and ast.dump(size.args[0]) == ast.dump(data)


def _is_one_batch(call: ast.Call, facts: Facts) -> bool:
    """Whether a loader makes one batch of a data set, in order, for a model to evaluate."""
    shuffle = argument(call, 2, "shuffle")
    is_ordered = shuffle is None or constant(shuffle) is False
    is_chosen = argument(call, 3, "sampler") is not None or _may_drop(call)
    return _takes_all(call) and is_ordered and not is_chosen and _is_evaluated(call, facts)


def _may_drop(loader: ast.Call) -> bool:
    """Whether a loader may leave out a last batch that is smaller."""
    drop_last = argument(loader, 8, "drop_last")
    return drop_last is not None and constant(drop_last) is not False


def _is_evaluated(loader: ast.Call, facts: Facts) -> bool:
    """Whether modules run on what comes of a loader, and none is trained on it.

    Without one a batch is just the data; steps along the gradients of parts are other steps.
    """
    runs: list[tuple[Facts, ast.Call]] = []

    def onward(use: Use) -> Iterable[Place]:
        call = use.by
        if use.kind == "argument" and isinstance(call, ast.Call) and use.facts.is_module(call.func):
            runs.append((use.facts, call))
            return ()
        return use.onward() if use.kind != "statement" else ()

    follow([Place(facts, loader)], onward)
    return bool(runs) and all(way_to_backward(there, run) is None for there, run in runs)


def _loss_of(call: ast.Call, name: str | None, facts: Facts) -> ast.expr | None:
    """What a call takes the gradients of, where it keeps the graph for the next round."""
    if constant(argument(call, None, "retain_graph")) is not True:
        return None
    if name == "torch.autograd.grad":
        return argument(call, 0, "outputs")
    if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and name is None:
        return call.func.value
    return None


def _is_sample(loss: ast.expr, loop: ast.For, facts: Facts) -> bool:
    """Whether a loss is the element of a tensor that a loop goes over, or that it indexes."""
    if not isinstance(loop.target, ast.Name):
        return False
    if isinstance(loss, ast.Name):
        return loss.id == loop.target.id and _holds_losses(loop.iter, facts)
    return (
        isinstance(loss, ast.Subscript)
        and isinstance(loss.slice, ast.Name)
        and loss.slice.id == loop.target.id
        and _holds_losses(loss.value, facts)
    )


def _holds_losses(node: ast.expr, facts: Facts) -> bool:
    """Whether a loss made a tensor; loops over others compute Jacobians."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(isinstance(m, ast.Call) and _is_loss(m, facts) for m in made or ())


def _is_loss(call: ast.Call, facts: Facts) -> bool:
    criterion = facts.value(call.func)
    if isinstance(criterion, Module):
        return criterion.cls in losses.LOSSES
    name = facts.name(call.func) or ""
    return name.startswith("torch.nn.functional.") and name.endswith(_ENDS_OF_LOSSES)
