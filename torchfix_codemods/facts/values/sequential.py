"""The layers of an ``nn.Sequential`` one after the other, as the call that builds it names them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import constant

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names

_CONTAINER = "torch.nn.Sequential"
_NAMED = "collections.OrderedDict"
_LISTS = (ast.List, ast.Tuple)


def layers_in_order(names: Names, built: ast.Call) -> list[ast.expr]:
    """The layers that an ``nn.Sequential`` is built of.

    They may be written as they are, in a list with a star before it, or with names in an
    ``OrderedDict``.

    Args:
        names: what the names of the file are.
        built: the call that builds it.

    Returns:
        what is given as it stands, a list with its star too, where it is not written out.
    """
    named = _named_layers(names, built)
    if named is not None:
        return [layer for _, layer in named]
    found: list[ast.expr] = []
    for given in built.args:
        if isinstance(given, ast.Starred) and isinstance(given.value, _LISTS):
            found += given.value.elts
        else:
            found.append(given)
    return found


def sequential_with(names: Names, layer: ast.expr) -> ast.Call | None:
    """The call that builds an ``nn.Sequential`` of a layer that is written in it.

    Args:
        names: what the names of the file are.
        layer: the layer, which nothing calls by a name that it has in there.
    """
    around = names.parents.get(layer)
    while isinstance(around, (*_LISTS, ast.Starred, ast.Dict)) or _is_named(names, around):
        around = names.parents.get(around) if around is not None else None
    if not isinstance(around, ast.Call) or names.name(around.func) != _CONTAINER:
        return None
    for key, each in _named_layers(names, around) or ():
        if each is layer and _may_be_read(names, constant(key)):
            return None
    return around if layer in layers_in_order(names, around) else None


def _may_be_read(names: Names, key: object) -> bool:
    """Whether a file reads an attribute of that name: ``net.softmax(x)``."""
    return not isinstance(key, str) or any(names.name(use) is None for use in names.attributes(key))


def _is_named(names: Names, node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and names.name(node.func) == _NAMED


def _named_layers(names: Names, built: ast.Call) -> list[tuple[ast.expr, ast.expr]] | None:
    """``nn.Sequential(OrderedDict([("conv", nn.Conv2d(3, 8, 3)), …]))``, with their names."""
    given = built.args[0] if len(built.args) == 1 else None
    if not isinstance(given, ast.Call) or not _is_named(names, given) or len(given.args) != 1:
        return None
    written = given.args[0]
    if given.keywords:
        return None
    found: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(written, ast.Dict):
        pairs = zip(written.keys, written.values, strict=True)
        found = [(key, layer) for key, layer in pairs if key is not None]
        given_pairs = len(written.keys)
    elif isinstance(written, _LISTS):
        both = [pair.elts for pair in written.elts if isinstance(pair, _LISTS)]
        found = [(pair[0], pair[1]) for pair in both if len(pair) == 2]
        given_pairs = len(written.elts)
    else:
        return None
    # Of two layers with one name there is only the second, in the place of the first.
    is_whole = len({ast.dump(key) for key, _ in found}) == given_pairs
    return found if is_whole else None
