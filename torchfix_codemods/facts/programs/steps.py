"""What happens to a model, in the order in which it runs: training, inference, modes.

The code of a module is read as one tree of steps: calls of functions are followed, those of other
files of the project too. Everything is asked for one model at a time.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from torchfix_codemods.facts.evaluation import classes_elsewhere, parameters
from torchfix_codemods.facts.language.arguments import argument, values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import children, walk
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.project_imports import takes_from_project
from torchfix_codemods.facts.programs.models import Model, model_of, model_of_parameter, module_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Array,
    ClassObject,
    Foreign,
    Function,
    Instance,
    Method,
    Module,
    Number,
    Optimizer,
    Scheduler,
    Text,
    Unknown,
)
from torchfix_codemods.record import record

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While)

_OF_LIBRARIES = ("torch.", "torchvision.", "numpy.")

#: Methods of every module that leave its mode alone.
MODULE_METHODS = frozenset(
    """add_module apply buffers children cpu cuda double eval extra_repr float forward get_parameter
    half load_state_dict modules named_buffers named_children named_modules named_parameters
    parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_parameter requires_grad_ share_memory state_dict to train
    type zero_grad""".split()
)

Kind = Literal["train", "eval", "run", "backward", "step", "loop", "call", "unseen"]
"""``unseen``: something that gets the model, or may reach it, and may set its mode."""


@dataclass(eq=False)
class Step:
    """One thing that happens to a model; loops and calls hold what happens inside of them."""

    kind: Kind
    node: ast.AST
    facts: Facts
    """What is known of the file that holds the node."""
    children: list[Step] = field(default_factory=list)
    function: ast.AST | None = None
    """For calls: the function that is called."""
    is_given: bool = False
    """Whether what is not seen gets the model as an argument."""

    def all(self) -> Iterator[Step]:
        """The step and everything inside of it."""
        yield self
        for child in self.children:
            yield from child.all()

    def has(self, *kinds: Kind) -> bool:
        """Whether each of ``kinds`` happens in this step."""
        return set(kinds) <= {step.kind for step in self.all()}

    def trains(self) -> bool:
        """Whether the model is trained in this step."""
        return self.has("run", "backward", "step")


def mode_of(call: ast.Call, facts: Facts) -> Literal["train", "eval"] | None:
    """What ``x.train()``, ``x.train(False)`` and ``x.eval()`` set, if x may be a module."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in ("train", "eval"):
        return None
    if len(call.args) + len(call.keywords) > (1 if function.attr == "train" else 0):
        return None
    if facts.name(function) is not None:
        return None
    receiver = facts.value(function.value)
    if isinstance(receiver, Imported):
        receiver = receiver.value
    if isinstance(receiver, (Instance, Foreign, Text, Array, Number)):
        return None
    if function.attr == "eval":
        return "eval"
    arguments = values_given(call)
    is_off = arguments and isinstance(arguments[0], ast.Constant) and not arguments[0].value
    return "eval" if is_off else "train"


def mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    """All calls that set a mode, of whatever model."""
    return facts.remembered("mode calls", lambda: _mode_calls(facts))


def _mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    return [
        (node, mode)
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call) and (mode := mode_of(node, facts)) is not None
    ]


def may_be_held(facts: Facts, model: Model) -> bool:
    """Whether something out of sight may keep the model, and set its mode at any time."""
    return any(
        step.kind == "unseen"
        and not isinstance(step.facts.parent(step.node), ast.Expr)
        and step.is_given
        for steps in roots(facts, model)
        for root in steps
        for step in root.all()
    )


