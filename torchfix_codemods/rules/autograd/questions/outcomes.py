"""Whether all that a model computes ends in numbers, or somebody may back-propagate through it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_of_one_file
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.reach import reach_of
from torchfix_codemods.facts.programs.training import called_function, trains
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    WITHOUT_HISTORY,
    Array,
    Module,
    Number,
    Optimizer,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.value_flow import bindings_of

#: What turns gradients on, as methods and functions.
_GRADIENT_SWITCHES = frozenset({"requires_grad_", "enable_grad", "set_grad_enabled"})

#: So deep models are looked for in what other models were given.
_MAX_DEPTH = 8

#: Methods of lists and dicts that give what these hold.
_OF_CONTAINERS = frozenset({"items", "keys", "values", "get", "index"})
#: Methods of tensors that keep what they are given, or do so as methods of queues.
_KEEPING = frozenset({"put", "put_", "set_"})
_PASSING_MODULES = (
    "torch.cuda.",
    "torch.fft.",
    "torch.linalg.",
    "torch.nn.functional.",
    "torch.nn.utils.rnn.",
)
#: Modules of Python that read numbers out of what they get.
_READING_LIBRARIES = frozenset({"json", "logging", "math", "sys", "warnings"})
_COLLECTING_METHODS = frozenset({"append", "extend"})
_KEEPING_METHODS = _COLLECTING_METHODS | frozenset("insert add update put push setdefault".split())
#: Modules of torch that run the modules they are given.
_RUN_OTHERS = frozenset(
    "DataParallel DistributedDataParallel Module ModuleDict ModuleList Sequential".split()
)
_CHOOSING_METHODS = frozenset("argmax max topk".split())
_CHOOSING_LOSSES = frozenset("cross_entropy nll_loss CrossEntropyLoss NLLLoss NLLLoss2d".split())

_OUT_OF_SIGHT = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom)


@record
class History:
    """Where values go of which nobody can need the graph.

    Attributes:
        statements: the innermost statements that compute something from the values.
        expressions: what in them is computed from the values with their graph.
        classifies: whether classes are chosen by the values, or a loss for classes is computed.
        asks_others: whether code that is not known computes something from the values.
    """

    statements: frozenset[ast.stmt]
    expressions: frozenset[ast.expr]
    classifies: bool
    asks_others: bool


def history_of(runs: Sequence[ast.Call], facts: Facts) -> History | None:
    """What becomes of what models compute in one function.

    Args:
        runs: the calls of the models.
        facts: the facts of the module.

    Returns:
        the history; None where a graph may get out of sight (returned, stored, handed to code
        that may keep it) or is back-propagated through.
    """
    tracer = _Tracer(runs, facts, may_ask=True)
    return tracer.history() if tracer.follow_runs() else None


def inputs_of(
    runs: Sequence[ast.Call], bindings: Iterable[Binding], facts: Facts
) -> History | None:
    """What becomes of values on their way to the models; None as above."""
    tracer = _Tracer(runs, facts, may_ask=False)
    return tracer.history() if tracer.follow_names(bindings) else None


class _Tracer:
    def __init__(self, runs: Sequence[ast.Call], facts: Facts, may_ask: bool) -> None:
        self._runs = runs
        self._facts = facts
        self._may_ask = may_ask
        self._scope = facts.names.scope_of(facts.statement(runs[0]))
        self._statements: set[ast.stmt] = set()
        self._expressions: set[ast.expr] = set()
        self._passed: set[ast.Call] = set()
        self._pending: list[Binding] = []
        self._classifies = False
        self._asks_others = False

    def history(self) -> History:
        return History(
            frozenset(self._statements),
            frozenset(e for e in self._expressions if self._is_seen(e)),
            self._classifies,
            self._asks_others,
        )

    def follow_runs(self) -> bool:
        """Whether everything that is computed by the runs ends in this function."""
        return all(map(self._follow_expression, self._runs)) and self.follow_names(())

    def follow_names(self, bindings: Iterable[Binding]) -> bool:
        """Whether everything that is computed from names ends in this function."""
        self._pending += bindings
        seen: set[Binding] = set()
        while self._pending:
            binding = self._pending.pop()
            if binding not in seen:
                seen.add(binding)
                if not self._follow_binding(binding):
                    return False
        return True

    def _is_seen(self, expression: ast.expr) -> bool:
        """Whether everything that runs in an expression is known to compute and no more."""
        return all(
            call in self._passed or self._just_computes(call)
            for call in ast.walk(expression)
            if isinstance(call, ast.Call)
        )

    def _follow_binding(self, binding: Binding) -> bool:
        facts = self._facts
        if self._scope.kind == "module" and facts.is_used_elsewhere(binding.name):
            return False
        for use in facts.names.uses_of(self._scope, binding.name):
            if binding in facts.flow.reaching(use) and not self._follow_expression(use):
                return False
        return True

    def _follow_expression(self, start: ast.expr) -> bool:
        """Whether the graph of an expression ends in its statement, or goes on into names."""
        facts = self._facts
        statement = facts.statement(start)
        if facts.names.scope_of(statement) is not self._scope or self._is_deferred(start):
            return False
        self._classifies = self._classifies or _chooses(start, facts)
        reach = reach_of(start, facts)
        part, ends = start, _has_no_history(facts.value(start))
        for child, parent in _way(start, reach.expression, facts):
            if ends:
                break
            if not self._passes(child, parent):
                return False
            if isinstance(parent, ast.expr):
                ends = self._ends_at(parent)
                part = part if _is_text(parent, facts) else parent
        else:
            if reach.ends and _is_kept_by_python(reach.expression, facts):
                return False
            ends = ends or reach.ends
        sums = isinstance(statement, ast.AugAssign) and not ends
        if part is not start or start in self._runs or sums:
            self._statements.add(statement)
        self._expressions.add(_with_methods(part, facts) if ends else part)
        return ends or self._follow_statement(statement, part)

    def _ends_at(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Compare) or _has_no_history(self._facts.value(node)):
            return True
        # What a model makes of its input is followed from the run on.
        return node in self._runs and not self._may_ask

    def _is_deferred(self, node: ast.expr) -> bool:
        scope = self._facts.names.scope_of(node)
        return scope is not self._scope and scope.kind in ("function", "lambda", "class")

    def _follow_statement(self, statement: ast.stmt, part: ast.expr) -> bool:
        if isinstance(statement, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Delete)):
            return not (isinstance(statement, ast.Expr) and part in self._runs)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For)):
            return False
        for node in _targets(statement):
            if isinstance(node, ast.Name):
                found = self._scope.lookup(node.id)
                if found is None or found[0] is not self._scope:
                    return False
            elif not isinstance(node, (ast.Tuple, ast.List, ast.Starred)):
                return False
        bound = bindings_of(statement, part, self._facts)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            # A list, or a tensor, is changed under all of its names.
            bound += self._facts.flow.reaching_before(statement, statement.target.id)
        self._pending += [
            binding
            for binding in bound
            if not _has_no_history(self._facts.inference.bound(binding))
        ]
        return True

    def _passes(self, child: ast.AST, parent: ast.AST) -> bool:
        """Whether ``parent`` just computes something from ``child``."""
        if isinstance(parent, ast.Call):
            if child is parent.func:
                method = child.attr if isinstance(child, ast.Attribute) else None
                passes = _gives_new(method) or method in _COLLECTING_METHODS
            else:
                passes = self._takes(parent)
            self._passed.add(parent)
            return passes
        if isinstance(parent, ast.GeneratorExp):
            # Anywhere else it may run after the end of the block.
            return isinstance(self._facts.parent(parent), ast.Call)
        if isinstance(parent, ast.Attribute):
            return parent.attr not in ("grad", "grad_fn", "requires_grad")
        if isinstance(parent, ast.comprehension):
            owner = self._facts.parent(parent)
            assert owner is not None
            calls = [node for node in ast.walk(owner) if isinstance(node, ast.Call)]
            return all(self._just_computes(call) for call in calls)
        return not isinstance(parent, _OUT_OF_SIGHT)

    def _just_computes(self, call: ast.Call) -> bool:
        function = call.func
        if isinstance(function, ast.Attribute) and self._facts.name(function) is None:
            if _gives_new(function.attr):
                return True
        return self._takes(call, may_ask=False)

    def _takes(self, call: ast.Call, may_ask: bool = True) -> bool:
        """Whether a call that gets such a value keeps nothing and gives something new."""
        facts = self._facts
        function = call.func
        value = facts.value(function)
        name = facts.name(function)
        if call in self._runs or (name is not None and _is_passing(name)):
            return True
        if isinstance(function, ast.Name) and self._scope.lookup(function.id) is None:
            return python_functions.keeps_nothing(function.id)
        if isinstance(value, Module):
            return keeps_to_itself(value, facts) is True or (may_ask and self._asks(call))
        definition = called_function(call, facts)
        if definition is not None:
            return just_returns(definition, facts)
        if isinstance(function, ast.Attribute) and function.attr in _COLLECTING_METHODS:
            return self._collects(call, function.value)
        if isinstance(function, ast.Attribute) and _gives_new(function.attr):
            # ``meter.add(output)`` is for what it does, not for what it gives.
            return not function.attr.endswith("_") and not isinstance(facts.parent(call), ast.Expr)
        return (
            may_ask
            and isinstance(value, (Unknown, Imported))
            and not trains([call], facts)
            and (name is not None or isinstance(function, ast.Name) or _is_own(function))
            and self._asks(call)
        )

    def _asks(self, call: ast.Call) -> bool:
        """``accuracy(output, target)`` of another file: the result is wanted, as a number.

        What needs a gradient needs the model, its input, or an optimizer for it.
        """
        facts = self._facts
        if not self._may_ask or isinstance(facts.parent(call), ast.Expr):
            return False
        given = {
            ast.unparse(node)
            for argument in values_given(call)
            for node in ast.walk(argument)
            if isinstance(node, (ast.Name, ast.Attribute))
        }
        involved = {
            ast.unparse(part)
            for run in self._runs
            for part in (run.func, *run.args, *(keyword.value for keyword in run.keywords))
        }
        if given & involved or any(
            isinstance(facts.value(argument), (Optimizer, Module)) for argument in call.args
        ):
            return False
        self._asks_others = True
        return True

    def _collects(self, call: ast.Call, collection: ast.expr) -> bool:
        """``outputs.append(output)`` on a list of this function: now the list has the graph."""
        if not isinstance(collection, ast.Name):
            return False
        found = self._scope.lookup(collection.id)
        if found is None or found[0] is not self._scope:
            return False
        if not all(map(_makes_list, found[1])):
            return False
        self._pending += found[1]
        return isinstance(self._facts.parent(call), ast.Expr)


def _way(start: ast.expr, end: ast.expr, facts: Facts) -> Iterator[tuple[ast.AST, ast.AST]]:
    child: ast.AST = start
    while child is not end:
        parent = facts.parent(child)
        assert parent is not None
        yield child, parent
        child = parent


def _has_no_history(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.grad is False or value.dtype in WITHOUT_HISTORY
    return isinstance(value, (Number, Array, Text, Size))


def _makes_list(binding: Binding) -> bool:
    """``outputs = []``, under no other name at the same time."""
    statement = binding.node
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.List)
        and statement.value is binding.value
    )


def _is_own(function: ast.expr) -> bool:
    """``self.criterion``: the value of an attribute, not a method of some object."""
    return isinstance(function, ast.Attribute) and getattr(function.value, "id", None) == "self"


def _is_kept_by_python(node: ast.expr, facts: Facts) -> bool:
    """Whether a function of Python itself may pass the graph on: ``deque(outputs)``."""
    parent = facts.parent(node)
    call = facts.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or node is call.func:
        return False
    top = (facts.name(call.func) or "").partition(".")[0]
    return top in sys.stdlib_module_names and top not in _READING_LIBRARIES


def _with_methods(node: ast.expr, facts: Facts) -> ast.expr:
    """``Variable(x).cuda()`` for ``x``: what is made of something that has no graph has none."""
    while True:
        parent = facts.parent(node)
        if isinstance(parent, ast.Attribute):
            node = parent
        elif isinstance(parent, ast.Call) and (parent.func is node or parent.args[:1] == [node]):
            others = [*parent.args, *(keyword.value for keyword in parent.keywords)]
            if not all(isinstance(o, (ast.Name, ast.Constant)) for o in others if o is not node):
                return node
            node = parent
        else:
            return node


def _is_text(node: ast.expr, facts: Facts) -> bool:
    """``print(loss)``, ``"%f" % loss``: nothing is computed there that has a graph."""
    if isinstance(facts.value(node), Text):
        return True
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("print", "len", "type")


def _is_passing(name: str) -> bool:
    if name == "torch.autograd.Variable":
        return True
    if name.startswith("torch."):
        is_plain = name.count(".") == 1 and name != "torch.save"
        return is_plain or name.startswith(_PASSING_MODULES)
    return name.startswith(("numpy.", "torchvision.")) or is_foreign(name)


def _chooses(start: ast.expr, facts: Facts) -> bool:
    """Whether a class is chosen by a value in its statement, or a loss for classes computed."""
    for parent in facts.names.ancestors(start):
        if isinstance(parent, ast.stmt):
            break
        if isinstance(parent, ast.Call):
            name = facts.name(parent.func) or ""
            value = facts.value(parent.func)
            if isinstance(value, Module):
                name = value.cls or ""
            method = parent.func.attr if isinstance(parent.func, ast.Attribute) else ""
            last = name.rpartition(".")[2]
            has_dimension = len(parent.args) + len(parent.keywords) > name.startswith("torch.")
            if name.startswith("torch.") and last in _CHOOSING_LOSSES:
                return True
            if (last if name.startswith("torch.") else method) in _CHOOSING_METHODS:
                return has_dimension
    return False


def _targets(statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For) -> Iterator[ast.AST]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, (ast.expr)) and isinstance(getattr(node, "ctx", None), ast.Store):
                yield node


def keeps_to_itself(model: Value, facts: Facts, depth: int = 0) -> bool | None:
    """Whether the ``forward`` of a model takes no gradients and keeps nothing; None: not known."""
    if not isinstance(model, Module) or depth > _MAX_DEPTH:
        return None
    if model.cls is not None:
        return _keep_to_themselves(model, facts, depth)
    if model.definition is None or not is_of_one_file(facts.inference, model):
        return None
    return facts.remembered("forward keeps to itself", lambda: _forwards_keep_to_themselves(facts))


def _forwards_keep_to_themselves(facts: Facts) -> bool:
    """The same of all models of the file: they may hold each other."""
    forwards = [
        statement
        for definition in facts.names.nodes.get(ast.ClassDef, ())
        if isinstance(definition, ast.ClassDef) and facts.classes.kind(definition) != "plain"
        for statement in definition.body
        if isinstance(statement, ast.FunctionDef) and statement.name == "forward"
    ]
    return not any(trains(f.body, facts) or _stores(f) or _wants_gradients(f) for f in forwards)


def _wants_gradients(function: ast.FunctionDef) -> bool:
    """Whether a function makes something to take gradients by, with whatever takes them.

    ``y = torch.zeros(n, requires_grad=True)`` goes to ``optimizer.step(energy(y), params=[y])`` of
    a library as well as to ``torch.autograd.grad``.
    """
    return any(
        (isinstance(node, ast.keyword) and node.arg == "requires_grad" and not _is_false(node))
        or (isinstance(node, ast.Attribute) and node.attr in _GRADIENT_SWITCHES)
        for node in ast.walk(function)
    )


def _is_false(option: ast.keyword) -> bool:
    return isinstance(option.value, ast.Constant) and option.value.value is False


def _keep_to_themselves(model: Module, facts: Facts, depth: int) -> bool | None:
    """A layer of torch; with the models that it was given, where it is one that runs others."""
    assert model.cls is not None
    if not model.cls.startswith(("torch.nn.", "torchvision.models.")):
        return None
    if model.cls.rpartition(".")[2] not in _RUN_OTHERS:
        return True
    given = [] if model.call is None else model.call.args
    answers = [keeps_to_itself(facts.value(argument), facts, depth + 1) for argument in given]
    return False if False in answers else True if answers and all(answers) else None


def _stores(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


def just_returns(
    function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether a function of this file computes something, and neither trains nor keeps anything."""
    if trains(function.body, facts) or _stores(function):
        return False
    seen = seen | {function}
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal, *_OUT_OF_SIGHT)):
            return False
        if isinstance(node, ast.Call) and not _is_seen_inside(node, function, facts, seen):
            return False
    return True


