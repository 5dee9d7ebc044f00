"""``pickle.dump(x, open(path, "w"))`` wrote bytes in Python 2, and needs ``"wb"`` in Python 3."""

from __future__ import annotations

import re
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.fixer_util import Comma, String
from fissix.pgen2 import token
from fissix.pygram import python_symbols
from fissix.pytree import Node

from torchfix_codemods.documents.fixers.places import function_called

_IMPORTED = re.compile(r"^[ \t]*(?:from[ \t]+six\.moves[ \t]+)?import[ \t]+([^#\n]+)", re.MULTILINE)
_PICKLE = re.compile(r"(_pickle|cPickle|pickle)(?:\s+as\s+(\w+))?$")
#: Where a function has the file among its arguments.
_PLACE_OF_FILE = {"load": 0, "dump": 1, "save": 1}
_TEXT_MODE = re.compile(r"(['\"])([rwa]?[+tU]{0,2})\1$")
_MAY_FOLLOW = ("close", "flush")
#: What only arrays are asked for, of those that a pickle can hold; ``{}`` is the name of one.
_OF_ARRAY = r"(?<![\w.])(?:torch\.from_numpy\({0}\b|{0}\.(?:shape|dtype|astype)\b)"
_OF_ARRAYS = "with encoding='latin1', Python 3 reads arrays that Python 2 pickled"


class FixOpen(BaseFix):  # type: ignore[misc]
    """Opens a file for bytes of which nothing is asked but that a pickle is read or written."""

    BM_compatible = True
    PATTERN = "power< 'open' trailer< '(' any ')' > >"

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        text = str(tree)
        self.functions = {"torch.load", "torch.save"}
        for name in _names_of_pickle(text):
            self.functions.update({f"{name}.load", f"{name}.dump"})
        self.is_told = any(f"{name}.dump(" in text for name in _names_of_pickle(text))

    def transform(self, node: Any, results: Any) -> None:
        asking = self._asking(node)
        if not asking or not _with_bytes(node, all(n.endswith(".load") for n in asking)):
            return
        loads = [at for n, at in asking.items() if n.endswith(".load") and n != "torch.load"]
        arrays = [] if self.is_told else [load for load in loads if _gives_array(load)]
        if arrays:
            self.is_told = True
            self.warning(arrays[0], _OF_ARRAYS)

    def _asking(self, opened: Any) -> dict[str, Any]:
        """The functions that are given a file, and where; none where something else is asked."""
        parent = opened.parent
        function = self._function_given(opened)
        if function:
            return {function: opened}
        if parent.type == python_symbols.with_item:
            name, scope = parent.children[-1], parent.parent
        elif parent.type == python_symbols.expr_stmt and len(parent.children) == 3:
            name, scope = parent.children[0], _scope(parent)
        else:
            return {}
        asking: dict[str, Any] = {}
        for leaf in scope.leaves() if name.type == token.NAME else ():
            if leaf.type != token.NAME or leaf.value != name.value or _is_other_name(leaf):
                continue
            function = self._function_given(leaf)
            if function:
                asking.setdefault(function, leaf)
            elif not _is_bound_to_file(leaf) and not _is_done_with(leaf):
                return {}
        return asking

    def _function_given(self, file: Any) -> str:
        """``"pickle.dump"`` of the file that it is given; empty where that is another function."""
        arguments = file.parent
        is_only = arguments.type == python_symbols.trailer
        trailer = arguments if is_only else arguments.parent
        if not is_only and arguments.type != python_symbols.arglist:
            return ""
        if trailer.type != python_symbols.trailer or trailer.children[0].value != "(":
            return ""
        function = function_called(trailer)
        place = 0 if is_only else arguments.children.index(file) // 2
        is_asked = _PLACE_OF_FILE.get(function.rpartition(".")[2]) == place
        return function if function in self.functions and is_asked else ""


def _names_of_pickle(text: str) -> set[str]:
    """What a file calls the module, before and after it is imported as Python 3 does."""
    names: set[str] = set()
    for imported in _IMPORTED.findall(text):
        for part in imported.split(","):
            match = _PICKLE.match(part.strip())
            names.update(
                (match[2],) if match and match[2] else (match[1], "pickle") if match else ()
            )
    return names


def _scope(node: Any) -> Any:
    while node.parent is not None and node.type not in (
        python_symbols.funcdef,
        python_symbols.lambdef,
    ):
        node = node.parent
    return node


def _gives_array(load: Any) -> bool:
    """Whether the name that what a pickle holds is bound to is used as an array is."""
    call = load.parent
    while call.type != python_symbols.power:
        call = call.parent
    statement = call.parent
    name = statement.children[0]
    if statement.type != python_symbols.expr_stmt or name.type != token.NAME:
        return False
    return re.search(_OF_ARRAY.format(name.value), str(_scope(statement))) is not None


def _is_other_name(leaf: Any) -> bool:
    """Of ``x.f`` and ``g(f=1)``."""
    around = leaf.parent
    is_attribute = around.type == python_symbols.trailer and around.children[0].value == "."
    return is_attribute or (around.type == python_symbols.argument and around.children[0] is leaf)


def _is_bound_to_file(leaf: Any) -> bool:
    around = leaf.parent
    if around.type == python_symbols.with_item:
        value = around.children[0] if around.children[-1] is leaf else None
    elif around.type == python_symbols.expr_stmt and len(around.children) == 3:
        is_plain = around.children[0] is leaf and around.children[1].type == token.EQUAL
        value = around.children[2] if is_plain else None
    else:
        return False
    return (
        value is not None
        and value.type == python_symbols.power
        and len(value.children) == 2
        and str(value.children[0]).strip() == "open"
    )


def _is_done_with(leaf: Any) -> bool:
    """``f.close()``."""
    member = leaf.next_sibling
    is_first = leaf.parent.type == python_symbols.power and leaf.prev_sibling is None
    return bool(
        is_first
        and member is not None
        and member.type == python_symbols.trailer
        and member.children[0].value == "."
        and member.children[1].value in _MAY_FOLLOW
    )


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
