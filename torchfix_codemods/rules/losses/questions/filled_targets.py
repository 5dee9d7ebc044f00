"""Tensors that are filled with the number that a loss ignores, and whether they are its targets."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.torch_effects import does
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.torch_api import MAKE_ANEW
from torchfix_codemods.rules.losses.questions.criteria import losses_called

MASKING = frozenset({"masked_fill", "masked_fill_", "where"})
FILLING = MASKING | frozenset("fill_ full full_like new_full new_tensor tensor LongTensor".split())

#: What ``ignore_index`` is where it is not given.
_BY_DEFAULT = ast.unparse(ast.UnaryOp(ast.USub(), ast.Constant(100)))


def put_in(number: ast.AST, puts: frozenset[str], facts: Facts) -> ast.Assign | ast.Call | None:
    """What fills a tensor with a number, or makes one of it: one of some calls, or a statement."""
    holder = facts.parent(number)
    if isinstance(holder, ast.UnaryOp):
        return None
    while isinstance(holder, (ast.List, ast.BinOp, ast.keyword)):
        holder = facts.parent(holder)
    if isinstance(holder, ast.Assign):
        items = [target for target in holder.targets if isinstance(target, ast.Subscript)]
        return holder if any(not _is_counted(item.slice, facts) for item in items) else None
    return holder if isinstance(holder, ast.Call) and last_name(holder.func) in puts else None


def _is_counted(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is counted by a loop, so that it is that of one element."""
    reaching = facts.flow.reaching(index) if isinstance(index, ast.Name) else ()
    return any(isinstance(binding.node, ast.For) for binding in reaching)


def ignores_by_default(facts: Facts, call: ast.Call) -> bool:
    """Whether a -100 that a file writes certainly comes to the targets of a loss.

    Args:
        facts: the file.
        call: the loss, or what builds it.
    """
    uses = [use for use, _ in losses_called(facts, call, built_alike=True) if not is_opaque(use)]
    targets = [argument(use, 1, "target") for use in uses]

    def onward(use: Use) -> Iterable[Place] | None:
        is_whole = use.kind == "argument" and not use.place.content
        return None if is_whole and use.node in targets else _with_the_numbers(use)

    trail = follow(_filled(facts), onward) if targets else None
    return trail is not None and not trail.is_cut


def _filled(facts: Facts) -> Iterator[Place]:
    """Where what holds a -100 is read."""
    for number in facts.names.nodes.get(ast.UnaryOp, ()):
        by = put_in(number, FILLING, facts) if ast.unparse(number) == _BY_DEFAULT else None
        if isinstance(by, ast.Call):
            yield Place(facts, by)
            held = [by.func.value] if isinstance(by.func, ast.Attribute) else []
            changed = held if (last_name(by.func) or "").endswith("_") else []
        else:
            targets = [] if by is None else by.targets
            changed = [target.value for target in targets if isinstance(target, ast.Subscript)]
        for tensor in changed:
            for binding in facts.flow.reaching(tensor) if isinstance(tensor, ast.Name) else ():
                yield from reads(facts, binding)


def _with_the_numbers(use: Use) -> Iterator[Place]:
    """Where the very numbers are next, in whatever shape."""
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        name = use.facts.name(use.by.func)
        if name is not None and (name in MAKE_ANEW or _hands_on(name)):
            yield Place(use.facts, use.by)
        yield from use.held()
        yield from use.taken()
    elif use.kind == "method" and isinstance(use.by, ast.Call):
        if _hands_on(last_name(use.by.func) or ""):
            yield from use.result()
    elif use.kind == "attribute" and isinstance(use.by, ast.Attribute):
        if _hands_on(use.by.attr):
            yield from use.result()
    elif use.kind in ("bound", "chosen", "element", "item", "iterated", "returned", "unpacked"):
        yield from use.result()
        yield from use.held()
        yield from use.returned()


def _hands_on(name: str) -> bool:
    """Whether the numbers of a tensor, which are whole, are those of the result, too."""
    return does(name, "keeps", "reshapes", "repeats", "casts", "moves", "selects")
