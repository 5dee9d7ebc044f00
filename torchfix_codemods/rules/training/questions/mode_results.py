"""Models that give something of another form in training than in evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Value
from torchfix_codemods.rules.training.questions.mode_layers import is_so_of_a_class

#: They give the outputs of their auxiliary classifiers in training, beside the logits.
_WITH_AUXILIARY = frozenset({"torchvision.models.inception_v3", "torchvision.models.googlenet"})


def gives_by_mode(facts: Facts, value: Value) -> bool:
    """Whether a model may give several results in one mode, and one in the other.

    The code that runs it takes what the mode that it has gives.
    """
    return is_so_of_a_class(facts, value, _class_gives_by_mode)


def _class_gives_by_mode(facts: Facts, cls: ast.ClassDef) -> bool:
    return any(map(_returns_by_mode, facts.names.inside(cls, ast.FunctionDef))) or any(
        facts.name(call.func) in _WITH_AUXILIARY for call in facts.names.inside(cls, ast.Call)
    )


def _returns_by_mode(function: ast.FunctionDef) -> bool:
    """Whether the results of a function differ in their form, and its mode decides about one."""
    nodes = list(own_nodes(function))
    decides = any(
        (isinstance(node, ast.If) and any(isinstance(n, ast.Return) for n in ast.walk(node)))
        or (isinstance(node, ast.Return) and isinstance(node.value, ast.IfExp))
        for node in nodes
        if _asks_for_mode(node)
    )
    forms = {
        _form(result) for node in nodes if isinstance(node, ast.Return) for result in _results(node)
    }
    return decides and len(forms) > 1


def _asks_for_mode(node: ast.AST) -> bool:
    """``if self.training: …`` and ``return x if self.training else y``."""
    choice = node.value if isinstance(node, ast.Return) else node
    return isinstance(choice, (ast.If, ast.IfExp)) and any(
        isinstance(part, ast.Attribute) and part.attr == "training"
        for part in ast.walk(choice.test)
    )


def _results(node: ast.Return) -> Iterator[ast.expr | None]:
    if isinstance(node.value, ast.IfExp):
        yield from (node.value.body, node.value.orelse)
    else:
        yield node.value


def _form(result: ast.expr | None) -> object:
    """How many values a result has, as far as it is written out."""
    if isinstance(result, (ast.Tuple, ast.List)):
        return type(result), tuple(map(_form, result.elts))
    return type(result) if isinstance(result, ast.Dict) else None
