"""The form of a rule: find on the ``ast`` with all facts, rewrite with libcst where found."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, TypeAlias

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.finding import Numerics, Reason, reason_of
from torchfix_codemods.record import record
from torchfix_codemods.text.wording import in_one_line

Region = ast.expr | ast.stmt | Sequence[ast.stmt]
"""What a rewrite gets to see: an expression, a statement, or neighbours in one block."""

Rewritten: TypeAlias = "cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[Any]"
"""What a rewrite gives for the root of a region: another node, none, or several."""


@record
class Definition:
    """A line that a rewrite needs at module level or in a function, after a certain statement.

    ``after`` is None for "after the imports", or for the head of the function. Equal definitions
    are inserted once.
    """

    text: str
    after: ast.stmt | None = None
    function: ast.FunctionDef | ast.If | None = None
    """The function whose line it is, or the block under ``if __name__ == "__main__":``, below which
    all that needs it stands; None: the module."""


@record
class ImportOf:
    """A name that a rewrite needs: ``import MODULE`` or ``from MODULE import NAME``."""

    module: str
    name: str | None = None


Need = Definition | ImportOf

TRAINING = frozenset({"forward", "backward", "grad", "step", "print", "save", "final"})
"""What a rewrite moves that makes a model learn something else."""

EVALUATION = frozenset({"evaluation", "print", "save", "final"})
"""What a rewrite moves that leaves training alone."""


@record(eq=False)
class Found:
    """A place that a rule found, with all that its rewrite will need to know."""

    rule: Rule
    node: ast.AST
    message: str
    numerics: Numerics
    region: Region | None
    """None: nothing is rewritten here."""
    data: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    group: str | None = None
    """Places of one group are rewritten in the same round, or not at all."""
    moves: frozenset[str] = frozenset()
    """What this rewrite may change in a run; empty: what its rule says."""
    waits: bool = False
    """Whether it hangs on the block around it: it waits while other rewrites make blocks in the
    same function."""
    cuts_graph: bool = False
    """Whether it cuts a tensor from its graph: what waits and reads the name that keeps it is asked
    again when there is none."""
    gives_number: bool = False
    """Whether it makes a number of Python of what was a tensor: what reads the name that keeps it
    is asked again when it is one."""
    otherwise: str | None = ""
    """What is said where this is left because no rewrite fits: what a person can do instead.

    None: nothing, as another place of its group says it.
    """
    reason: Reason | None = None
    """Why it is rewritten; None for advice."""
    loses: bool = False
    """Whether the rewrite takes something away that is no number: the diff says what."""
    fails: bool = False
    """Whether the code certainly raises on today's torch when it runs: `migrate` shows that, also
    of rules that only advise."""


class Rule:
    """Base of all rules.

    ``find_<ast class>(self, node, facts)`` is called for the nodes of that class and yields
    :class:`Found` objects; for calls, attributes, names and imports only where one of the rule's
    ``words`` is the name called or read, a keyword, or the name imported. ``leave_<libcst class>``
    is as in a transformer of libcst: it gets the region's root, twice, and returns what replaces
    it. What ``find_`` decided is in ``self.data``. A rule holds no state of a file.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    since: ClassVar[str]
    """The first torch release that has what the rewrite uses."""
    numerics: ClassVar[Numerics]
    """The usual claim; a finding can make another one."""
    warns: ClassVar[bool] = False
    """Whether today's torch warns of the old form where that still gives the same."""
    changed_in: ClassVar[str] = ""
    """The torch since which the old form fails or gives something else; empty: since any."""
    words: frozenset[str]
    """A file that holds none of these words is never looked at for this rule. ``)(`` is one, too:
    what a call gives is called."""
    beside: ClassVar[frozenset[str]] = frozenset()
    """Where not empty: nor is a file that holds none of these."""
    message: ClassVar[str] = ""
    tor: ClassVar[tuple[str, ...]] = ()
    """The codes of the rules of Meta's TorchFix that find the same."""
    is_optional: ClassVar[bool] = False
    """Whether the rule only looks where it is selected by its own code or name."""
    is_for_any_version: ClassVar[bool] = False
    """Whether the rule also looks in branches that are chosen by torch's version."""
    is_spelling: ClassVar[bool] = False
    """Whether what it writes is what it was to all other rules: they are not asked again."""
    covers_functions: ClassVar[bool] = False
    """Whether it switches gradients off in the whole of a function: what waits for blocks in it
    waits for that as well."""
    moves: ClassVar[frozenset[str]] = frozenset()
    """What a rewrite that changes numbers may change in a run, as kinds of events of ``verify``
    (``evaluation``: outputs of modules in eval mode, ``container``: what holds saved numbers);
    empty: anything."""

    _finder_names: ClassVar[tuple[str, ...]]

    data: Mapping[str, Any] = {}
    """What ``find_`` decided, for the ``leave_`` methods."""
    target: Version | None = None
    """The torch that the code has to run on; None: today's."""
    indent: str = "    "
    """One level of indentation as the file writes it, for the ``leave_`` methods."""

    def for_target(self, newest: Version) -> Rule | None:
        """The rule as far as it writes only what torch ``newest`` has; None: not at all."""
        if parse_version(self.since) > newest:
            return None
        rule = copy.copy(self)
        rule.target = newest
        return rule

    def for_other_libraries(self) -> Rule | None:
        """The rule as far as it is about other libraries than torch; None: not at all."""
        return None

    def found(
        self,
        node: ast.AST,
        message: str | None = None,
        *,
        region: Region | None = None,
        numerics: Numerics | None = None,
        needs: Sequence[Need] = (),
        group: str | None = None,
        moves: frozenset[str] = frozenset(),
        waits: bool = False,
        cuts_graph: bool = False,
        gives_number: bool = False,
        otherwise: str | None = "",
        reason: Reason | None = None,
        loses: bool = False,
        **data: Any,
    ) -> Found:
        """A place to rewrite; the region is the node itself unless another one is given."""
        if region is None:
            assert isinstance(node, (ast.expr, ast.stmt))
            region = node
        return Found(
            self,
            node,
            in_one_line(message or self.message),
            numerics or self.numerics,
            region,
            data,
            tuple(needs),
            None if group is None else f"{self.code} {group}",
            moves,
            waits,
            cuts_graph,
            gives_number,
            None if otherwise is None else in_one_line(otherwise),
            reason or self.reason_for(numerics or self.numerics),
            loses,
        )

    def reason_for(self, numerics: Numerics) -> Reason | None:
        """Why a place is rewritten about which the rule makes a claim; None for advice."""
        if self.target is not None and self.changed_in and numerics is not Numerics.CHANGED:
            if self.target < parse_version(self.changed_in):
                return reason_of(Numerics.IDENTICAL, self.warns)
        return reason_of(numerics, self.warns)

    def advice(self, node: ast.AST, message: str, *, fails: bool = False) -> Found:
        """A place that is left alone, and what a person should know about it."""
        return Found(self, node, in_one_line(message), Numerics.ADVICE, None, fails=fails)

    def rewrite(self, found: Found, node: cst.CSTNode, indent: str) -> Rewritten:
        """Return what replaces ``node``, the parsed region of ``found``."""
        rule = copy.copy(self)
        rule.data = found.data
        rule.indent = indent
        return rule.on_leave(node, node)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        """What replaces the root of a region: what the ``leave_`` method for its class says."""
        leave = getattr(self, f"leave_{type(original).__name__}", None)
        return updated if leave is None else leave(original, updated)

    @classmethod
    def finder_names(cls) -> tuple[str, ...]:
        """The names of the class's ``find_`` methods."""
        names = cls.__dict__.get("_finder_names")
        if names is None:
            bases = (base for base in cls.__mro__ if issubclass(base, Rule))
            own = {n for base in bases for n in vars(base) if n.startswith("find_")}
            names = tuple(sorted(own))
            cls._finder_names = names
        return names

    @classmethod
    def summary(cls) -> str:
        """The first line of the rule's module docstring."""
        module = sys.modules[cls.__module__]
        return (module.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def documentation(cls) -> str:
        """The rule's page in Markdown, from the class docstring."""
        return inspect.cleandoc(cls.__doc__ or "")