@record
class PassedOn:
    """What may be a model and is given to a function of another file."""

    given: ast.expr
    model: Model
    """The variable that it is read from."""
    there: Facts
    """The facts of the other file."""
    function: ast.FunctionDef

    @property
    def may_be_evaluated(self) -> bool:
        """Whether the function, or one that it calls, sets the mode of anything."""
        return self._reaches(_speaks_of_modes)

    @property
    def gives_volatile(self) -> bool:
        """Whether the function, or one that it calls, makes anything volatile."""
        return self._reaches(_speaks_of_volatile)

    def _reaches(self, speaks: Callable[[ast.AST], bool]) -> bool:
        key = "reaches", self.function, speaks
        return self.there.remembered(key, lambda: _reaches(self.there, self.function, speaks))


def _reaches(facts: Facts, function: ast.FunctionDef, speaks: Callable[[ast.AST], bool]) -> bool:
    seen = {function}
    pending = [(facts, function)]
    while pending:
        there, called = pending.pop()
        if speaks(called):
            return True
        for found in there.remembered(
            ("callees", called), functools.partial(_callees, there, called)
        ):
            if found[1] not in seen:
                seen.add(found[1])
                pending.append(found)
    return False


def _callees(facts: Facts, function: ast.FunctionDef) -> list[tuple[Facts, ast.FunctionDef]]:
    calls = facts.names.inside(function, ast.Call)
    found = (called_function(facts, call) for call in calls)
    return [called for called in found if called is not None]


def _speaks_of_modes(function: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("train", "eval")
        for node in walk(function)
    )


def _speaks_of_volatile(function: ast.AST) -> bool:
    return any(isinstance(node, ast.keyword) and node.arg == "volatile" for node in walk(function))


def models_passed_on(facts: Facts) -> list[PassedOn]:
    """What may be models and is given to functions of other files."""
    if not takes_from_project(facts):
        return []
    return facts.remembered("models passed on", lambda: list(_models_passed_on(facts)))


def _models_passed_on(facts: Facts) -> Iterator[PassedOn]:
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call) and facts.files is not None
        function = call.func
        if isinstance(function, ast.Attribute) and not facts.files.is_defined(function.attr):
            continue
        called = called_function(facts, call)
        if called is None or called[0] is facts:
            continue
        for given in values_given(call):
            model = model_of(facts, given)
            if model is not None and isinstance(facts.value(given), (Module, Unknown)):
                yield PassedOn(given, model, *called)


# The steps


def roots(facts: Facts, model: Model) -> list[list[Step]]:
    """The steps of the module's own code, and of each function that nothing here calls."""
    return facts.remembered(("roots", model), lambda: list(_roots(facts, model)))


def _roots(facts: Facts, model: Model) -> Iterator[list[Step]]:
    steps = _Walk(facts)
    yield steps.block(facts, model, facts.tree.body)
    for cls in _FUNCTIONS:
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, _FUNCTIONS)
            if not parameters.call_sites(facts.inference, node):
                yield steps.block(facts, model, node.body)


def steps_in(facts: Facts, model: Model, statements: Iterable[ast.stmt]) -> list[Step]:
    """What happens to a model in some statements of a file."""
    return _Walk(facts).block(facts, model, statements)


class _About:
    """What is known of a call, whichever model is asked about."""

    def __init__(self, facts: Facts, call: ast.Call) -> None:
        self.facts = facts
        self.call = call

    @functools.cached_property
    def mode(self) -> Literal["train", "eval"] | None:
        """The mode that it sets."""
        return mode_of(self.call, self.facts)

    @functools.cached_property
    def receiver(self) -> Model | None:
        """The variable before the dot."""
        function = self.call.func
        if not isinstance(function, ast.Attribute):
            return None
        return model_of(self.facts, function.value)

    @functools.cached_property
    def run(self) -> frozenset[Model | None]:
        """The variable that it calls, or runs the ``forward`` of."""
        function = self.call.func
        called = model_of(self.facts, function)
        is_forward = isinstance(function, ast.Attribute) and function.attr == "forward"
        return frozenset([called, self.receiver] if is_forward else [called])

    @functools.cached_property
    def given(self) -> frozenset[Model | None]:
        """The variables that it passes."""
        return frozenset(model_of(self.facts, given) for given in values_given(self.call))

    @functools.cached_property
    def kind(self) -> Kind | None:
        """What it does itself for the training of whatever model."""
        function = self.call.func
        if not isinstance(function, ast.Attribute):
            return None
        if function.attr == "backward" or self.facts.name(function) == "torch.autograd.grad":
            return "backward"
        if function.attr == "step" and self.called is None:
            return None if _steps_no_model(self.facts, function.value) else "step"
        return None

    @functools.cached_property
    def called(self) -> tuple[Facts, ast.FunctionDef] | None:
        """The function of the project that it calls."""
        return called_function(self.facts, self.call)


