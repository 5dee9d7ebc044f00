"""What can be asked about the values of a file, and of the other files of its project.

Nothing here knows what an expression is: :mod:`torchfix_codemods.facts.evaluation` does. So
whatever takes part in finding that out can ask in turn.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.language.branches import Branches
from torchfix_codemods.facts.language.classes import Classes, ClassKind
from torchfix_codemods.facts.language.flow import Flow
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values.counts import Counts
from torchfix_codemods.facts.values.lattice import UNKNOWN, Maybe, Value
from torchfix_codemods.facts.values.queries import Pending, Queries

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Evaluation(Protocol):
    """Finds out what is asked; each method gets the values of the file that it is about."""

    def expression(self, inference: Inference, node: ast.AST) -> Value:
        """The value of an expression."""

    def bound(self, inference: Inference, binding: Binding) -> Value:
        """The value that a binding gives to its name."""

    def total(self, inference: Inference, node: ast.AugAssign, binding: Binding) -> Value:
        """What ``name += value`` leaves where that is certainly no number."""

    def returned(self, inference: Inference, function: ast.AST) -> Value:
        """What calling a function returns."""

    def joined(self, inference: Inference, returned: Iterable[ast.expr | None]) -> Value:
        """What a function gives that returns one of some values."""

    def reached_returns(
        self, inference: Inference, function: ast.AST, call: ast.Call, is_method: bool
    ) -> tuple[ast.expr | None, ...] | None:
        """What a call may make a function return, where its constants leave something out."""

    def called(self, inference: Inference, callee: Value, call: ast.Call) -> Value:
        """What a value gives that is called as ``call`` calls another one."""

    def provided(self, inference: Inference, fixture: ast.FunctionDef) -> Value:
        """What a fixture of pytest gives."""

    def attribute(
        self, inference: Inference, definition: ast.ClassDef, name: str, is_number: bool
    ) -> Value:
        """What ``self.name`` holds in instances of a class."""

    def is_taken_as_tensor(self, inference: Inference, node: ast.expr) -> bool:
        """Whether a call takes only a tensor where it gets an expression."""

    def parameter_shows(
        self,
        inference: Inference,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        parameter: ast.arg,
    ) -> Value:
        """A tensor where a function uses its parameter as one."""

    def class_kind(self, inference: Inference, base: ast.expr) -> ClassKind:
        """What a base class that another file may define makes of a class."""

    def starred_name(self, inference: Inference, name: str) -> str | None:
        """The name of torch or numpy that star imports of the project's files bring in."""

    def name_of_star(self, inference: Inference, name: str, star: ast.ImportFrom) -> str | None:
        """What a star import of a file of the project certainly gives a name."""


