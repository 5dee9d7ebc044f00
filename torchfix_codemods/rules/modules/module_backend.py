"""`embed._backend.Embedding.apply(…)`: modules have no `_backend` today, `F.embedding` does it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_NO_BACKEND = "modules have no _backend since torch 1.3: call the function of torch.nn.functional"
_NO_BACKEND_EMBEDDING = (
    "modules have no _backend since torch 1.3: write F.embedding(words, weight, padding_idx=None) "
    "where -1 was given for none, which is the last row today"
)

_NO_BACKEND_CELL = "modules have no _backend since torch 1.3: torch.{} takes the same arguments"
_NO_BACKEND_LAYER = (
    "modules have no _backend since torch 1.3: torch.lstm, torch.gru, torch.rnn_tanh and "
    "torch.rnn_relu calculate whole layers of weights that they are given"
)
#: What torch.nn.functional never had.
_CELLS = {
    "LSTMCell": "lstm_cell",
    "GRUCell": "gru_cell",
    "RNNTanhCell": "rnn_tanh_cell",
    "RNNReLUCell": "rnn_relu_cell",
}

#: words, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
_MOST_ARGUMENTS = 7
_PADDING = 2


class ModuleBackend(Rule):
    """
    ## What it does
    Writes `F.embedding(words, weight, …)` for `embed._backend.Embedding.apply(words, weight, …)`,
    as dropout of whole words has it. Other functions of `_backend` are reported.

    ## Why
    Modules of old called their functions through `self._backend`; torch 1.3 took it away. The
    function took -1 for "no padding", which is the last row of `F.embedding`: its gradient would
    be gone.

    ## Example
    ```python
    padding = -1 if embed.padding_idx is None else embed.padding_idx
    return embed._backend.Embedding.apply(words, weight, padding, None, 2, False, False)
    ```
    becomes
    ```python
    padding = -1 if embed.padding_idx is None else embed.padding_idx
    return F.embedding(words, weight, None if padding == -1 else padding, None, 2, False, False)
    ```

    ## Numbers
    Restored: the attribute is gone; the same rows, with the same gradients.

    ## When it stays its hand
    Where the class has a `_backend` of its own, where arguments are given by keyword or in a star,
    and where the padding is calculated in the call.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.3.0
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """

    code = "TP712"
    name = "module-backend"
    since = "0.2"
    numerics = Numerics.RESTORED
    words = frozenset({"_backend"})
    message = "modules have no _backend since torch 1.3: F.embedding does the same"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr != "_backend" or not isinstance(node.ctx, ast.Load):
            return
        if facts.name(node) is not None:
            return
        if "_backend" in method_names(facts.names) or is_version_checked(facts, node):
            return
        call = _applied(node, facts)
        module = facts.value(node.value)
        is_module = isinstance(module, Module) and module.origin is None
        function = None if call is None else spell(facts, "torch.nn.functional.embedding", call)
        if call is not None and function is not None and (is_module or isinstance(module, Unknown)):
            padding = _padding(call.args[_PADDING], facts)
            if padding is not None and not may_be_of_project(facts.names, "_backend"):
                yield self.found(
                    node, region=call, needs=function.needs, function=function.text, padding=padding
                )
                return
        if is_module:
            yield self.advice(node, _advice(node, facts))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        padding = cst.parse_expression(self.data["padding"])
        args = [
            arg.with_changes(value=padding) if index == _PADDING else arg
            for index, arg in enumerate(updated.args)
        ]
        return updated.with_changes(func=cst.parse_expression(self.data["function"]), args=args)


def _advice(backend: ast.Attribute, facts: Facts) -> str:
    """What does today what a function of ``_backend`` did."""
    user = facts.parent(backend)
    asked: object = user.attr if isinstance(user, ast.Attribute) else None
    if isinstance(user, ast.Call) and facts.names.builtin(user.func) == "getattr":
        asked = constant(argument(user, 1, "name"))
    if asked == "Embedding":
        return _NO_BACKEND_EMBEDDING
    if asked == "RNN":
        return _NO_BACKEND_LAYER
    cell = _CELLS.get(asked) if isinstance(asked, str) else None
    return _NO_BACKEND if cell is None else _NO_BACKEND_CELL.format(cell)


def _applied(backend: ast.Attribute, facts: Facts) -> ast.Call | None:
    """``embed._backend.Embedding.apply(…)`` with the arguments of torch 0.2 to 0.4."""
    function = facts.parent(backend)
    method = facts.parent(function) if isinstance(function, ast.Attribute) else None
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(call, ast.Call) or call.func is not method or is_opaque(call):
        return None
    assert isinstance(function, ast.Attribute) and isinstance(method, ast.Attribute)
    is_embedding = function.attr == "Embedding" and method.attr == "apply"
    is_placed = _PADDING < len(call.args) <= _MOST_ARGUMENTS and not call.keywords
    return call if is_embedding and is_placed else None


def _padding(given: ast.expr, facts: Facts) -> str | None:
    """What ``F.embedding`` is to be given for a padding where -1 said that there is none."""
    text = ast.unparse(given)
    if text == "-1":
        return "None"
    if isinstance(given, ast.Name):
        numbers = {whole_number(value) for value in facts.assigned(given) or (None,)}
        if numbers.isdisjoint((None, -1)):
            return text
        return f"None if {text} == -1 else {text}"
    is_plain = isinstance(given, ast.Attribute) or isinstance(constant(given), int)
    return text if is_plain else None
