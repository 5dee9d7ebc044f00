"""Which tensors certainly require gradients, wherever the code around is called from."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import is_back_propagated, is_trained_on
from torchfix_codemods.facts.recording.leaves import asks_for_grad
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.facts.values.sequential import layers_in_order

_MAX_DEPTH = 16


def certainly_requires_grad(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor requires gradients: numpy then refuses it.

    Whoever calls the function around may have switched gradients off, so what is computed there
    counts only where the function back-propagates itself.
    """
    return _Histories(facts).requires_grad(node, frozenset(), recorded=False)


class _Histories:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._may_freeze = facts.remembered("freezes", lambda: _may_freeze(facts))

    def requires_grad(self, node: ast.expr, seen: frozenset[ast.AST], recorded: bool) -> bool:
        """Whether ``node`` requires gradients; ``recorded`` where its function runs with them."""
        value = self._facts.value(node)
        if node in seen or len(seen) > _MAX_DEPTH:
            return False
        if not isinstance(value, Tensor) or value.grad is False:
            return False
        if value.leaf_module is not None:
            return not self._may_freeze
        seen = seen | {node}
        if isinstance(node, ast.Name):
            return self._name_requires(node, seen, recorded)
        if isinstance(node, ast.Call) and asks_for_grad(self._facts, node):
            return not self._may_freeze
        if not self._is_recorded(node, recorded):
            return False
        if isinstance(node, ast.Call):
            return self._result_requires(node, seen, recorded)
        operands: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            operands = [node.operand]
        elif isinstance(node, ast.Subscript):
            operands = [node.value]
        return any(self.requires_grad(operand, seen, recorded) for operand in operands)

    def _name_requires(self, name: ast.Name, seen: frozenset[ast.AST], recorded: bool) -> bool:
        facts = self._facts
        if is_back_propagated(facts, name) or is_trained_on(facts, name):
            return True
        assigned = facts.assigned(name)
        return assigned is not None and all(
            self.requires_grad(value, seen, recorded) for value in assigned
        )

    def _result_requires(self, call: ast.Call, seen: frozenset[ast.AST], recorded: bool) -> bool:
        facts = self._facts
        name = facts.name(call.func)
        arguments = [a for a in call.args if not isinstance(a, ast.Starred)]
        if name is not None:
            is_known = name.startswith("torch.") and _is_differentiable(name)
            return is_known and any(self.requires_grad(a, seen, recorded) for a in arguments)
        callee = facts.value(call.func)
        if isinstance(callee, Module):
            return self._module_requires(callee, seen)
        if isinstance(call.func, ast.Attribute) and _is_differentiable(call.func.attr):
            return self.requires_grad(call.func.value, seen, recorded)
        return False

    def _module_requires(self, module: Module, seen: frozenset[ast.AST]) -> bool:
        """Whether what a module gives depends on weights of its own."""
        if self._may_freeze:
            return False
        if module.cls in torch_api.LAYERS_WITH_WEIGHTS:
            return True
        if module.cls == "torch.nn.Sequential" and module.call is not None:
            layers = [
                self._facts.value(layer)
                for layer in layers_in_order(self._facts.names, module.call)
            ]
            return any(
                isinstance(layer, Module) and layer.cls in torch_api.LAYERS_WITH_WEIGHTS
                for layer in layers
            )
        forward = None
        if module.definition is not None:
            forward = self._facts.classes.method(module.definition, "forward")
        if forward is None:
            return False
        returned = [n.value for n in own_nodes(forward) if isinstance(n, ast.Return)]
        return bool(returned) and all(
            value is not None and self.requires_grad(value, seen, recorded=True)
            for value in returned
        )

    def _is_recorded(self, node: ast.expr, recorded: bool) -> bool:
        """Whether gradients are certainly on where ``node`` runs."""
        facts = self._facts
        if is_under_no_grad(node, facts) or facts.speaks_of("set_grad_enabled"):
            return False
        function = facts.names.enclosing_function(node)
        return (
            recorded
            or function is None
            or any(
                isinstance(n, ast.Attribute) and n.attr == "backward" for n in own_nodes(function)
            )
        )


def _is_differentiable(name: str) -> bool:
    """Whether the result of an operation requires gradients where its input does."""
    # A dtype of whole numbers may be given to ``to`` and ``type``.
    may_cut = torch_effects.does(name, "moves") and torch_effects.may_do(name, "casts")
    return torch_effects.is_recorded(name) and not may_cut


def _may_freeze(facts: Facts) -> bool:
    """Whether the file may take gradients from what has them: ``p.requires_grad = False``."""
    nodes = facts.names.nodes
    for keyword in nodes.get(ast.keyword, ()):
        if isinstance(keyword, ast.keyword) and keyword.arg == "requires_grad":
            if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is True):
                return True
    stored = facts.names.attributes("requires_grad")
    asked = facts.names.method_calls("requires_grad_")
    return (
        any(isinstance(attribute.ctx, ast.Store) for attribute in stored)
        or any(call.args or call.keywords for call in asked)
        or bool(facts.names.method_calls("detach_"))
    )