class _Walk:
    """A walk through the code of a file, and of the functions of other files that it calls.

    Args:
        home: the facts of the file. Who sets modes in it is asked of :func:`mode_calls`.
    """

    def __init__(self, home: Facts) -> None:
        self._home = home
        self._known: dict[tuple[ast.AST, Model | None], list[Step]] = {}

    def block(self, facts: Facts, model: Model | None, body: Iterable[ast.stmt]) -> list[Step]:
        """The steps of statements; without a model, only what may set the mode of any."""
        return [step for statement in body for step in self._steps(facts, model, statement)]

    def _steps(self, facts: Facts, model: Model | None, node: ast.AST) -> Iterator[Step]:
        for part in facts.remembered(("calls", node), lambda: list(_calls_and_loops(node))):
            if isinstance(part, ast.Call):
                yield from self._steps_of_call(facts, model, part)
            else:
                inside = [s for c in children(part) for s in self._steps(facts, model, c)]
                if inside:
                    yield Step("loop", part, facts, inside)

    def _steps_of_call(self, facts: Facts, model: Model | None, call: ast.Call) -> Iterator[Step]:
        # Asked for each model anew, of the same calls.
        about = facts.remembered(("about", call), lambda: _About(facts, call))
        if about.mode is not None:
            if model is not None and about.receiver == model:
                yield Step(about.mode, call, facts)
            elif facts is not self._home:
                yield Step("unseen", call, facts)
        elif about.kind is not None:
            yield Step(about.kind, call, facts)
        elif model is not None and model in about.run:
            yield Step("run", call, facts)
        elif about.called is not None:
            inside = self._within(facts, model, call, *about.called)
            if inside:
                yield Step("call", call, facts, inside, about.called[1])
        elif model is not None and self._may_set_mode(about, model):
            yield Step("unseen", call, facts, is_given=model in about.given)

    def _within(
        self,
        facts: Facts,
        model: Model | None,
        call: ast.Call,
        there: Facts,
        called: ast.FunctionDef,
    ) -> list[Step]:
        """The steps of the function that a call runs."""
        if there is not facts and model is not None:
            parameter = passed_as(facts, model, call, called)
            if parameter is None:
                if passed(facts, model, call) is not None:
                    return [Step("unseen", call, facts)]
                # Without being given it, another file can reach a model as ``self.model`` only.
                model = model if isinstance(model[0], ast.ClassDef) else None
            else:
                model = model_of_parameter(there, parameter)
                if model is None:
                    return [Step("unseen", call, facts)]
        key = called, model
        if key not in self._known:
            # A function that calls itself adds nothing to itself.
            self._known[key] = []
            self._known[key] = self.block(there, model, called.body)
        return self._known[key]

    def _may_set_mode(self, about: _About, model: Model) -> bool:
        """Whether a call that cannot be followed gets the model, and may do anything to it."""
        facts, function = about.facts, about.call.func
        if isinstance(function, ast.Attribute) and about.receiver == model:
            return function.attr not in MODULE_METHODS and not self._is_method_in_sight(
                facts, function
            )
        if model not in about.given:
            return False
        name = facts.name(function)
        if name is not None:
            return not (name.startswith(_OF_LIBRARIES) or is_foreign(name))
        if facts.names.builtin(function) is not None:
            return False
        callee = facts.value(function)
        if isinstance(callee, Method):
            callee = callee.receiver
        if isinstance(callee, (Module, Foreign)):
            return False
        return facts is not self._home or not isinstance(callee, (Function, ClassObject, Instance))

    def _is_method_in_sight(self, facts: Facts, function: ast.Attribute) -> bool:
        """``model.loss(x)`` of a class of the project, where the method sets no modes."""
        model = module_of(facts, function.value) or facts.value(function.value)
        found = classes_elsewhere.method_of(facts.inference, model, function.attr)
        if found is None:
            return False
        owner, method = found
        return owner is self._home.inference or not _speaks_of_modes(method)