def _is_seen_inside(
    call: ast.Call, function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]
) -> bool:
    """Whether a call in a function is known to compute and no more."""
    callee = call.func
    name = facts.name(callee)
    called = called_function(call, facts)
    if name is not None:
        return _is_passing(name)
    if called is not None:
        return called in seen or just_returns(called, facts, seen)
    if isinstance(callee, ast.Name):
        builtin = facts.names.builtin(callee)
        if builtin is not None:
            return python_functions.keeps_nothing(builtin)
    elif isinstance(callee, ast.Attribute):
        if callee.attr in _KEEPING_METHODS and isinstance(facts.parent(call), ast.Expr):
            return _is_local(callee.value, function, facts)
        if _gives_new(callee.attr) or isinstance(facts.value(callee.value), Text):
            return True
    return keeps_to_itself(facts.value(callee), facts) is True


def _is_local(node: ast.expr, function: ast.FunctionDef, facts: Facts) -> bool:
    if not isinstance(node, ast.Name):
        return False
    found = facts.names.scope_of(node).lookup(node.id)
    return (
        found is not None
        and found[0].node is function
        and all(binding.kind != "parameter" for binding in found[1])
    )


def _gives_new(method: str | None) -> bool:
    """Whether a method gives something new, for tensors and for lists and dicts of them."""
    if method is None or method in _KEEPING:
        return False
    is_of_tensors = torch_effects.is_known(f"torch.Tensor.{method}")
    return method in _OF_CONTAINERS or (
        is_of_tensors and not torch_effects.may_do(method, "autograd")
    )
