"""`conv1d(embedding(x))`: channels come last out of an embedding, and second into a convolution."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: Layers that take (batch, channels, length), and the parameter that says how many channels.
_CHANNELS_SECOND = {"torch.nn.Conv1d": "in_channels", "torch.nn.BatchNorm1d": "num_features"}
_RECURRENT = frozenset({"torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"})
_DROPPING = frozenset({"torch.nn.functional.dropout", "torch.nn.functional.relu", "torch.relu"})
_MAX_DEPTH = 6


class TransposedConvInput(Rule):
    """
    ## What it does
    Finds the output of an embedding, or of an RNN with `batch_first=True`, that goes into a
    `Conv1d` or `BatchNorm1d` of as many channels without a transpose between them.

    ## Why
    Embeddings and RNNs give (batch, length, channels), a convolution takes (batch, channels,
    length). That fails, except where the length happens to be the number of channels: then the
    convolution runs over the features of each word.

    ## Example
    ```python
    x = self.conv(self.embedding(tokens))
    ```
    is reported: write
    ```python
    x = self.conv(self.embedding(tokens).transpose(1, 2))
    ```

    ## Numbers
    Nothing is rewritten: what follows may expect either layout.

    ## When it stays its hand
    Where the sizes that the two layers are built with are not written as the same, where a
    `BatchNorm1d` may be given the embeddings of one index each, (batch, channels), where anything
    but dropout or an activation stands between them, and where the layers are not certainly known.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Conv1d.html
    - https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html
    """

    code = "TP410"
    name = "transposed-conv-input"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"Conv1d", "BatchNorm1d"})
    message = "the layer takes (batch, channels, length) and is given (batch, length, channels)"

    def find_Call(self, taker: ast.Call, facts: Facts) -> Iterator[Found]:
        parameter = _CHANNELS_SECOND.get(_name(taker, facts))
        channels = None if parameter is None else argument(taker, 0, parameter)
        if channels is None:
            return
        applied = facts.remembered("layers applied to one thing", lambda: _applications(facts))
        for call in applied.get(taker, ()):
            size = _last_size(call.args[0], facts)
            if size is not None and ast.dump(channels) == ast.dump(size):
                if _may_be_of_one_each(taker, call, facts):
                    continue
                layer = facts.segment(call.func)
                yield self.advice(
                    call,
                    f"{layer} takes (batch, channels, length) and is given (batch, length, "
                    f"channels): write {layer}({facts.segment(call.args[0])}.transpose(1, 2))",
                )


def _may_be_of_one_each(taker: ast.Call, call: ast.Call, facts: Facts) -> bool:
    """Whether a normalization may be given (batch, channels): the embedding of one index each."""
    given = facts.value(call.args[0])
    is_known = isinstance(given, Tensor) and given.ndim == 3
    return _name(taker, facts) == "torch.nn.BatchNorm1d" and not (
        is_known or _comes_from_recurrent(call.args[0], facts)
    )


def _comes_from_recurrent(node: ast.expr, facts: Facts) -> bool:
    """Whether a layer made it that gives a length in any case."""
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return any(binding.path for binding in bindings)


def _applications(facts: Facts) -> dict[ast.Call, list[ast.Call]]:
    """The calls of layers with one argument, by the call that builds the layer."""
    found: dict[ast.Call, list[ast.Call]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(call, ast.Call) or not facts.names.may_be_built_here(call.func):
            continue
        if len(call.args) == 1 and not call.keywords:
            built = _construction(call.func, facts)
            if built is not None:
                found.setdefault(built, []).append(call)
    return found


def _construction(function: ast.expr, facts: Facts) -> ast.Call | None:
    """The call that built the layer which ``function`` is."""
    value = facts.value(function)
    built = value.call if isinstance(value, Module) and value.origin is None else None
    return None if built is None or is_opaque(built) else built


def _name(construction: ast.Call, facts: Facts) -> str:
    return facts.name(construction.func) or ""


def _last_size(node: ast.expr, facts: Facts, depth: int = 0) -> ast.expr | None:
    """The size of the last dimension, where a layer has just made (batch, length, channels)."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Name):
        return _last_size_of_name(node, facts, depth)
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if facts.name(node.func) in _DROPPING:
        return _last_size(node.args[0], facts, depth + 1)
    built = _construction(node.func, facts)
    if built is None:
        return None
    name = _name(built, facts)
    if name in ("torch.nn.Dropout", "torch.nn.ReLU"):
        return _last_size(node.args[0], facts, depth + 1)
    return argument(built, 1, "embedding_dim") if name == "torch.nn.Embedding" else None


def _last_size_of_name(node: ast.Name, facts: Facts, depth: int) -> ast.expr | None:
    bindings = facts.flow.reaching(node)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
        return None
    value = bindings[0].value
    if not bindings[0].path:
        return _last_size(value, facts, depth + 1)
    built = _construction(value.func, facts) if isinstance(value, ast.Call) else None
    if tuple(bindings[0].path) != (0,) or built is None or _name(built, facts) not in _RECURRENT:
        return None
    is_batch_first = constant(argument(built, 4, "batch_first")) is True
    is_single = constant(argument(built, None, "bidirectional") or ast.Constant(False)) is False
    return argument(built, 1, "hidden_size") if is_batch_first and is_single else None
