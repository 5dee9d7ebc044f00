"""Which ``.data`` of a function stay as they are, and which others stay with them."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.nodes import without_items
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.data.asked_forms import (
    are_alike,
    asked_beside,
    form_of,
    makes_leaf,
    methods_of,
)
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_read, way_of_update
from torchfix_codemods.rules.autograd.questions.data.given_data import is_given_like
from torchfix_codemods.rules.autograd.questions.data.plain_writes import is_stored_plainly
from torchfix_codemods.rules.autograd.questions.indexed_data import (
    is_of_indexed_number,
    stays_indexed,
)
from torchfix_codemods.rules.autograd.questions.needless_data import reads_for_result
from torchfix_codemods.rules.autograd.questions.updates import updated_tensor
from torchfix_codemods.rules.autograd.questions.written_data import is_stored_to, reshaping


@record
class Staying:
    """The ``.data`` of a function that stay, and what is the same in others that stay with them."""

    nodes: tuple[ast.Attribute, ...] = ()
    texts: frozenset[str] = frozenset()
    """What they are of."""
    tensors: frozenset[str] = frozenset()
    """The tensors on whose memory those are."""
    forms: frozenset[str] = frozenset()
    """What is asked of them."""
    beside: frozenset[tuple[ast.stmt, tuple[str, ...]]] = frozenset()
    """What is asked in the lines above and below."""


@record
class _Around:
    """Where ``.data`` stays."""

    statements: frozenset[ast.stmt]
    blocks: frozenset[ast.stmt]
    """The first statements of the blocks in which it is read."""
    texts: frozenset[tuple[ast.stmt, str]]
    """What is read there."""
    lines: Collection[str]
    """How the statements of the whole file are written."""


def staying(node: ast.AST, facts: Facts) -> Staying:
    """Of the ``.data`` that stay in the function of a node."""
    found = facts.remembered("TP104 stays", lambda: _find_staying(facts))
    return found.get(facts.names.enclosing_function(node), Staying())


def _find_staying(facts: Facts) -> dict[ast.AST | None, Staying]:
    """For each function the ``.data`` that stay in it; its own word counts in two of them."""
    inside: dict[ast.AST | None, list[ast.Attribute]] = {}
    for each in facts.names.attributes("data"):
        inside.setdefault(facts.names.enclosing_function(each), []).append(each)
    found = {f: _said_of([e for e in own if stays(e, facts)], facts) for f, own in inside.items()}
    while True:
        all_of_file = [each for said in found.values() for each in said.nodes]
        lines = {_line_of(e, facts) for e in all_of_file if _is_read_of_tensor(e, facts)}
        grown = {f: _grown(inside[f], said, lines, facts) for f, said in found.items()}
        if all(len(grown[f].nodes) == len(said.nodes) for f, said in found.items()):
            return found
        found = grown


def _grown(inside: list[ast.Attribute], said: Staying, lines: set[str], facts: Facts) -> Staying:
    """With what stays for the sake of what does."""
    read = [e for e in said.nodes if _is_only_read(e, facts)]
    around = _Around(
        statements=frozenset(facts.statement(e) for e in said.nodes if isinstance(e.ctx, ast.Load)),
        blocks=frozenset(_block_of(e, facts) for e in read),
        texts=frozenset((_block_of(e, facts), text_of(e.value)) for e in read),
        lines=lines,
    )
    more = [
        each
        for each in inside
        if each not in said.nodes
        and not (facts.name(each) is not None or _is_anothers(each, facts))
        and (
            stays_with(each, said, facts)
            or _stays_in(each, around, facts)
            or is_given_like(each, said.nodes, facts)
        )
    ]
    return _said_of([*said.nodes, *more], facts) if more else said


def text_of(node: ast.expr) -> str:
    """What is equal of equal ones: ``params[0]`` and ``params[1]`` are parts of one list."""
    if isinstance(node, ast.Subscript) and whole_number(node.slice) is not None:
        return f"{text_of(node.value)}[…]"
    return ast.unparse(node)


def _viewed(node: ast.expr) -> str:
    """``weight`` of ``weight.t()``: the tensor on whose memory one is."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and torch_effects.gives_alias(node.func.attr)
    ):
        node = node.func.value
    return text_of(node)