class Inference(Queries):
    """The values of one module's expressions.

    Args:
        names: the scopes of the module.
        flow: its reaching definitions.
        evaluation: what finds out what expressions, bindings and functions are.
        is_used_elsewhere: tells whether other files may use a certain name of the module.
        files: the other files of the project, as this one imports them.
        pending: given for a file that other files ask: its functions are then called with
            arguments that are not known, and what its module level holds may be changed.
    """

    def __init__(
        self,
        names: Names,
        flow: Flow,
        evaluation: Evaluation,
        is_used_elsewhere: Callable[[str], bool] = lambda name: False,
        files: Files | None = None,
        pending: Pending | None = None,
    ) -> None:
        super().__init__(Pending() if pending is None else pending)
        self._evaluation = evaluation
        self.is_used_elsewhere = functools.cache(is_used_elsewhere)
        self.names = names
        self.flow = flow
        self.files = files
        self.is_asked_by_others = pending is not None
        self.home: object = None
        """What all that is known of the module hangs from, for those who follow a call into it."""
        self.era: Callable[[], Era] = Era
        """Tells for which torch the module was written."""
        if files is not None:
            names.is_method_of_project = files.is_method
            names.name_from_project = functools.partial(evaluation.starred_name, self)
            names.stars_below.name_of_star = functools.partial(evaluation.name_of_star, self)
        self.classes = Classes(names, functools.partial(evaluation.class_kind, self))
        self.branches = Branches(names)
        self.counts = Counts(names, flow)
        self.given_back: dict[ast.AST, ast.arg | None] = {}
        """The parameters that functions give back, as far as somebody asked."""
        self._entered: list[ast.Call] = []

    @contextlib.contextmanager
    def inside(self, built: ast.Call) -> Iterator[bool]:
        """While a container of modules is called: False where that is going on already.

        ``net = nn.Sequential(net)`` makes one that holds itself as far as its text tells.
        """
        is_new = built not in self._entered
        self._entered.append(built)
        try:
            yield is_new
        finally:
            self._entered.pop()

    # Queries. A query that meets itself (a name carried round a loop, a recursive function)
    # starts from Nothing and repeats until its answer is stable; what was computed on the way
    # on the strength of an assumption is remembered only as long as the assumption stands.

    def value(self, node: ast.AST) -> Value:
        """The value of an expression; Unknown where it may also be None."""
        value = self._known.get(node) or self._query(node, self._evaluation.expression, self, node)
        return UNKNOWN if isinstance(value, Maybe) else value

    def possible(self, node: ast.AST) -> Value:
        """The value of an expression, with None among what it may be."""
        return self._known.get(node) or self._query(node, self._evaluation.expression, self, node)

    def returned(self, function: ast.AST) -> Value:
        """What calling a function of this file returns."""
        return self._query(("returned", function), self._evaluation.returned, self, function)

    def returned_to(self, function: ast.AST, call: ast.Call, is_method: bool = False) -> Value:
        """What a certain call of a function of this file returns, wherever it is made."""
        reached = self._evaluation.reached_returns(self, function, call, is_method)
        if reached is None or self.classes.is_wrapped(function):
            return self.returned(function)
        return self._query(("returned", *reached), self._evaluation.joined, self, reached)

    def called(self, callee: Value, call: ast.Call) -> Value:
        """What a call gives that is given to something else: to what a module wraps."""
        return self._evaluation.called(self, callee, call)

    def provided(self, fixture: ast.FunctionDef) -> Value:
        """What a fixture of pytest gives to the tests that ask for it."""
        return self._query(("provided", fixture), self._evaluation.provided, self, fixture)

    def attribute(self, definition: ast.ClassDef, name: str, is_number: bool = True) -> Value:
        """What ``self.name`` holds in instances of a class of this file.

        ``is_number`` is False where it certainly is none: a sum that starts as 0 has become what
        was added to it.
        """
        key = "attribute", definition, name, is_number
        return self._query(key, self._evaluation.attribute, self, definition, name, is_number)

    def is_open(self) -> bool:
        """Whether the answer that is being looked for rests on assumptions so far."""
        return bool(self._pending.cut)

    def total(self, node: ast.AugAssign, binding: Binding) -> Value:
        """What ``name += value`` leaves where that is certainly no number."""
        return self._query(("no number", binding), self._evaluation.total, self, node, binding)

    def bound(self, binding: Binding) -> Value:
        """The value that one binding gives to its name."""
        return self._query(("bound", binding), self._evaluation.bound, self, binding)

    def shown(
        self,
        use: ast.Name,
        bindings: tuple[Binding, ...],
        ask: Callable[[Inference, ast.Name, tuple[Binding, ...]], Value],
    ) -> Value:
        """What ``ask`` finds out about a name from its uses: the same for uses of one branch."""
        # Without bindings a use has no others beside it, and speaks for itself only.
        seen = bindings or use
        key = ask, self.names.scope_of(use), use.id, seen, self.branches.of(use)
        return self._query(key, ask, self, use, bindings)

    def is_taken_as_tensor(self, node: ast.expr) -> bool:
        """Whether a call takes only a tensor where it gets ``node``."""
        return self._evaluation.is_taken_as_tensor(self, node)

    def parameter_shows(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: ast.arg
    ) -> Value:
        """A tensor where a function uses its parameter as one, whichever way it goes."""
        key = "shown", parameter
        return self._query(key, self._evaluation.parameter_shows, self, function, parameter)

    @functools.cached_property
    def exits(self) -> dict[ast.AST, list[ast.Return | ast.Yield | ast.YieldFrom]]:
        """What each function returns and yields, the yields first."""
        found: dict[ast.AST, list[ast.Return | ast.Yield | ast.YieldFrom]] = {}
        for cls in (ast.Yield, ast.YieldFrom, ast.Return):
            for node in self.names.nodes.get(cls, ()):
                assert isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom))
                around = (p for p in self.names.ancestors(node) if isinstance(p, _FUNCTIONS))
                found.setdefault(next(around, self.names.tree), []).append(node)
        return found


