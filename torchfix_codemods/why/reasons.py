"""What a rule asked before it found nothing, and the answers, in words."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from torchfix_codemods import rule
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.language import flow, names
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values import lattice as values
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.record import record
from torchfix_codemods.report.words import in_words, shortened
from torchfix_codemods.rule import Rule
from torchfix_codemods.text import wording
from torchfix_codemods.text.stack import is_deep
from torchfix_codemods.why.decided import CannotEvaluateError, Scene, decisions
from torchfix_codemods.why.watched import Run, watch

_DEEPEST = 6
#: More things that were looked through in vain say no more than one.
_MOST = 3

_PACKAGE = "torchfix_codemods."

#: Modules that answer what stands where: not what is known of it.
_FORMS = frozenset(module.__name__ for module in (flow, names, rule, wording))

_NEEDED: dict[type[values.Value], str] = {
    values.Array: "numpy array",
    values.Batch: "batch of a DataLoader",
    values.Foreign: "object of another library",
    values.Instance: "object of a class of this file",
    values.Mapping: "dict",
    values.Module: "module",
    values.Number: "number",
    values.Optimizer: "optimizer",
    values.Packed: "PackedSequence",
    values.Scheduler: "scheduler",
    values.Sequence: "list or tuple",
    values.StateDict: "state_dict",
    values.Tensor: "tensor",
    values.Text: "text",
}


class Weight(enum.IntEnum):
    """What a question and its answer say about the code that a rule is asked about."""

    FORM = 0
    """It has not the form that is looked for."""
    LACKS = 1
    """It lacks what is asked for, which says something if it is of the right kind otherwise."""
    KNOWN = 2
    """What is known of it, or stands against a rewrite."""
    DOUBT = 3
    """Whether it is what is looked for is not known."""


@record
class Reason:
    """A question that decided, with its answer."""

    text: str
    behind: tuple[Reason, ...] = ()
    """What the answer hung on."""
    own_weight: Weight = Weight.KNOWN
    kind: str = ""
    """The same in short, for an answer that is about a value."""

    def lacking(self, needed: str) -> Reason:
        """This reason where something was asked for that the value is not, or may not be."""
        if not (needed and self.kind):
            return self
        link = "so it may be" if self.own_weight is Weight.DOUBT else "and"
        return Reason(f"{self.kind}, {link} no {needed}", own_weight=self.own_weight)

    @property
    def weight(self) -> Weight:
        """The most that it, or what is behind it, says."""
        behind = max((reason.weight for reason in self.behind), default=Weight.FORM)
        return max(behind, self.own_weight)

    def __str__(self) -> str:
        known = list(dict.fromkeys(leaf.text for leaf in self.leaves() if leaf.text != self.text))
        return f"{self.text} ({'; '.join(known[:_MOST])})" if known else self.text

    def leaves(self) -> Iterator[Reason]:
        """What the answer hung on in the end, forms left out."""
        for reason in self.behind:
            yield from reason.leaves()
        if not self.behind and self.own_weight is not Weight.FORM:
            yield self


def reasons(finder: Callable[..., Any], node: ast.AST, facts: Facts) -> list[Reason]:
    """Why a finder of a rule yields nothing for a node.

    Args:
        finder: the method ``find_…`` of a rule.
        node: what it is asked about.
        facts: those of the module.

    Returns:
        the questions that decided, with their answers; none where the code has not the form that
        the rule looks for.
    """
    asking = _Asking(facts, node)
    found = asking.of_call(finder, (node, facts), {}, 0)
    least = Weight.LACKS if asking.is_of_right_kind else Weight.KNOWN
    return [reason for reason in found if reason.weight >= least]


class _Asking:
    """Tells the questions behind conditions."""

    def __init__(self, facts: Facts, node: ast.AST) -> None:
        self.facts = facts
        self.node = node
        self.is_of_right_kind = False
        """Whether the rule itself met torch's names or known values before it gave up."""

    def of_call(
        self,
        function: Callable[..., Any],
        given: tuple[Any, ...],
        named: dict[str, Any],
        depth: int,
    ) -> list[Reason]:
        """What decided what a function of ours returns."""
        try:
            run = watch(function, given, named)
        except Exception as error:
            # What asked it may have been ready for that.
            if isinstance(error, RecursionError) and not is_deep():
                raise
            return []
        if isinstance(getattr(function, "__self__", None), Rule):
            self.is_of_right_kind = self.is_of_right_kind or _knows_something(run)
        found: dict[str, Reason] = {}
        for decision in decisions(run):
            for reason in self._of(decision.node, decision.scene, depth):
                found.setdefault(reason.text, reason)
        return list(found.values()) if len(found) <= _MOST else []

    def _of(self, node: ast.AST, scene: Scene, depth: int) -> Iterator[Reason]:
        """The questions that an expression is made of."""
        if isinstance(node, ast.Name):
            definition = scene.definition(node.id)
            if definition is not None and depth < _DEEPEST:
                yield from self._of(*definition, depth + 1)
        elif isinstance(node, ast.Call):
            yield from self._of_called(node, scene, depth)
        elif isinstance(node, ast.Attribute) and node.attr in ("newest", "oldest"):
            yield Reason(f"the file is written for torch {self.facts.era}")
        elif not isinstance(node, ast.Lambda):
            for part in ast.iter_child_nodes(node):
                yield from self._of(part, scene, depth)

    def _of_called(self, call: ast.Call, scene: Scene, depth: int) -> list[Reason]:
        try:
            return list(self._asked_by(call, scene, depth))
        except CannotEvaluateError:
            return []

    def _asked_by(self, call: ast.Call, scene: Scene, depth: int) -> Iterator[Reason]:
        function = scene.value(call.func)
        owner = getattr(function, "__self__", None)
        name = getattr(function, "__name__", "")
        if function is isinstance:
            yield from self._of_kind(call, scene, depth)
        elif function is follow:
            yield from self._of_walk(call, scene, depth)
        elif isinstance(owner, Era) and name == "before":
            yield from self._of_age(call, scene)
        elif isinstance(owner, Facts) and name == "remembered":
            compute = call.args[1]
            if isinstance(compute, ast.Lambda):
                yield from self._of(compute.body, scene, depth)
        elif isinstance(owner, (Facts, Inference)) and name in _VALUES:
            facts = owner if isinstance(owner, Facts) else facts_of(owner) or self.facts
            yield from self._of_value(call, scene, _VALUES[name], facts)
        elif isinstance(owner, Facts) and name == "name":
            yield from self._of_name(call, scene, owner)
        elif _is_question(function):
            yield from self._of_helper(function, call, scene, depth)
        else:
            for part in (call.func, *call.args):
                yield from self._of(part, scene, depth)

    def _of_kind(self, call: ast.Call, scene: Scene, depth: int) -> Iterator[Reason]:
        """``isinstance(value, Tensor)``."""
        subject, kinds = call.args
        asked = list(self._of(subject, scene, depth))
        needed = "" if scene.value(call) else _needed(scene.value(kinds))
        for reason in asked:
            yield reason.lacking(needed) if len(asked) == 1 else reason

    def _of_walk(self, call: ast.Call, scene: Scene, depth: int) -> Iterator[Reason]:
        """What ended the way of a value through the graph."""
        trail, question = scene.value(call), scene.value(call.args[1])
        given = () if not isinstance(question, functools.partial) else question.args
        question = question.func if isinstance(question, functools.partial) else question
        if trail is not None and depth < _DEEPEST:
            yield from self.of_call(question, (*given, trail.end), {}, depth)

    def _of_age(self, call: ast.Call, scene: Scene) -> Iterator[Reason]:
        version = ".".join(map(str, scene.value(call.args[0])))
        if scene.value(call):
            yield Reason(f"the file is older than torch {version}")
        else:
            yield Reason(f"it is not certain that the file is older than torch {version}")

    def _of_value(
        self, call: ast.Call, scene: Scene, needed: str, facts: Facts
    ) -> Iterator[Reason]:
        node, answer = scene.value(call.args[0]), scene.value(call)
        if isinstance(node, ast.AST) and not _is_plain(node, facts):
            code, value = _code(node, facts), facts.value(node)
            weight = Weight.DOUBT if isinstance(value, values.Unknown) else Weight.KNOWN
            reason = Reason(
                f"{code} is {in_words(value)}",
                own_weight=weight,
                kind=f"{code} is {_kind(value)}",
            )
            yield reason if answer else reason.lacking(needed)

    def _of_name(self, call: ast.Call, scene: Scene, facts: Facts) -> Iterator[Reason]:
        """A name that may be torch's; what is certainly something else is no reason."""
        node = scene.value(call.args[0])
        if isinstance(node, (ast.Name, ast.Attribute)) and facts.name(node) is None:
            if node in ast.walk(self.node) and may_be_imported(node, facts):
                said = f"it is not certain what {_code(node, facts)} is"
                yield Reason(said, own_weight=Weight.DOUBT)

    def _of_helper(
        self, function: Callable[..., Any], call: ast.Call, scene: Scene, depth: int
    ) -> Iterator[Reason]:
        if depth >= _DEEPEST:
            return
        given = tuple(scene.value(argument) for argument in call.args)
        named = {k.arg: scene.value(k.value) for k in call.keywords if k.arg}
        answer = scene.value(call)
        inner = self.of_call(function, given, named, depth + 1)
        # Some questions are about another file of the project.
        facts = next((each for each in given if isinstance(each, Facts)), self.facts)
        question = _question(function, given, named, answer, facts)
        if question is None:
            yield from inner
        else:
            yield replace(question, behind=tuple(inner))


