"""Draws that only name a file or a run: no number depends on them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import COMPREHENSIONS
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import is_called, uses_given_by
from torchfix_codemods.facts.values.lattice import Text

#: Functions of these take a text for the name of something, or show it.
_NAMING = ("os.", "pathlib.", "shutil.", "subprocess.", "logging.")

#: What asks something of a text, or hands it on as a name.
_ASKING = (ast.Return, ast.Compare, ast.Assert, ast.If, ast.While, ast.BoolOp, ast.UnaryOp)


def only_names(draw: ast.expr, facts: Facts) -> bool:
    """Whether what is drawn becomes a text that names a file, and nothing else.

    A text by itself may be what a model learns from.
    """
    ends = [*_ends(draw, False, facts, set())]
    return None not in ends and True in ends


def _ends(node: ast.expr, is_text: bool, facts: Facts, seen: set[ast.AST]) -> Iterator[bool | None]:
    """Where a value goes: True for a name, False for what does not matter, None for all else."""
    if node in seen:
        return
    seen.add(node)
    parent = facts.parent(node)
    user = facts.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(user, ast.Call) and user.func is not node:
        yield from _ends_of_argument(user, is_text, facts, seen)
    elif isinstance(user, (ast.JoinedStr, ast.FormattedValue)):
        yield from _ends(user, True, facts, seen)
    elif isinstance(user, ast.BinOp):
        is_text = is_text or isinstance(facts.value(user.left), Text)
        yield from _ends(user, is_text, facts, seen)
    elif isinstance(user, (ast.Tuple, ast.List, *COMPREHENSIONS)):
        yield from _ends(user, is_text, facts, seen)
    elif isinstance(user, ast.Subscript) and isinstance(user.ctx, ast.Load):
        is_of_text = isinstance(facts.value(user.value), Text)
        yield from _ends(user, is_text, facts, seen) if user.value is node or is_of_text else [None]
    elif isinstance(user, ast.Assign):
        for target in user.targets:
            yield from _ends_of_target(user, target, is_text, facts, seen)
    elif is_text and isinstance(user, ast.Attribute) and is_called(facts, user):
        call = facts.parent(user)
        assert isinstance(call, ast.Call)
        yield from _ends(call, True, facts, seen)
    elif is_text and isinstance(user, _ASKING):
        yield False
    else:
        yield None


def _ends_of_target(
    statement: ast.Assign, target: ast.expr, is_text: bool, facts: Facts, seen: set[ast.AST]
) -> Iterator[bool | None]:
    if isinstance(target, ast.Name):
        uses = uses_given_by(facts, statement, target.id)
        if not (uses or is_text) or facts.is_used_elsewhere(target.id):
            yield None
        for use in uses:
            yield from _ends(use, is_text, facts, seen)
    else:
        # ``args.run = name``: the settings of a run hold what it is called.
        is_setting = isinstance(target, ast.Attribute) and not is_self(facts, target.value)
        yield False if is_text and is_setting else None


def _ends_of_argument(
    call: ast.Call, is_text: bool, facts: Facts, seen: set[ast.AST]
) -> Iterator[bool | None]:
    name, builtin = facts.name(call.func) or "", facts.names.builtin(call.func)
    if builtin in ("open", "print"):
        yield True
    elif name.startswith(_NAMING):
        yield True
        if name.startswith(("os.path.join", "pathlib.")):
            yield from _ends(call, True, facts, seen)
    elif isinstance(facts.value(call), Text):
        yield from _ends(call, True, facts, seen)
    elif python_functions.gives_data(builtin):
        yield from _ends(call, is_text, facts, seen)
    else:
        yield None