class OtherFile(Protocol):
    """A file or a folder of the project that can be imported."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def inference(self) -> Inference | None:
        """What its expressions are; None for a folder, and where it cannot be read."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder without an ``__init__.py``."""

    def may_bind(self, name: str) -> bool:
        """Whether the text of the file, or of one that it takes all names from, may bind a name.

        Of a folder anything may.
        """

    def submodule(self, name: str) -> OtherFile | None:
        """The file of a package, or of a folder, that ``import package.name`` imports."""


class Files(Protocol):
    """The other files of the project, as one file imports them."""

    @property
    def path(self) -> Path:
        """Where the importing file is."""

    @property
    def own_libraries(self) -> Mapping[str, str]:
        """What stands before the names of libraries that the project has itself."""

    waits: bool
    """Whether something was left because of what other files hold, and may go once they
    changed."""

    def own_names(self, text: str) -> Names | None:
        """The scopes of the importing file, where others have asked for it, and it is ``text``."""

    def keep_names(self, text: str, names: Names) -> None:
        """Keep the scopes of the importing file for others that will ask for it, as ``text``."""

    def as_begun(self) -> Inference | None:
        """What is known of the importing file as it was when the run began, as others see it."""

    def is_of_library(self) -> bool:
        """Whether programs out of sight may import the importing file."""

    def is_found_elsewhere(self, name: str, taken: Collection[str]) -> bool:
        """Whether Python 3 may find what the importing file of a package has beside it."""

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether a file that may take names from the importing one speaks of a name."""

    def mentioning(self, word: str) -> Collection[OtherFile] | None:
        """The other files of the project that hold a word; None where that is not known."""

    def is_imported_by(self, path: Path) -> bool:
        """Whether a file is the importing one, or may import it, by itself or by way of others."""

    def nearness(self, path: Path) -> tuple[bool, int]:
        """How near a file that may import this one is: least in the same folder, by few imports."""

    def may_meet(self, path: Path) -> bool:
        """Whether one program may run the importing file and another one of the project."""

    def called(self, path: Path) -> str:
        """How a message calls another file of the project.

        By its name, or by the path from the project's root where another file has that name.
        """

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to another file, too."""

    def offers(self, file: OtherFile, name: str) -> bool:
        """Whether other files may take a name from ``file``."""

    def module(self, dotted: str) -> OtherFile | None:
        """What an import names, ``package.module`` or ``..module``; None where not certain."""

    def module_with(self, dotted: str, name: str) -> OtherFile | None:
        """The one of several files that an import may mean that has a name."""

    def is_method(self, name: str) -> bool:
        """Whether a class of the project may have a method of that name without arguments."""

    def is_defined(self, name: str) -> bool:
        """Whether any file of the project may define a function or method of that name."""

    def is_assigned_anywhere(self, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not called ``self``."""

    def is_assigned(self, name: str, by_module: bool) -> bool:
        """Whether a file that may import this one assigns to ``….name``.

        Args:
            name: the attribute.
            by_module: only assignments to what the file imports count.
        """
