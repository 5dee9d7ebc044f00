"""A hidden state that is carried over batches takes the graph of all batches before along."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.training import loop_around
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_RECURRENT = frozenset(
    f"torch.nn.{name}" for name in "RNN LSTM GRU RNNCell LSTMCell GRUCell RNNBase".split()
)

#: Attributes by which a graph is cut, or kept from being made.
_CUTS = frozenset({"detach", "detach_", "data", "no_grad", "set_grad_enabled", "new_tensor"})


class GraphAcrossBatches(Rule):
    """
    ## What it does
    Says where a loop gives the hidden state of one batch to the next one and back-propagates in
    each round, without `detach()`.

    ## Why
    The hidden state remembers how it was computed. The second `backward()` goes through the first
    batch as well and fails: "Trying to backward through the graph a second time". With
    `retain_graph=True` it does not fail, but each step goes back to the very first batch, and time
    and memory grow with every one.

    ## Example
    ```python
    for x, y in loader:
        output, hidden = rnn(x, hidden)
        criterion(output, y).backward()
    ```
    should be
    ```python
    for x, y in loader:
        hidden = hidden.detach()
        output, hidden = rnn(x, hidden)
        criterion(output, y).backward()
    ```

    ## Numbers
    Nothing is rewritten.

    ## When it stays its hand
    Where the state is assigned in any other way in the loop (`hidden = repackage(hidden)`), where
    something in the loop or in the model's `forward` cuts a graph, where `backward()` comes after
    the loop (the loop goes through the steps of one sequence), and where it is not certain that
    the module is recurrent.

    ## References
    - https://pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
    - https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "TP109"
    name = "graph-across-batches"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"backward"})
    message = "a hidden state takes the graph of the batches before along"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
            return
        loop = loop_around(call, facts)
        if loop is None or _cuts(loop):
            return
        for statement in loop.body:
            carried = _carried(statement, loop, facts) if statement.lineno < call.lineno else []
            if carried:
                lines = "; ".join(_detached(name, statement, facts) for name in carried)
                yield self.advice(
                    statement,
                    f"backward() in line {facts.origin(call.lineno)} goes on through the batches "
                    f"before: write {lines} below that line",
                )


def _cuts(root: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in _CUTS for node in walk(root))


def _carried(statement: ast.stmt, loop: ast.stmt, facts: Facts) -> list[str]:
    """The names by which a statement gives its own result of the round before to a module."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    call = statement.value
    if not _is_recurrent(call, facts):
        return []
    stored = {
        node.id
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    given = [
        node
        for argument in call.args[1:]
        for node in ([*argument.elts] if isinstance(argument, ast.Tuple) else [argument])
        if isinstance(node, ast.Name) and node.id in stored
    ]
    if not given or not all(_comes_from(name, statement, loop, facts) for name in given):
        return []
    return [name.id for name in given]


def _comes_from(name: ast.Name, statement: ast.stmt, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a name holds what only ``statement`` gives it in a loop."""
    inside = [
        binding
        for binding in facts.flow.reaching(name)
        if loop in facts.names.ancestors(binding.node)
    ]
    stores = [
        node
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and node.id == name.id and not isinstance(node.ctx, ast.Load)
    ]
    return bool(inside) and len(stores) == 1 and facts.statement(stores[0]) is statement


def _is_recurrent(call: ast.Call, facts: Facts) -> bool:
    """Whether a call runs a recurrent layer of torch, or a module that does, and cuts nothing."""
    module = facts.value(call.func)
    if not isinstance(module, Module):
        return False
    if module.cls is not None:
        return module.cls in _RECURRENT
    found = method_of(facts.inference, module, "forward")
    there = None if found is None else facts_of(found[0])
    if found is None or there is None or _cuts(found[1]):
        return False
    forward = found[1]
    states = {parameter.arg for parameter in forward.args.args[2:]}
    return any(
        isinstance(node, ast.Call)
        and isinstance(layer := there.value(node.func), Module)
        and layer.cls in _RECURRENT
        and any(isinstance(a, ast.Name) and a.id in states for a in node.args[1:])
        for node in ast.walk(forward)
    )


def _detached(name: str, statement: ast.stmt, facts: Facts) -> str:
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    module = facts.value(statement.value.func)
    if isinstance(module, Module) and module.cls == "torch.nn.LSTM":
        given = statement.value.args[1]
        if isinstance(given, ast.Name):
            return f"{name} = tuple(h.detach() for h in {name})"
    return f"{name} = {name}.detach()"
