"""What may be a use of a function or class, by its name or by a text that is looked up.

``getattr(module, name)`` and ``globals()[name]`` find functions by texts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from torchfix_codemods.facts.evaluation.classes_elsewhere import attribute_owners
from torchfix_codemods.facts.evidence.no_functions import is_no_function
from torchfix_codemods.facts.language.arguments import begin_of_text, constant
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.paths.named import (
    class_named,
    derives,
    function_named,
    is_one_file,
    is_self,
)
from torchfix_codemods.facts.values.imported import ImportedFile
from torchfix_codemods.facts.values.inference import Files, OtherFile
from torchfix_codemods.facts.values.lattice import Foreign, Method, Module, Unknown, Value

#: What gives an object for a text, or runs one as code.
_LOOKUPS = frozenset("getattr globals locals vars eval exec __import__".split())
#: The same of libraries, and attributes that are such; what is called so elsewhere counts as well.
#: ``import_module`` is none: it gives modules alone, whose functions code names, or looks up.
_OTHER_LOOKUPS = frozenset(
    "__dict__ __getattribute__ attrgetter methodcaller Fire patch sys".split()
)

#: How a file binds what it defines itself, and what its functions are given.
_DEFINED = frozenset({"function", "class", "parameter"})


def is_looked_up(text: ast.Constant, facts: Facts, files: Files) -> bool:
    """Whether an object may be asked for by a text.

    That is where the text stands in a lookup itself, and anywhere where some file of the project
    looks up what is not written down there; what paths are made of is no name of an object.
    """
    call = facts.parent(text)
    if isinstance(call, ast.Call) and _is_lookup(call, facts):
        return True
    if isinstance(call, ast.Call) and (facts.name(call.func) or "").startswith("os.path."):
        return False
    begins = facts.remembered("looks up", lambda: _looked_up(facts, files))
    return begins is None or str(text.value).startswith(begins)


def may_be_looked_up(name: str, facts: Facts, files: Files) -> bool:
    """Whether an attribute may be asked for by a text: ``getattr(self, "net" + i)``."""
    begins = facts.remembered("looks up", lambda: _looked_up(facts, files))
    if begins is not None and name.startswith(begins):
        return True
    homes = (facts, *(there for file in files.mentioning(name) or () if (there := facts_of(file))))
    return any(is_looked_up(text, home, files) for home in homes for text in home.names.texts(name))


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
        yield from ("" for _ in (*facts.names.attributes(word), *named))
    else:
        for scope in facts.names.scopes_using(word):
            for use in scope.uses[word]:
                call = facts.parent(use)
                if not isinstance(call, ast.Call) or call.func is not use:
                    yield ""
                elif _is_lookup(call, facts) and not _finds_no_other(call, facts):
                    has_text = word == "getattr" and len(call.args) > 1
                    yield begin_of_text(call.args[1]) if has_text else ""


def _is_lookup(call: ast.Call, facts: Facts) -> bool:
    return facts.names.builtin(call.func) in _LOOKUPS


def _finds_no_other(call: ast.Call, facts: Facts) -> bool:
    """``getattr(options, "seed", 0)``, which finds that alone, and ``getattr(torch.optim, name)``.

    What a library or an object of one has, as ``vars(parser.parse_args())`` shows it, is nothing of
    the project, but for what the project puts there, which it names where it does. So it is with a
    file of options alone.
    """
    if len(call.args) > 1 and isinstance(constant(call.args[1]), str):
        return True
    if facts.names.builtin(call.func) not in ("getattr", "vars") or not call.args:
        return False
    held = facts.value(call.args[0])
    if isinstance(held, ImportedFile):
        return _has_no_functions(held.file)
    return _is_of_library(call.args[0], facts) or isinstance(held, Foreign)


def _has_no_functions(file: OtherFile) -> bool:
    """Whether a file of the project only gives names to what it makes of constants and libraries.

    It has no function or class, of its own or of another file.
    """
    there = facts_of(file)
    if there is None or there.names.unknown_star_imports:
        return False
    bound = [binding for each in there.names.module.bindings.values() for binding in each]
    return all(
        binding.kind == "assign"
        or (binding.kind == "import" and _is_name_of_library(binding.qualified or ""))
        for binding in bound
    )


def _is_of_library(node: ast.expr, facts: Facts) -> bool:
    return _is_name_of_library(facts.name(node) or "")


def _is_name_of_library(name: str) -> bool:
    return f"{name}.".startswith(("torch.", "torchvision.", "numpy.")) or is_foreign(name)


def is_of_any_module(value: Value) -> bool:
    """Whether a value is the method of a module that may be one of several, or of any class."""
    module = value.receiver if isinstance(value, Method) else None
    return isinstance(module, Module) and not (module.cls or module.definition or module.origin)


class UsesByName:
    """The uses of a function or class of one file in another one."""

    def __init__(
        self,
        called: ast.FunctionDef | ast.ClassDef,
        home: Facts,
        files: Files,
        facts: Facts,
    ) -> None:
        self._called = called
        self._home = home
        self._owner = home.parent(called)
        self._files = files
        self._facts = facts

    def calls(self) -> Iterator[tuple[ast.Call | None, Facts]]:
        """The calls of what is called, each with the facts of its file, and None for each other use
        that there may be.
        """
        for node in self._named():
            if self._may_be_it(node):
                call = self._facts.parent(node)
                if isinstance(call, ast.Call) and self._is_of_super(node, call):
                    continue
                if isinstance(call, ast.Attribute) and self._is_of_method(node, call):
                    continue
                if isinstance(call, ast.Call) and call.func is node:
                    yield call, self._facts
                elif handed := self._calls_where_handed(node):
                    yield from handed
                else:
                    yield None, self._facts

    def _calls_where_handed(self, node: ast.expr) -> list[tuple[ast.Call, Facts]] | None:
        """The calls in a function of the project that is given this one, and does no more with it.

        ``step(batch)`` of ``def run(step): …`` that ``run(train)`` hands ``train`` to.
        """
        use = use_of(Place(self._facts, node))
        taker = use.callee() if isinstance(self._called, ast.FunctionDef) else None
        if taker is None or not isinstance(self._owner, ast.Module):
            return None
        there, function = taker
        parameters = [binding.name for _, binding in use.parameters()]
        is_plain = isinstance(there.parent(function), ast.Module)
        if len(parameters) != 1 or not is_plain or there.classes.is_wrapped(function):
            return None
        uses = [*there.names.uses_of(there.names.scopes[function], parameters[0])]
        around = [(there.parent(each), each) for each in uses]
        calls = [call for call, each in around if isinstance(call, ast.Call) and call.func is each]
        return [(call, there) for call in calls] if len(calls) == len(uses) else None

    def other_names(self) -> set[str]:
        """The names by which the file imports something of that name."""
        imports = self._facts.names.imports(self._called.name)
        return {binding.name for binding in imports} - {self._called.name}

    def _named(self) -> Iterator[ast.expr]:
        names = {self._called.name} | self.other_names()
        read: Sequence[Any] = ()
        if any(map(self._facts.names.scopes_using, names)):
            read = self._facts.names.nodes.get(ast.Name, ())
        for name in [n for n in read if n.id in names and n.ctx.__class__ is ast.Load]:
            if not self._is_in_all(name):
                yield name
        yield from self._facts.names.attributes(self._called.name)
        for text in self._facts.names.texts(self._called.name):
            if not self._is_in_all(text) and is_looked_up(text, self._facts, self._files):
                yield text

    def _is_in_all(self, node: ast.expr) -> bool:
        """``__all__ = ["to_var"]``: whoever takes it from here names it."""
        statement = self._facts.statement(node)
        return isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets
        )

    def _may_be_it(self, node: ast.expr) -> bool:
        """Whether an expression is what is called, or cannot be seen to be something else."""
        if isinstance(node, ast.Constant):
            return True
        is_plain = isinstance(self._called, ast.FunctionDef) and not self._called.decorator_list
        if is_plain and is_no_function(self._facts.names, node):
            return False
        value = self._facts.value(node)
        is_class = isinstance(self._called, ast.ClassDef)
        named = class_named if is_class else function_named
        found = named(node, self._facts)
        if found is not None:
            owner, definition = found
            if owner.files is None or definition.name != self._called.name:
                return False
            return self._may_run_it(node, owner, owner.parent(definition))
        if is_of_any_module(value) or self._is_left_to_others(node):
            return True
        if not isinstance(value, Unknown) or _is_of_library(node, self._facts):
            return False
        if isinstance(node, ast.Attribute):
            return isinstance(self._facts.value(node.value), Unknown)
        return not (isinstance(node, ast.Name) and self._is_own(node))

    def _may_run_it(self, node: ast.expr, there: Facts, holder: ast.AST | None) -> bool:
        """Whether a method of a class, or what stands in it for one of a class below, is called."""
        own = self._owner
        if not isinstance(own, ast.ClassDef) or not isinstance(holder, ast.ClassDef):
            is_of_class = isinstance(own, ast.ClassDef) or isinstance(holder, ast.ClassDef)
            return not is_of_class and is_one_file(self._home, there)
        if holder.name == own.name and is_one_file(self._home, there):
            return True
        receiver = getattr(node, "value", None)
        if receiver is None or not derives(self._home, own, there, holder):
            return False
        if isinstance(receiver, ast.Call) and self._facts.names.builtin(receiver.func) == "super":
            # What comes next after a class is none of those below it.
            around = self._facts.names.enclosing_class(node)
            return around is None or not derives(self._home, own, self._facts, around)
        return class_named(receiver, self._facts) is None

    def _is_left_to_others(self, node: ast.expr) -> bool:
        """``self.step(x)`` in a class that has no such method, which those below it have.

        That may be any class of the project: ``class Both(Runner, Stepper)``.
        """
        facts = self._facts
        if not isinstance(self._owner, ast.ClassDef) or not isinstance(node, ast.Attribute):
            return False
        around = facts.names.enclosing_class(node) if is_self(facts, node.value) else None
        return around is not None and not any(attribute_owners(facts.inference, around, node.attr))

    def _is_of_super(self, node: ast.expr, call: ast.Call) -> bool:
        """``super(Trainer, self)``, which makes no object."""
        return node in call.args[:1] and self._facts.names.builtin(call.func) == "super"

    def _is_of_method(self, node: ast.expr, around: ast.Attribute) -> bool:
        """``Trainer.save(x)``, which makes no object: the method is not given the class."""
        if not isinstance(self._called, ast.ClassDef) or around.value is not node:
            return False
        found = function_named(around, self._facts)
        if found is None or found[0].classes.is_wrapped(found[1]):
            return False
        classes = found[0].classes
        return not classes.gets_object(found[1]) or classes.self_name(found[1]) is not None

    def _is_own(self, name: ast.Name) -> bool:
        """Whether a name is only ever bound by the file itself, to what it makes.

        ``train = load(rows)`` may hold a function only where something else names that.
        """
        names = self._facts.names
        found = names.scope_of(name).lookup(name.id)
        if found is None or any(binding.node is self._called for binding in found[1]):
            return False
        kinds = {binding.kind for binding in found[1]}
        # What another file gives by a star is seen under the names of the module alone.
        is_starred = found[0].kind == "module" and self._takes_all_from_another()
        return "import" not in kinds and not (is_starred and kinds - _DEFINED)

    def _takes_all_from_another(self) -> bool:
        imports = self._facts.names.nodes.get(ast.ImportFrom, ())
        return any(alias.name == "*" for each in imports for alias in getattr(each, "names", ()))