def _said_of(found: list[ast.Attribute], facts: Facts) -> Staying:
    tensors = [each for each in found if _may_be_tensor(each, facts)]
    return Staying(
        nodes=(*found,),
        texts=frozenset(text_of(each.value) for each in found),
        tensors=frozenset(_viewed(each.value) for each in found),
        forms=frozenset(form for each in tensors if (form := form_of(each, facts))),
        beside=asked_beside(tensors, facts),
    )


def _may_be_tensor(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` may be one of a tensor: what certainly is none is another thing."""
    return isinstance(facts.value(node.value), (Tensor, Unknown))


def _is_read_of_tensor(node: ast.Attribute, facts: Facts) -> bool:
    return isinstance(node.ctx, ast.Load) and _may_be_tensor(node, facts)


def _is_only_read(node: ast.Attribute, facts: Facts) -> bool:
    """Whether nothing is written through a ``.data`` in a statement that reads one of a tensor."""
    statement = facts.statement(node)
    if not _is_read_of_tensor(node, facts) or _stores_to_data(statement):
        return False
    is_written = any(map(torch_effects.writes, methods_of(node, facts)))
    return not is_written and updated_tensor(statement, facts) is None


def _stores_to_data(statement: ast.stmt) -> bool:
    """``x.data = y.data``, ``x.data[i] = y.data``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    cores = map(without_items, targets)
    return any(isinstance(core, ast.Attribute) and core.attr == "data" for core in cores)


def _line_of(node: ast.Attribute, facts: Facts) -> str:
    """A statement as it is written; of a branch or a loop, its ``.data`` alone."""
    statement = facts.statement(node)
    written = node if hasattr(statement, "body") else statement
    return facts.remembered((_line_of, written), lambda: ast.unparse(written))


def _block_of(node: ast.Attribute, facts: Facts) -> ast.stmt:
    return facts.block(facts.statement(node))[0]


def stays_with(node: ast.Attribute, said: Staying, facts: Facts) -> bool:
    """Whether a ``.data`` stays because an equal one does.

    Args:
        node: the attribute.
        said: what stays in its function.
        facts: the facts of the module.
    """
    if are_alike(form_of(node, facts), said.forms) or _is_asked_beside(node, said, facts):
        return True
    return _viewed(node.value) in said.tensors and way_of_read(node, facts) == "detached"


def _is_asked_beside(node: ast.Attribute, said: Staying, facts: Facts) -> bool:
    asked = methods_of(node, facts)
    return bool(asked) and (facts.statement(node), asked) in said.beside


def _stays_in(node: ast.Attribute, around: _Around, facts: Facts) -> bool:
    """Whether a ``.data`` would be detached where another stays, and so stays.

    So it is in one statement, in a block in which another is read and stays, and in a statement
    that is written in the same way where it stays: in ``test()`` as in ``train()``. What is read of
    the same tensor in such a block stays as well where there is nothing to detach.
    """
    if not _is_read_of_tensor(node, facts):
        return False
    way, block = way_of_read(node, facts), _block_of(node, facts)
    if way == "detached":
        is_beside = facts.statement(node) in around.statements or block in around.blocks
        return is_beside or _line_of(node, facts) in around.lines
    is_equal = way != "kept" and (block, text_of(node.value)) in around.texts
    return is_equal and reads_for_result(node, facts)


def _is_anothers(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` goes with what stands around it, whatever becomes of others."""
    if makes_leaf(node, facts):
        # What is detached there is x.
        return True
    statement = facts.statement(node)
    is_update = isinstance(statement, ast.Expr) and updated_tensor(statement, facts) is not None
    return is_update or is_of_indexed_number(node, facts)


def stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` stays, taken by itself."""
    statement = facts.statement(node)
    if isinstance(node.ctx, ast.Store) or is_stored_to(node, statement):
        return not is_stored_plainly(node, statement, facts)
    if facts.name(node) is not None or reshaping(node, facts) is not None:
        return False
    if not isinstance(facts.value(node.value), Tensor):
        return True
    if makes_leaf(node, facts):
        # What is detached there is x.
        return False
    if isinstance(statement, ast.Expr) and updated_tensor(statement, facts) is not None:
        # What else is read of it in the statement goes with it.
        return way_of_update(statement, facts) == "kept"
    if is_of_indexed_number(node, facts):
        return stays_indexed(node, facts)
    return way_of_read(node, facts) == "kept"