def _calls_and_loops(node: ast.AST) -> Iterator[ast.AST]:
    """The calls of a statement in the order in which they run, and its outermost loops."""
    if isinstance(node, _DEFINITIONS):
        return
    if isinstance(node, LOOPS):
        yield node
        return
    for child in children(node):
        yield from _calls_and_loops(child)
    if isinstance(node, ast.Call):
        yield node


def _steps_no_model(facts: Facts, stepped: ast.expr) -> bool:
    """Whether ``step()`` of something moves no weights: a schedule, or one of ``SGD([delta])``."""
    if isinstance(facts.value(stepped), (Scheduler, Instance)):
        return True
    made = facts.assigned(stepped) if isinstance(stepped, ast.Name) else None
    return made is not None and all(_is_of_tensors_only(facts, value) for value in made)


def _is_of_tensors_only(facts: Facts, value: ast.expr) -> bool:
    """``optim.SGD([delta], lr=0.1)``, of tensors that are no parameters of a module."""
    if not (isinstance(value, ast.Call) and isinstance(facts.value(value), Optimizer)):
        return False
    optimized = argument(value, 0, "params")
    return isinstance(optimized, (ast.List, ast.Tuple)) and all(
        isinstance(element, ast.Name) and facts.is_tensor(element) for element in optimized.elts
    )


def passed_as(
    facts: Facts, model: Model, call: ast.Call, called: ast.FunctionDef
) -> ast.arg | None:
    """The parameter for which a call passes the model."""
    is_bound = classes_elsewhere.is_bound(facts.inference, facts.value(call.func), called)
    arguments = called.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        given = parameters.argument_for(called, parameter, call, is_bound)
        if given is not None and model_of(facts, given) == model:
            return parameter
    return None


def passed(facts: Facts, model: Model, call: ast.AST) -> ast.expr | None:
    """The variable that a call passes the model from."""
    assert isinstance(call, ast.Call)
    for given in values_given(call):
        if model_of(facts, given) == model:
            while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
                given = given.func.value
            return given
    return None


def called_function(facts: Facts, call: ast.Call) -> tuple[Facts, ast.FunctionDef] | None:
    """The function or method of the project that a call runs, and the facts of its file."""
    if not _may_be_of_project(facts, call.func):
        # Most functions are those of Python and torch, and values are dear to find out.
        return None
    callee = facts.value(call.func)
    found = classes_elsewhere.function_of(facts.inference, callee)
    if found is None:
        return None
    there, definition = facts_of(found[0]), found[1]
    if there is None or (isinstance(callee, Method) and isinstance(callee.receiver, Module)):
        return None
    return there, definition


def _may_be_of_project(facts: Facts, function: ast.expr) -> bool:
    """Whether a function or method that is called may be one that the project defines."""
    if (facts.name(function) or "").startswith(_OF_LIBRARIES):
        return False
    if isinstance(function, ast.Attribute):
        name, files = function.attr, facts.files
        return name in facts.names.defined or (files is not None and files.is_defined(name))
    if isinstance(function, ast.Name) and not facts.names.unknown_star_imports:
        return facts.names.scope_of(function).lookup(function.id) is not None
    return True
