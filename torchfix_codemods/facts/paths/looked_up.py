"""Whether a program finds functions by texts: `getattr(module, name)`, `globals()[name]`."""

from __future__ import annotations

import ast

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
    return facts.remembered("looks up", lambda: _looks_up(facts, files))


def _looks_up(facts: Facts, files: Files) -> bool:
    for word in (*_LOOKUPS, *_OTHER_LOOKUPS):
        there = files.mentioning(word)
        if there is None:
            return True
        for file in there:
            home = facts_of(file)
            if home is None or _is_used_to_look_up(word, home):
                return True
        if _is_used_to_look_up(word, facts):
            return True
    return False


def _is_used_to_look_up(word: str, facts: Facts) -> bool:
    if not facts.is_mentioned(word):
        return False
    if word == "sys":
        return any(facts.name(use) == "sys.modules" for use in facts.names.attributes("modules"))
    if word in _OTHER_LOOKUPS:
        named = (n for n in facts.names.nodes.get(ast.Name, ()) if getattr(n, "id", None) == word)
        uses = [*facts.names.attributes(word), *named]
        return any(word != "import_module" or not _imports_one(use, facts) for use in uses)
    for scope in facts.names.scopes_using(word):
        for use in scope.uses[word]:
            call = facts.parent(use)
            if not isinstance(call, ast.Call) or call.func is not use:
                return True
            if _is_lookup(call, facts) and not _is_written_down(call):
                return True
    return False


def _is_lookup(call: ast.Call, facts: Facts) -> bool:
    return facts.names.builtin(call.func) in _LOOKUPS


def _imports_one(use: ast.AST, facts: Facts) -> bool:
    """``import_module("model")``, which gives that module and no other object."""
    call = facts.parent(use)
    is_called = isinstance(call, ast.Call) and call.func is use and bool(call.args)
    return is_called and isinstance(constant(call.args[0]), str)


def _is_written_down(call: ast.Call) -> bool:
    """``getattr(options, "seed", 0)``, which finds that alone."""
    return len(call.args) > 1 and isinstance(constant(call.args[1]), str)
