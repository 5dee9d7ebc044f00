"""`p.require_grad = False` and `net.requires_grad = False` freeze nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.gradients.frozen import meant_of_module
from torchfix_codemods.rules.questions.own_lines import dropped

_MISSPELT = frozenset(
    """require_grad required_grad requires_grads require_grads required_grads requires_gradient
    require_gradient requires_gradients requre_grad requres_grad""".split()
)


class MisspeltRequiresGrad(Rule):
    """
    ## What it does
    Finds assignments that are to freeze parameters and only make an attribute that nobody reads:
    `p.require_grad = False`, and `net.requires_grad = False` of a module, which has no such flag.
    What is calculated is no parameter: there a finding names `detach()`. Of each module of a net,
    as `net.modules()` gives them, the flag may freeze what is to be trained: there the finding says
    to decide.

    ## Why
    Python takes any attribute. The layers train on although the code says that they are frozen.

    ## Example
    ```python
    net.embedding.weight.require_grad = False
    net.classifier.requires_grad = False
    ```
    is reported: write
    ```python
    net.embedding.weight.requires_grad = False
    net.classifier.requires_grad_(False)
    ```

    ## Numbers
    Nothing is rewritten: once the layers are frozen the training is another one, and fails where
    nothing is left to train.

    ## When it stays its hand
    Where something reads the attribute, where a class of the file has one of that name, and where
    the object is not certainly one of torch's (of a misspelt name: where another file reads it).

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
    """

    code = "TP114"
    name = "misspelt-requires-grad"
    tor = ("TOR002",)
    since = "0.4"
    numerics = Numerics.ADVICE
    words = _MISSPELT | {"requires_grad"}
    message = "this freezes nothing: the attribute is requires_grad, of parameters"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if isinstance(node.value, (ast.Tuple, ast.List)):
            return
        for target in node.targets:
            if not isinstance(target, ast.Attribute) or target.attr not in self.words:
                continue
            owner, value = facts.segment(target.value), facts.segment(node.value)
            kind = facts.value(target.value)
            if target.attr in _MISSPELT and isinstance(kind, (Tensor, Module, Unknown)):
                if not _is_read(target.attr, facts):
                    name, said = f"{owner}.{target.attr}", _of_result(target, node.value, facts)
                    said = said or f"is misspelt: write {_instead(owner, value, kind)}"
                    yield self.advice(node, f"{name} {said}")
            elif target.attr == "requires_grad" and isinstance(kind, Module):
                if not _is_own(target, facts):
                    meant = meant_of_module(target, node, _instead(owner, value, kind), facts)
                    yield self.advice(
                        node,
                        f"a module has no requires_grad, which so {_misses(node.value)}: {meant}",
                    )


def _of_result(target: ast.Attribute, given: ast.expr, facts: Facts) -> str | None:
    """What is said of a flag that is to be off of what has none to turn off, or is calculated; None
    for parameters, and for what may be a leaf of the graph."""
    owner = target.value
    made = facts.assigned(owner) if isinstance(owner, ast.Name) else None
    if constant(given) is not False or not made:
        return None
    kind, named = facts.value(owner), ast.unparse(owner)
    is_switched = facts.names.attributes("requires_grad") or facts.speaks_of("requires_grad_")
    if isinstance(kind, Tensor) and kind.grad is False and not is_switched:
        rid = dropped(facts.statement(target), facts)
        return f"is misspelt, and {named} requires no gradient: {rid}"
    if all(_is_calculated(value, facts) for value in made):
        return (
            "is misspelt, and requires_grad = False raises for what is calculated with a graph: "
            f"write {named} = {named}.detach() if no gradient is to go through it, else drop the "
            "line"
        )
    return None


def _is_calculated(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is what a module or an operation gives, which is no leaf of a graph."""
    if isinstance(value, ast.BinOp):
        return facts.is_tensor(value)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(facts.value(value.func), Module):
        return True
    name = facts.name(value.func) or ""
    if isinstance(value.func, ast.Attribute) and facts.is_tensor(value.func.value):
        name = value.func.attr
    elif not name.startswith("torch."):
        return False
    return torch_effects.is_recorded(name)


def _misses(given: ast.expr) -> str:
    """What a flag that no module has was to do, and does not."""
    flag = constant(given)
    if isinstance(flag, bool):
        return "unfreezes nothing" if flag else "freezes nothing"
    return "changes no parameter"


def _instead(owner: str, value: str, kind: object) -> str:
    if isinstance(kind, Module):
        return f"{owner}.requires_grad_({value})"
    return f"{owner}.requires_grad = {value}"


def _is_read(name: str, facts: Facts) -> bool:
    """Whether a name that no one of torch has is read somewhere, and so means something."""
    return facts.is_attribute_read(name) or any(
        (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Constant) and node.value == name)
        for kind in (ast.Attribute, ast.Constant)
        for node in facts.names.nodes.get(kind, ())
    )


def _is_own(target: ast.Attribute, facts: Facts) -> bool:
    """Whether a module's ``requires_grad`` may be an attribute of its own class, read somewhere."""
    if isinstance(target.value, ast.Name) and target.value.id == "self":
        return True
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "requires_grad"
        and isinstance(node.ctx, ast.Load)
        and not facts.is_tensor(node.value)
        for node in facts.names.nodes.get(ast.Attribute, ())
    )
