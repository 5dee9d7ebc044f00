"""What is meant by a flag that no module has: which are to be frozen, and what is trained then."""

from __future__ import annotations

import ast
import itertools

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import same_target
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import has_weights
from torchfix_codemods.rules.questions.own_lines import dropped

_ALL_MODULES = ("modules", "named_modules")


def meant_of_module(target: ast.Attribute, node: ast.Assign, instead: str, facts: Facts) -> str:
    """What to write for ``net.requires_grad = False``: of each module of a net it may be too much.

    ``net.modules()`` begins with the net, and has what is to be trained as well.

    Args:
        target: what the flag is written to.
        node: the assignment.
        instead: what freezes the module.
        facts: the facts of the module.
    """
    of_net = _of_each_module(target.value, facts) if constant(node.value) is False else None
    if of_net is None:
        return f"write {instead}"
    frozen = f"{_chosen(target, facts)} {ast.unparse(of_net)} has"
    rid, where = dropped(node, facts, with_loops=True), f"in line {facts.origin(of_net.lineno)}"
    where = "there" if rid.endswith(where.removeprefix("in")) else where
    left = _made_later(of_net, facts) or ", where that leaves something to train"
    return f"{rid}, or, to freeze {frozen} {where}, write {instead}{left}"


def _made_later(net: ast.expr, facts: Facts) -> str | None:
    """What a net gets behind the loop through its modules, and so is trained whatever that froze:
    ``, which leaves self.fc of line 9 to train``.
    """
    loop = next(n for n in facts.names.ancestors(net) if isinstance(n, ast.For))
    block = facts.block(loop)
    for statement in block[block.index(loop) + 1 :]:
        made = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(made, ast.Attribute) or not isinstance(statement, ast.Assign):
            continue
        if same_target(made.value, net) and has_weights(facts, statement.value):
            return (
                f", which leaves {ast.unparse(made)} of line {facts.origin(made.lineno)} to train"
            )
    return None


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
