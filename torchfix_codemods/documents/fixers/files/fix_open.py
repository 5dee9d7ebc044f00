"""``pickle.dump(x, open(path, "w"))`` wrote bytes in Python 2, and needs ``"wb"`` in Python 3."""

from __future__ import annotations

import re
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.fixer_util import Comma, String
from fissix.pgen2 import token
from fissix.pygram import python_symbols
from fissix.pytree import Node

from torchfix_codemods.documents.fixers.files.opened import given_to, scope_of

_IMPORTED = re.compile(r"^[ \t]*(?:from[ \t]+six\.moves[ \t]+)?import[ \t]+([^#\n]+)", re.MULTILINE)
_PICKLE = re.compile(r"(_pickle|cPickle|pickle|dill|cloudpickle)(?:\s+as\s+(\w+))?$")
_NUMPY = re.compile(r"(numpy)(?:\s+as\s+(\w+))?$")
#: Where functions of numpy have the file that they read or write bytes of.
_OF_NUMPY = {"load": 0, "save": 0, "savez": 0, "savez_compressed": 0}
_TEXT_MODE = re.compile(r"(['\"])([rwa]?[+tU]{0,2})\1$")
#: What only arrays are asked for, of those that a pickle can hold; ``{}`` is the name of one.
_OF_ARRAY = (
    r"(?<![\w.])(?:torch\.from_numpy\({0}\b|{0}\.(?:shape|dtype|astype)\b"
    r"|\w+\.(?:concatenate|[hv]stack)\([(\[]{0}\b)"
)
_OF_ARRAYS = "with encoding='latin1', Python 3 reads arrays that Python 2 pickled"


class FixOpen(BaseFix):  # type: ignore[misc]
    """Opens a file for bytes that only a pickle or arrays are read from, or written to."""

    BM_compatible = True
    PATTERN = """
        power< 'open' trailer< '(' any ')' > >
        | power< ('gzip' | 'bz2') trailer< '.' 'open' > packed=trailer< '(' any ')' > >
    """

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        text = str(tree)
        self.places = {"torch.load": 0, "torch.save": 1}
        pickles = _names_of(_PICKLE, text)
        for name in pickles:
            self.places.update({f"{name}.load": 0, f"{name}.dump": 1})
        for name in _names_of(_NUMPY, text):
            self.places.update({f"{name}.{each}": at for each, at in _OF_NUMPY.items()})
        self.read_pickles = {f"{name}.load" for name in pickles}
        self.is_told = any(f"{name}.dump(" in text for name in pickles)

    def transform(self, node: Any, results: Any) -> None:
        asking = given_to(node, self.places)
        is_read = all(n.endswith(".load") for n in asking)
        # What is packed is opened for bytes, whatever else is said.
        if not asking or not ("packed" in results or _with_bytes(node, is_read)):
            return
        loads = [at for n, at in asking.items() if n in self.read_pickles]
        arrays = [] if self.is_told else [load for load in loads if _gives_array(load)]
        if arrays:
            self.is_told = True
            self.warning(arrays[0], _OF_ARRAYS)


def _names_of(module: re.Pattern[str], text: str) -> set[str]:
    """What a file calls a module, before and after it is imported as Python 3 does."""
    names: set[str] = set()
    for imported in _IMPORTED.findall(text):
        for part in imported.split(","):
            match = module.match(part.strip())
            if match is not None:
                plain = match[1].replace("cPickle", "pickle").lstrip("_")
                names.update((match[2],) if match[2] else (match[1], plain))
    return names


def _gives_array(load: Any) -> bool:
    """Whether a name that what a pickle holds is bound to, or a part of it, is used as an array."""
    call = load.parent
    while call.type != python_symbols.power:
        call = call.parent
    statement = call.parent
    bound = statement.children[0]
    if statement.type != python_symbols.expr_stmt:
        return False
    is_unpacked = bound.type in (python_symbols.testlist_star_expr, python_symbols.exprlist)
    names = [n.value for n in (bound.children if is_unpacked else [bound]) if n.type == token.NAME]
    text = str(scope_of(statement)) if names else ""
    return any(re.search(_OF_ARRAY.format(name), text) is not None for name in names)


def _with_bytes(opened: Any, is_read: bool) -> bool:
    """Write the mode of ``open``; False where it is not known, or is one of bytes already."""
    given = opened.children[1].children[1]
    is_several = given.type == python_symbols.arglist
    parts = given.children if is_several else [given]
    if any(part.type == python_symbols.argument or str(part)[:1] == "*" for part in parts):
        return False
    if len(parts) == 1 and is_read:
        quote = given.value[-1] if given.type == token.STRING else "'"
        prefix, given.prefix = given.prefix, ""
        mode = String(f"{quote}rb{quote}", prefix=" ")
        whole = Node(python_symbols.arglist, [given.clone(), Comma(), mode])
        whole.prefix = prefix
        given.replace(whole)
        return True
    mode = parts[2] if len(parts) > 2 else given
    match = _TEXT_MODE.match(mode.value) if mode.type == token.STRING else None
    if mode is given or match is None:
        return False
    how = re.sub("[tU]", "", match[2])
    mode.value = f"{match[1]}{how[:1] or 'r'}b{how[1:]}{match[1]}"
    mode.changed()
    return True