#: Questions about the value of an expression, and what is needed where the answer is no.
_VALUES = {
    "value": "",
    "possible": "",
    "is_tensor": "tensor",
    "is_shown_tensor": "tensor",
    "is_module": "module",
}


def _knows_something(run: Run) -> bool:
    """Whether a function asked for a name and got one of torch's, or for a value that is known."""
    for index, step in enumerate(run.steps):
        for call in ast.walk(step.head):
            door = getattr(getattr(call, "func", None), "attr", None)
            if isinstance(call, ast.Call) and (door == "name" or door in _VALUES):
                try:
                    answer = Scene(run, index).value(call)
                except CannotEvaluateError:
                    continue
                if isinstance(answer, str) and answer.startswith("torch"):
                    return True
                if answer is True or type(answer) in _NEEDED:
                    return True
    return False


def _is_question(function: Any) -> bool:
    """Whether a function is one of ours that answers something about code."""
    module = getattr(function, "__module__", None) or ""
    is_plain = inspect.isfunction(function) or inspect.ismethod(function)
    return is_plain and module.startswith(_PACKAGE) and module not in _FORMS


def _needed(kinds: object) -> str:
    """The kinds of values that a condition asks for."""
    known = [
        _NEEDED[kind]
        for kind in (kinds if isinstance(kinds, tuple) else (kinds,))
        if isinstance(kind, type) and kind in _NEEDED
    ]
    return " or ".join(known)


