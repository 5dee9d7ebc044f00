"""The last step of a recurrent layer's output is taken from the dimension of the batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.values.lattice import Module, Packed, Sequence, Tensor, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_RECURRENT = {
    "torch.nn.RNN": ((0,), (1,)),
    "torch.nn.GRU": ((0,), (1,)),
    "torch.nn.LSTM": ((0,), (1, 0)),
}
"""For each layer, the way to its output and to its last hidden state in what it returns."""


class RnnLayout(Rule):
    """
    ## What it does
    Reports `out[:, -1]` of an `LSTM`, `GRU` or `RNN` without `batch_first=True`, and `h[:, -1]`
    of the hidden state of one with it. Reports, too, an input of two dimensions beside a state of
    three.

    ## Why
    Without `batch_first=True` a recurrent layer takes and gives `(time, batch, features)`:
    `out[:, -1]` is the last sample of the batch at all times, not the last step of all samples.
    The hidden state is `(layers, batch, features)` in either case. Nothing fails: the shapes fit
    as soon as the time is as long as the batch, or the loss averages over both.

    An input of two dimensions is a sequence without a batch, which torch takes since 1.11, with a
    state of two dimensions: beside one of three it raises.

    ## Example
    ```python
    self.rnn = nn.LSTM(28, 64)
    out, (h, c) = self.rnn(x)
    return self.fc(out[:, -1])
    ```
    should be
    ```python
    self.rnn = nn.LSTM(28, 64, batch_first=True)
    out, (h, c) = self.rnn(x)
    return self.fc(out[:, -1])
    ```
    for inputs `(batch, time, features)`, or `out[-1]` for inputs `(time, batch, features)`.

    ## Numbers
    Nothing is rewritten: which of the two is meant only the data can tell.

    ## When it stays its hand
    Where the layer is not certainly one of torch's that this file builds, or its arguments are not
    all to be seen, or the file sets `batch_first` of one later; where the output was packed,
    transposed or assigned anew; and where the input is seen to hold a batch of one.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html
    """

    code = "TP703"
    name = "rnn-layout"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset(name.rpartition(".")[2] for name in _RECURRENT)
    message = "the last step is taken from the dimension of the batch"

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.value, ast.Name) or not _is_last_of_second(node.slice):
            return
        found = _source(facts, node.value)
        if found is None or _is_set_later(facts):
            return
        call, module, path = found
        output, hidden = _RECURRENT[module.cls or ""]
        is_first = _is_batch_first(module)
        name, layer = node.value.id, ast.unparse(call.func)
        if path == output and is_first is False and not _is_single(facts, call):
            yield self.advice(
                node,
                f"{name} of {layer} is (time, batch, features): this is its last sample; write"
                f" {name}[-1] for the last step, or batch_first=True where {layer} is built if its"
                " input is (batch, time, features)",
            )
        elif path == hidden and is_first is True:
            yield self.advice(
                node,
                f"{name} is (layers, batch, features) in spite of batch_first=True: this is the"
                f" last sample; write {name}[-1] for the last layer",
            )

    def find_Assign(self, statement: ast.Assign, facts: Facts) -> Iterator[Found]:
        call = statement.value
        if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
            return
        module = facts.value(call.func)
        if not isinstance(module, Module) or module.cls not in _RECURRENT:
            return
        given = facts.value(call.args[0])
        if not isinstance(given, Tensor) or given.ndim != 2 or not _has_batch(facts, call.args[1]):
            return
        is_first = _is_batch_first(module)
        if is_first is not None:
            batch = 0 if is_first else 1
            yield self.advice(
                call,
                f"{facts.segment(call.func)} raises for an input of 2 dimensions beside a state of"
                f" 3: unsqueeze({batch}) the input if it is one sequence, or unsqueeze({1 - batch})"
                " if it is one step of a batch",
            )


def _has_batch(facts: Facts, state: ast.expr) -> bool:
    """Whether a state has three dimensions, or once had: ``h`` of a GRU, ``(h, c)`` of an LSTM."""
    made: list[ast.AST] = [state]
    owner = facts.names.enclosing_class(state)
    if isinstance(state, ast.Attribute) and is_self(facts, state.value) and owner is not None:
        sources = facts.classes.attribute_sources(owner, state.attr)
        made += [s.value for s in sources if s.kind == "assign" and s.value and not s.path]
    return any(_is_batch(facts.value(node)) for node in made)


def _is_batch(state: Value) -> bool:
    parts = state.items if isinstance(state, Sequence) else (state,)
    return bool(parts) and all(isinstance(p, Tensor) and p.ndim == 3 for p in parts or ())


def _is_last_of_second(index: ast.expr) -> bool:
    """``[:, -1]`` and ``[:, -1, :]``."""
    if not isinstance(index, ast.Tuple) or len(index.elts) not in (2, 3):
        return False
    first, second, *rest = index.elts
    return (
        all(map(_is_whole, (first, *rest)))
        and isinstance(second, ast.UnaryOp)
        and isinstance(second.op, ast.USub)
        and constant(second.operand) == 1
    )


def _is_whole(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) and not (index.lower or index.upper or index.step)


def _source(facts: Facts, name: ast.Name) -> tuple[ast.Call, Module, tuple[object, ...]] | None:
    """The call of a recurrent layer that gives a name its value, and the way into its result."""
    bindings = facts.flow.reaching(name)
    if len(bindings) != 1 or bindings[0].kind != "assign":
        return None
    call = bindings[0].value
    module = facts.value(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(module, Module):
        return None
    is_known = module.cls in _RECURRENT and module.call is not None and module.origin is None
    if not is_known or not call.args or isinstance(facts.value(call.args[0]), Packed):
        return None
    return call, module, bindings[0].path


def _is_batch_first(module: Module) -> bool | None:
    call = module.call
    if call is None or is_opaque(call) or len(call.args) > 4:
        return None
    given = [keyword.value for keyword in call.keywords if keyword.arg == "batch_first"]
    if not given:
        return False
    value = constant(given[0])
    return value if isinstance(value, bool) else None


def _is_set_later(facts: Facts) -> bool:
    """Whether a file sets the layout of a layer that is built: ``rnn.batch_first = True``."""
    return any(isinstance(node.ctx, ast.Store) for node in facts.names.attributes("batch_first"))


def _is_single(facts: Facts, call: ast.Call) -> bool:
    """Whether the input may be one sequence, without a batch or with one of size 1."""
    given = call.args[0]
    value = facts.value(given)
    if isinstance(value, Tensor) and (value.ndim == 2 or value.single):
        return True
    sources = facts.assigned(given) if isinstance(given, ast.Name) else [given]
    return any(map(_makes_single, sources or ()))


def _makes_single(source: ast.expr) -> bool:
    """``x.unsqueeze(1)``, ``x.view(n, 1, -1)``."""
    if not isinstance(source, ast.Call) or not isinstance(source.func, ast.Attribute):
        return False
    return any(constant(argument) == 1 for argument in source.args)
