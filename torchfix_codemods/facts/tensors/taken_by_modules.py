"""What an object keeps and hands to a network is a batch, and no single number."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import proves_module
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import attributes_alike
from torchfix_codemods.facts.paths.backward import is_back_propagated_attribute
from torchfix_codemods.facts.tensors.trained import may_be_loss
from torchfix_codemods.facts.tensors.wrappers import unwrapped


def is_taken_by_module(facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether a module takes what an object keeps: ``self.net(self.x.detach())``.

    What is differentiated then may be a sum of losses, which a module that weighs them takes.
    """
    return any(
        isinstance(read.ctx, ast.Load) and _is_taken(there, read)
        for there, read in attributes_alike(facts, attribute)
    )


def _is_taken(facts: Facts, read: ast.Attribute) -> bool:
    for above in facts.names.ancestors(read):
        if isinstance(above, ast.Call) and any(unwrapped(a)[0] is read for a in above.args):
            return _is_network(facts, above.func) and not _gives_loss(facts, above)
        if isinstance(above, ast.stmt):
            return False
    return False


def _is_network(facts: Facts, called: ast.expr) -> bool:
    """Whether ``self.net`` is a module, by its value or as ``self.net.parameters()`` is asked."""
    return isinstance(called, ast.Attribute) and (
        facts.is_module(called)
        or any(
            same_expression(other, called) and proves_module(facts.names, other)
            for other in facts.names.attributes(called.attr)
        )
    )


def _gives_loss(facts: Facts, call: ast.Call) -> bool:
    statement = facts.statement(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return not targets or any(
        may_be_loss(facts, target) or is_back_propagated_attribute(facts, target)
        for target in targets
    )