def may_be_imported(node: ast.expr, facts: Facts) -> bool:
    """Whether the name that an expression begins with comes from an import."""
    root = first_name(node)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    return found is not None and any(binding.kind == "import" for binding in found[1])


def _is_plain(node: ast.AST, facts: Facts) -> bool:
    """Whether everybody sees what an expression is: a number, ``int``, an imported module."""
    if isinstance(node, ast.Constant) or facts.names.builtin(node) is not None:
        return True
    return isinstance(facts.value(node), values.Unknown) and facts.name(node) is not None


def _kind(value: values.Value) -> str:
    """What a value is, without what else is known of it."""
    return re.split(r" of: |[;,] ", in_words(value))[0]


def _code(node: ast.AST, facts: Facts) -> str:
    """How a text names a part of the code."""
    if isinstance(node, ast.expr):
        # What a call leaves out, and a default stands for, is nowhere in the file.
        is_written = hasattr(node, "lineno")
        return f"`{shortened(facts.segment(node) if is_written else ast.unparse(node))}`"
    line = getattr(node, "lineno", None)
    return "it" if line is None else f"line {line}"


def _question(
    function: Callable[..., Any],
    given: Iterable[Any],
    named: dict[str, Any],
    answer: object,
    facts: Facts,
) -> Reason | None:
    """What a function of ours is asked, in its own words, and what it answers.

    None where it has no words, or where its answer is no yes and no no.
    """
    words = inspect.getdoc(function) or ""
    words = " ".join(words.partition("\n\n")[0].split()).rstrip(".").replace("``", "`")
    if not words:
        return None
    arguments = inspect.signature(function).bind(*given, **named).arguments
    is_about_code = any(isinstance(value, (ast.AST, list, tuple)) for value in arguments.values())
    for name, value in arguments.items():
        if isinstance(value, (ast.expr, ast.stmt)):
            words = words.replace(f"`{name}`", _code(value, facts))
        elif isinstance(value, str):
            words = words.replace(f"`{name}`", f"`{value}`")
    expressions = [value for value in arguments.values() if isinstance(value, ast.expr)]
    of = ""
    if len(expressions) == 1 and words.startswith("Whether "):
        code = _code(expressions[0], facts)
        words = _SUBJECT.sub(lambda found: f"{found[1] or found[2]}{code} ", words, count=1)
        of = "" if code in words else f" of {code}"
    if isinstance(answer, bool) and words.startswith("Whether "):
        weight = Weight.KNOWN if answer else Weight.LACKS
        said = f"asked{of} whether {words[8:]}: {'yes' if answer else 'no'}"
        return Reason(said, own_weight=weight if is_about_code else Weight.FORM)
    if isinstance(answer, values.Value):
        return Reason(f"asked for {_noun(words)}: {in_words(answer)}")
    if not answer and isinstance(answer, _NOTHING):
        return Reason(f"looked for {_noun(words)}: in vain", own_weight=Weight.FORM)
    return None


#: The code that a question is about, where it has no name of its own.
_SUBJECT = re.compile(r"^(Whether )a (?:call|name|tensor|use|value) |( )an expression ")

_NOTHING = (type(None), bool, list, tuple, frozenset, set, dict)


def _noun(words: str) -> str:
    """The head of a docstring that names a thing."""
    head = re.split(r";|: ", words)[0]
    return head if head[1:2].isupper() else head[:1].lower() + head[1:]
