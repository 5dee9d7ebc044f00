"""`p.require_grad = False` and `net.requires_grad = False` freeze nothing."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MISSPELT = frozenset(
    """require_grad required_grad requires_grads require_grads required_grads requires_gradient
    require_gradient requires_gradients requre_grad requres_grad""".split()
)

_ALL_MODULES = ("modules", "named_modules")


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
                    meant = _meant(target, node.value, _instead(owner, value, kind), facts)
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
        return f"is misspelt, and {named} requires no gradient: drop the line"
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


def _meant(target: ast.Attribute, given: ast.expr, instead: str, facts: Facts) -> str:
    """What to write for a flag that no module has: of each module of a net it may be too much.

    ``net.modules()`` begins with the net, and has what is to be trained as well.
    """
    of_net = _of_each_module(target.value, facts) if constant(given) is False else None
    if of_net is None:
        return f"write {instead}"
    frozen = f"{_chosen(target, facts)} {ast.unparse(of_net)} has in line"
    return (
        f"drop the line, or, to freeze {frozen} {facts.origin(of_net.lineno)}, write {instead}, "
        "where that leaves something to train"
    )


def _chosen(target: ast.Attribute, facts: Facts) -> str:
    """``each nn.Conv2d that`` of a loop that asks of which class a module is."""
    around = itertools.takewhile(
        lambda n: not isinstance(n, ast.For), facts.names.ancestors(target)
    )
    choices = [node for node in around if isinstance(node, ast.If)]
    if not choices:
        return "all that"
    test = choices[0].test
    is_asked = isinstance(test, ast.Call) and facts.names.builtin(test.func) == "isinstance"
    asked = test.args if is_asked and isinstance(test, ast.Call) else []
    is_kind = (
        len(choices) == 1
        and facts.parent(target) in choices[0].body
        and len(asked) == 2
        and ast.unparse(asked[0]) == ast.unparse(target.value)
        and isinstance(asked[1], (ast.Name, ast.Attribute))
    )
    return f"each {ast.unparse(asked[1])} that" if is_kind else "those that"


def _of_each_module(owner: ast.expr, facts: Facts) -> ast.expr | None:
    """The net whose modules a loop goes through, with itself and all that is in it."""
    bindings = facts.flow.reaching(owner) if isinstance(owner, ast.Name) else ()
    of_loop = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "for" else None
    if not isinstance(of_loop, ast.Call) or not isinstance(of_loop.func, ast.Attribute):
        return None
    return of_loop.func.value if of_loop.func.attr in _ALL_MODULES else None


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
