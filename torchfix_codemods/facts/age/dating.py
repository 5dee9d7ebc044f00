"""What shows which torch versions a file can have been written for."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torchfix_codemods.facts.age.era import LATER, Era, Version, dotted, last_release
from torchfix_codemods.facts.age.words import (
    ALWAYS_TOOK,
    KEYWORDS,
    LAST_WORDS,
    METHODS_IN,
    RENAMED_IN,
    SINCE,
    SINCE_KEYWORD,
    UNTIL,
    UNTIL_KEYWORD,
)
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.record import record

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on

IsCertain = Callable[[ast.Subscript | ast.Call], bool]
IsOptional = Callable[[ast.AST], bool]
IsOurs = Callable[[int], bool]


#: Torch 0.4 still took an index of what holds one number, and warned.
_V0_3: Version = (0, 3)
_V0_4: Version = (0, 4)

#: The function of that name, which came with 0.4, has nothing below it.
_OLD_MODULE = "torch.tensor"


@record
class Clue:
    """One use of an API: in ``since`` it was new, after ``until`` it was gone.

    ``runs_since`` and ``runs_until`` say on which torch it does not fail, which may date nothing.
    """

    node: ast.AST
    what: str
    since: Version = ()
    until: Version = ()
    runs_since: Version = ()
    runs_until: Version = ()

    @property
    def word(self) -> str:
        """The name or the keyword alone; empty where it is neither."""
        return "" if " " in self.what else self.what.rpartition(".")[2].rstrip("=")

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 0))

    def __str__(self) -> str:
        return self.at(f"line {self.line}")

    def at(self, place: str) -> str:
        """What it shows, and where: ``"line 12: volatile= (0.3 at most)"``."""
        bound = f"since {dotted(self.since)}" if self.since else f"{dotted(self.until)} at most"
        return f"{place}: {self.what} ({bound})"


@record
class Clues:
    """What decides how old a module is."""

    newer: Clue | None
    """The API that came last."""
    older: Clue | None
    """The API that was gone first."""
    outdated: Clue | None
    """What was gone before ``newer`` came: a module that was brought up to date by half."""
    runs_since: Version | None = None
    """The first torch on which nothing fails that people wrote."""
    runs_until: Version | None = None
    """The last one, as far as that was looked at."""


def find_era(names: Names, is_certain: IsCertain, is_optional: IsOptional, is_ours: IsOurs) -> Era:
    """Date a module by the API that it uses, as :func:`find_clues` says."""
    clues = find_clues(names, is_certain, is_optional, is_ours)
    evidence = [str(clue) for clue in (clues.newer, clues.older) if clue is not None]
    if clues.outdated is not None:
        evidence.append(f"{clues.outdated} (not counted: {LATER})")
    oldest = None if clues.newer is None else clues.newer.since
    newest = None if clues.older is None else clues.older.until
    has_variables = _has_variables(names)
    first, last = clues.runs_since, clues.runs_until
    return Era(
        oldest,
        newest,
        tuple(evidence),
        oldest,
        has_variables=has_variables,
        runs_since=first,
        runs_until=last,
    )


def _has_variables(names: Names) -> bool:
    """Whether a module imports ``torch.autograd.Variable``, or spells it out."""
    imported = names.module.bindings.values()
    return any(b.qualified == VARIABLE for bindings in imported for b in bindings) or any(
        isinstance(node, ast.Attribute) and node.attr == "Variable" and names.name(node) == VARIABLE
        for node in names.nodes.get(ast.Attribute, ())
    )


def find_clues(
    names: Names, is_certain: IsCertain, is_optional: IsOptional, is_ours: IsOurs
) -> Clues:
    """What dates a module.

    Only what is certain counts: ``volatile=`` lost its meaning in 0.4, and so did ``.data[0]`` of
    what holds one number, while ``torch.device`` did not exist before. In a file that was brought
    up to date by half the newer API decides, because the file ran there last.

    Args:
        names: the scopes of the module.
        is_certain: tells of ``x[0]``, ``x.data[0]`` and the like whether x certainly holds just
            one number, and of ``x.item()`` whether x certainly is a tensor or a module.
        is_optional: tells of a node whether the file also works without it, because it stands
            where the code chooses between old and new torch.
        is_ours: tells of a line whether an earlier run wrote it: that it uses what is newer does
            not make the code around it newer.
    """

    def first(clues: Iterable[Clue]) -> Clue | None:
        return next((clue for clue in clues if not is_optional(clue.node)), None)

    found = (*_names(names), *_keywords(names), *_left_out(names))
    clues = sorted(found, key=lambda clue: clue.line)
    newest_first = sorted((c for c in clues if c.since), key=lambda c: c.since, reverse=True)
    newer = first(clue for clue in newest_first if not is_ours(clue.line))
    relics = sorted((c for c in clues if c.until), key=lambda clue: clue.until)
    outdated: Clue | None = None
    if newer is not None:
        outdated = first(c for c in relics if last_release(c.until) < newer.since)
        relics = [c for c in relics if not last_release(c.until) < newer.since]
    older = first(relics)
    if newer is None and (older is None or older.until > _V0_3):
        # Asked last, because it takes values, and not at all of a file that is newer.
        older = first(_indexed_numbers(names, is_certain)) or older
    needed = sorted(
        (clue for clue in clues if clue.runs_since or clue.since),
        key=lambda clue: clue.runs_since or clue.since,
        reverse=True,
    )
    needing = first(clue for clue in needed if not is_ours(clue.line))
    if needing is None:
        needing = first(c for c in _new_methods(names, is_certain) if not is_ours(c.line))
    since = None if needing is None else needing.runs_since or needing.since
    failing = [clue for clue in (*relics, older, outdated) if clue is not None]
    last = min(
        (c.runs_until for c in failing if c.runs_until and not is_optional(c.node)), default=None
    )
    return Clues(newer, older, outdated, since, last)


def with_limit(era: Era, names: Names, is_certain: IsCertain, is_optional: IsOptional) -> Era:
    """The era of a module, with the last torch that takes its indices of what holds one number.

    Args:
        era: as :func:`find_era` found it, which does not ask for values where it need not.
        names, is_certain, is_optional: as for :func:`find_clues`.
    """
    is_known = era.runs_until is not None and era.runs_until <= _V0_4
    if is_known or era.uses is not None or not era.before(_V0_4):
        return era
    indexed = (clue.node for clue in _indexed_numbers(names, is_certain))
    is_limited = any(not is_optional(node) for node in indexed)
    return dataclasses.replace(era, runs_until=_V0_4) if is_limited else era


def uses_until(names: Names, is_optional: IsOptional, is_older: IsOurs) -> Version | None:
    """The torch that certain lines of a module need.

    Args:
        names: the scopes of the module.
        is_optional: as for :func:`find_clues`.
        is_older: tells which lines count.
    """
    clues = (*_names(names), *_keywords(names))
    return max(
        (c.since for c in clues if c.since and is_older(c.line) and not is_optional(c.node)),
        default=None,
    )


def words_after(names: Names, version: Version) -> set[str]:
    """The names and keywords of a module that came after a version."""
    clues = (*_names(names), *_keywords(names))
    return {clue.word for clue in clues if clue.since and last_release(version) < clue.since}


def _names(names: Names) -> Iterator[Clue]:
    """Names of torch that came or went, where they are read and where they are imported."""
    read: list[Any] = names.nodes.get(ast.Attribute, [])
    named: list[Any] = names.nodes.get(ast.Name, [])
    owners = (node.value for node in read if getattr(node.value, "attr", "") == "tensor")
    modules = {owner for owner in owners if names.name(owner) == _OLD_MODULE}
    for node in (
        *[node for node in read if node.attr in LAST_WORDS],
        *[node for node in named if node.id in LAST_WORDS],
    ):
        if node in modules:
            yield Clue(node, f"{_OLD_MODULE} as a module", until=_V0_3, runs_until=_V0_3)
        else:
            yield from _clues(node, names.name(node) or "")
    for node in (*names.nodes.get(ast.Import, ()), *names.nodes.get(ast.ImportFrom, ())):
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        if names.imports_own(node):
            continue
        module = "" if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module}."
        for alias in node.names:
            parts = f"{module}{alias.name}".split(".")
            if parts[0] == "torch":
                for end in range(2, len(parts) + 1):
                    yield from _clues(node, ".".join(parts[:end]))


def _clues(node: ast.AST, name: str) -> Iterator[Clue]:
    if name in SINCE:
        yield Clue(node, name, since=SINCE[name])
    if name in RENAMED_IN:
        yield Clue(node, name, runs_since=RENAMED_IN[name])
    if name in UNTIL:
        yield Clue(node, name, until=UNTIL[name], runs_until=UNTIL[name])


def _keywords(names: Names) -> Iterator[Clue]:
    """Keywords of torch's functions that came or went."""
    for node in names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        for keyword in node.keywords:
            if keyword.arg not in KEYWORDS:
                continue
            if keyword.arg == "retain_variables":
                if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
                    yield Clue(keyword, "retain_variables=", until=_V0_3, runs_until=_V0_3)
                continue
            if keyword.arg == "volatile" and volatile_passed_on(node, names) is not None:
                yield Clue(keyword, "volatile=", until=_V0_3)
                continue
            name = names.name(node.func) or ""
            if not name.startswith("torch."):
                continue
            what = f"{keyword.arg}="
            key = f"{name}({what})"
            if key in UNTIL_KEYWORD:
                until = UNTIL_KEYWORD[key]
                # Torch still takes volatile=, and warns.
                last = () if keyword.arg == "volatile" else until
                yield Clue(keyword, what, until=until, runs_until=last)
            elif not name.startswith(ALWAYS_TOOK.get(keyword.arg, ("-",))):
                since = SINCE_KEYWORD.get(key) or SINCE_KEYWORD.get(what)
                if since is not None:
                    yield Clue(keyword, what, since=since)


def _new_methods(names: Names, is_certain: IsCertain) -> Iterator[Clue]:
    """``loss.item()``, ``net.to(device)``: calls of methods that came late, newest first."""
    for name, version in sorted(METHODS_IN.items(), key=lambda item: item[1], reverse=True):
        for call in names.method_calls(name.rpartition(".")[2]):
            if is_certain(call):
                yield Clue(call, f"{name}()", runs_since=version)


def _left_out(names: Names) -> Iterator[Clue]:
    """``torch.multinomial(p)``, which raises since 0.4."""
    for call in names.method_calls("multinomial"):
        is_alone = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
        if is_alone and not call.keywords and names.name(call.func) == "torch.multinomial":
            yield Clue(call, "multinomial without num_samples", until=_V0_3, runs_until=_V0_3)


def _indexed_numbers(names: Names, is_certain: IsCertain) -> Iterator[Clue]:
    """Index 0 of what holds one number, which had a dimension until 0.3."""
    for node in names.nodes.get(ast.Subscript, ()):
        assert isinstance(node, ast.Subscript)
        if isinstance(node.slice, ast.Constant) and node.slice.value == 0 and is_certain(node):
            yield Clue(node, "index 0 of a number", until=_V0_3, runs_until=_V0_4)
