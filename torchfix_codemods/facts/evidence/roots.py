"""What ``backward()`` is called on without a gradient holds one element, and so do its terms."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import torch_effects

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def is_backward_root(names: Names, node: ast.expr) -> bool:
    """``x.backward()`` without a gradient: x holds one element."""
    parent = names.parents.get(node)
    if not (isinstance(parent, ast.Attribute) and parent.attr == "backward"):
        return False
    call = names.parents.get(parent)
    return (
        isinstance(call, ast.Call)
        and call.func is parent
        and not call.args
        and all(
            k.arg in ("retain_graph", "retain_variables", "create_graph") for k in call.keywords
        )
    )


def are_parts_of_root(inference: Inference, nodes: Iterable[ast.expr]) -> bool:
    """``reconstruction`` of ``loss = reconstruction + 0.1 * kl``, with ``loss.backward()`` below.

    Whatever of it is a tensor holds one element.

    Args:
        inference: what is known of the module.
        nodes: expressions of one value; where each branch gives the loss another of them, together
            they are all that is differentiated.
    """
    names = inference.names
    wholes: dict[tuple[Scope, str], set[Binding]] = {}
    for node in nodes:
        whole = calculated(names, node)
        if is_backward_root(names, whole):
            return True
        for scope, own in _named(names, whole):
            wholes.setdefault((scope, own.name), set()).add(own)
    # Where one pass trains and another one does not, both calculate it by these statements.
    return any(
        is_backward_root(names, use)
        and (reaching := inference.flow.reaching(use))
        and own.issuperset(reaching)
        for (scope, name), own in _with_more_added(inference, wholes).items()
        for use in names.uses_of(scope, name)
    )


def _named(names: Names, whole: ast.expr) -> Iterator[tuple[Scope, Binding]]:
    """The name that gets a calculation, or to which it is added, with its scope."""
    statement = names.parents.get(whole)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ELEMENTWISE):
        target = statement.target
    else:
        return
    if isinstance(target, ast.Name):
        scope = names.scope_of(statement)
        for binding in scope.bindings.get(target.id, ()):
            if binding.node is statement:
                yield scope, binding


def _with_more_added(
    inference: Inference, wholes: dict[tuple[Scope, str], set[Binding]]
) -> dict[tuple[Scope, str], set[Binding]]:
    """The same with what is calculated from them: ``loss = loss + penalty``, ``whole = loss``.

    Where that holds one element, what went into it did, whichever of them it was.
    """
    pending = dict.fromkeys(wholes)
    while pending:
        scope, name = pending.popitem()[0]
        own = wholes[scope, name]
        for reaching, there, more in _calculated_from(inference, scope, name):
            known = wholes.setdefault((there, more.name), set())
            if reaching and more not in known and (own | {more}).issuperset(reaching):
                known.add(more)
                pending[there, more.name] = None
    return wholes


def _calculated_from(
    inference: Inference, scope: Scope, name: str
) -> list[tuple[tuple[Binding, ...], Scope, Binding]]:
    """The names that get what is calculated from a name, each with what reaches that use of it.

    What is added to a name is calculated from it: ``loss += penalty``, also in a loop.
    """
    names = inference.names
    return names.remembered(
        ("calculated from", scope, name),
        lambda: [
            *(
                (inference.flow.reaching(use), there, more)
                for use in names.uses_of(scope, name)
                for there, more in _named(names, calculated(names, use))
            ),
            *(
                (inference.flow.reaching_before(more.node, name), scope, more)
                for more in scope.bindings.get(name, ())
                if isinstance(more.node, ast.AugAssign) and isinstance(more.node.op, ELEMENTWISE)
            ),
        ],
    )


def calculated(names: Names, node: ast.expr) -> ast.expr:
    """The calculation, element by element, that an expression goes into.

    Where that has one element, so has the expression.
    """
    while True:
        parent = names.parents.get(node)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ELEMENTWISE):
            node = parent
        elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, (ast.USub, ast.UAdd)):
            node = parent
        elif isinstance(parent, ast.Attribute) and _keeps_elements(parent.attr):
            call = names.parents.get(parent)
            if not (isinstance(call, ast.Call) and call.func is parent):
                return node
            node = call
        else:
            return node


def _keeps_elements(method: str) -> bool:
    """Whether a method calculates element by element, so that its result has no fewer of them."""
    return torch_effects.is_elementwise(method) and torch_effects.is_recorded(method)
