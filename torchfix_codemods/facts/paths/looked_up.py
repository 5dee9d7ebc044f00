"""Whether a program finds functions by texts: `getattr(module, name)`, `globals()[name]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.inference import Files

#: What gives an object for a text, or runs one as code.
_LOOKUPS = frozenset("getattr globals locals vars eval exec __import__".split())
#: The same of libraries, and attributes that are such; what is called so elsewhere counts as well.
_OTHER_LOOKUPS = frozenset(
    "__dict__ __getattribute__ attrgetter methodcaller import_module Fire patch sys".split()
)


def is_looked_up(text: ast.Constant, facts: Facts, files: Files) -> bool:
    """Whether an object may be asked for by a text.

    That is where the text stands in a lookup itself, and anywhere where some file of the project
    looks up what is not written down there.
    """
    call = facts.parent(text)
    if isinstance(call, ast.Call) and _is_lookup(call, facts):
        return True
    begins = facts.remembered("looks up", lambda: _looked_up(facts, files))
    return begins is None or str(text.value).startswith(begins)


def _looked_up(facts: Facts, files: Files) -> tuple[str, ...] | None:
    """How the texts begin that the project puts together and looks up; None: in any way."""
    begins = set[str]()
    for word in (*_LOOKUPS, *_OTHER_LOOKUPS):
        there = files.mentioning(word)
        homes = None if there is None else [facts, *map(facts_of, there)]
        for home in homes or [None]:
            begins.update([""] if home is None else _looked_up_by(word, home))
            if "" in begins:
                return None
    return tuple(begins)


def _looked_up_by(word: str, facts: Facts) -> Iterator[str]:
    """How the texts begin that are looked up by a word, where they are not written down there."""
    if not facts.is_mentioned(word):
        return
    if word == "sys":
        modules = facts.names.attributes("modules")
        yield from ("" for use in modules if facts.name(use) == "sys.modules")
    elif word in _OTHER_LOOKUPS:
        named = (n for n in facts.names.nodes.get(ast.Name, ()) if getattr(n, "id", None) == word)
        for use in (*facts.names.attributes(word), *named):
            if word != "import_module" or not _imports_one(use, facts):
                yield ""
    else:
        for scope in facts.names.scopes_using(word):
            for use in scope.uses[word]:
                call = facts.parent(use)
                if not isinstance(call, ast.Call) or call.func is not use:
                    yield ""
                elif _is_lookup(call, facts) and not _is_written_down(call):
                    yield _begin(call.args[1]) if word == "getattr" and len(call.args) > 1 else ""


def _begin(text: ast.expr) -> str:
    """``"layer"`` of ``"layer" + str(i)``, ``"layer%d" % i`` and ``f"layer{i}"``."""
    if isinstance(text, ast.JoinedStr):
        return _begin(text.values[0]) if text.values else ""
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        return _begin(text.left)
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Mod):
        return _begin(text.left).partition("%")[0]
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
        return _begin(text.func.value).partition("{")[0] if text.func.attr == "format" else ""
    written = constant(text)
    return written if isinstance(written, str) else ""


def _is_lookup(call: ast.Call, facts: Facts) -> bool:
    return facts.names.builtin(call.func) in _LOOKUPS


def _imports_one(use: ast.AST, facts: Facts) -> bool:
    """``import_module("model")``, which gives that module and no other object."""
    call = facts.parent(use)
    if not isinstance(call, ast.Call) or call.func is not use or not call.args:
        return False
    return isinstance(constant(call.args[0]), str)


def _is_written_down(call: ast.Call) -> bool:
    """``getattr(options, "seed", 0)``, which finds that alone."""
    return len(call.args) > 1 and isinstance(constant(call.args[1]), str)
