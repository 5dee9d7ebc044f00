"""Everything that is known about one module, behind one door."""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import io
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from torchfix_codemods.facts.age.ages import Ages
from torchfix_codemods.facts.age.dating import (
    Clues,
    IsCertain,
    IsOptional,
    IsOurs,
    find_clues,
    find_era,
    uses_until,
    with_limit,
)
from torchfix_codemods.facts.age.era import Era, Version, dotted, last_release
from torchfix_codemods.facts.evaluation import answers as evaluation
from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.evidence import refining as evidence
from torchfix_codemods.facts.language.classes import Classes
from torchfix_codemods.facts.language.flow import Flow
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.text_lines import lines_of
from torchfix_codemods.facts.values.inference import Files, Inference, OtherFile
from torchfix_codemods.facts.values.lattice import NOTHING, Module, Tensor, Unknown, Value, join
from torchfix_codemods.facts.values.queries import Pending

T = TypeVar("T")

#: Until 0.3 Variables were no tensors: what is so old needs no closer date.
_FIRST_NAMED: Version = (0, 4)


class Facts:
    """The facts of one module, each computed when it is first asked for.

    :class:`~torchfix_codemods.facts.programs.whole.WholeFacts` is the one to make: what dates a
    module asks for facts itself.

    Args:
        tree: the parsed module.
        text: its text with ``\\n``, ``\\r\\n`` or ``\\r`` line ends, as parsed.
        era: the torch versions the file was written for, where that is already known.
        device_name: the name to give to a ``torch.device`` that has to be defined.
        touched: the lines (from 1) that earlier rounds rewrote.
        imported_elsewhere: tells whether other files of the project may take names from this one.
        used_elsewhere: tells whether a file that may do so speaks of a certain name.
        mentioned_elsewhere: tells whether any file of the project speaks of a certain name.
        files: the other files of the project, as this one imports them.
        pending: given for a file that other files ask about its names.
        names: the scopes of the tree, where they are known already.
        required: tells which torch versions the project requires.
        beside: tells for which the other files of the project show that it was written.
        origin: tells which line of the file as it was read a line comes from; messages name
            that one, as findings do.
        as_read: gives the text of that line.
        had_variable: tells whether that line names the class Variable, whatever it is called there.
        ages: what is known of the age of the lines of the file as it was read.
        attribute_read: tells whether any file of the project reads an attribute of a certain name.
        needed: tells which torch versions what stands around the file needs: each shows that the
            program ran on it or on a later one.
    """

    def __init__(
        self,
        tree: ast.Module,
        text: str,
        era: Era | None = None,
        device_name: str = "device",
        touched: Collection[int] = frozenset(),
        imported_elsewhere: Callable[[], bool] = lambda: True,
        used_elsewhere: Callable[[str], bool] = lambda name: False,
        mentioned_elsewhere: Callable[[str], bool] = lambda name: False,
        files: Files | None = None,
        pending: Pending | None = None,
        names: Names | None = None,
        required: Callable[[], Era] = Era,
        beside: Callable[[], Era] = Era,
        origin: Callable[[int], int] = lambda line: line,
        as_read: Callable[[int], str] = lambda line: "",
        had_variable: Callable[[int], bool] = lambda line: False,
        ages: Ages | None = None,
        attribute_read: Callable[[str], bool] = lambda name: False,
        needed: Callable[[], Collection[Version]] = tuple,
    ) -> None:
        self.tree = tree
        self.text = text
        own = {} if files is None else files.own_libraries
        self.names = Names(tree, own) if names is None else names
        self.flow = Flow(self.names)
        self.inference = Inference(
            self.names, self.flow, evaluation, used_elsewhere, files, pending
        )
        self.inference.home = self
        self.inference.era = lambda: self._found_era
        self.files = files
        self.device_name = device_name
        self._touched = touched
        self._memory: dict[object, tuple[Any, bool]] = {}
        """Answers, each with whether it hangs on how old the module is."""
        self._spoken: dict[str, bool] = {}
        self.asked_for_age = 0
        """How often an answer did so far."""
        self._imported_elsewhere = imported_elsewhere
        self.is_used_elsewhere = used_elsewhere
        self.is_mentioned_elsewhere = mentioned_elsewhere
        self.is_attribute_read = attribute_read
        self._era = era
        self._required = required
        self._beside = beside
        self._needed = needed
        self.origin = origin
        self.as_read = as_read
        self.had_variable = had_variable
        self.ages = Ages() if ages is None else ages

    def without_history(self, era: Era | None) -> Facts:
        """The same module as a second run would see it: nothing rewritten, dated anew.

        All answers are the same but those that hang on the module's age, or on what was rewritten.
        """
        fresh = copy.copy(self)
        for answer in ("_found_era", "limited_era"):
            fresh.__dict__.pop(answer, None)
        fresh._era = era
        # The others may be rewritten by then, too.
        fresh._beside = Era
        # Nor is there a note of this run.
        fresh.ages = Ages(history=lambda: self.ages.newest)
        fresh._touched = frozenset()
        fresh._memory = {}
        return fresh

    def release(self) -> None:
        """Forget the module, once nobody asks any more.

        What is known of it refers to itself: its tree would wait for the garbage collector.
        """
        vars(self.inference).clear()
        vars(self).clear()

    @property
    def classes(self) -> Classes:
        return self.inference.classes

    @property
    def era(self) -> Era:
        """The torch versions that this file can have been written for."""
        self.asked_for_age += 1
        return self._found_era

    @functools.cached_property
    def _found_era(self) -> Era:
        if self._era is not None:
            return self._era
        era = self._dated(find_era).within(self._required())
        kept = self.ages.kept
        if kept.is_whole:
            has_variables = era.has_variables or kept.era.has_variables
            era = dataclasses.replace(era.within(kept.era), has_variables=has_variables)
        if era.is_open:
            era = era.within(self._beside())
        return era if era.before(_FIRST_NAMED) else era.within(self.ages.of_last(self.lines))

    def era_of(self, node: ast.AST) -> Era:
        """The torch versions that the line of a node can have been written for.

        A line means what it meant when it was written, also in a file in which others are newer.
        """
        self.asked_for_age += 1
        line = self.origin(getattr(node, "lineno", 1))
        kept = self.ages.kept
        if line in kept.known and not kept.is_whole and not kept.era.is_open:
            return kept.era
        era = self.era
        if era.before(_FIRST_NAMED):
            return era
        newest = self.ages.newest.get(line)
        if newest is None or (era.newest is not None and era.newest <= newest):
            return era
        if newest not in self.ages.uses:
            self.ages.uses[newest] = self._uses_until(newest)
        uses = self.ages.uses[newest]
        if uses is not None and last_release(newest) < uses:
            return era
        evidence = f"line {line} was not written after torch {dotted(newest)} (git blame)"
        has_variables = era.has_variables
        return Era(uses, newest, (evidence,), uses, has_variables=has_variables)

    def numbers_before(self, node: ast.AST, version: Version) -> bool:
        """Whether the numbers of ``node`` are those of a torch older than ``version``.

        Its line was written for one, and the program ran on no later one since. What a later torch
        computes silently, the program computed as well when it ran there.
        """
        return self.era_of(node).before(version) and not self.has_moved_on(version)

    def has_moved_on(self, version: Version) -> bool:
        """Whether people wrote what shows that the program ran on ``version`` or a later torch.

        The file itself does, or what stands around it, unless the file fails there.
        """
        self.asked_for_age += 1
        eras = self._found_era, self.ages.kept.era
        if any(each and each >= version for era in eras for each in (era.uses, era.runs_since)):
            return True
        needed = [each for each in self._found_needs if each >= version]
        if not needed:
            return False
        limits = (self.limited_era.runs_until, self.ages.kept.era.runs_until)
        last = min(filter(None, limits), default=None)
        return last is None or any(each < last_release(last) for each in needed)

    @functools.cached_property
    def _found_needs(self) -> Collection[Version]:
        return self._needed()

    @functools.cached_property
    def limited_era(self) -> Era:
        """The era of the file, with the last torch that it runs on, for which values are asked."""
        return with_limit(self.era, self.names, self._is_certain, self._is_optional)

    def _uses_until(self, newest: Version) -> Version | None:
        """The torch that the lines need which are as old as a release, or older."""

        def is_older(line: int) -> bool:
            of_line = self.ages.newest.get(self.origin(line))
            return of_line is not None and of_line <= newest and not self.is_rewritten(line)

        return uses_until(self.names, self._is_optional, is_older)

    @property
    def clues(self) -> Clues:
        """What shows for which torch versions this file was written."""
        self.asked_for_age += 1
        return self._dated(find_clues)

    def _dated(self, find: Callable[[Names, IsCertain, IsOptional, IsOurs], T]) -> T:
        return find(self.names, self._is_certain, self._is_optional, self.is_rewritten)

    def _is_certain(self, node: ast.Subscript | ast.Call) -> bool:
        """Whether ``x[0]`` is of what may have no dimension, ``x.item()`` of torch's own."""
        raise NotImplementedError

    def _is_optional(self, node: ast.AST) -> bool:
        """Whether the module manages without what an expression asks torch for."""
        raise NotImplementedError

    def is_rewritten(self, line: int) -> bool:
        """Whether a line was written by this run, or by an earlier one that left a note."""
        self.asked_for_age += 1
        return line in self._touched or self.origin(line) in self.ages.kept.written

    @functools.cached_property
    def is_imported_elsewhere(self) -> bool:
        """Whether other files may use what this module defines; yes where that is not known."""
        return self._imported_elsewhere()

    def remembered(self, key: object, compute: Callable[[], T]) -> T:
        """What ``compute`` returned when this was first asked with ``key``."""
        known = self._memory.get(key)
        if known is None:
            before = self.asked_for_age
            result = compute()
            self._memory[key] = result, self.asked_for_age != before
            return result
        if known[1]:
            self.asked_for_age += 1
        answer: T = known[0]
        return answer

    def name(self, node: ast.AST) -> str | None:
        """The qualified name of an expression, or None where it is not certain."""
        return self.names.name(node)

    def value(self, node: ast.AST) -> Value:
        """The abstract value of an expression; Unknown where it is not certain."""
        return self.inference.value(node)

    def is_mentioned(self, name: str) -> bool:
        """Whether this file, or another one of the project, speaks of a name."""
        return self.speaks_of(name) or self.is_mentioned_elsewhere(name)

    def speaks_of(self, word: str) -> bool:
        """True where the text holds a word, or a part of one, wherever: it is searched once."""
        if word not in self._spoken:
            self._spoken[word] = word in self.text
        return self._spoken[word]

    def value_before(self, statement: ast.stmt, name: str) -> Value:
        """The abstract value of a name where a statement begins that may bind it anew."""
        value: Value = NOTHING
        for binding in self.flow.reaching_before(statement, name):
            value = join(value, self.inference.bound(binding))
        return value

    def value_by_use(self, node: ast.expr) -> Value:
        """The value of an expression as the uses of the name it is assigned to show it."""
        return evidence.value_by_use(self.inference, node)

    def is_tensor(self, node: ast.AST) -> bool:
        """Whether an expression is certainly a tensor."""
        return isinstance(self.value(node), Tensor)

    def is_shown_tensor(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor; of ``x.data.masked_fill_(…)`` the method shows it."""
        value = self.value(node)
        return isinstance(value, Tensor) or (
            isinstance(value, Unknown) and proofs.proves_tensor(self.names, node)
        )

    def is_module(self, node: ast.AST) -> bool:
        """Whether an expression is certainly an ``nn.Module``."""
        return isinstance(self.value(node), Module)

    def assigned(self, node: ast.Name) -> list[ast.expr] | None:
        """What a name is assigned, whichever way; None where it may be bound otherwise."""
        found = []
        for binding in self.flow.reaching(node):
            written = binding.written() if binding.kind == "assign" else None
            if written is None:
                return None
            found.append(written)
        return found or None

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that directly holds ``node``."""
        return self.names.parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds ``node``."""
        return self.names.statement(node)

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that ``statement`` stands in."""
        parent = self.names.parents[statement]
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and statement in block:
                return block
        raise ValueError("not a statement of a block")

    def segment(self, node: ast.expr) -> str:
        """The source text of an expression."""
        first, last = node.lineno, node.end_lineno or node.lineno
        if first == last:
            line = self.lines[first - 1].encode("utf-8")
            return line[node.col_offset : node.end_col_offset].decode("utf-8")
        lines = [line.encode("utf-8") for line in self._lines_with_ends[first - 1 : last]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode("utf-8")

    def column(self, node: ast.AST) -> int:
        """Where a node begins, counted from 1 in characters; the tree counts bytes."""
        offset: int = getattr(node, "col_offset", 0)
        if self.text.isascii():
            return offset + 1
        line = self.lines[getattr(node, "lineno", 1) - 1]
        return len(line.encode("utf-8")[:offset].decode("utf-8", "replace")) + 1

    def touched(self, node: ast.stmt | ast.expr) -> bool:
        """Whether this run rewrote a line of ``node``, or an earlier one that left a note."""
        self.asked_for_age += 1
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        kept = self.ages.kept.written
        is_now = any(line in self._touched for line in lines)
        return is_now or (bool(kept) and not kept.isdisjoint(map(self.origin, lines)))

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines of the text as Python counts them, without their ends."""
        return lines_of(self.text)

    @functools.cached_property
    def _lines_with_ends(self) -> list[str]:
        return io.StringIO(self.text, newline="").readlines()


def facts_of(owner: Inference | OtherFile | None) -> Facts | None:
    """All that is known of a module, from what is asked about the values in it.

    Args:
        owner: the values of a module, or a file of the project.

    Returns:
        None for a folder, and where the file cannot be read.
    """
    inference = owner if owner is None or isinstance(owner, Inference) else owner.inference
    home = None if inference is None else inference.home
    return home if isinstance(home, Facts) else None
